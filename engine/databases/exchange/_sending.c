/* Sending requests: at once if the socket has room for them, otherwise as soon as it has. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#ifdef __linux__
#include <sys/epoll.h>
#endif

#include "../../_clock.h"
#include "_exchange.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

/* Have the rounds that serve an exchange call send_rest when its socket has room, or stop that: false if no rounds do.
 * */
static int await_room_in_rounds(const Exchange *self, int is_awaited)
{
#ifdef __linux__
    struct epoll_event event = {.events = is_awaited ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.fd = self->fileno};
    return self->epoll != CLOSED && epoll_ctl(self->epoll, EPOLL_CTL_MOD, self->fileno, &event) == 0;
#else
    (void)self, (void)is_awaited;
    return 0;
#endif
}

/* Replace the request with what the cipher makes of it. */
static int encrypt(Exchange *self)
{
    PyObject *encrypted = PyObject_CallMethod(
        self->cipher, "encrypt", "y#", self->request.bytes, self->request.size);
    char *bytes;
    Py_ssize_t size;
    self->request.size = 0;
    int done = encrypted == NULL || PyBytes_AsStringAndSize(encrypted, &bytes, &size) < 0
                   ? -1
                   : append(&self->request, bytes, size);
    Py_XDECREF(encrypted);
    return done;
}

/* Write the request with the parameters that the call makes of the arguments. */
static int write_request(Exchange *self, PyObject *call, PyObject *arguments)
{
    PyObject *make = PyTuple_GET_ITEM(call, VALUES);
    PyObject *values = make == Py_None ? Py_NewRef(arguments) : PyObject_Call(make, arguments, NULL);
    if (values == NULL)
        return -1;
    int written = -1;
    self->request.size = 0;
    if (PyTuple_Check(values))
        written = self->protocol->write_request(&self->request, call, values);
    else
        PyErr_SetString(PyExc_TypeError, "the parameters are no tuple");
    Py_DECREF(values);
    return written == 0 && self->cipher != NULL ? encrypt(self) : written;
}

int prepare_call(Exchange *self, PyObject *call, PyObject *arguments)
{
    if (!PyTuple_Check(call) || PyTuple_GET_SIZE(call) != CALL_FIELDS || !PyTuple_Check(arguments) ||
        !PyTuple_CheckExact(PyTuple_GET_ITEM(call, TYPES))) {
        PyErr_SetString(PyExc_TypeError, "prepare(call: PreparedCall, arguments: tuple)");
        return -1;
    }
    if ((self->is_partly_sent && self->is_open) || (self->cipher != NULL && self->sent < self->request.size)) {
        /* Nothing may follow half a request. And TLS numbers its records: if an encrypted request were dropped, the
         * server could not decrypt the next one. */
        PyErr_SetString(PyExc_RuntimeError, "the last question was not sent");
        return -1;
    }
    int written = write_request(self, call, arguments);
    if (written < 0)
        self->request.size = 0; /* part of a request must never be sent */
    self->sent = 0;
    Py_XSETREF(self->call, Py_NewRef(call));
    return written;
}

/* Send the rest of the request, as far as the socket has room: ALL_TAKEN, MORE_LEFT or ENDED. */
static Outcome send_some(Exchange *self)
{
    const Buffer *request = &self->request;
    while (self->sent < request->size) {
        ssize_t more =
            send(self->fileno, request->bytes + self->sent, request->size - self->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (more >= 0) {
            self->sent += more;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            return MORE_LEFT;
        } else if (errno != EINTR) {
            self->cause = errno;
            return ENDED;
        }
    }
    return ALL_TAKEN;
}

static int can_be_sent(Exchange *self)
{
    return self->is_open && self->fileno != CLOSED && !self->is_asked && self->sent < self->request.size &&
           !has_unasked(self);
}

Outcome send_at_once(Exchange *self)
{
    if (!try_claim(self))
        return ENDED;
    Outcome outcome = ENDED;
    if (can_be_sent(self)) {
        self->sent_at = clock_seconds(MONOTONIC_CLOCK);
        outcome = send_some(self);
        self->is_partly_sent = outcome == MORE_LEFT && await_room_in_rounds(self, 1);
        if (outcome == MORE_LEFT && !self->is_partly_sent)
            outcome = ENDED;
        self->is_asked = outcome != ENDED;
    }
    release(self);
    return outcome;
}

/* Whether the system had no memory to send: reading the connection would not show that error. */
static int lacks_memory(const Exchange *self) { return self->cause == ENOMEM || self->cause == ENOBUFS; }

void send_rest(Exchange *self)
{
    if (!try_claim(self))
        return; /* it is called again, as long as there is room */
    Outcome outcome = self->is_partly_sent && self->is_open && self->fileno != CLOSED ? send_some(self) : ENDED;
    if (outcome != MORE_LEFT) {
        self->is_partly_sent = 0;
        await_room_in_rounds(self, 0);
    }
    if (outcome == ENDED && lacks_memory(self))
        self->is_open = 0;
    release(self);
}

/* Wait until the socket has room, without holding the GIL. */
static Outcome await_room(Exchange *self)
{
    struct pollfd writable = {.fd = self->fileno, .events = POLLOUT};
    Py_BEGIN_ALLOW_THREADS
    poll(&writable, 1, -1);
    Py_END_ALLOW_THREADS
    if (PyErr_CheckSignals() < 0)
        return RAISED;
    return self->is_open ? MORE_LEFT : ENDED; /* another thread may have closed it meanwhile */
}

/* Send the request; rounds that serve the exchange send what the socket has no room for. The GIL is released, because
 * the server's process that this wakes may take over this processor at once, and other threads of the client go on. */
static Outcome send_all(Exchange *self)
{
    Outcome outcome = self->cause == 0 ? MORE_LEFT : ENDED;
    while (outcome == MORE_LEFT) {
        Py_BEGIN_ALLOW_THREADS
        outcome = send_some(self);
        Py_END_ALLOW_THREADS
        self->is_partly_sent = outcome == MORE_LEFT && await_room_in_rounds(self, 1);
        if (self->is_partly_sent)
            return MORE_LEFT;
        if (outcome == MORE_LEFT)
            outcome = await_room(self);
    }
    if (outcome == RAISED && self->sent > 0)
        self->is_open = 0; /* nothing could be sent after half a request */
    return outcome;
}

int send_request(Exchange *self)
{
    if (self->fileno == CLOSED) {
        PyErr_SetString(PyExc_ConnectionError, "the connection is closed");
        return -1;
    }
    int is_sent = self->sent == self->request.size; /* also true if nothing was prepared */
    if (is_sent || (self->is_open && self->is_asked)) {
        PyErr_SetString(PyExc_RuntimeError, self->is_asked ? "the last answer was not taken" : "nothing was prepared");
        return -1;
    }
    if (has_unasked(self)) {
        raise_out_of_protocol(self);
        return -1;
    }
    if (self->sent == 0)
        self->sent_at = clock_seconds(MONOTONIC_CLOCK);
    Outcome outcome = self->is_open ? send_all(self) : ENDED;
    if (outcome == RAISED)
        return -1;
    if (outcome == ENDED && lacks_memory(self)) {
        self->is_open = 0;
        errno = self->cause;
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    /* Any other failure is reported when the answer is read. */
    self->is_asked = 1;
    return 0;
}
