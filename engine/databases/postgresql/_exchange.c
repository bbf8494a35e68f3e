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
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "_answer.h"
#include "_question.h"

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum { LEAST_SPACE = 2048, LONGEST_OTHER_MESSAGE = 30000, CLOSED = -1 };

/* What the messages of an answer may be; as in libpq, only the first of them may be long. */
static const char LONG_MESSAGES[] = "DTENA", OTHER_MESSAGES[] = "CIZS12ns";

/* How far something came: an exception is pending, the connection has ended, all that is there was taken, or not. */
typedef enum { RAISED, ENDED, ALL_TAKEN, MORE_LEFT } Outcome;

typedef struct {
    PyObject_HEAD
    int fileno;        /* CLOSED when it is not to be used any more */
    int cause;         /* errno of what ended the connection, 0 for its end */
    char is_open;
    char is_asked;     /* the answer has not been taken */
    char is_sending;   /* the question, without the interpreter's lock */
    double arrived;    /* when the last part of the last answer came to this machine, 0 if nobody knows */
    Buffer question;
    Buffer input;      /* what has come of the next answer */
    Py_ssize_t parsed; /* so many bytes of it are whole messages */
    Found found;
    PyObject *warning; /* that came with the last answer, None if none did */
} Exchange;

static int sends_already(const Exchange *self)
{
    if (self->is_sending)
        PyErr_SetString(PyExc_RuntimeError, "another thread is sending the last question");
    return self->is_sending;
}

static PyObject *exchange_prepare(Exchange *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (sends_already(self))
        return NULL;
    if (count != 3 || !PyBytes_CheckExact(arguments[0]) || !PyTuple_CheckExact(arguments[1]) ||
        !PyTuple_Check(arguments[2])) {
        PyErr_SetString(PyExc_TypeError, "prepare(name: bytes, formats: tuple[int, ...], values: tuple)");
        return NULL;
    }
    if (make_question(&self->question, arguments[0], arguments[1], arguments[2]) < 0) {
        self->question.size = 0; /* half a question must never be sent */
        return NULL;
    }
    Py_RETURN_NONE;
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

/* Send what there is room for. The process that it wakes may have the processor at once: without the interpreter's lock,
 * nobody waits for it until this thread has its next turn, least of all the one that keeps the client's time. */
static ssize_t send_some(const Exchange *self, Py_ssize_t from)
{
    ssize_t sent;
    Py_BEGIN_ALLOW_THREADS
    sent = send(self->fileno, self->question.bytes + from, self->question.size - from, MSG_NOSIGNAL | MSG_DONTWAIT);
    Py_END_ALLOW_THREADS
    return sent;
}

static Outcome send_all(Exchange *self)
{
    Py_ssize_t sent = 0;
    Outcome outcome = MORE_LEFT;
    while (outcome == MORE_LEFT && sent < self->question.size) {
        ssize_t more = send_some(self, sent);
        if (more >= 0) {
            sent += more;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            outcome = await_room(self);
        } else if (errno != EINTR) {
            self->cause = errno;
            outcome = ENDED;
        }
    }
    if (outcome == RAISED && sent > 0)
        self->is_open = 0; /* nothing could be sent after half a question */
    return outcome;
}

static PyObject *exchange_ask(Exchange *self, PyObject *Py_UNUSED(nothing))
{
    if (self->fileno == CLOSED) {
        PyErr_SetString(PyExc_ConnectionError, "the connection is closed");
        return NULL;
    }
    if (sends_already(self))
        return NULL;
    if (self->question.size == 0 || (self->is_open && self->is_asked)) {
        PyErr_SetString(PyExc_RuntimeError, self->is_asked ? "the last answer was not taken" : "nothing was prepared");
        return NULL;
    }
    self->is_sending = 1;
    Outcome outcome = self->is_open ? send_all(self) : ENDED;
    self->is_sending = 0;
    if (outcome == RAISED)
        return NULL;
    if (outcome == ENDED && (self->cause == ENOMEM || self->cause == ENOBUFS)) {
        self->is_open = 0; /* the connection itself knows nothing of it, and would be silent */
        errno = self->cause;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    /* Any other that has ended says why, or that it has, when it is read. */
    self->is_asked = 1;
    Py_RETURN_NONE;
}

/* The stamp that the system has put on what was received; 0 if there is none. */
static double stamp_of(struct msghdr *received)
{
#ifdef SCM_TIMESTAMPNS
    for (struct cmsghdr *note = CMSG_FIRSTHDR(received); note != NULL; note = CMSG_NXTHDR(received, note)) {
        if (note->cmsg_level == SOL_SOCKET && note->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec stamp;
            memcpy(&stamp, CMSG_DATA(note), sizeof stamp);
            return (double)stamp.tv_sec + 1e-9 * (double)stamp.tv_nsec;
        }
    }
#else
    (void)received;
#endif
    return 0.0;
}

/* Take what has come, as far as there is room. */
static Outcome receive(Exchange *self)
{
    _Alignas(struct cmsghdr) char notes[64];
    char *end = make_room(&self->input, LEAST_SPACE);
    if (end == NULL)
        return RAISED;
    struct iovec space = {.iov_base = end, .iov_len = self->input.space - self->input.size};
    struct msghdr message = {
        .msg_iov = &space, .msg_iovlen = 1, .msg_control = notes, .msg_controllen = sizeof notes};
    ssize_t size = recvmsg(self->fileno, &message, MSG_DONTWAIT);
    if (size > 0) {
        self->input.size += size;
        self->arrived = stamp_of(&message);
        return (size_t)size == space.iov_len ? MORE_LEFT : ALL_TAKEN;
    }
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return ALL_TAKEN;
    if (size < 0)
        self->cause = errno; /* at an end in order, what the sending was told says more */
    self->is_open = 0;
    return ENDED;
}

static int is_known(char type, int32_t length)
{
    if (type == 0 || length < 4 || length > LONGEST_BYTES)
        return 0;
    return strchr(LONG_MESSAGES, type) != NULL ||
           (strchr(OTHER_MESSAGES, type) != NULL && length <= LONGEST_OTHER_MESSAGE);
}

/* Look at the messages that have come as a whole, until the last of an answer: whether it is there. */
static Outcome parse(Exchange *self)
{
    while (self->input.size - self->parsed >= HEADER) {
        const char *message = self->input.bytes + self->parsed;
        int32_t length = int32_at(message + 1);
        if (!is_known(*message, length)) {
            self->is_open = 0;
            PyErr_SetString(PyExc_ConnectionError, "the server's answer is not of PostgreSQL's protocol");
            return RAISED;
        }
        if (self->input.size - self->parsed < 1 + length)
            return MORE_LEFT;
        note_message(&self->found, message, self->parsed);
        self->parsed += 1 + length;
        if (*message == 'Z')
            return ALL_TAKEN;
    }
    return MORE_LEFT;
}

static PyObject *take_answer(Exchange *self)
{
    PyObject *answer = make_answer(self->input.bytes, self->parsed, &self->found);
    self->input.size -= self->parsed;
    memmove(self->input.bytes, self->input.bytes + self->parsed, self->input.size);
    self->parsed = 0;
    self->found = (Found){0};
    self->is_asked = 0;
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
    Outcome come;
    do {
        come = self->is_open ? receive(self) : ENDED;
        Outcome seen = come == RAISED ? RAISED : parse(self);
        if (seen == RAISED)
            return NULL;
        if (seen == ALL_TAKEN)
            return take_answer(self);
    } while (come == MORE_LEFT);
    if (come == ALL_TAKEN)
        Py_RETURN_NONE;
    return self->found.error_size > 0 ? take_answer(self) : lost(self); /* it said why before it ended */
}

static int exchange_init(Exchange *self, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"fileno", NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "i", names, &self->fileno))
        return -1;
    self->is_open = 1;
    self->is_asked = 0;
    self->is_sending = 0;
    self->cause = 0;
    self->arrived = 0.0;
    self->question.size = self->input.size = self->parsed = 0;
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
     "Make a statement ready to be sent: its name, the formats of its parameters, and these."},
    {"ask", (PyCFunction)exchange_ask, METH_NOARGS, "Send what was prepared."},
    {"answer", (PyCFunction)exchange_answer, METH_NOARGS,
     "The answer, once all of it has come; None until then. Raises OSError when the connection is lost."},
    {"close", (PyCFunction)exchange_close, METH_NOARGS, "Use the socket no more; it is left open."},
    {NULL}};

static PyMemberDef exchange_members[] = {
    {"is_open", T_BOOL, offsetof(Exchange, is_open), READONLY, "Whether the connection still stands."},
    {"arrived", T_DOUBLE, offsetof(Exchange, arrived), READONLY,
     "When the last part of the answer came, in seconds since 1970; 0 where the system does not tell."},
    {"warning", T_OBJECT, offsetof(Exchange, warning), READONLY, "The last warning that came with the answer, or None."},
    {NULL}};

static PyTypeObject ExchangeType = {
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

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_exchange", .m_doc = "Prepared statements without libpq.", .m_size = -1};

PyMODINIT_FUNC PyInit__exchange(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyModule_AddType(made, &ExchangeType) < 0 || PyModule_AddType(made, &AnswerType) < 0) {
        Py_XDECREF(made);
        return NULL;
    }
    return made;
}
