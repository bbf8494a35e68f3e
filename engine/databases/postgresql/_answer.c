/* The answer to one statement; it is read as psycopg's PGresult is, by the same code. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <string.h>

#include "_answer.h"

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

static PyObject *answer_get_value(Answer *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "get_value(row: int, column: int)");
        return NULL;
    }
    Py_ssize_t row = PyLong_AsSsize_t(arguments[0]), column = PyLong_AsSsize_t(arguments[1]);
    if (PyErr_Occurred())
        return NULL;
    if (row < 0 || row >= self->found.rows)
        return no_such("row");
    Reader reader = row_of(self, row);
    if (column < 0 || column >= read_int16(&reader))
        return no_such("column");
    int32_t size;
    const char *value;
    do {
        size = read_int32(&reader);
        value = skip(&reader, size < 0 ? 0 : size);
    } while (column-- > 0);
    if (reader.is_spoilt)
        return no_such("value");
    if (size < 0)
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize(value, size);
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
