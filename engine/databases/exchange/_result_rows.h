/* The rows of an answer, decoded on demand. */

#ifndef SPINDLE_RESULT_ROWS_H
#define SPINDLE_RESULT_ROWS_H

#include <Python.h>

extern PyTypeObject ResultRowsType;

/* Of an answer's rows those after the skipped ones, without the columns before the first; NULL with an exception. */
PyObject *result_rows(PyObject *answer, Py_ssize_t rows, Py_ssize_t first_column, Py_ssize_t skipped);

#endif
