/* Who waits at which socket. */

#ifndef SPINDLE_LINES_H
#define SPINDLE_LINES_H

#include <Python.h>

#include "_exchange.h"

/* Somebody who waits at a socket. Without an exchange, the loop reads what comes. */
typedef struct {
    PyObject *who;
    PyObject *script;
    PyObject *calls; /* PreparedCalls by their verbs */
    Exchange *exchange;
} Line;

/* Lines by the file numbers of their sockets; empty when it is all zeros. */
typedef struct {
    Line *lines;
    int space;
} Lines;

/* The line of a socket, NULL if there is none; until the next one is added or removed. */
const Line *line_at(const Lines *self, int fileno);

/* Put a line, whose members are borrowed, in the place of whatever was there. 0, or -1 with an exception. */
int add_line(Lines *self, int fileno, Line line);

void remove_line(Lines *self, int fileno);

/* Remove them, and free what holds them. */
void remove_all_lines(Lines *self);

#endif
