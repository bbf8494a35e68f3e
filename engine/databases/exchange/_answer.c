/* The answer to one call. Its attributes and methods have the names of psycopg's PGresult: the same code reads both. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <string.h>

#include "_answer.h"
#include "_result_rows.h"

enum { COMMAND_OK = 1, TUPLES_OK = 2, FATAL_ERROR = 7 }; /* libpq's ExecStatusType */

typedef struct {
    PyObject_VAR_HEAD
    const Protocol *protocol;
    Found found;
    char messages[];
} Answer;

PyObject *make_answer(const Protocol *protocol, const char *messages, Py_ssize_t size, const Found *found)
{
    Answer *made = PyObject_NewVar(Answer, &AnswerType, size);
    if (made == NULL)
        return NULL;
    made->protocol = protocol;
    made->found = *found;
    if (size > 0)
        memcpy(made->messages, messages, size);
    return (PyObject *)made;
}

const char *decoder_of(PyObject *answer) { return ((Answer *)answer)->protocol->decoder; }

static Value value_in(const Answer *self, Py_ssize_t row, Py_ssize_t column)
{
    if (row >= 0 && row < self->found.rows)
        return self->protocol->value(&self->found, self->messages, row, column);
    PyErr_SetString(PyExc_IndexError, "the answer has no such row");
    return (Value){0};
}

/* The value in the row and column that a method was called with. */
static Value value_requested(const Answer *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "the row and the column are two ints");
        return (Value){0};
    }
    Py_ssize_t row = PyLong_AsSsize_t(arguments[0]), column = PyLong_AsSsize_t(arguments[1]);
    return PyErr_Occurred() ? (Value){0} : value_in(self, row, column);
}

static PyObject *none_unless_exception(void)
{
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *answer_get_value(Answer *self, PyObject *const *arguments, Py_ssize_t count)
{
    Value value = value_requested(self, arguments, count);
    return value.at == NULL ? none_unless_exception() : PyBytes_FromStringAndSize(value.at, value.size);
}

static PyObject *as_integer(const Answer *self, Value value)
{
    return value.at == NULL ? none_unless_exception() : self->protocol->integer(&value);
}

static PyObject *answer_integer(Answer *self, PyObject *const *arguments, Py_ssize_t count)
{
    return as_integer(self, value_requested(self, arguments, count));
}

static PyObject *answer_integer_pairs(Answer *self, PyObject *Py_UNUSED(nothing))
{
    PyObject *pairs = PyDict_New();
    for (Py_ssize_t row = 0; pairs != NULL && row < self->found.rows; row++) {
        PyObject *key = as_integer(self, value_in(self, row, 0));
        PyObject *value = key == NULL ? NULL : as_integer(self, value_in(self, row, 1));
        if (value == NULL || PyDict_SetItem(pairs, key, value) < 0)
            Py_CLEAR(pairs);
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return pairs;
}

static PyObject *answer_rows(PyObject *self, PyObject *Py_UNUSED(nothing))
{
    return result_rows(self, ((Answer *)self)->found.rows, 0, 0);
}

static PyObject *answer_integer_and_rows(Answer *self, PyObject *Py_UNUSED(nothing))
{
    Py_ssize_t count = self->found.rows;
    PyObject *number = as_integer(self, count > 0 ? value_in(self, 0, 0) : (Value){0});
    int is_empty = number == Py_None || (number != NULL && value_in(self, 0, 1).at == NULL);
    PyObject *rows =
        PyErr_Occurred() ? NULL : result_rows((PyObject *)self, count, 1, is_empty ? Py_MIN(1, count) : 0);
    PyObject *both = rows == NULL ? NULL : PyTuple_Pack(2, number, rows);
    Py_XDECREF(number);
    Py_XDECREF(rows);
    return both;
}

static PyObject *answer_ftype(Answer *self, PyObject *number)
{
    Py_ssize_t column = PyLong_AsSsize_t(number);
    if (PyErr_Occurred())
        return NULL;
    long type = self->protocol->column_type(&self->found, self->messages, column);
    if (type >= 0)
        return PyLong_FromLong(type);
    PyErr_SetString(PyExc_IndexError, "the answer has no such column");
    return NULL;
}

static PyObject *field_of(const Answer *self, Part message, char letter)
{
    Value field = self->protocol->field(self->messages, message, letter);
    if (message.size == 0 || field.at == NULL)
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize(field.at, field.size);
}

PyObject *warning_of(PyObject *answer)
{
    Answer *self = (Answer *)answer;
    return field_of(self, self->found.warning, 'M');
}

static PyObject *answer_error_field(Answer *self, PyObject *code)
{
    long letter = PyLong_AsLong(code);
    if (letter == -1 && PyErr_Occurred())
        return NULL;
    return field_of(self, self->found.error, (char)letter);
}

static PyObject *answer_status(Answer *self, void *Py_UNUSED(closure))
{
    if (self->found.error.size > 0)
        return PyLong_FromLong(FATAL_ERROR);
    return PyLong_FromLong(self->found.description.size > 0 ? TUPLES_OK : COMMAND_OK);
}

static PyMethodDef answer_methods[] = {
    {"get_value", (PyCFunction)(void (*)(void))answer_get_value, METH_FASTCALL, "A value's bytes, None if it is null."},
    {"integer", (PyCFunction)(void (*)(void))answer_integer, METH_FASTCALL, "An integer, None if it is null."},
    {"integer_pairs", (PyCFunction)answer_integer_pairs, METH_NOARGS, "The second integer of each row by its first."},
    {"rows", answer_rows, METH_NOARGS, "All rows, decoded on demand."},
    {"integer_and_rows", (PyCFunction)answer_integer_and_rows, METH_NOARGS,
     "The first row's first integer, None without a row; and the other columns of all rows."},
    {"ftype", (PyCFunction)answer_ftype, METH_O, "The number of a column's type."},
    {"error_field", (PyCFunction)answer_error_field, METH_O, "A field of the server's error, None if it is not there."},
    {NULL}};

static PyMemberDef answer_members[] = {
    {"ntuples", T_PYSSIZET, offsetof(Answer, found.rows), READONLY, "How many rows there are."},
    {"nfields", T_PYSSIZET, offsetof(Answer, found.columns), READONLY, "How many columns there are."},
    {NULL}};

static PyGetSetDef answer_attributes[] = {
    {"status", (getter)answer_status, NULL, "As libpq's ExecStatus.", NULL}, {NULL}};

PyTypeObject AnswerType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.databases.exchange._exchange.Answer",
    .tp_doc = "The answer to one call.",
    .tp_basicsize = offsetof(Answer, messages),
    .tp_itemsize = 1,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_methods = answer_methods,
    .tp_members = answer_members,
    .tp_getset = answer_attributes,
};
