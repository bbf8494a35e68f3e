/* MySQL's packets that execute a statement: COM_STMT_EXECUTE with the parameters in binary, or COM_QUERY with a text.
 * */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#include "_mysql.h"

enum { COM_QUERY = 0x03, COM_STMT_EXECUTE = 0x17, MOST_PARAMETERS = UINT16_MAX };

static int append_integer(Buffer *buffer, PyObject *number, int size)
{
    long long most = INT64_MAX >> (64 - 8 * size), value;
    char bytes[8];
    if (whole_number(number, -most - 1, most, &value) < 0)
        return -1;
    for (int place = 0; place < size; place++)
        bytes[place] = (char)(value >> 8 * place);
    return append(buffer, bytes, size);
}

static int append_double(Buffer *buffer, PyObject *number)
{
    char bytes[8];
    double value = PyFloat_CheckExact(number) ? PyFloat_AS_DOUBLE(number) : 0.0;
    if (!PyFloat_CheckExact(number)) {
        PyErr_Format(PyExc_TypeError, "%s is not a float", Py_TYPE(number)->tp_name);
        return -1;
    }
    return PyFloat_Pack8(value, bytes, 1) < 0 ? -1 : append(buffer, bytes, sizeof bytes);
}

/* A length-encoded text; its length takes 1, 3, 4 or 9 bytes. */
static int append_text(Buffer *buffer, const char *text, Py_ssize_t size)
{
    if (text == NULL)
        return -1;
    char length[9] = {(char)size};
    int bytes = 1;
    if (size >= 251) {
        bytes = size <= 0xFFFF ? 3 : size <= 0xFFFFFF ? 4 : 9;
        length[0] = (char)(bytes == 3 ? 0xFC : bytes == 4 ? 0xFD : 0xFE);
        for (int place = 1; place < bytes; place++)
            length[place] = (char)((uint64_t)size >> 8 * (place - 1));
    }
    return append(buffer, length, bytes) < 0 ? -1 : append(buffer, text, size);
}

static int append_value(Buffer *buffer, PyObject *value, int type)
{
    Py_ssize_t size;
    switch (type) {
    case TYPE_TINY:
        return append_integer(buffer, value, 1);
    case TYPE_SHORT:
        return append_integer(buffer, value, 2);
    case TYPE_LONG:
        return append_integer(buffer, value, 4);
    case TYPE_LONGLONG:
        return append_integer(buffer, value, 8);
    case TYPE_DOUBLE:
        return append_double(buffer, value);
    }
    if (type == TYPE_NEWDECIMAL && PyLong_Check(value)) {
        char space[CENTS_SPACE];
        const char *text = cents_text(value, space);
        return append_text(buffer, text, text == NULL ? 0 : space + CENTS_SPACE - text);
    }
    if (PyUnicode_Check(value)) {
        const char *text = PyUnicode_AsUTF8AndSize(value, &size);
        return append_text(buffer, text, text == NULL ? 0 : size);
    }
    if (PyBytes_Check(value))
        return append_text(buffer, PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value));
    PyErr_Format(PyExc_TypeError, "%s can't be a parameter of type %d", Py_TYPE(value)->tp_name, type);
    return -1;
}

/* The type that is sent for a parameter's type: dates and times are sent as texts, which the server converts. */
static int type_sent(int type)
{
    switch (type) {
    case TYPE_TINY: case TYPE_SHORT: case TYPE_LONG: case TYPE_LONGLONG: case TYPE_DOUBLE: case TYPE_NEWDECIMAL:
        return type;
    default:
        return TYPE_VAR_STRING;
    }
}

/* The number of a parameter's type; -1 with an exception. */
static int type_at(PyObject *types, Py_ssize_t number)
{
    long long type;
    return whole_number(PyTuple_GET_ITEM(types, number), 0, TYPE_BITS, &type) < 0 ? -1 : (int)type;
}

/* A bit for each parameter that is null, a byte that says that types follow, and the types. */
static int append_types(Buffer *buffer, PyObject *types, PyObject *values)
{
    Py_ssize_t count = PyTuple_GET_SIZE(values), bits = (count + 7) / 8;
    if (make_room(buffer, bits + 1 + 2 * count) == NULL)
        return -1;
    char *nulls = buffer->bytes + buffer->size, *at = nulls + bits;
    memset(nulls, 0, bits);
    *at++ = 1;
    for (Py_ssize_t number = 0; number < count; number++) {
        int type = type_at(types, number);
        if (type < 0)
            return -1;
        if (PyTuple_GET_ITEM(values, number) == Py_None)
            nulls[number / 8] |= (char)(1 << number % 8);
        *at++ = (char)type_sent(type);
        *at++ = 0; /* signed */
    }
    buffer->size = at - buffer->bytes;
    return 0;
}

/* Execute the statement of a number, once and without a cursor. */
static int append_execution(Buffer *buffer, PyObject *statement, PyObject *types, PyObject *values)
{
    Py_ssize_t count = PyTuple_GET_SIZE(values);
    long long number;
    if (count != PyTuple_GET_SIZE(types) || count > MOST_PARAMETERS) {
        PyErr_Format(PyExc_TypeError, "%zd parameters have %zd types", count, PyTuple_GET_SIZE(types));
        return -1;
    }
    if (whole_number(statement, 0, UINT32_MAX, &number) < 0)
        return -1;
    const char head[] = {COM_STMT_EXECUTE, (char)number, (char)(number >> 8), (char)(number >> 16),
                         (char)(number >> 24), 0, 1, 0, 0, 0};
    if (append(buffer, head, sizeof head) < 0 || (count > 0 && append_types(buffer, types, values) < 0))
        return -1;
    for (Py_ssize_t place = 0; place < count; place++) {
        PyObject *value = PyTuple_GET_ITEM(values, place);
        if (value != Py_None && append_value(buffer, value, type_at(types, place)) < 0)
            return -1;
    }
    return 0;
}

static int append_query(Buffer *buffer, PyObject *statement, PyObject *values)
{
    Py_ssize_t size = 0;
    const char *text = PyUnicode_Check(statement) ? PyUnicode_AsUTF8AndSize(statement, &size) : NULL;
    if (text == NULL || PyTuple_GET_SIZE(values) > 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "a statement that is not prepared is a str, and has no parameters");
        return -1;
    }
    const char command = COM_QUERY;
    return append(buffer, &command, 1) < 0 ? -1 : append(buffer, text, size);
}

int write_mysql_request(Buffer *request, PyObject *call, PyObject *values)
{
    PyObject *number = PyTuple_GET_ITEM(call, NAME);
    char header[PACKET_HEADER] = {0};
    if (append(request, header, PACKET_HEADER) < 0)
        return -1;
    int written = number == Py_None ? append_query(request, PyTuple_GET_ITEM(call, STATEMENT), values)
                                    : append_execution(request, number, PyTuple_GET_ITEM(call, TYPES), values);
    if (written < 0)
        return -1;
    Py_ssize_t size = request->size - PACKET_HEADER;
    if (size >= LONGEST_PACKET) {
        PyErr_SetString(PyExc_OverflowError, "a call with its parameters is longer than 16 MiB");
        return -1;
    }
    for (int place = 0; place < 3; place++)
        request->bytes[place] = (char)(size >> 8 * place);
    return 0;
}
