/* The users who think between two orders, by the end of their pauses. */

#ifndef SPINDLE_PAUSES_H
#define SPINDLE_PAUSES_H

#include <Python.h>

/* A user in a pause, with times of the monotonic clock. The objects are owned. */
typedef struct {
    double ends, began;
    long long number; /* of two pauses with the same end, the one that began first ends first */
    int fileno;
    PyObject *who, *script, *pause;
} Sleeper;

/* A binary heap; empty when it is all zeros. */
typedef struct {
    Sleeper *heap;
    Py_ssize_t count, space;
    long long numbered;
} Pauses;

/* When the first pause ends; infinite if there is none. */
double first_end(const Pauses *self);

/* Add one, stealing its references even on failure. 0, or -1 with an exception. */
int fall_asleep(Pauses *self, Sleeper sleeper);

/* Remove the one that ends first; the heap must not be empty. */
Sleeper take_first(Pauses *self);

/* Release the references of a sleeper. */
void release_sleeper(Sleeper *sleeper);

/* Remove all of them, and free the heap. */
void remove_all_pauses(Pauses *self);

#endif
