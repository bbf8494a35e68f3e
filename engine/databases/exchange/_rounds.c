/* The rounds of a user loop: users whose answers have come are served, and their next requests are sent.
 *
 * Everything out of the ordinary is left to the loop, as everything is on systems without these rounds: an error, a
 * warning, a lost connection, a pause before a retry, the end of a script. Created by engine/databases/rounds.py; on
 * Linux only, because of epoll.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_exchange.h"
#include "_rounds.h"

#ifndef __linux__

int add_rounds(PyObject *Py_UNUSED(module)) { return 0; }

#else

#include <errno.h>
#include <math.h>
#include <unistd.h>

/* The result of sending the requests that are ready; NOT_SENT: the first of those that are left can't be sent. */
typedef enum { ALL_SENT, NOT_SENT, TIME_IS_UP } Sent;

/* Send the requests that are ready, until time is up or one of them can't be sent. */
static Sent send_ready(Rounds *self, double until)
{
    while (self->first < self->last) {
        const Line *line = line_at(&self->lines, self->to_send[self->first]);
        if (line != NULL && send_at_once(line->exchange) == ENDED)
            return NOT_SENT;
        self->first++;
        if (line != NULL && line->exchange->sent_at >= until && self->first < self->last)
            return TIME_IS_UP;
    }
    self->first = self->last = 0;
    return ALL_SENT;
}

/* Send the first request that is ready by the way that reports why it can't be sent. 0, or -1 with an exception. */
static int send_first(Rounds *self, const Turn *turn)
{
    const Line *line = line_at(&self->lines, self->to_send[self->first++]);
    Exchange *exchange = line->exchange;
    if (claim(exchange) < 0)
        return leave_exception(turn, line);
    int sent = send_request(exchange);
    int is_lost = sent < 0 && PyErr_ExceptionMatches(PyExc_OSError);
    if (is_lost) {
        PyErr_Clear(); /* the loop reads, and gets the same error, as for any lost connection */
        exchange->sent_at = clock_seconds(CLOCK_MONOTONIC);
        exchange->is_asked = 1;
    }
    release(exchange);
    if (sent == 0)
        return 0;
    return is_lost ? leave(turn, line, Py_None) : leave_exception(turn, line);
}

/* A timeout for epoll, in whole milliseconds; -1 for none. */
static int milliseconds_until(double deadline)
{
    if (isinf(deadline))
        return -1;
    double patience = fmax(0.0, deadline - clock_seconds(CLOCK_MONOTONIC));
    return (int)ceil(1e3 * fmin(patience, 1e6));
}

/* Send the rest of a request if its socket has room, and receive what is there of an answer: whether there is something
 * to serve. */
static int exchange_at_once(Exchange *exchange, uint32_t events)
{
    if (events & EPOLLOUT)
        send_rest(exchange);
    if (events == EPOLLOUT && exchange->is_open)
        return 0;
    return receive_at_once(exchange) != MORE_LEFT;
}

/* Send and receive on the sockets that are ready, and keep only those with something to serve. */
static void exchange_all(Rounds *self)
{
    int kept = 0;
    for (int number = 0; number < self->found; number++) {
        const Line *line = line_at(&self->lines, self->come[number].data.fd);
        if (line == NULL || line->exchange == NULL || exchange_at_once(line->exchange, self->come[number].events))
            self->come[kept++] = self->come[number];
    }
    self->found = kept;
}

/* Wait until there is something to serve, a pause is over or time is up.
 *
 * A MySQL server sends the rows of a call and their end in two segments, so that many wake-ups bring half an answer: no
 * Python code has to run for these. */
static void await_answers(Rounds *self, const Turn *turn)
{
    self->served = 0;
    double first = fmin(turn->deadline, first_end(&self->pauses) - HALF_A_TICK_SECONDS);
    int woken;
    do {
        woken = self->found = epoll_wait(self->epoll, self->come, MOST_AT_ONCE, milliseconds_until(first));
        if (woken > 0)
            exchange_all(self);
    } while (woken > 0 && self->found == 0 && clock_seconds(CLOCK_MONOTONIC) < fmin(first, turn->until));
}

/* Send the requests that are ready, and, if all were sent and may_wait is true, wait; found is -1, with errno, if that
 * failed.
 *
 * Without holding the GIL: each send wakes a process of the server, which may take over this thread's processor at
 * once, and meanwhile the client's other threads go on. */
static Sent send_and_wait(Rounds *self, const Turn *turn, int may_wait)
{
    Sent sent;
    Py_BEGIN_ALLOW_THREADS
    sent = send_ready(self, turn->until);
    if (sent == ALL_SENT && may_wait)
        await_answers(self, turn);
    Py_END_ALLOW_THREADS
    return sent;
}

/* Serve the users who have something to read, and those whose pauses are over, at least one of each, until time is up:
 * whether there is time to wait for more; -1 with an exception. */
static int serve_all(Rounds *self, Turn *turn)
{
    double now = turn->now = clock_seconds(CLOCK_MONOTONIC);
    turn->wall_now = clock_seconds(CLOCK_REALTIME);
    for (int is_first = 1; self->served < self->found && (is_first || now < turn->until); is_first = 0) {
        if (serve(self, turn, self->come[self->served++].data.fd) < 0)
            return -1;
        now = clock_seconds(CLOCK_MONOTONIC);
    }
    if (end_pauses(self, turn) < 0)
        return -1;
    now = clock_seconds(CLOCK_MONOTONIC);
    return self->found >= 0 && now < turn->until && now < turn->deadline;
}

/* Send, wait and serve, round after round, until a user is left to the loop or there is no more time to wait. 0, or -1
 * with an exception. */
static int go_rounds(Rounds *self, Turn *turn)
{
    int may_wait = 1;
    if (turn->is_stopping && leave_sleepers(self, turn) < 0)
        return -1;
    if (self->served < self->found) /* those for whom the last turn had no time: epoll may not report them again */
        may_wait = serve_all(self, turn);
    while (may_wait >= 0) {
        may_wait = may_wait && PyList_GET_SIZE(turn->left) == 0;
        if (!may_wait && self->first == self->last)
            return 0;
        Sent sent = send_and_wait(self, turn, may_wait);
        if (sent == NOT_SENT) {
            if (send_first(self, turn) < 0)
                return -1;
            continue;
        }
        if (sent == TIME_IS_UP || !may_wait)
            return 0;
        if (self->found < 0 && errno != EINTR) {
            PyErr_SetFromErrno(PyExc_OSError);
            return -1;
        }
        may_wait = serve_all(self, turn);
    }
    return -1;
}

/* Whether a turn is under way, in another thread or further up this one's stack; with an exception if it is. */
static int is_under_way(const Rounds *self)
{
    if (self->is_turning)
        PyErr_SetString(PyExc_RuntimeError, "a turn of these rounds is under way");
    return self->is_turning;
}

static PyObject *rounds_turn(Rounds *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (is_under_way(self))
        return NULL;
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "turn(seconds: float | None, until: float, is_stopping: bool)");
        return NULL;
    }
    double seconds = arguments[0] == Py_None ? INFINITY : PyFloat_AsDouble(arguments[0]);
    Turn turn = {
        .deadline = clock_seconds(CLOCK_MONOTONIC) + seconds,
        .until = PyFloat_AsDouble(arguments[1]),
        .is_stopping = arguments[2] == Py_True,
    };
    turn.left = PyErr_Occurred() ? NULL : PyList_New(0);
    if (turn.left == NULL)
        return NULL;
    self->is_turning = 1;
    if (go_rounds(self, &turn) < 0)
        Py_CLEAR(turn.left);
    self->is_turning = 0;
    return turn.left;
}

/* Discard the requests and events of a socket, whose number may be another's next. */
static void forget(Rounds *self, int fileno)
{
    for (int place = self->first; place < self->last; place++)
        if (self->to_send[place] == fileno)
            self->to_send[place] = CLOSED;
    for (int place = self->served; place < self->found; place++)
        if (self->come[place].data.fd == fileno)
            self->come[place].data.fd = CLOSED;
}

static PyObject *rounds_add(Rounds *self, PyObject *arguments)
{
    int fileno;
    PyObject *who, *script = Py_None, *exchange = Py_None, *calls = Py_None;
    if (is_under_way(self) || !PyArg_ParseTuple(arguments, "iO|OOO", &fileno, &who, &script, &exchange, &calls))
        return NULL;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fileno};
    if (epoll_ctl(self->epoll, EPOLL_CTL_ADD, fileno, &event) < 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    forget(self, fileno);
    int is_served = Py_IS_TYPE(exchange, &ExchangeType) && PyDict_Check(calls);
    Line line = {who, script, calls, is_served ? (Exchange *)exchange : NULL};
    if (add_line(&self->lines, fileno, line) < 0) {
        epoll_ctl(self->epoll, EPOLL_CTL_DEL, fileno, &event);
        return NULL;
    }
    if (line.exchange != NULL)
        line.exchange->epoll = self->epoll;
    Py_RETURN_NONE;
}

static PyObject *rounds_remove(Rounds *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (is_under_way(self))
        return NULL;
    int fileno = count == 2 ? (int)PyLong_AsLong(arguments[0]) : CLOSED;
    if (PyErr_Occurred())
        return NULL;
    const Line *line = line_at(&self->lines, fileno);
    if (line == NULL || line->who != arguments[1])
        Py_RETURN_NONE;
    struct epoll_event event = {0};
    epoll_ctl(self->epoll, EPOLL_CTL_DEL, fileno, &event); /* fails if the socket was closed, which removes it */
    remove_line(&self->lines, fileno);
    forget(self, fileno);
    Py_RETURN_NONE;
}

static PyObject *rounds_close(Rounds *self, PyObject *Py_UNUSED(nothing))
{
    if (is_under_way(self))
        return NULL;
    self->first = self->last = self->served = self->found = 0;
    remove_all_lines(&self->lines);
    remove_all_pauses(&self->pauses);
    if (self->epoll != CLOSED)
        close(self->epoll);
    self->epoll = CLOSED;
    Py_RETURN_NONE;
}

static void rounds_dealloc(Rounds *self)
{
    Py_XDECREF(rounds_close(self, NULL));
    PyMem_Free(self->to_send);
    Py_XDECREF(self->call_type);
    Py_XDECREF(self->pause_type);
    Py_XDECREF(self->think);
    Py_XDECREF(self->thinking);
    Py_XDECREF(self->working);
    Py_XDECREF(self->nothing);
    Py_XDECREF(self->never);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *rounds_new(PyTypeObject *type, PyObject *arguments, PyObject *Py_UNUSED(options))
{
    PyObject *call, *pause, *think, *thinking, *working;
    if (!PyArg_ParseTuple(
            arguments, "O!O!OOO", &PyType_Type, &call, &PyType_Type, &pause, &think, &thinking, &working))
        return NULL;
    Rounds *self = (Rounds *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->call_type = (PyTypeObject *)Py_NewRef(call);
    self->pause_type = (PyTypeObject *)Py_NewRef(pause);
    self->think = Py_NewRef(think);
    self->thinking = Py_NewRef(thinking);
    self->working = Py_NewRef(working);
    self->never = PyFloat_FromDouble(INFINITY);
    self->nothing = Py_BuildValue("(OOd)", Py_None, Py_None, 0.0);
    self->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (self->epoll < 0)
        PyErr_SetFromErrno(PyExc_OSError);
    if (self->epoll < 0 || self->nothing == NULL || self->never == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static PyObject *rounds_answers_waited(Rounds *self, void *Py_UNUSED(closure))
{
    if (!self->is_stamped)
        Py_RETURN_NONE;
    return PyFloat_FromDouble(self->answers_waited);
}

static PyMethodDef rounds_methods[] = {
    {"add", (PyCFunction)rounds_add, METH_VARARGS,
     "Wait for what comes over a socket; with an Exchange and its calls, serve the script."},
    {"remove", (PyCFunction)(void (*)(void))rounds_remove, METH_FASTCALL,
     "Stop waiting for a socket, if it is that user's."},
    {"turn", (PyCFunction)(void (*)(void))rounds_turn, METH_FASTCALL,
     "Send, wait and serve, until a user is left to the loop or time is up: who is left, and why."},
    {"close", (PyCFunction)rounds_close, METH_NOARGS, "Release all users."},
    {NULL}};

static PyGetSetDef rounds_attributes[] = {
    {"answers_waited", (getter)rounds_answers_waited, NULL,
     "The seconds, in sum, that answers waited to be served; None if the system gives no timestamps.", NULL},
    {NULL}};

static PyTypeObject RoundsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.databases.exchange._exchange.Rounds",
    .tp_doc = "The rounds of a user loop; made with the types Call and Pause, the kind of a pause between orders, and"
              " the states of users who think and who work.",
    .tp_basicsize = sizeof(Rounds),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = rounds_new,
    .tp_dealloc = (destructor)rounds_dealloc,
    .tp_methods = rounds_methods,
    .tp_getset = rounds_attributes,
};

int add_rounds(PyObject *module) { return PyModule_AddType(module, &RoundsType); }

#endif
