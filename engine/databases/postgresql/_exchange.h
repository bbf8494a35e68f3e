/* One connection of an emulated user: the question that it asks, and what has come of the answer. */

#ifndef SPINDLE_EXCHANGE_H
#define SPINDLE_EXCHANGE_H

#include <Python.h>
#include <time.h>

#include "_answer.h"
#include "_question.h"

/* Of a file number: there is none. */
enum { CLOSED = -1 };

/* The places of what a PreparedCall holds, see calls.py. */
enum { NAME, STATEMENT, TYPES, FORMATS, VALUES, READ, CALL_FIELDS };

/* How far something came: an exception is pending, the connection has ended, all that is there was taken, or not. */
typedef enum { RAISED, ENDED, ALL_TAKEN, MORE_LEFT } Outcome;

typedef struct {
    PyObject_HEAD
    int fileno;        /* CLOSED when it is not to be used any more */
    int cause;         /* errno of what ended the connection, 0 for its end */
    char is_open;
    char is_whole;     /* the answer has come to its end */
    char is_asked;     /* the answer has not been taken */
    char is_sending;   /* the question, without the interpreter's lock */
    double arrived;    /* when the last part of the last answer came to this machine, 0 if nobody knows */
    Buffer question;
    Py_ssize_t sent;   /* so many bytes of it */
    Buffer input;      /* what has come of the next answer */
    Py_ssize_t parsed; /* so many bytes of it are whole messages */
    Found found;
    double asked_at;   /* when the question under way was sent, by the monotonic clock; infinite without one */
    PyObject *call;    /* the last that was prepared */
    PyObject *warning; /* that came with the last answer, None if none did */
} Exchange;

extern PyTypeObject ExchangeType;

/* Add the type Rounds to the module, where the system has what it takes. 0, or -1 with an exception. */
int add_rounds(PyObject *module);

/* The seconds of a clock. */
double clock_seconds(clockid_t clock);

/* Make a call ready to be sent, a PreparedCall with its arguments. 0, or -1 with an exception. */
int prepare_call(Exchange *self, PyObject *call, PyObject *arguments);

/* Send what was prepared. 0, or -1 with an exception; a connection that has ended says so when it is read. */
int send_question(Exchange *self);

/* Send what was prepared if it can be sent at once, else a part of it: whether it was sent. Needs no interpreter's lock;
 * what is left to do, and to say, send_question does and says. */
int send_at_once(Exchange *self);

/* Take what has come of the answer, if there is room for it. Needs no interpreter's lock; what is left to do, and to say,
 * hear_answer does and says. */
void hear_at_once(Exchange *self);

/* Take what has come: ALL_TAKEN when the answer is whole, MORE_LEFT when it is not; RAISED, or ENDED. */
Outcome hear_answer(Exchange *self);

/* The whole answer, or NULL with an exception. */
PyObject *take_answer(Exchange *self);

#endif
