/* Draws a customer to be registered, as new_customer in picks.py does. */

#ifndef SPINDLE_CUSTOMER_H
#define SPINDLE_CUSTOMER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* The values of people.py that new customers are made of, read once for all users. */
extern PyTypeObject NewCustomersType;

/* A NewCustomer, or NULL with an exception. */
PyObject *draw_customer(PyObject *new_customers, PyObject *chance);

#endif
