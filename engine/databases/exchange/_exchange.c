/* Calls of prepared statements over the socket of a connection: the hot path of every emulated user.
 *
 * The messages are those of the DBMS's protocol (_protocol.h). The connection is opened and closed by its owner, who
 * does not use the socket in between.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>

#include "_exchange.h"
#include "_parameters.h"
#include "_result_rows.h"

static const Protocol *const PROTOCOLS[] = {&POSTGRESQL_PROTOCOL, &MYSQL_PROTOCOL};

double clock_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int claim(Exchange *self)
{
    if (try_claim(self))
        return 0;
    PyErr_SetString(PyExc_RuntimeError, "another call is using this connection");
    return -1;
}

static PyObject *exchange_prepare(Exchange *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "prepare(call: PreparedCall, arguments: tuple)");
        return NULL;
    }
    if (claim(self) < 0)
        return NULL;
    int prepared = prepare_call(self, arguments[0], arguments[1]);
    release(self);
    return prepared < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *exchange_send(Exchange *self, PyObject *Py_UNUSED(nothing))
{
    if (claim(self) < 0)
        return NULL;
    int asked = receive_unsolicited(self) < 0 ? -1 : send_request(self);
    if (asked < 0)
        self->sent_at = INFINITY;
    release(self);
    return asked < 0 ? NULL : Py_NewRef(Py_None);
}

PyObject *take_answer(Exchange *self)
{
    self->found.is_text = self->call != NULL && PyTuple_GET_ITEM(self->call, NAME) == Py_None;
    PyObject *answer = make_answer(self->protocol, self->input.bytes, self->parsed, &self->found);
    drop_first(&self->input, self->parsed);
    self->rows_received += self->found.rows;
    self->bytes_received += self->found.row_bytes;
    self->parsed = 0;
    self->found = (Found){0};
    if (self->is_partly_sent)
        self->is_open = 0; /* nothing could be sent after half a request */
    self->is_partly_sent = 0;
    self->is_asked = 0;
    self->is_whole = 0;
    self->sent_at = INFINITY;
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

/* The answer if all of it has come, None if not; NULL with an exception. */
static PyObject *next_answer(Exchange *self)
{
    switch (receive_answer(self)) {
    case ALL_TAKEN:
        return take_answer(self);
    case MORE_LEFT:
        Py_RETURN_NONE;
    case ENDED:
        if (self->found.error.size > 0)
            return take_answer(self); /* the server gave the reason before it closed the connection */
        self->sent_at = INFINITY;
        return lost(self);
    default:
        self->sent_at = INFINITY;
        return NULL;
    }
}

static PyObject *exchange_receive(Exchange *self, PyObject *Py_UNUSED(nothing))
{
    if (claim(self) < 0)
        return NULL;
    PyObject *answer = next_answer(self);
    release(self);
    return answer;
}

static const Protocol *protocol_of(const char *key)
{
    for (size_t number = 0; number < Py_ARRAY_LENGTH(PROTOCOLS); number++)
        if (strcmp(PROTOCOLS[number]->key, key) == 0)
            return PROTOCOLS[number];
    PyErr_Format(PyExc_ValueError, "%s is not a known protocol", key);
    return NULL;
}

static PyObject *exchange_new(PyTypeObject *type, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"fileno", "protocol", "cipher", NULL};
    int fileno;
    const char *key;
    PyObject *cipher = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "is|O", names, &fileno, &key, &cipher))
        return NULL;
    const Protocol *protocol = protocol_of(key);
    Exchange *self = protocol == NULL ? NULL : (Exchange *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    atomic_flag_clear(&self->is_claimed);
    self->protocol = protocol;
    self->cipher = cipher == Py_None ? NULL : Py_NewRef(cipher);
    self->fileno = fileno;
    self->epoll = CLOSED;
    self->is_open = 1;
    self->sent_at = INFINITY;
#ifdef SO_TIMESTAMPNS
    int on = 1;
    setsockopt(fileno, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on); /* if that fails, there are no receive timestamps */
#endif
    return (PyObject *)self;
}

static void exchange_dealloc(Exchange *self)
{
    Py_XDECREF(self->warning);
    Py_XDECREF(self->call);
    Py_XDECREF(self->cipher);
    PyMem_Free(self->request.bytes);
    PyMem_Free(self->encrypted.bytes);
    PyMem_Free(self->input.bytes);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *exchange_close(Exchange *self, PyObject *Py_UNUSED(nothing))
{
    self->is_open = 0;
    self->fileno = CLOSED;
    Py_RETURN_NONE;
}

static PyObject *exchange_is_open(Exchange *self, void *Py_UNUSED(closure)) { return PyBool_FromLong(self->is_open); }

static PyObject *exchange_sent_at(Exchange *self, void *Py_UNUSED(closure))
{
    return PyFloat_FromDouble(self->sent_at);
}

static PyMethodDef exchange_methods[] = {
    {"prepare", (PyCFunction)(void (*)(void))exchange_prepare, METH_FASTCALL,
     "Make a call ready to be sent: a PreparedCall, and its arguments."},
    {"send", (PyCFunction)exchange_send, METH_NOARGS, "Send what was prepared."},
    {"receive", (PyCFunction)exchange_receive, METH_NOARGS,
     "The answer, once all of it has come; None until then. Raises OSError when the connection is lost."},
    {"close", (PyCFunction)exchange_close, METH_NOARGS, "Stop using the socket, which is left open."},
    {NULL}};

static PyMemberDef exchange_members[] = {
    {"arrived", T_DOUBLE, offsetof(Exchange, arrived), READONLY,
     "When the last part of the answer was received, in seconds since 1970; 0 if the system gives no timestamps."},
    {"call", T_OBJECT, offsetof(Exchange, call), READONLY, "The call that was prepared last."},
    {"rows_received", T_LONGLONG, offsetof(Exchange, rows_received), READONLY, "The rows of all answers so far."},
    {"bytes_received", T_LONGLONG, offsetof(Exchange, bytes_received), READONLY,
     "The bytes of these rows, with what frames them in the protocol."},
    {"warning", T_OBJECT, offsetof(Exchange, warning), READONLY, "The last warning in the answer, or None."},
    {NULL}};

static PyGetSetDef exchange_attributes[] = {
    {"is_open", (getter)exchange_is_open, NULL, "Whether the connection can still be used.", NULL},
    {"sent_at", (getter)exchange_sent_at, NULL,
     "When the question that waits for its answer was sent, by the monotonic clock; infinite without one.", NULL},
    {NULL}};

PyTypeObject ExchangeType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.databases.exchange._exchange.Exchange",
    .tp_doc = "Calls of prepared statements over a connected socket, which stays its owner's.",
    .tp_basicsize = sizeof(Exchange),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = exchange_new,
    .tp_dealloc = (destructor)exchange_dealloc,
    .tp_methods = exchange_methods,
    .tp_members = exchange_members,
    .tp_getset = exchange_attributes,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_exchange",
    .m_doc = "Calls of prepared statements without a DBMS's own client library.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__exchange(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyModule_AddType(made, &ExchangeType) < 0 || PyModule_AddType(made, &AnswerType) < 0 ||
        PyModule_AddType(made, &ResultRowsType) < 0 || PyModule_AddType(made, &ParametersType) < 0 ||
        add_rounds(made) < 0) {
        Py_XDECREF(made);
        return NULL;
    }
    return made;
}
