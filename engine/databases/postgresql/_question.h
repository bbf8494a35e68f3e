/* A question: the messages that ask a prepared statement, with its parameters packed. */

#ifndef SPINDLE_QUESTION_H
#define SPINDLE_QUESTION_H

#include <Python.h>

/* Bytes that grow; empty when it is all zeros. Freed by its owner, with PyMem_Free. */
typedef struct {
    char *bytes;
    Py_ssize_t size, space;
} Buffer;

/* No message is longer: PostgreSQL itself allocates no more at once. */
enum { LONGEST_BYTES = 1 << 30 };

/* Where there is room for so many bytes more, or NULL with an exception. */
char *make_room(Buffer *buffer, Py_ssize_t more);

/* Fill the buffer with the question: the statement's name (bytes), the formats of its parameters (a tuple of ints), and
 * these (a tuple of int, str, bytes, list[int]; an int as text is an amount in cents). 0, or -1 with an exception. */
int make_question(Buffer *question, PyObject *name, PyObject *formats, PyObject *values);

#endif
