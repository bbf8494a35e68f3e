/* The messages that execute a prepared statement on PostgreSQL, with its parameters in the formats of their types. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#include "_postgresql.h"

/* The types whose parameters are sent in binary, with their OIDs in pg_type; all others are sent as text. */
enum { BYTEA = 17, INT8 = 20, INT2 = 21, INT4 = 23, TEXT = 25, INT4_ARRAY = 1007, BPCHAR = 1042, VARCHAR = 1043 };
enum { NUMERIC = 1700 };

/* The type of the message, its length, and the portal's name, which is empty. */
static const char BIND[] = {'B', 0, 0, 0, 0, 0};
/* Binary results; then the messages that follow Bind: Describe the portal, Execute all of it, Sync. */
static const char RESULTS[] = {0, 1, 0, 1};
static const char REST[] = {'D', 0, 0, 0, 6, 'P', 0, 'E', 0, 0, 0, 9, 0, 0, 0, 0, 0, 'S', 0, 0, 0, 4};

static int is_binary(long type)
{
    switch (type) {
    case BYTEA: case INT8: case INT2: case INT4: case TEXT: case INT4_ARRAY: case BPCHAR: case VARCHAR:
        return 1;
    default:
        return 0;
    }
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

/* An integer of a size in bytes, after that size. */
static int append_integer(Buffer *buffer, PyObject *number, int size)
{
    long long most = INT64_MAX >> (64 - 8 * size), value;
    if (whole_number(number, -most - 1, most, &value) < 0 || append_int32(buffer, size) < 0)
        return -1;
    if (size == 8 && append_int32(buffer, value >> 32) < 0)
        return -1;
    return size == 2 ? append_int16(buffer, value & UINT16_MAX) : append_int32(buffer, value);
}

/* A one-dimensional int4[]: its size; dimensions, no nulls, element type, length, lower bound; size and value of each.
 * */
static int append_int4s(Buffer *buffer, PyObject *numbers)
{
    if (!PyList_Check(numbers)) {
        PyErr_Format(PyExc_TypeError, "an int4[] is a list, not %s", Py_TYPE(numbers)->tp_name);
        return -1;
    }
    Py_ssize_t count = PyList_GET_SIZE(numbers);
    if (append_int32(buffer, 20 + 8 * count) < 0 || append_int32(buffer, 1) < 0 || append_int32(buffer, 0) < 0 ||
        append_int32(buffer, INT4) < 0 || append_int32(buffer, count) < 0 || append_int32(buffer, 1) < 0)
        return -1;
    for (Py_ssize_t place = 0; place < count; place++)
        if (append_integer(buffer, PyList_GET_ITEM(numbers, place), 4) < 0)
            return -1;
    return 0;
}

static int append_text(Buffer *buffer, const char *text, Py_ssize_t size)
{
    return text == NULL || append_int32(buffer, size) < 0 ? -1 : append(buffer, text, size);
}

static int append_cents(Buffer *buffer, PyObject *cents)
{
    char space[CENTS_SPACE];
    const char *text = cents_text(cents, space);
    return text == NULL ? -1 : append_text(buffer, text, space + CENTS_SPACE - text);
}

/* The size of a parameter, and the parameter. */
static int append_value(Buffer *buffer, PyObject *value, long type)
{
    Py_ssize_t size;
    if (value == Py_None)
        return append_int32(buffer, -1);
    switch (type) {
    case INT2:
        return append_integer(buffer, value, 2);
    case INT4:
        return append_integer(buffer, value, 4);
    case INT8:
        return append_integer(buffer, value, 8);
    case INT4_ARRAY:
        return append_int4s(buffer, value);
    }
    if (type == NUMERIC && PyLong_Check(value))
        return append_cents(buffer, value);
    if (PyUnicode_Check(value)) {
        const char *text = PyUnicode_AsUTF8AndSize(value, &size);
        return append_text(buffer, text, size);
    }
    if (PyBytes_Check(value))
        return append_text(buffer, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value));
    PyErr_Format(PyExc_TypeError, "%s can't be a parameter of type %ld", Py_TYPE(value)->tp_name, type);
    return -1;
}

/* The number of a parameter's type; -1 with an exception. */
static long type_at(PyObject *types, Py_ssize_t number)
{
    PyObject *type = PyTuple_GET_ITEM(types, number);
    long long value;
    return whole_number(type, 0, UINT32_MAX, &value) < 0 ? -1 : (long)value;
}

static int append_formats(Buffer *buffer, PyObject *types)
{
    if (append_int16(buffer, PyTuple_GET_SIZE(types)) < 0)
        return -1;
    for (Py_ssize_t number = 0; number < PyTuple_GET_SIZE(types); number++) {
        long type = type_at(types, number);
        if (type < 0 || append_int16(buffer, is_binary(type)) < 0)
            return -1;
    }
    return 0;
}

static int append_values(Buffer *buffer, PyObject *types, PyObject *values)
{
    Py_ssize_t count = PyTuple_GET_SIZE(values);
    if (count != PyTuple_GET_SIZE(types)) {
        PyErr_Format(PyExc_TypeError, "%zd parameters have %zd types", count, PyTuple_GET_SIZE(types));
        return -1;
    }
    if (append_int16(buffer, count) < 0)
        return -1;
    for (Py_ssize_t number = 0; number < count; number++)
        if (append_value(buffer, PyTuple_GET_ITEM(values, number), type_at(types, number)) < 0)
            return -1;
    return 0;
}

int write_postgresql_request(Buffer *request, PyObject *call, PyObject *values)
{
    PyObject *name = PyTuple_GET_ITEM(call, NAME), *types = PyTuple_GET_ITEM(call, TYPES);
    if (!PyBytes_CheckExact(name)) {
        PyErr_SetString(PyExc_TypeError, "the name of a prepared statement is bytes");
        return -1;
    }
    if (append(request, BIND, sizeof BIND) < 0 ||
        append(request, PyBytes_AS_STRING(name), PyBytes_GET_SIZE(name) + 1) < 0 ||
        append_formats(request, types) < 0 || append_values(request, types, values) < 0 ||
        append(request, RESULTS, sizeof RESULTS) < 0)
        return -1;
    Py_ssize_t all = request->size;
    request->size = 1;
    append_int32(request, all - 1); /* there is room for it already */
    request->size = all;
    return append(request, REST, sizeof REST);
}
