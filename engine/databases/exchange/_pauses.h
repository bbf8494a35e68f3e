/* Who thinks between two orders, and until when. */

#ifndef SPINDLE_PAUSES_H
#define SPINDLE_PAUSES_H

#include <Python.h>

/* A user in a pause, by the monotonic clock. All but the number and the socket's are owned. */
typedef struct {
    double ends, began;
    long long number; /* of two pauses that end at once the first one begun ends first */
    int fileno;
    PyObject *who, *script, *pause;
} Sleeper;

/* A heap; empty when it is all zeros. */
typedef struct {
    Sleeper *heap;
    Py_ssize_t count, space;
    long long numbered;
} Pauses;

/* When the first of them ends; infinite without any. */
double first_end(const Pauses *self);

/* Add one; what it owns is taken over, also when that fails. 0, or -1 with an exception. */
int fall_asleep(Pauses *self, Sleeper sleeper);

/* Take off the one that ends first; there is one. */
Sleeper take_first(Pauses *self);

/* Let go of what a sleeper owns. */
void release_sleeper(Sleeper *sleeper);

/* Let go of all. */
void remove_all_pauses(Pauses *self);

#endif
