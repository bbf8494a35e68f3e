/* A customer to be registered, as new_customer in picks.py draws one. */

#ifndef SPINDLE_CUSTOMER_H
#define SPINDLE_CUSTOMER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* What new customers are made of: the values of people.py, read once for all users. */
extern PyTypeObject NewCustomersType;

/* A NewCustomer, or NULL with an exception. */
PyObject *draw_customer(PyObject *new_customers, PyObject *chance);

#endif
