/* Serving users: when an answer has come, the user's script continues, and its next request is prepared.
 *
 * Everything out of the ordinary is left to the loop, see _rounds.c.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef __linux__

#include <math.h>
#include <string.h>

#include "_exchange.h"
#include "_rounds.h"

int leave(const Turn *turn, const Line *line, PyObject *said)
{
    PyObject *pair = PyTuple_Pack(2, line->who, said);
    int done = pair == NULL ? -1 : PyList_Append(turn->left, pair);
    Py_XDECREF(pair);
    return done;
}

int leave_exception(const Turn *turn, const Line *line)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception))
        return -1;
    PyObject *type, *exception, *trace;
    PyErr_Fetch(&type, &exception, &trace);
    PyErr_NormalizeException(&type, &exception, &trace);
    if (trace != NULL)
        PyException_SetTraceback(exception, trace);
    int done = leave(turn, line, exception);
    Py_XDECREF(type);
    Py_XDECREF(exception);
    Py_XDECREF(trace);
    return done;
}

/* Add a socket to those whose questions are to be sent. 0, or -1 with an exception. */
static int add_asking(Rounds *self, int fileno)
{
    if (self->last == self->asking_space && self->first > self->asking_space / 2) {
        memmove(self->to_send, self->to_send + self->first, (self->last - self->first) * sizeof *self->to_send);
        self->last -= self->first;
        self->first = 0;
    } else if (self->last == self->asking_space) {
        int space = 2 * self->asking_space + MOST_AT_ONCE;
        int *to_send = PyMem_Realloc(self->to_send, space * sizeof *to_send);
        if (to_send == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        self->to_send = to_send;
        self->asking_space = space;
    }
    self->to_send[self->last++] = fileno;
    return 0;
}

/* Prepare the call that a script asks for; it is sent when all answers that have come are taken. */
static int make_ready(Rounds *self, int fileno, const Line *line, PyObject *action)
{
    PyObject *verb = PyTuple_GET_ITEM(action, 0);
    PyObject *call = PyDict_GetItemWithError(line->calls, verb);
    if (call == NULL && !PyErr_Occurred())
        PyErr_SetObject(PyExc_KeyError, verb);
    if (call == NULL || claim(line->exchange) < 0)
        return -1;
    Py_INCREF(call); /* preparing runs Python code, which could remove it from the dict */
    int prepared = prepare_call(line->exchange, call, PyTuple_GET_ITEM(action, 1));
    Py_DECREF(call);
    release(line->exchange);
    return prepared < 0 ? -1 : add_asking(self, fileno);
}

static int is_pause_of_no_length(const Rounds *self, PyObject *action)
{
    if (Py_TYPE(action) != self->pause_type)
        return 0;
    PyObject *seconds = PyTuple_GET_ITEM(action, 0);
    return PyFloat_Check(seconds) && PyFloat_AS_DOUBLE(seconds) <= 0.0;
}

/* Set a user's state, and since when it thinks, for other threads; as UserLoop does. */
static int set_state(const Line *line, PyObject *state, PyObject *since)
{
    PyObject *connection = PyObject_GetAttrString(line->who, "connection");
    if (connection == NULL)
        return -1;
    int status = PyObject_SetAttrString(connection, "state", state);
    Py_DECREF(connection);
    return status < 0 ? -1 : PyObject_SetAttrString(line->who, "waits_since", since);
}

static int thinks(const Rounds *self, PyObject *action)
{
    return Py_TYPE(action) == self->pause_type && PyTuple_GET_ITEM(action, 1) == self->think &&
           PyFloat_Check(PyTuple_GET_ITEM(action, 0));
}

static int begin_pause(Rounds *self, const Line *line, int fileno, PyObject *pause)
{
    double now = clock_seconds(CLOCK_MONOTONIC);
    PyObject *since = PyFloat_FromDouble(now);
    int status = since == NULL ? -1 : set_state(line, self->thinking, since);
    Py_XDECREF(since);
    if (status < 0)
        return -1;
    Sleeper sleeper = {
        .ends = now + PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(pause, 0)),
        .began = now,
        .fileno = fileno,
        .who = Py_NewRef(line->who),
        .script = Py_NewRef(line->script),
        .pause = Py_NewRef(pause),
    };
    return fall_asleep(&self->pauses, sleeper);
}

/* Continue a script, and do what it asks for, until that takes time. Steals the outcome. */
static int go_on(Rounds *self, const Turn *turn, int fileno, const Line *line, PyObject *outcome)
{
    PyObject *action;
    PySendResult sent = PyIter_Send(line->script, outcome, &action);
    Py_DECREF(outcome);
    while (sent == PYGEN_NEXT && !turn->is_stopping && is_pause_of_no_length(self, action)) {
        Py_DECREF(action);
        sent = PyIter_Send(line->script, self->nothing, &action);
    }
    if (sent == PYGEN_RETURN) {
        Py_DECREF(action);
        PyErr_SetNone(PyExc_StopIteration);
    }
    if (sent != PYGEN_NEXT)
        return leave_exception(turn, line);
    int done;
    if (thinks(self, action) && !turn->is_stopping)
        done = begin_pause(self, line, fileno, action) < 0 ? leave_exception(turn, line) : 0;
    else if (Py_TYPE(action) != self->call_type || line->exchange == NULL)
        done = leave(turn, line, action);
    else
        done = make_ready(self, fileno, line, action) < 0 ? leave_exception(turn, line) : 0;
    Py_DECREF(action);
    return done;
}

/* The seconds that a call took until this machine had received the answer; see UserLoop._take_answer. */
static double seconds_of(Rounds *self, const Turn *turn, const Exchange *exchange, double sent_at)
{
    double seconds = turn->now - sent_at;
    double waited = exchange->arrived == 0.0 ? 0.0 : turn->wall_now - exchange->arrived;
    if (!(0.0 < waited && waited < seconds) && !(waited < 0.0 && waited >= turn->now - clock_seconds(CLOCK_MONOTONIC)))
        return seconds;
    self->answers_waited += fmax(0.0, waited);
    self->is_stamped = 1;
    return seconds - waited;
}

/* Take the complete answer to an exchange's call, and release the exchange: the outcome for the script; NULL with an
 * exception. */
static PyObject *outcome_of(Rounds *self, const Turn *turn, Exchange *exchange)
{
    PyObject *seconds = PyFloat_FromDouble(seconds_of(self, turn, exchange, exchange->sent_at));
    PyObject *answer = seconds == NULL ? NULL : take_answer(exchange);
    PyObject *call = Py_NewRef(exchange->call);
    release(exchange); /* the Python code that reads the answer may use it */
    PyObject *value = answer == NULL ? NULL : PyObject_CallOneArg(PyTuple_GET_ITEM(call, READ), answer);
    PyObject *outcome = value == NULL ? NULL : PyTuple_Pack(3, value, Py_None, seconds);
    Py_DECREF(call);
    Py_XDECREF(answer);
    Py_XDECREF(value);
    Py_XDECREF(seconds);
    return outcome;
}

/* Whether the loop is to take an answer: an error, an answer with a warning, or one to a call of the session's own. */
static int is_left_to_loop(const Exchange *exchange)
{
    return PyTuple_GET_ITEM(exchange->call, READ) == Py_None || exchange->found.error.size > 0 ||
           exchange->found.warning.size > 0;
}

/* End a pause. If the user's socket has been removed meanwhile, or is another user's, the loop makes its next call. */
static int end_pause(Rounds *self, const Turn *turn, const Sleeper *sleeper, double now)
{
    const Line *found = line_at(&self->lines, sleeper->fileno);
    Line line = {.who = sleeper->who, .script = sleeper->script};
    if (found != NULL && found->who == sleeper->who)
        line = *found;
    if (set_state(&line, self->working, self->never) < 0)
        return leave_exception(turn, &line);
    PyObject *outcome = Py_BuildValue("(OOd)", Py_None, Py_None, now - sleeper->began);
    return outcome == NULL ? -1 : go_on(self, turn, sleeper->fileno, &line, outcome);
}

int end_pauses(Rounds *self, const Turn *turn)
{
    double now = clock_seconds(CLOCK_MONOTONIC), over = now + HALF_A_TICK_SECONDS;
    for (int is_first = 1; first_end(&self->pauses) <= over && (is_first || now < turn->until); is_first = 0) {
        Sleeper sleeper = take_first(&self->pauses);
        int done = end_pause(self, turn, &sleeper, now);
        release_sleeper(&sleeper);
        if (done < 0)
            return -1;
        now = clock_seconds(CLOCK_MONOTONIC);
    }
    return 0;
}

int leave_sleepers(Rounds *self, const Turn *turn)
{
    while (self->pauses.count > 0) {
        Sleeper sleeper = take_first(&self->pauses);
        Line line = {.who = sleeper.who};
        int done = leave(turn, &line, sleeper.pause);
        release_sleeper(&sleeper);
        if (done < 0)
            return -1;
    }
    return 0;
}

int serve(Rounds *self, const Turn *turn, int fileno)
{
    const Line *line = line_at(&self->lines, fileno);
    if (line == NULL)
        return 0;
    Exchange *exchange = line->exchange;
    if (exchange == NULL || isinf(exchange->sent_at))
        return leave(turn, line, Py_None);
    if (claim(exchange) < 0)
        return leave_exception(turn, line);
    Outcome come = receive_answer(exchange);
    if (come == RAISED && PyErr_ExceptionMatches(PyExc_OSError)) {
        PyErr_Clear(); /* the connection is lost: the loop gets the same error when it reads */
        come = ENDED;
    }
    if (come == ALL_TAKEN && !is_left_to_loop(exchange)) {
        PyObject *outcome = outcome_of(self, turn, exchange);
        return outcome == NULL ? leave_exception(turn, line) : go_on(self, turn, fileno, line, outcome);
    }
    release(exchange);
    if (come == MORE_LEFT)
        return 0;
    return come == RAISED ? leave_exception(turn, line) : leave(turn, line, Py_None);
}

#endif
