/* The answer to one call: the server's messages as they came, and where in them its parts are. */

#ifndef SPINDLE_ANSWER_H
#define SPINDLE_ANSWER_H

#include <Python.h>

#include "_protocol.h"

extern PyTypeObject AnswerType;

/* A new Answer with a copy of the messages, or NULL with an exception. */
PyObject *make_answer(const Protocol *protocol, const char *messages, Py_ssize_t size, const Found *found);

/* The text of the last warning, None if there was none; NULL with an exception. */
PyObject *warning_of(PyObject *answer);

/* The name of the Python module that decodes an answer's rows. */
const char *decoder_of(PyObject *answer);

#endif
