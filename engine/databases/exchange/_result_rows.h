/* The rows of an answer, decoded on demand. */

#ifndef SPINDLE_RESULT_ROWS_H
#define SPINDLE_RESULT_ROWS_H

#include <Python.h>

extern PyTypeObject ResultRowsType;

/* An answer's rows without the first skipped ones, and without the columns before the first one; NULL with an
 * exception. */
PyObject *result_rows(PyObject *answer, Py_ssize_t rows, Py_ssize_t first_column, Py_ssize_t skipped);

#endif
