/* Random numbers from the random() of a random.Random, for orders (_order.c) and customers (_customer.c). */

#ifndef SPINDLE_DRAW_H
#define SPINDLE_DRAW_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A float from 0 to below 1. 0, or -1 with an exception. */
static inline int draw(PyObject *chance, double *drawn)
{
    PyObject *number = PyObject_CallNoArgs(chance);
    if (number == NULL)
        return -1;
    *drawn = PyFloat_AsDouble(number);
    Py_DECREF(number);
    if (*drawn >= 0.0 && *drawn < 1.0)
        return 0;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "random() must return a number from 0 to below 1");
    return -1;
}

/* A whole number from 0 to limit - 1, or -1 with an exception. */
static inline long long draw_below(PyObject *chance, long long limit)
{
    double drawn;
    return draw(chance, &drawn) < 0 ? -1 : (long long)(drawn * (double)limit);
}

#endif
