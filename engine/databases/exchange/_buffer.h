/* Bytes that are written to a server, or have come from one. */

#ifndef SPINDLE_BUFFER_H
#define SPINDLE_BUFFER_H

#include <Python.h>

/* Bytes that grow; empty when it is all zeros. Freed by its owner, with PyMem_Free. */
typedef struct {
    char *bytes;
    Py_ssize_t size, space;
} Buffer;

/* No message is longer: PostgreSQL itself allocates no more at once, and MySQL's packets are far shorter. */
enum { LONGEST_BYTES = 1 << 30 };

/* Where there is room for so many bytes more, or NULL with an exception. */
char *make_room(Buffer *buffer, Py_ssize_t more);

/* Add bytes at the end. 0, or -1 with an exception. */
int append(Buffer *buffer, const void *bytes, Py_ssize_t size);

/* Forget the first bytes. */
void drop_first(Buffer *buffer, Py_ssize_t size);

/* The value of an int within limits; anything that only behaves as one could run code meanwhile, and is refused. 0, or
 * -1 with an exception. */
int whole_number(PyObject *number, long long least, long long most, long long *value);

enum { CENTS_SPACE = 24 };

/* An amount of whole cents, 0 or more, as the text of a decimal number: where in the space it begins, to whose end it
 * goes; NULL with an exception. */
const char *cents_text(PyObject *cents, char space[CENTS_SPACE]);

#endif
