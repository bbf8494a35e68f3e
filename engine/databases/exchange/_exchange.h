/* One connection of an emulated user: the request that is sent, and what has come of the answer. */

#ifndef SPINDLE_EXCHANGE_H
#define SPINDLE_EXCHANGE_H

#include <Python.h>
#include <time.h>

#include "_answer.h"
#include "_protocol.h"

/* Of a file number: there is none. */
enum { CLOSED = -1 };

typedef struct {
    PyObject_HEAD
    const Protocol *protocol;
    PyObject *cipher;   /* encrypts what is sent and decrypts what comes; NULL on a connection in the clear */
    int fileno;         /* CLOSED when it is not to be used any more */
    int cause;          /* errno of what ended the connection, 0 for its end */
    char is_open;
    char is_whole;      /* the answer has come to its end */
    char is_asked;      /* the answer has not been taken */
    char is_sending;    /* the request, without the interpreter's lock */
    char is_spoilt;     /* what has come is not of the protocol */
    double arrived;     /* when the last part of the last answer came to this machine, 0 if nobody knows */
    Buffer request;     /* as it is sent */
    Py_ssize_t sent;    /* so many bytes of it */
    Buffer encrypted;   /* what has come and was not decrypted */
    Buffer input;       /* what has come of the next answer, decrypted */
    Py_ssize_t parsed;  /* so many bytes of it are whole messages */
    Found found;
    double asked_at;    /* when the request under way was sent, by the monotonic clock; infinite without one */
    PyObject *call;     /* the last that was prepared */
    PyObject *warning;  /* that came with the last answer, None if none did */
} Exchange;

extern PyTypeObject ExchangeType;

/* Add the type Rounds to the module, where the system has what it takes. 0, or -1 with an exception. */
int add_rounds(PyObject *module);

/* The seconds of a clock. */
double clock_seconds(clockid_t clock);

/* Make a call ready to be sent, a PreparedCall with its arguments. 0, or -1 with an exception. */
int prepare_call(Exchange *self, PyObject *call, PyObject *arguments);

/* Send what was prepared. 0, or -1 with an exception; a connection that has ended says so when it is read. */
int send_request(Exchange *self);

/* Send what was prepared if it can be sent at once, else a part of it: whether it was sent. Needs no interpreter's lock;
 * what is left to do, and to say, send_request does and says. */
int send_at_once(Exchange *self);

/* Receive what has come of the answer, if there is room for it: MORE_LEFT when the rest of it has not come yet, and all is
 * well. Of everything else, the whole answer too, receive_answer says what it is. Needs no interpreter's lock. */
Outcome receive_at_once(Exchange *self);

/* Take what has come before anything is asked, where the protocol knows no such thing. 0, or -1 with an exception. */
int take_unasked(Exchange *self);

/* Whether something has come that would be taken for the answer to the next question: the connection is of no use then.
 * Needs no interpreter's lock. */
int has_unasked(Exchange *self);

/* Raise that what came is not of the protocol. */
void raise_out_of_protocol(const Exchange *self);

/* Take what has come: ALL_TAKEN when the answer is whole, MORE_LEFT when it is not; RAISED, or ENDED. */
Outcome receive_answer(Exchange *self);

/* The whole answer, or NULL with an exception. */
PyObject *take_answer(Exchange *self);

#endif
