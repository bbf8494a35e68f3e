/* The parameters of the calls whose arguments are written in another way: as calls.py's functions of these names. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_values.h"

enum { CUSTOMER, LINES, NET, TAX, TOTAL, PURCHASE_ARGUMENTS };

PyObject *two_words_values(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 3 || !PyUnicode_Check(arguments[0]) || !PyUnicode_Check(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "two_words_values(word: str, other_word: str, batch_size: int)");
        return NULL;
    }
    PyObject *words = PyUnicode_FromFormat("%U %U", arguments[0], arguments[1]);
    PyObject *values = words == NULL ? NULL : PyTuple_Pack(2, words, arguments[2]);
    Py_XDECREF(words);
    return values;
}

/* The first or the second of each pair, in a list. */
static PyObject *each(PyObject *pairs, Py_ssize_t place)
{
    Py_ssize_t count = PyList_GET_SIZE(pairs);
    PyObject *all = PyList_New(count);
    for (Py_ssize_t number = 0; all != NULL && number < count; number++) {
        PyObject *pair = PyList_GET_ITEM(pairs, number);
        if (PyTuple_Check(pair) && PyTuple_GET_SIZE(pair) == 2) {
            PyList_SET_ITEM(all, number, Py_NewRef(PyTuple_GET_ITEM(pair, place)));
        } else {
            PyErr_SetString(PyExc_TypeError, "a line is a product and a quantity");
            Py_CLEAR(all);
        }
    }
    return all;
}

PyObject *purchase_values(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count)
{
    if (count != PURCHASE_ARGUMENTS || !PyList_Check(arguments[LINES])) {
        PyErr_SetString(PyExc_TypeError, "purchase_values(customer, lines: list[tuple[int, int]], net, tax, total)");
        return NULL;
    }
    PyObject *products = each(arguments[LINES], 0);
    PyObject *quantities = products == NULL ? NULL : each(arguments[LINES], 1);
    PyObject *values = NULL;
    if (quantities != NULL)
        values = PyTuple_Pack(
            6, arguments[CUSTOMER], products, quantities, arguments[NET], arguments[TAX], arguments[TOTAL]);
    Py_XDECREF(products);
    Py_XDECREF(quantities);
    return values;
}
