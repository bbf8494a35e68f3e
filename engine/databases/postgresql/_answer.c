/* The answer to one statement; it is read as psycopg's PGresult is, by the same code. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <string.h>

#include "_answer.h"
#include "_result_rows.h"

enum { COMMAND_OK = 1, TUPLES_OK = 2, FATAL_ERROR = 7 }; /* libpq's ExecStatusType */

typedef struct {
    PyObject_VAR_HEAD
    Found found;
    char messages[];
} Answer;

/* What is left of a message; whatever reads beyond its end gets nothing, and marks it as spoilt. */
typedef struct {
    const char *at, *end;
    int is_spoilt;
} Reader;

int32_t int32_at(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (int32_t)((uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]);
}

static const char *skip(Reader *reader, Py_ssize_t size)
{
    static const char nothing[4] = {0};
    const char *at = reader->at;
    if (reader->is_spoilt || size < 0 || reader->end - at < size) {
        reader->is_spoilt = 1;
        return nothing;
    }
    reader->at += size;
    return at;
}

static int32_t read_int32(Reader *reader) { return int32_at(skip(reader, 4)); }

static int read_int16(Reader *reader)
{
    const unsigned char *b = (const unsigned char *)skip(reader, 2);
    return b[0] << 8 | b[1];
}

/* A text that ends with a zero byte. */
static const char *read_text(Reader *reader, Py_ssize_t *size)
{
    const char *zero = reader->at < reader->end ? memchr(reader->at, 0, (size_t)(reader->end - reader->at)) : NULL;
    *size = zero == NULL ? -1 : zero - reader->at;
    const char *text = skip(reader, *size);
    skip(reader, 1);
    return text;
}

/* The text of a field of an ErrorResponse or a NoticeResponse; NULL if it is not there. */
static const char *find_field(Reader reader, char code, Py_ssize_t *size)
{
    while (!reader.is_spoilt) {
        char found = *skip(&reader, 1);
        const char *text = read_text(&reader, size);
        if (!reader.is_spoilt && found == code)
            return text;
    }
    return NULL;
}

static int is_warning(const char *notice, Py_ssize_t size)
{
    Reader reader = {.at = notice + HEADER, .end = notice + size};
    Py_ssize_t length;
    const char *severity = find_field(reader, 'V', &length);
    return severity != NULL && strcmp(severity, "WARNING") == 0;
}

void note_message(Found *found, const char *message, Py_ssize_t at)
{
    Py_ssize_t size = 1 + int32_at(message + 1);
    switch (*message) {
    case 'D':
        found->rows++;
        break;
    case 'T':
        found->columns_at = at;
        found->columns_size = size;
        break;
    case 'E':
        found->error_at = at;
        found->error_size = size;
        break;
    case 'N':
        if (is_warning(message, size)) {
            found->warning_at = at;
            found->warning_size = size;
        }
        break;
    }
}

PyObject *make_answer(const char *messages, Py_ssize_t size, const Found *found)
{
    Answer *made = PyObject_NewVar(Answer, &AnswerType, size);
    if (made == NULL)
        return NULL;
    made->found = *found;
    memcpy(made->messages, messages, size);
    return (PyObject *)made;
}

static Reader reader_of(const Answer *self, Py_ssize_t at, Py_ssize_t size)
{
    const char *message = self->messages + at;
    return (Reader){.at = message + (size > 0 ? HEADER : 0), .end = message + size};
}

/* The DataRow of a number that is one of the answer's; looked for from the first, since few rows are ever read. */
static Reader row_of(const Answer *self, Py_ssize_t number)
{
    const char *message = self->messages;
    for (;; message += 1 + int32_at(message + 1))
        if (*message == 'D' && number-- == 0)
            return (Reader){.at = message + HEADER, .end = message + 1 + int32_at(message + 1)};
}

static PyObject *no_such(const char *what)
{
    PyErr_Format(PyExc_IndexError, "the answer has no such %s", what);
    return NULL;
}

/* A value's place and size; of one that is null, or is not there, the place is NULL. */
typedef struct {
    const char *at;
    int32_t size;
} Value;

/* The value in a row and column; an exception when it is not there. */
static Value value_in(const Answer *self, Py_ssize_t row, Py_ssize_t column)
{
    Value value = {0}, none = {0};
    if (row < 0 || row >= self->found.rows) {
        no_such("row");
        return none;
    }
    Reader reader = row_of(self, row);
    if (column < 0 || column >= read_int16(&reader)) {
        no_such("column");
        return none;
    }
    do {
        value.size = read_int32(&reader);
        value.at = skip(&reader, value.size < 0 ? 0 : value.size);
    } while (column-- > 0);
    if (reader.is_spoilt)
        no_such("value");
    return reader.is_spoilt || value.size < 0 ? none : value;
}

/* The value in the row and column that a method was called with. */
static Value value_asked(const Answer *self, PyObject *const *arguments, Py_ssize_t count)
{
    Value none = {0};
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "the row and the column, two whole numbers");
        return none;
    }
    Py_ssize_t row = PyLong_AsSsize_t(arguments[0]), column = PyLong_AsSsize_t(arguments[1]);
    return PyErr_Occurred() ? none : value_in(self, row, column);
}

static PyObject *answer_get_value(Answer *self, PyObject *const *arguments, Py_ssize_t count)
{
    Value value = value_asked(self, arguments, count);
    if (value.at != NULL)
        return PyBytes_FromStringAndSize(value.at, value.size);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *as_int4(Value value)
{
    if (value.at != NULL && value.size == 4)
        return PyLong_FromLong(int32_at(value.at));
    if (PyErr_Occurred())
        return NULL;
    if (value.at == NULL)
        Py_RETURN_NONE;
    PyErr_Format(PyExc_ValueError, "a value of %d bytes is no int4", (int)value.size);
    return NULL;
}

static PyObject *answer_int4(Answer *self, PyObject *const *arguments, Py_ssize_t count)
{
    return as_int4(value_asked(self, arguments, count));
}

static PyObject *answer_int4_pairs(Answer *self, PyObject *Py_UNUSED(nothing))
{
    PyObject *pairs = PyDict_New();
    for (Py_ssize_t row = 0; pairs != NULL && row < self->found.rows; row++) {
        PyObject *key = as_int4(value_in(self, row, 0));
        PyObject *value = key == NULL ? NULL : as_int4(value_in(self, row, 1));
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

static PyObject *answer_int4_and_rows(Answer *self, PyObject *Py_UNUSED(nothing))
{
    Py_ssize_t count = self->found.rows;
    Value none = {0};
    PyObject *number = as_int4(count > 0 ? value_in(self, 0, 0) : none);
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
    Reader reader = reader_of(self, self->found.columns_at, self->found.columns_size);
    if (column < 0 || column >= read_int16(&reader))
        return no_such("column");
    int32_t type;
    do {
        Py_ssize_t name_size;
        read_text(&reader, &name_size);
        skip(&reader, 6); /* table, and number in it */
        type = read_int32(&reader);
        skip(&reader, 8); /* size, modifier, format */
    } while (column-- > 0);
    return reader.is_spoilt ? no_such("column") : PyLong_FromUnsignedLong((uint32_t)type);
}

static PyObject *text_of(Reader reader, char code)
{
    Py_ssize_t size;
    const char *text = find_field(reader, code, &size);
    if (text == NULL)
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize(text, size);
}

PyObject *warning_of(PyObject *answer)
{
    Answer *self = (Answer *)answer;
    return text_of(reader_of(self, self->found.warning_at, self->found.warning_size), 'M');
}

static PyObject *answer_error_field(Answer *self, PyObject *code)
{
    long letter = PyLong_AsLong(code);
    if (letter == -1 && PyErr_Occurred())
        return NULL;
    return text_of(reader_of(self, self->found.error_at, self->found.error_size), (char)letter);
}

static PyObject *answer_status(Answer *self, void *Py_UNUSED(closure))
{
    if (self->found.error_size > 0)
        return PyLong_FromLong(FATAL_ERROR);
    return PyLong_FromLong(self->found.columns_size > 0 ? TUPLES_OK : COMMAND_OK);
}

static PyObject *answer_nfields(Answer *self, void *Py_UNUSED(closure))
{
    Reader reader = reader_of(self, self->found.columns_at, self->found.columns_size);
    return PyLong_FromLong(self->found.columns_size > 0 ? read_int16(&reader) : 0);
}

static PyMethodDef answer_methods[] = {
    {"get_value", (PyCFunction)(void (*)(void))answer_get_value, METH_FASTCALL, "A value's bytes, None if it is null."},
    {"int4", (PyCFunction)(void (*)(void))answer_int4, METH_FASTCALL, "An int4, None if it is null."},
    {"int4_pairs", (PyCFunction)answer_int4_pairs, METH_NOARGS, "The second int4 of each row by its first."},
    {"rows", answer_rows, METH_NOARGS, "All rows, decoded on demand."},
    {"int4_and_rows", (PyCFunction)answer_int4_and_rows, METH_NOARGS,
     "The first row's int4, None without a row; and what stands beside it in all rows."},
    {"ftype", (PyCFunction)answer_ftype, METH_O, "The number of a column's type."},
    {"error_field", (PyCFunction)answer_error_field, METH_O, "A field of the server's error, None if it is not there."},
    {NULL}};

static PyMemberDef answer_members[] = {
    {"ntuples", T_PYSSIZET, offsetof(Answer, found.rows), READONLY, "How many rows there are."}, {NULL}};

static PyGetSetDef answer_attributes[] = {
    {"status", (getter)answer_status, NULL, "As libpq's ExecStatus.", NULL},
    {"nfields", (getter)answer_nfields, NULL, "How many columns there are.", NULL},
    {NULL}};

PyTypeObject AnswerType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.databases.postgresql._exchange.Answer",
    .tp_doc = "The answer to one statement.",
    .tp_basicsize = offsetof(Answer, messages),
    .tp_itemsize = 1,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_methods = answer_methods,
    .tp_members = answer_members,
    .tp_getset = answer_attributes,
};
