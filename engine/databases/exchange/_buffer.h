/* Growing buffers for what is sent to a server and received from one. */

#ifndef SPINDLE_BUFFER_H
#define SPINDLE_BUFFER_H

#include <Python.h>

/* A growing buffer; empty when it is all zeros. Its owner frees the bytes with PyMem_Free. */
typedef struct {
    char *bytes;
    Py_ssize_t size, space;
} Buffer;

/* The limit of a buffer. No message is longer: PostgreSQL allocates no more at once, and MySQL's packets are far
 * shorter. */
enum { LONGEST_BYTES = 1 << 30 };

/* Make room for more bytes: where they are to be written, or NULL with an exception. */
char *make_room(Buffer *buffer, Py_ssize_t more);

/* Append bytes. 0, or -1 with an exception. */
int append(Buffer *buffer, const void *bytes, Py_ssize_t size);

/* Remove the first bytes. */
void drop_first(Buffer *buffer, Py_ssize_t size);

/* The value of an int within limits. An object that is only convertible to an int is refused, since its conversion
 * could run Python code. 0, or -1 with an exception. */
int whole_number(PyObject *number, long long least, long long most, long long *value);

enum { CENTS_SPACE = 24 };

/* Write an amount of whole cents, 0 or more, as a decimal number with two places to the end of the space: where the
 * text begins; NULL with an exception. */
const char *cents_text(PyObject *cents, char space[CENTS_SPACE]);

#endif
