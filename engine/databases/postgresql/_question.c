/* A question: the messages that ask a prepared statement, with its parameters packed. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#include "_question.h"

enum { FIRST_SPACE = 4096, INT4 = 23, TEXT = 0 };

/* The type of the message, its length, and the portal's name, which is empty. */
static const char BIND[] = {'B', 0, 0, 0, 0, 0};
/* Binary results; then the messages that follow Bind: Describe the portal, Execute all of it, Sync. */
static const char RESULTS[] = {0, 1, 0, 1};
static const char REST[] = {'D', 0, 0, 0, 6, 'P', 0, 'E', 0, 0, 0, 9, 0, 0, 0, 0, 0, 'S', 0, 0, 0, 4};

char *make_room(Buffer *buffer, Py_ssize_t more)
{
    if (more > LONGEST_BYTES - buffer->size) {
        PyErr_SetString(PyExc_OverflowError, "a message to or from the server is longer than 1 GiB");
        return NULL;
    }
    if (buffer->size + more > buffer->space) {
        Py_ssize_t space = Py_MAX(Py_MAX(2 * buffer->space, buffer->size + more), FIRST_SPACE);
        char *bytes = PyMem_Realloc(buffer->bytes, space);
        if (bytes == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        buffer->bytes = bytes;
        buffer->space = space;
    }
    return buffer->bytes + buffer->size;
}

static int append(Buffer *buffer, const void *bytes, Py_ssize_t size)
{
    char *end = make_room(buffer, size);
    if (end == NULL)
        return -1;
    memcpy(end, bytes, size);
    buffer->size += size;
    return 0;
}

static int append_int32(Buffer *buffer, Py_ssize_t value)
{
    unsigned char bytes[] = {value >> 24, value >> 16, value >> 8, value};
    return append(buffer, bytes, sizeof bytes);
}

static int append_int16(Buffer *buffer, Py_ssize_t value)
{
    if (value > UINT16_MAX) {
        PyErr_SetString(PyExc_OverflowError, "there are more than 65,535 parameters");
        return -1;
    }
    unsigned char bytes[] = {value >> 8, value};
    return append(buffer, bytes, sizeof bytes);
}

/* The value of a whole number; what only acts as one might do anything meanwhile, and is refused. */
static int as_long(PyObject *number, long *value)
{
    if (!PyLong_Check(number)) {
        PyErr_Format(PyExc_TypeError, "%s is no int", Py_TYPE(number)->tp_name);
        return -1;
    }
    *value = PyLong_AsLong(number);
    return *value == -1 && PyErr_Occurred() ? -1 : 0;
}

/* An int4 as the server reads it in binary. */
static int append_int4(Buffer *buffer, PyObject *number)
{
    long value;
    if (as_long(number, &value) < 0)
        return -1;
    if (value < INT32_MIN || value > INT32_MAX) {
        PyErr_Format(PyExc_OverflowError, "%ld is no int4", value);
        return -1;
    }
    return append_int32(buffer, value);
}

/* A one-dimensional int4[]: dimensions, no nulls, element type, length, lower bound, then size and value of each. */
static int append_int4s(Buffer *buffer, PyObject *numbers)
{
    Py_ssize_t count = PyList_GET_SIZE(numbers);
    if (append_int32(buffer, 20 + 8 * count) < 0 || append_int32(buffer, 1) < 0 || append_int32(buffer, 0) < 0 ||
        append_int32(buffer, INT4) < 0 || append_int32(buffer, count) < 0 || append_int32(buffer, 1) < 0)
        return -1;
    for (Py_ssize_t place = 0; place < count; place++)
        if (append_int32(buffer, 4) < 0 || append_int4(buffer, PyList_GET_ITEM(numbers, place)) < 0)
            return -1;
    return 0;
}

/* An amount of whole cents, as the text of a numeric; its digits are written from the last one on. */
static int append_money(Buffer *buffer, PyObject *cents)
{
    enum { SPACE = 24, LEAST_DIGITS = 3 };
    char text[SPACE], *at = text + SPACE;
    long value;
    if (as_long(cents, &value) < 0)
        return -1;
    if (value < 0) {
        PyErr_Format(PyExc_OverflowError, "%ld cents are no amount", value);
        return -1;
    }
    for (int digits = 0; digits < LEAST_DIGITS || value > 0; digits++, value /= 10) {
        if (digits == 2)
            *--at = '.';
        *--at = (char)('0' + value % 10);
    }
    Py_ssize_t size = text + SPACE - at;
    return append_int32(buffer, size) < 0 ? -1 : append(buffer, at, size);
}

static int append_text(Buffer *buffer, const char *text, Py_ssize_t size)
{
    return text == NULL || append_int32(buffer, size) < 0 ? -1 : append(buffer, text, size);
}

/* The size of a parameter, and the parameter. */
static int append_value(Buffer *buffer, PyObject *value, int is_text)
{
    Py_ssize_t size;
    if (PyLong_Check(value) && is_text)
        return append_money(buffer, value);
    if (PyLong_Check(value))
        return append_int32(buffer, 4) < 0 ? -1 : append_int4(buffer, value);
    if (PyUnicode_Check(value)) {
        const char *text = PyUnicode_AsUTF8AndSize(value, &size);
        return append_text(buffer, text, size);
    }
    if (PyBytes_Check(value))
        return append_text(buffer, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value));
    if (PyList_Check(value))
        return append_int4s(buffer, value);
    PyErr_Format(PyExc_TypeError, "a parameter is an int, a str, bytes or a list, not %s", Py_TYPE(value)->tp_name);
    return -1;
}

static int append_formats(Buffer *buffer, PyObject *formats)
{
    if (append_int16(buffer, PyTuple_GET_SIZE(formats)) < 0)
        return -1;
    for (Py_ssize_t number = 0; number < PyTuple_GET_SIZE(formats); number++) {
        long format;
        if (as_long(PyTuple_GET_ITEM(formats, number), &format) < 0 || append_int16(buffer, format) < 0)
            return -1;
    }
    return 0;
}

static int append_values(Buffer *buffer, PyObject *formats, PyObject *values)
{
    Py_ssize_t count = PyTuple_GET_SIZE(values);
    if (count != PyTuple_GET_SIZE(formats)) {
        PyErr_Format(PyExc_TypeError, "%zd parameters have %zd formats", count, PyTuple_GET_SIZE(formats));
        return -1;
    }
    if (append_int16(buffer, count) < 0)
        return -1;
    for (Py_ssize_t number = 0; number < count; number++) {
        int is_text = PyLong_AsLong(PyTuple_GET_ITEM(formats, number)) == TEXT;
        if (append_value(buffer, PyTuple_GET_ITEM(values, number), is_text) < 0)
            return -1;
    }
    return 0;
}

int make_question(Buffer *question, PyObject *name, PyObject *formats, PyObject *values)
{
    question->size = 0;
    if (append(question, BIND, sizeof BIND) < 0 ||
        append(question, PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name) + 1) < 0 ||
        append_formats(question, formats) < 0 || append_values(question, formats, values) < 0 ||
        append(question, RESULTS, sizeof RESULTS) < 0)
        return -1;
    Py_ssize_t all = question->size;
    question->size = 1;
    append_int32(question, all - 1); /* there is room for it already */
    question->size = all;
    return append(question, REST, sizeof REST);
}
