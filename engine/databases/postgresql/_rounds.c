/* The rounds of a user loop: whoever's answer has come goes on in its script, and asks what this says next.
 *
 * What is out of the ordinary is left to the loop, which does for it what it does for everybody where these rounds are
 * not: an error, a warning, a lost connection, a pause, the end of a script. Made by engine/databases/rounds.py; on
 * Linux only, whose epoll it takes.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_exchange.h"
#include "_lines.h"

#ifndef __linux__

int add_rounds(PyObject *Py_UNUSED(module)) { return 0; }

#else

#include <errno.h>
#include <math.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Room is made for so many answers in each round: few have come, and others are told in the next. */
enum { MOST_AT_ONCE = 64 };

/* The answers that have come in a round, and what is left of them to the loop. */
typedef struct {
    double now, wall_now;
    int is_stopping;
    PyObject *left; /* a list of pairs: who, and what the script says, its exception, or None for something to read */
} Round;

typedef struct {
    PyObject_HEAD
    int epoll;
    PyTypeObject *call_type, *pause_type;
    PyObject *nothing; /* the outcome of a pause of no length */
    Lines lines;
    int *asking;     /* the file numbers of those whose questions are to be sent, of whom each stands here once */
    int first, last; /* of those */
    char is_stamped; /* it is known how long answers waited */
    double answers_waited;
} Rounds;

static int leave(const Round *round, const Line *line, PyObject *said)
{
    PyObject *pair = PyTuple_Pack(2, line->who, said);
    int done = pair == NULL ? -1 : PyList_Append(round->left, pair);
    Py_XDECREF(pair);
    return done;
}

/* Leave the exception that is pending, as what the script has come to. */
static int leave_exception(const Round *round, const Line *line)
{
    PyObject *type, *exception, *trace;
    PyErr_Fetch(&type, &exception, &trace);
    PyErr_NormalizeException(&type, &exception, &trace);
    if (trace != NULL)
        PyException_SetTraceback(exception, trace);
    int done = leave(round, line, exception);
    Py_XDECREF(type);
    Py_XDECREF(exception);
    Py_XDECREF(trace);
    return done;
}

/* Have the call that a script says sent when all answers of the round are taken. */
static int make_ready(Rounds *self, int fileno, const Line *line, PyObject *action)
{
    PyObject *verb = PyTuple_GET_ITEM(action, 0);
    PyObject *call = PyDict_GetItemWithError(line->calls, verb);
    if (call == NULL && !PyErr_Occurred())
        PyErr_SetObject(PyExc_KeyError, verb);
    if (call == NULL || prepare_call(line->exchange, call, PyTuple_GET_ITEM(action, 1)) < 0)
        return -1;
    self->asking[self->last++] = fileno;
    return 0;
}

static int is_pause_of_no_length(const Rounds *self, PyObject *action)
{
    if (Py_TYPE(action) != self->pause_type)
        return 0;
    PyObject *seconds = PyTuple_GET_ITEM(action, 0);
    return PyFloat_Check(seconds) && PyFloat_AS_DOUBLE(seconds) <= 0.0;
}

/* Do what the script says, until that takes time. Steals the outcome. */
static int go_on(Rounds *self, const Round *round, int fileno, const Line *line, PyObject *outcome)
{
    PyObject *action;
    PySendResult sent = PyIter_Send(line->script, outcome, &action);
    Py_DECREF(outcome);
    while (sent == PYGEN_NEXT && !round->is_stopping && is_pause_of_no_length(self, action)) {
        Py_DECREF(action);
        sent = PyIter_Send(line->script, self->nothing, &action);
    }
    if (sent == PYGEN_RETURN) {
        Py_DECREF(action);
        PyErr_SetNone(PyExc_StopIteration);
    }
    if (sent != PYGEN_NEXT)
        return leave_exception(round, line);
    int done;
    if (Py_TYPE(action) != self->call_type)
        done = leave(round, line, action);
    else
        done = make_ready(self, fileno, line, action) < 0 ? leave_exception(round, line) : 0;
    Py_DECREF(action);
    return done;
}

/* The seconds that a call took until its answer had come to this machine; UserLoop._take_answer says more. */
static double seconds_of(Rounds *self, const Round *round, const Exchange *exchange, double asked_at)
{
    double seconds = round->now - asked_at;
    double waited = exchange->arrived == 0.0 ? 0.0 : round->wall_now - exchange->arrived;
    if (!(0.0 < waited && waited < seconds) && !(waited < 0.0 && waited >= round->now - clock_seconds(CLOCK_MONOTONIC)))
        return seconds;
    self->answers_waited += fmax(0.0, waited);
    self->is_stamped = 1;
    return seconds - waited;
}

/* What the script is told of the whole answer; NULL with an exception. */
static PyObject *outcome_of(Rounds *self, const Round *round, Exchange *exchange)
{
    double asked_at = exchange->asked_at;
    PyObject *answer = take_answer(exchange);
    if (answer == NULL)
        return NULL;
    PyObject *value = PyObject_CallOneArg(PyTuple_GET_ITEM(exchange->call, READ), answer);
    PyObject *seconds = PyFloat_FromDouble(seconds_of(self, round, exchange, asked_at));
    PyObject *outcome = value == NULL || seconds == NULL ? NULL : PyTuple_Pack(3, value, Py_None, seconds);
    Py_DECREF(answer);
    Py_XDECREF(value);
    Py_XDECREF(seconds);
    return outcome;
}

static int serve(Rounds *self, const Round *round, int fileno)
{
    const Line *line = line_at(&self->lines, fileno);
    if (line == NULL)
        return 0;
    Exchange *exchange = line->exchange;
    if (exchange == NULL || isinf(exchange->asked_at))
        return leave(round, line, Py_None);
    Outcome heard = hear_answer(exchange);
    if (heard == MORE_LEFT)
        return 0;
    if (heard != ALL_TAKEN || exchange->found.error_size > 0 || exchange->found.warning_size > 0) {
        PyErr_Clear(); /* the loop comes upon the same when it reads */
        return leave(round, line, Py_None);
    }
    PyObject *outcome = outcome_of(self, round, exchange);
    return outcome == NULL ? leave_exception(round, line) : go_on(self, round, fileno, line, outcome);
}

/* Send the questions that are ready, until time is up (1), all are sent, or the first can't be sent at once (0).
 *
 * Without the interpreter's lock: each send wakes a process of the server, which may have this thread's processor at
 * once, and meanwhile the client's other loop goes on. */
static int send_ready(Rounds *self, double until)
{
    while (self->first < self->last) {
        const Line *line = line_at(&self->lines, self->asking[self->first]);
        if (line != NULL && !send_at_once(line->exchange))
            return 0;
        self->first++;
        if (line != NULL && line->exchange->asked_at >= until && self->first < self->last)
            return 1;
    }
    return 0;
}

/* Send the first of those that are ready, or what is left of it, and wait for room if need be. */
static int send_first(Rounds *self, const Round *round)
{
    const Line *line = line_at(&self->lines, self->asking[self->first++]);
    Exchange *exchange = line->exchange;
    if (send_question(exchange) == 0)
        return 0;
    PyErr_Clear(); /* the loop reads, and hears why, as of any connection that is lost */
    exchange->asked_at = clock_seconds(CLOCK_MONOTONIC);
    exchange->is_asked = 1;
    return leave(round, line, Py_None);
}

/* Send the questions that are ready, until time is up: 1 if there are more then, 0, or -1 with an exception. */
static int ask_all(Rounds *self, const Round *round, double until)
{
    while (self->first < self->last) {
        int is_time_up;
        Py_BEGIN_ALLOW_THREADS
        is_time_up = send_ready(self, until);
        Py_END_ALLOW_THREADS
        if (is_time_up)
            return 1;
        if (self->first < self->last && send_first(self, round) < 0)
            return -1;
    }
    self->first = self->last = 0;
    return 0;
}

/* How many sockets have something to read; -1 with an exception. Waits without the interpreter's lock. */
static int wait_for_any(const Rounds *self, struct epoll_event *events, PyObject *seconds)
{
    double patience = seconds == Py_None ? -1.0 : PyFloat_AsDouble(seconds);
    if (PyErr_Occurred())
        return -1;
    int milliseconds = patience < 0.0 ? -1 : (int)ceil(1e3 * fmin(patience, 1e6)), ready;
    Py_BEGIN_ALLOW_THREADS
    ready = epoll_wait(self->epoll, events, MOST_AT_ONCE, milliseconds);
    Py_END_ALLOW_THREADS
    if (ready >= 0 || errno == EINTR)
        return Py_MAX(ready, 0);
    PyErr_SetFromErrno(PyExc_OSError);
    return -1;
}

/* Take what has come, and ask what follows; 0, or -1 with an exception. */
static int go_round(Rounds *self, Round *round, PyObject *seconds, double until)
{
    struct epoll_event events[MOST_AT_ONCE];
    int more = ask_all(self, round, until); /* whom the last round left no time for */
    if (more != 0 || PyList_GET_SIZE(round->left) > 0)
        return Py_MIN(more, 0);
    int ready = wait_for_any(self, events, seconds);
    round->now = clock_seconds(CLOCK_MONOTONIC);
    round->wall_now = clock_seconds(CLOCK_REALTIME);
    double now = round->now;
    for (int number = 0; number < ready && (number == 0 || now < until); number++) {
        if (serve(self, round, events[number].data.fd) < 0)
            return -1;
        now = clock_seconds(CLOCK_MONOTONIC);
    }
    return ready < 0 ? -1 : Py_MIN(ask_all(self, round, until), 0);
}

static PyObject *rounds_turn(Rounds *self, PyObject *const *arguments, Py_ssize_t count)
{
    if (count != 3) {
        PyErr_SetString(PyExc_TypeError, "turn(seconds: float | None, until: float, is_stopping: bool)");
        return NULL;
    }
    double until = PyFloat_AsDouble(arguments[1]);
    Round round = {.is_stopping = arguments[2] == Py_True, .left = PyErr_Occurred() ? NULL : PyList_New(0)};
    if (round.left != NULL && go_round(self, &round, arguments[0], until) < 0)
        Py_CLEAR(round.left);
    return round.left;
}

static PyObject *rounds_add(Rounds *self, PyObject *arguments)
{
    int fileno;
    PyObject *who, *script = Py_None, *exchange = Py_None, *calls = Py_None;
    if (!PyArg_ParseTuple(arguments, "iO|OOO", &fileno, &who, &script, &exchange, &calls))
        return NULL;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fileno};
    if (epoll_ctl(self->epoll, EPOLL_CTL_ADD, fileno, &event) < 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    int is_served = Py_IS_TYPE(exchange, &ExchangeType) && PyDict_Check(calls);
    Line line = {who, script, calls, is_served ? (Exchange *)exchange : NULL};
    if (add_line(&self->lines, fileno, line) < 0)
        return NULL;
    int *asking = PyMem_Realloc(self->asking, self->lines.space * sizeof *asking);
    if (asking == NULL)
        return PyErr_NoMemory();
    self->asking = asking;
    Py_RETURN_NONE;
}

static PyObject *rounds_remove(Rounds *self, PyObject *const *arguments, Py_ssize_t count)
{
    int fileno = count == 2 ? (int)PyLong_AsLong(arguments[0]) : CLOSED;
    if (PyErr_Occurred())
        return NULL;
    const Line *line = line_at(&self->lines, fileno);
    if (line == NULL || line->who != arguments[1])
        Py_RETURN_NONE;
    struct epoll_event event = {0};
    epoll_ctl(self->epoll, EPOLL_CTL_DEL, fileno, &event); /* fails where the socket was closed: then it is done */
    remove_line(&self->lines, fileno);
    for (int place = self->first; place < self->last; place++)
        if (self->asking[place] == fileno)
            self->asking[place] = CLOSED;
    Py_RETURN_NONE;
}

static PyObject *rounds_close(Rounds *self, PyObject *Py_UNUSED(nothing))
{
    remove_all_lines(&self->lines);
    if (self->epoll != CLOSED)
        close(self->epoll);
    self->epoll = CLOSED;
    Py_RETURN_NONE;
}

static int rounds_init(Rounds *self, PyObject *arguments, PyObject *Py_UNUSED(options))
{
    PyTypeObject *call, *pause;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyType_Type, &call, &PyType_Type, &pause))
        return -1;
    self->call_type = (PyTypeObject *)Py_NewRef(call);
    self->pause_type = (PyTypeObject *)Py_NewRef(pause);
    self->nothing = Py_BuildValue("(OOd)", Py_None, Py_None, 0.0);
    self->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (self->epoll < 0)
        PyErr_SetFromErrno(PyExc_OSError);
    return self->epoll < 0 || self->nothing == NULL ? -1 : 0;
}

static void rounds_dealloc(Rounds *self)
{
    if (self->call_type != NULL)
        Py_XDECREF(rounds_close(self, NULL));
    PyMem_Free(self->asking);
    Py_XDECREF(self->call_type);
    Py_XDECREF(self->pause_type);
    Py_XDECREF(self->nothing);
    Py_TYPE(self)->tp_free((PyObject *)self);
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
    {"remove", (PyCFunction)(void (*)(void))rounds_remove, METH_FASTCALL, "Wait no longer, if the socket is theirs."},
    {"turn", (PyCFunction)(void (*)(void))rounds_turn, METH_FASTCALL,
     "Wait, serve whom these rounds can serve, and return who is left to the loop, and why."},
    {"close", (PyCFunction)rounds_close, METH_NOARGS, "Leave everybody."},
    {NULL}};

static PyGetSetDef rounds_attributes[] = {
    {"answers_waited", (getter)rounds_answers_waited, NULL,
     "For how long, in sum, answers that were served had come before; None if nobody knows.", NULL},
    {NULL}};

static PyTypeObject RoundsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.databases.postgresql._exchange.Rounds",
    .tp_doc = "The rounds of a user loop; made with the types Call and Pause.",
    .tp_basicsize = sizeof(Rounds),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)rounds_init,
    .tp_dealloc = (destructor)rounds_dealloc,
    .tp_methods = rounds_methods,
    .tp_getset = rounds_attributes,
};

int add_rounds(PyObject *module) { return PyModule_AddType(module, &RoundsType); }

#endif
