/* The pauses of users who think, in a binary heap ordered by their ends. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>

#include "_pauses.h"

enum { MORE_SLEEPERS = 32 };

double first_end(const Pauses *self) { return self->count > 0 ? self->heap[0].ends : INFINITY; }

static int is_before(const Sleeper *one, const Sleeper *other)
{
    return one->ends < other->ends || (one->ends == other->ends && one->number < other->number);
}

void release_sleeper(Sleeper *sleeper)
{
    Py_DECREF(sleeper->who);
    Py_DECREF(sleeper->script);
    Py_DECREF(sleeper->pause);
}

static int make_space(Pauses *self)
{
    if (self->count < self->space)
        return 0;
    Py_ssize_t space = self->space + MORE_SLEEPERS;
    Sleeper *heap = PyMem_Realloc(self->heap, space * sizeof *heap);
    if (heap == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->heap = heap;
    self->space = space;
    return 0;
}

int fall_asleep(Pauses *self, Sleeper sleeper)
{
    if (make_space(self) < 0) {
        release_sleeper(&sleeper);
        return -1;
    }
    sleeper.number = self->numbered++;
    Py_ssize_t place = self->count++;
    while (place > 0 && is_before(&sleeper, &self->heap[(place - 1) / 2])) {
        self->heap[place] = self->heap[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    self->heap[place] = sleeper;
    return 0;
}

Sleeper take_first(Pauses *self)
{
    Sleeper first = self->heap[0], last = self->heap[--self->count];
    Py_ssize_t place = 0, next;
    while ((next = 2 * place + 1) < self->count) {
        if (next + 1 < self->count && is_before(&self->heap[next + 1], &self->heap[next]))
            next++;
        if (!is_before(&self->heap[next], &last))
            break;
        self->heap[place] = self->heap[next];
        place = next;
    }
    if (self->count > 0)
        self->heap[place] = last;
    return first;
}

void remove_all_pauses(Pauses *self)
{
    while (self->count > 0) {
        Sleeper first = take_first(self);
        release_sleeper(&first);
    }
    PyMem_Free(self->heap);
    *self = (Pauses){0};
}
