/* The answer to one statement: the server's messages as they came, and where in them is what. */

#ifndef SPINDLE_ANSWER_H
#define SPINDLE_ANSWER_H

#include <Python.h>
#include <stdint.h>

/* Of a message: its type's letter and its length, which counts itself but not the letter. */
enum { HEADER = 5 };

/* What there is in the messages of one answer. A message is found by its place and size, its type's letter included;
 * the size is 0 when there is none. */
typedef struct {
    Py_ssize_t rows;
    Py_ssize_t columns_at, columns_size;
    Py_ssize_t error_at, error_size;
    Py_ssize_t warning_at, warning_size; /* the last */
} Found;

extern PyTypeObject AnswerType;

int32_t int32_at(const char *bytes);

/* Take note of a whole message, which begins at such a place of its answer. */
void note_message(Found *found, const char *message, Py_ssize_t at);

/* A new Answer with a copy of the messages, or NULL with an exception. */
PyObject *make_answer(const char *messages, Py_ssize_t size, const Found *found);

/* What the last warning said, None if there was none; NULL with an exception. */
PyObject *warning_of(PyObject *answer);

#endif
