/* Calls whose parameters differ from their arguments in order or form. */

#ifndef SPINDLE_PARAMETERS_H
#define SPINDLE_PARAMETERS_H

#include <Python.h>

/* A Parameters object is made with sources (parameters.py), one for each parameter or run of parameters; called with
 * the arguments of a call, it returns the tuple of its parameters. */
extern PyTypeObject ParametersType;

#endif
