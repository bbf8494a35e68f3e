/* The parameters of the calls whose arguments are written in another way. */

#ifndef SPINDLE_VALUES_H
#define SPINDLE_VALUES_H

#include <Python.h>

/* Of a search: the words as one text, and the batch size; NULL with an exception. */
PyObject *two_words_values(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* Of a purchase: its lines as a list of the products and one of the quantities; NULL with an exception. */
PyObject *purchase_values(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

#endif
