/* One connection of an emulated user: the request that is sent, and what has come of the answer. */

#ifndef SPINDLE_EXCHANGE_H
#define SPINDLE_EXCHANGE_H

#include <Python.h>
#include <stdatomic.h>
#include <time.h>

#include "_answer.h"
#include "_protocol.h"

/* Of a file number: there is none. */
enum { CLOSED = -1 };

/* Whoever reads or changes one claims it first: the rounds send and receive without the interpreter's lock, and a cipher
 * or a call's own code could use it again. Only the atomic members are read without that. */
typedef struct {
    PyObject_HEAD
    atomic_flag is_claimed;
    const Protocol *protocol;
    PyObject *cipher;      /* encrypts what is sent and decrypts what comes; NULL on a connection in the clear */
    _Atomic int fileno;    /* CLOSED when it is not to be used any more */
    int epoll;             /* of the rounds that serve it, CLOSED without any */
    int cause;             /* errno of what ended the connection, 0 for its end */
    _Atomic char is_open;
    char is_whole;         /* the whole answer has come */
    char is_asked;         /* the request was sent, at least in part, and its answer has not been taken */
    char is_partly_sent;   /* the rounds send the rest when the socket has room */
    char is_spoilt;        /* what has come is not of the protocol */
    double arrived;        /* when the last part of the last answer came to this machine, 0 if that is unknown */
    Buffer request;        /* as it is sent */
    Py_ssize_t sent;       /* so many bytes of it */
    Buffer encrypted;      /* received, and not yet decrypted */
    Buffer input;          /* received of the next answer, decrypted */
    Py_ssize_t parsed;     /* so many bytes of it are whole messages */
    Found found;
    _Atomic double asked_at; /* when the request under way was sent, by the monotonic clock; infinite without one */
    PyObject *call;        /* the last that was prepared */
    PyObject *warning;     /* that came with the last answer, None if none did */
} Exchange;

extern PyTypeObject ExchangeType;

/* Add the type Rounds to the module, where the system has what it takes. 0, or -1 with an exception. */
int add_rounds(PyObject *module);

/* The seconds of a clock. */
double clock_seconds(clockid_t clock);

/* Claim an exchange, whether or not this thread has the interpreter's lock: false if somebody else has it. */
static inline int try_claim(Exchange *self)
{
    return !atomic_flag_test_and_set_explicit(&self->is_claimed, memory_order_acquire);
}

/* Claim an exchange. 0, or -1 with an exception if somebody else has it. */
int claim(Exchange *self);

static inline void release(Exchange *self) { atomic_flag_clear_explicit(&self->is_claimed, memory_order_release); }

/* The next three claim the exchange themselves and need no interpreter's lock. */

/* Send what was prepared, as far as the socket has room: MORE_LEFT when send_rest is to be called as soon as it has more;
 * ENDED when nothing could be sent, of which send_request says why. */
Outcome send_at_once(Exchange *self);

/* Send more of a request that is partly sent, now that the socket has room. */
void send_rest(Exchange *self);

/* Receive what has come of the answer, if there is room for it: MORE_LEFT when the rest of it has not come yet, and all is
 * well. For everything else, including the whole answer, receive_answer says what it is. */
Outcome receive_at_once(Exchange *self);

/* All that follow are called by whoever has claimed the exchange, and holds the interpreter's lock. */

/* Make a call ready to be sent, a PreparedCall with its arguments. 0, or -1 with an exception. */
int prepare_call(Exchange *self, PyObject *call, PyObject *arguments);

/* Send what was prepared. 0, or -1 with an exception; a connection that has ended says so when it is read. */
int send_request(Exchange *self);

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
