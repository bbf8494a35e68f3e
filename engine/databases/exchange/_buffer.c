/* Growing buffers, and the numbers that are written into them. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <limits.h>
#include <string.h>

#include "_buffer.h"

enum { FIRST_SPACE = 4096 };

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

int append(Buffer *buffer, const void *bytes, Py_ssize_t size)
{
    char *end = make_room(buffer, size);
    if (end == NULL)
        return -1;
    memcpy(end, bytes, size);
    buffer->size += size;
    return 0;
}

void drop_first(Buffer *buffer, Py_ssize_t size)
{
    buffer->size -= size;
    memmove(buffer->bytes, buffer->bytes + size, buffer->size);
}

int whole_number(PyObject *number, long long least, long long most, long long *value)
{
    if (!PyLong_Check(number)) {
        PyErr_Format(PyExc_TypeError, "%s is not an int", Py_TYPE(number)->tp_name);
        return -1;
    }
    *value = PyLong_AsLongLong(number);
    if (*value == -1 && PyErr_Occurred())
        return -1;
    if (*value < least || *value > most) {
        PyErr_Format(PyExc_OverflowError, "%lld is not between %lld and %lld", *value, least, most);
        return -1;
    }
    return 0;
}

const char *cents_text(PyObject *cents, char space[CENTS_SPACE])
{
    enum { LEAST_DIGITS = 3 };
    char *at = space + CENTS_SPACE;
    long long value;
    if (whole_number(cents, 0, LLONG_MAX, &value) < 0)
        return NULL;
    for (int digits = 0; digits < LEAST_DIGITS || value > 0; digits++, value /= 10) {
        if (digits == 2)
            *--at = '.';
        *--at = (char)('0' + value % 10);
    }
    return at;
}
