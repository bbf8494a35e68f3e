/* One connection of an emulated user: the request that is sent, and what has been received of the answer. */

#ifndef SPINDLE_EXCHANGE_H
#define SPINDLE_EXCHANGE_H

#include <Python.h>
#include <stdatomic.h>
#include <time.h>

#include "_answer.h"
#include "_protocol.h"

/* The file number of a socket that is not there. */
enum { CLOSED = -1 };

/* Every function that reads or changes an exchange claims it first, because the rounds send and receive without holding
 * the GIL, and because a cipher or the code of a call could use the exchange recursively. Only the atomic members may
 * be read without a claim. */
typedef struct {
    PyObject_HEAD
    atomic_flag is_claimed;
    const Protocol *protocol;
    PyObject *cipher;      /* encrypts what is sent and decrypts what comes; NULL on a connection in the clear */
    _Atomic int fileno;    /* CLOSED when it must not be used any more */
    int epoll;             /* of the rounds that serve it, CLOSED without any */
    int cause;             /* errno of the error that ended the connection, 0 if the server closed it */
    _Atomic char is_open;
    char is_whole;         /* the whole answer has come */
    char is_asked;         /* the request was sent, at least in part, and its answer has not been taken */
    char is_partly_sent;   /* the rounds send the rest when the socket has room */
    char is_spoilt;        /* what was received violates the protocol */
    double arrived;        /* when this machine received the last part of the last answer; 0 if that is unknown */
    Buffer request;        /* as it is sent */
    Py_ssize_t sent;       /* how many bytes of it were sent */
    Buffer encrypted;      /* received, and not yet decrypted */
    Buffer input;          /* received of the next answer, decrypted */
    Py_ssize_t parsed;     /* how many bytes of it are complete messages */
    Found found;
    long long rows_received, bytes_received; /* of all answers so far: their rows, and the bytes of these */
    _Atomic double sent_at; /* when the request under way was sent, by the monotonic clock; infinite without one */
    PyObject *call;        /* the last call that was prepared */
    PyObject *warning;     /* of the last answer, None if it had none */
} Exchange;

extern PyTypeObject ExchangeType;

/* Add the type Rounds to the module, on systems with epoll. 0, or -1 with an exception. */
int add_rounds(PyObject *module);

/* The time of a clock in seconds. */
double clock_seconds(clockid_t clock);

/* Claim an exchange: false if it is claimed already. The GIL is not needed. */
static inline int try_claim(Exchange *self)
{
    return !atomic_flag_test_and_set_explicit(&self->is_claimed, memory_order_acquire);
}

/* Claim an exchange. 0, or -1 with an exception if it is claimed already. */
int claim(Exchange *self);

static inline void release(Exchange *self) { atomic_flag_clear_explicit(&self->is_claimed, memory_order_release); }

/* The next three functions claim the exchange themselves and do not need the GIL. */

/* Send as much of the prepared request as the socket has room for: MORE_LEFT when send_rest is to be called once it has
 * room again; ENDED when it could not be sent, for which send_request then gives the reason. */
Outcome send_at_once(Exchange *self);

/* Send more of a request that is partly sent, now that the socket has room. */
void send_rest(Exchange *self);

/* Receive what is there of the answer, if the buffer has room: MORE_LEFT when the answer is not complete yet and
 * nothing is wrong. In every other case, including a complete answer, receive_answer tells what was received. */
Outcome receive_at_once(Exchange *self);

/* The caller of all that follow has claimed the exchange and, where nothing else is said, holds the GIL. */

/* Make a call ready to be sent, a PreparedCall with its arguments. 0, or -1 with an exception. */
int prepare_call(Exchange *self, PyObject *call, PyObject *arguments);

/* Send the prepared request. 0, or -1 with an exception; a lost connection is reported when the answer is read. */
int send_request(Exchange *self);

/* Before a request is sent, receive what the server sent unasked, if its protocol does not allow that. 0, or -1 with an
 * exception. */
int receive_unsolicited(Exchange *self);

/* Whether something was received that would be taken for the answer to the next request; the connection is then marked
 * as unusable. Does not need the GIL. */
int has_unasked(Exchange *self);

/* Set the exception for an answer that violates the protocol. */
void raise_out_of_protocol(const Exchange *self);

/* Receive what is there: ALL_TAKEN when the answer is complete, MORE_LEFT when it is not; RAISED, or ENDED. */
Outcome receive_answer(Exchange *self);

/* Remove the complete answer from the input and return it, or NULL with an exception. */
PyObject *take_answer(Exchange *self);

#endif
