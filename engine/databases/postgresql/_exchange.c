/* Prepared statements over the socket of a PostgreSQL connection: what every emulated user does all the time.
 *
 * The messages are those of protocol 3.0 (PostgreSQL's manual, "Message Formats"), and of each statement the same that
 * libpq sends: Bind, Describe, Execute, Sync, with binary results. libpq makes the connection and ends it; in between,
 * nothing of it is used. Imported by exchange.py, which says when this can take libpq's place.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "../../_clock.h"
#include "_exchange.h"
#include "_result_rows.h"
#include "_values.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

static int sends_already(const Exchange *self)
{
    if (self->is_sending)
        PyErr_SetString(PyExc_RuntimeError, "another thread is sending the last question");
    return self->is_sending;
}

int prepare_call(Exchange *self, PyObject *call, PyObject *arguments)
{
    if (sends_already(self))
        return -1;
    if (!PyTuple_Check(call) || PyTuple_GET_SIZE(call) != CALL_FIELDS || !PyTuple_Check(arguments) ||
        !PyBytes_CheckExact(PyTuple_GET_ITEM(call, NAME)) || !PyTuple_CheckExact(PyTuple_GET_ITEM(call, FORMATS))) {
        PyErr_SetString(PyExc_TypeError, "prepare(call: PreparedCall, arguments: tuple)");
        return -1;
    }
    PyObject *make = PyTuple_GET_ITEM(call, VALUES);
    PyObject *values = make == Py_None ? Py_NewRef(arguments) : PyObject_Call(make, arguments, NULL);
    if (values == NULL)
        return -1;
    int made = -1;
    if (PyTuple_Check(values))
        made = make_question(&self->question, PyTuple_GET_ITEM(call, NAME), PyTuple_GET_ITEM(call, FORMATS), values);
    else
        PyErr_SetString(PyExc_TypeError, "the parameters are no tuple");
    Py_DECREF(values);
    if (made < 0)
        self->question.size = 0; /* half a question must never be sent */
    self->sent = 0;
    Py_XSETREF(self->call, Py_NewRef(call));
    return made;
}

static PyObject *exchange_prepare(Exchange *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "prepare(call: PreparedCall, arguments: tuple)");
        return NULL;
    }
    if (prepare_call(self, arguments[0], arguments[1]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* Send what is left of the question, as far as there is room: ALL_TAKEN, MORE_LEFT or ENDED. */
static Outcome send_some(Exchange *self)
{
    const Buffer *question = &self->question;
    while (self->sent < question->size) {
        ssize_t more = send(
            self->fileno, question->bytes + self->sent, question->size - self->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
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
        self->sent == self->question.size)
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
        self->is_open = 0; /* nothing could be sent after half a question */
    return outcome;
}

double clock_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int send_question(Exchange *self)
{
    if (self->fileno == CLOSED) {
        PyErr_SetString(PyExc_ConnectionError, "the connection is closed");
        return -1;
    }
    if (sends_already(self))
        return -1;
    int is_sent = self->sent == self->question.size; /* as is nothing */
    if (is_sent || (self->is_open && self->is_asked)) {
        PyErr_SetString(PyExc_RuntimeError, self->is_asked ? "the last answer was not taken" : "nothing was prepared");
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

static PyObject *exchange_ask(Exchange *self, PyObject *Py_UNUSED(nothing))
{
    if (send_question(self) < 0) {
        self->asked_at = INFINITY;
        return NULL;
    }
    Py_RETURN_NONE;
}

PyObject *take_answer(Exchange *self)
{
    PyObject *answer = make_answer(self->input.bytes, self->parsed, &self->found);
    self->input.size -= self->parsed;
    memmove(self->input.bytes, self->input.bytes + self->parsed, self->input.size);
    self->parsed = 0;
    self->found = (Found){0};
    self->is_asked = 0;
    self->is_whole = 0;
    self->asked_at = INFINITY;
    if (answer != NULL)
        Py_XSETREF(self->warning, warning_of(answer));
    if (self->warning == NULL)
        Py_CLEAR(answer);
    return answer;
}

static PyObject *lost(Exchange *self)
{
    if (self->cause == 0) {
        PyErr_SetString(PyExc_ConnectionError, "server closed the connection unexpectedly");
        return NULL;
    }
    errno = self->cause;
    return PyErr_SetFromErrno(PyExc_OSError);
}

static PyObject *exchange_answer(Exchange *self, PyObject *Py_UNUSED(nothing))
{
    switch (hear_answer(self)) {
    case ALL_TAKEN:
        return take_answer(self);
    case MORE_LEFT:
        Py_RETURN_NONE;
    case ENDED:
        if (self->found.error_size > 0)
            return take_answer(self); /* it said why before it ended */
        self->asked_at = INFINITY;
        return lost(self);
    default:
        self->asked_at = INFINITY;
        return NULL;
    }
}

static int exchange_init(Exchange *self, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"fileno", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "i", names, &self->fileno))
        return -1;
    self->is_open = 1;
    self->is_asked = 0;
    self->is_whole = 0;
    self->asked_at = INFINITY;
    self->is_sending = 0;
    self->cause = 0;
    self->arrived = 0.0;
    self->question.size = self->sent = self->input.size = self->parsed = 0;
    self->found = (Found){0};
#ifdef SO_TIMESTAMPNS
    int on = 1;
    setsockopt(self->fileno, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on); /* without it, nothing is stamped */
#endif
    return 0;
}

static void exchange_dealloc(Exchange *self)
{
    Py_XDECREF(self->warning);
    Py_XDECREF(self->call);
    PyMem_Free(self->question.bytes);
    PyMem_Free(self->input.bytes);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *exchange_close(Exchange *self, PyObject *Py_UNUSED(nothing))
{
    self->is_open = 0;
    self->fileno = CLOSED;
    Py_RETURN_NONE;
}

static PyMethodDef exchange_methods[] = {
    {"prepare", (PyCFunction)(void (*)(void))exchange_prepare, METH_FASTCALL,
     "Make a call ready to be sent: a PreparedCall, and its arguments."},
    {"ask", (PyCFunction)exchange_ask, METH_NOARGS, "Send what was prepared."},
    {"answer", (PyCFunction)exchange_answer, METH_NOARGS,
     "The answer, once all of it has come; None until then. Raises OSError when the connection is lost."},
    {"close", (PyCFunction)exchange_close, METH_NOARGS, "Use the socket no more; it is left open."},
    {NULL}};

static PyMemberDef exchange_members[] = {
    {"is_open", T_BOOL, offsetof(Exchange, is_open), READONLY, "Whether the connection still stands."},
    {"arrived", T_DOUBLE, offsetof(Exchange, arrived), READONLY,
     "When the last part of the answer came, in seconds since 1970; 0 where the system does not tell."},
    {"asked_at", T_DOUBLE, offsetof(Exchange, asked_at), READONLY,
     "When the question that waits for its answer was sent, by the monotonic clock; infinite without one."},
    {"call", T_OBJECT, offsetof(Exchange, call), READONLY, "The call that was prepared last."},
    {"warning", T_OBJECT, offsetof(Exchange, warning), READONLY, "The last warning that came with the answer, or None."},
    {NULL}};

PyTypeObject ExchangeType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.databases.postgresql._exchange.Exchange",
    .tp_doc = "Prepared statements over a connected socket, which stays its owner's.",
    .tp_basicsize = sizeof(Exchange),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)exchange_init,
    .tp_dealloc = (destructor)exchange_dealloc,
    .tp_methods = exchange_methods,
    .tp_members = exchange_members,
};

static PyMethodDef module_functions[] = {
    {"two_words_values", (PyCFunction)(void (*)(void))two_words_values, METH_FASTCALL, "Of a search."},
    {"purchase_values", (PyCFunction)(void (*)(void))purchase_values, METH_FASTCALL, "Of a purchase."},
    {NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_exchange",
    .m_doc = "Prepared statements without libpq.",
    .m_size = -1,
    .m_methods = module_functions,
};

PyMODINIT_FUNC PyInit__exchange(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyModule_AddType(made, &ExchangeType) < 0 || PyModule_AddType(made, &AnswerType) < 0 ||
        PyModule_AddType(made, &ResultRowsType) < 0 || add_rounds(made) < 0) {
        Py_XDECREF(made);
        return NULL;
    }
    return made;
}
