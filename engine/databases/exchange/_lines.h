/* The users that a user loop serves, by the file numbers of their sockets. */

#ifndef SPINDLE_LINES_H
#define SPINDLE_LINES_H

#include <Python.h>

#include "_exchange.h"

/* Somebody who waits for what a socket receives. Without an exchange, the loop reads it. */
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

/* The line of a socket, NULL if there is none. Valid until a line is added or removed. */
const Line *line_at(const Lines *self, int fileno);

/* Set the line of a socket, replacing any other; its members are borrowed. 0, or -1 with an exception. */
int add_line(Lines *self, int fileno, Line line);

void remove_line(Lines *self, int fileno);

/* Remove all lines, and free the array. */
void remove_all_lines(Lines *self);

#endif
