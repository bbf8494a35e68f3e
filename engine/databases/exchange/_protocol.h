/* What the exchange needs of a DBMS's protocol: one table of functions for each protocol. */

#ifndef SPINDLE_PROTOCOL_H
#define SPINDLE_PROTOCOL_H

#include <Python.h>

#include "_buffer.h"

/* The indices of a PreparedCall's members, see calls.py. */
enum { NAME, STATEMENT, TYPES, VALUES, READ, CALL_FIELDS };

/* The result of an operation on a connection: an exception is set; the connection has ended; everything is done; or
 * there is more to be done. */
typedef enum { RAISED, ENDED, ALL_TAKEN, MORE_LEFT } Outcome;

/* A part of an answer; its size is 0 if the answer has none. */
typedef struct {
    Py_ssize_t at, size;
} Part;

/* What was found in the messages of one answer, and the parser's state; all zeros at the beginning. */
typedef struct {
    Py_ssize_t rows, columns; /* of the first result with columns */
    Py_ssize_t row_bytes;     /* of these rows, with what frames them */
    Part description;         /* the definitions of these columns */
    Part error, warning;      /* the last of each */
    /* For MySQL only: */
    Py_ssize_t rows_at;     /* where the first row begins */
    Py_ssize_t expected;    /* how many column definitions are still to come */
    int results;            /* how many results with columns have begun */
    int stage;              /* what the next packet belongs to */
    int is_text;            /* the rows are in the text format: their statement was not prepared */
    unsigned char sequence; /* the number of the last packet */
} Found;

/* A value of a row, and the number of its type where the protocol needs it; its place is NULL for a null. */
typedef struct {
    const char *at;
    Py_ssize_t size;
    long type;
} Value;

typedef struct {
    const char *key;     /* its name in Python's code */
    const char *product; /* its name in messages to users */
    const char *decoder; /* the Python module whose function decoded_rows decodes rows */
    /* Fill the empty buffer with the request of a call, which is a tuple of CALL_FIELDS, with its parameters, a tuple.
     * 0, or -1 with an exception. */
    int (*write_request)(Buffer *request, PyObject *call, PyObject *values);
    /* Parse the complete messages from a place on, to the end of the answer: ALL_TAKEN if that was reached, MORE_LEFT
     * if not; ENDED if the messages violate the protocol. Does not need the GIL. */
    Outcome (*parse)(const Buffer *input, Py_ssize_t *parsed, Found *found);
    /* The value in a column of a row, which exists; an exception is set if the column does not. */
    Value (*value)(const Found *found, const char *messages, Py_ssize_t row, Py_ssize_t column);
    /* A value, which is not null, as a Python int; NULL with an exception. */
    PyObject *(*integer)(const Value *value);
    /* The number of a column's type; -1 if there is no such column. */
    long (*column_type)(const Found *found, const char *messages, Py_ssize_t column);
    /* The text of a field of an error or a warning, by the field's letter; its place is NULL if there is none. */
    Value (*field)(const char *messages, Part message, char letter);
    /* Whether the server may have sent what is in the input, which is not empty, unasked; NULL if it may send anything.
     * */
    int (*may_be_unasked)(const Buffer *input);
} Protocol;

extern const Protocol POSTGRESQL_PROTOCOL, MYSQL_PROTOCOL;

#endif
