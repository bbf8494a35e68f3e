/* The lines of sockets: an array with the file numbers as indices. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "_lines.h"

enum { MORE_LINES = 64 };

const Line *line_at(const Lines *self, int fileno)
{
    return fileno >= 0 && fileno < self->space && self->lines[fileno].who != NULL ? &self->lines[fileno] : NULL;
}

static int make_space(Lines *self, int fileno)
{
    if (fileno < self->space)
        return 0;
    int space = fileno + MORE_LINES;
    Line *lines = PyMem_Realloc(self->lines, space * sizeof *lines);
    if (lines == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memset(lines + self->space, 0, (space - self->space) * sizeof *lines);
    self->lines = lines;
    self->space = space;
    return 0;
}

int add_line(Lines *self, int fileno, Line line)
{
    if (make_space(self, fileno) < 0)
        return -1;
    Py_INCREF(line.who);
    Py_INCREF(line.script);
    Py_INCREF(line.calls);
    Py_XINCREF(line.exchange);
    remove_line(self, fileno);
    self->lines[fileno] = line;
    return 0;
}

void remove_line(Lines *self, int fileno)
{
    Line was = self->lines[fileno];
    self->lines[fileno] = (Line){0}; /* first, because a destructor may run code that reads the lines */
    if (was.exchange != NULL)
        was.exchange->epoll = CLOSED;
    Py_XDECREF(was.who);
    Py_XDECREF(was.script);
    Py_XDECREF(was.calls);
    Py_XDECREF(was.exchange);
}

void remove_all_lines(Lines *self)
{
    for (int fileno = 0; fileno < self->space; fileno++)
        remove_line(self, fileno);
    PyMem_Free(self->lines);
    *self = (Lines){0};
}
