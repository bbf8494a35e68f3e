/* The parameters of calls that differ from the arguments in their order or their form. */

#ifndef SPINDLE_PARAMETERS_H
#define SPINDLE_PARAMETERS_H

#include <Python.h>

/* A Parameters is made of sources (parameters.py), one for each parameter or run of parameters; called with a call's
 * arguments, it gives the tuple of the parameters. */
extern PyTypeObject ParametersType;

#endif
