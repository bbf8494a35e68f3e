/* The rows of an answer, decoded by the protocol's Python module when they are asked for, which is rare: until then
 * they must cost next to nothing. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_answer.h"
#include "_result_rows.h"

typedef struct {
    PyObject_HEAD
    PyObject *answer;
    Py_ssize_t first_column, skipped, count;
} ResultRows;

PyObject *result_rows(PyObject *answer, Py_ssize_t rows, Py_ssize_t first_column, Py_ssize_t skipped)
{
    ResultRows *made = PyObject_New(ResultRows, &ResultRowsType);
    if (made == NULL)
        return NULL;
    made->answer = Py_NewRef(answer);
    made->first_column = first_column;
    made->skipped = skipped;
    made->count = rows - skipped;
    return (PyObject *)made;
}

static PyObject *rows_decoded(ResultRows *self, PyObject *Py_UNUSED(nothing))
{
    PyObject *decoder = PyImport_ImportModule(decoder_of(self->answer));
    if (decoder == NULL)
        return NULL;
    PyObject *decoded =
        PyObject_CallMethod(decoder, "decoded_rows", "Onn", self->answer, self->first_column, self->skipped);
    Py_DECREF(decoder);
    return decoded;
}

static Py_ssize_t rows_length(PyObject *self) { return ((ResultRows *)self)->count; }

static void rows_dealloc(ResultRows *self)
{
    Py_DECREF(self->answer);
    PyObject_Free(self);
}

static PySequenceMethods rows_as_sequence = {.sq_length = rows_length};

static PyMethodDef rows_methods[] = {
    {"decoded", (PyCFunction)rows_decoded, METH_NOARGS, "All of them, each value as Python's."}, {NULL}};

PyTypeObject ResultRowsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.databases.exchange._exchange.ResultRows",
    .tp_doc = "Rows of an answer, decoded on demand.",
    .tp_basicsize = sizeof(ResultRows),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)rows_dealloc,
    .tp_as_sequence = &rows_as_sequence,
    .tp_methods = rows_methods,
};
