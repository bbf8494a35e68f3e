/* What the exchange has to know of a DBMS's protocol: one table of functions for each. */

#ifndef SPINDLE_PROTOCOL_H
#define SPINDLE_PROTOCOL_H

#include <Python.h>

#include "_buffer.h"

/* The places of what a PreparedCall holds, see calls.py. */
enum { NAME, STATEMENT, TYPES, VALUES, READ, CALL_FIELDS };

/* How far something came: an exception is pending, the connection has ended, all that is there was taken, or not. */
typedef enum { RAISED, ENDED, ALL_TAKEN, MORE_LEFT } Outcome;

/* A part of an answer; its size is 0 when it is not there. */
typedef struct {
    Py_ssize_t at, size;
} Part;

/* What there is in the messages of one answer, and how far they were looked at; nothing when it is all zeros. */
typedef struct {
    Py_ssize_t rows, columns; /* of the first result with columns */
    Part description;         /* of these columns */
    Part error, warning;      /* the last of each */
    /* MySQL's alone: */
    Py_ssize_t rows_at;     /* where the first row begins */
    Py_ssize_t expected;    /* so many column definitions are still to come */
    int results;            /* so many with columns have begun */
    int stage;              /* what is to come next */
    int is_text;            /* the rows are those of a statement that was not prepared */
    unsigned char sequence; /* the number of the last packet */
} Found;

/* A value of a row, and the number of its type where the protocol needs it; the place of one that is null is NULL. */
typedef struct {
    const char *at;
    Py_ssize_t size;
    long type;
} Value;

typedef struct {
    const char *key;     /* what Python asks for it by */
    const char *product; /* in sentences */
    const char *decoder; /* the Python module whose function decoded_rows decodes rows */
    /* Fill the empty buffer with the request of a call, which is a tuple of CALL_FIELDS, with its parameters, a tuple.
     * 0, or -1 with an exception. */
    int (*write_request)(Buffer *request, PyObject *call, PyObject *values);
    /* Look at the messages from a place on that have come as a whole, until the last of an answer: ALL_TAKEN if it is
     * there, MORE_LEFT if it is not; ENDED if what has come is not of the protocol. Needs no interpreter's lock. */
    Outcome (*parse)(const Buffer *input, Py_ssize_t *parsed, Found *found);
    /* The value in a row that is there, and a column; an exception when it is not there. */
    Value (*value)(const Found *found, const char *messages, Py_ssize_t row, Py_ssize_t column);
    /* A value that is not null as an int, or NULL with an exception. */
    PyObject *(*integer)(const Value *value);
    /* The number of a column's type; -1 when there is no such column. */
    long (*column_type)(const Found *found, const char *messages, Py_ssize_t column);
    /* A field of an error or a warning by its letter, as text; its place is NULL when it is not there. */
    Value (*field)(const char *messages, Part message, char letter);
    /* Whether what has come, which is something, may have come before anything was asked; NULL if anything may. */
    int (*may_be_unasked)(const Buffer *input);
} Protocol;

extern const Protocol POSTGRESQL_PROTOCOL, MYSQL_PROTOCOL;

#endif
