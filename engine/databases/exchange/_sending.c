/* Sending requests: at once where the system has room for them, else as soon as it has. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "../../_clock.h"
#include "_exchange.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static int sends_already(const Exchange *self)
{
    if (self->is_sending)
        PyErr_SetString(PyExc_RuntimeError, "another thread is sending the last question");
    return self->is_sending;
}

/* Put what the cipher makes of the request in its place. */
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
    if (sends_already(self))
        return -1;
    if (!PyTuple_Check(call) || PyTuple_GET_SIZE(call) != CALL_FIELDS || !PyTuple_Check(arguments) ||
        !PyTuple_CheckExact(PyTuple_GET_ITEM(call, TYPES))) {
        PyErr_SetString(PyExc_TypeError, "prepare(call: PreparedCall, arguments: tuple)");
        return -1;
    }
    if (self->cipher != NULL && self->sent < self->request.size) {
        /* What was encrypted is counted on both sides: the server could read nothing after it. */
        PyErr_SetString(PyExc_RuntimeError, "the last question was not sent");
        return -1;
    }
    int written = write_request(self, call, arguments);
    if (written < 0)
        self->request.size = 0; /* half a request must never be sent */
    self->sent = 0;
    Py_XSETREF(self->call, Py_NewRef(call));
    return written;
}

/* Send what is left of the request, as far as there is room: ALL_TAKEN, MORE_LEFT or ENDED. */
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

int send_at_once(Exchange *self)
{
    if (!self->is_open || self->fileno == CLOSED || self->is_sending || self->is_asked ||
        self->sent == self->request.size)
        return 0;
    if (has_unasked(self))
        return 0;
    self->is_sending = 1;
    self->asked_at = clock_seconds(MONOTONIC_CLOCK);
    self->is_asked = send_some(self) == ALL_TAKEN;
    self->is_sending = 0;
    return self->is_asked;
}

/* Wait for room in the system's buffers, without the interpreter's lock. */
static Outcome await_room(Exchange *self)
{
    struct pollfd writable = {.fd = self->fileno, .events = POLLOUT};
    Py_BEGIN_ALLOW_THREADS
    poll(&writable, 1, -1);
    Py_END_ALLOW_THREADS
    if (PyErr_CheckSignals() < 0)
        return RAISED;
    return self->is_open ? MORE_LEFT : ENDED; /* it may have been closed meanwhile */
}

/* Send all that is left of it. The process that it wakes may have the processor at once: without the interpreter's
 * lock, nobody waits for it until this thread has its next turn, least of all the one that keeps the client's time. */
static Outcome send_all(Exchange *self)
{
    Outcome outcome = self->cause == 0 ? MORE_LEFT : ENDED;
    while (outcome == MORE_LEFT) {
        Py_BEGIN_ALLOW_THREADS
        outcome = send_some(self);
        Py_END_ALLOW_THREADS
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
    if (sends_already(self))
        return -1;
    int is_sent = self->sent == self->request.size; /* as is nothing */
    if (is_sent || (self->is_open && self->is_asked)) {
        PyErr_SetString(PyExc_RuntimeError, self->is_asked ? "the last answer was not taken" : "nothing was prepared");
        return -1;
    }
    if (has_unasked(self)) {
        raise_out_of_protocol(self);
        return -1;
    }
    if (self->sent == 0)
        self->asked_at = clock_seconds(MONOTONIC_CLOCK);
    self->is_sending = 1;
    Outcome outcome = self->is_open ? send_all(self) : ENDED;
    self->is_sending = 0;
    if (outcome == RAISED)
        return -1;
    if (outcome == ENDED && (self->cause == ENOMEM || self->cause == ENOBUFS)) {
        self->is_open = 0; /* the connection itself knows nothing of it, and would be silent */
        errno = self->cause;
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    /* Any other that has ended says why, or that it has, when it is read. */
    self->is_asked = 1;
    return 0;
}
