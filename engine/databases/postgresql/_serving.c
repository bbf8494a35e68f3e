/* Whoever's answer has come goes on in its script, and what this says next is made ready to be asked.
 *
 * What is out of the ordinary is left to the loop, see _rounds.c.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef __linux__

#include <math.h>

#include "_exchange.h"
#include "_rounds.h"

int leave(const Turn *turn, const Line *line, PyObject *said)
{
    PyObject *pair = PyTuple_Pack(2, line->who, said);
    int done = pair == NULL ? -1 : PyList_Append(turn->left, pair);
    Py_XDECREF(pair);
    return done;
}

/* Leave the exception that is pending, as what the script has come to. */
static int leave_exception(const Turn *turn, const Line *line)
{
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

/* Have the call that a script says sent when all answers that have come are taken. */
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
    if (Py_TYPE(action) != self->call_type)
        done = leave(turn, line, action);
    else
        done = make_ready(self, fileno, line, action) < 0 ? leave_exception(turn, line) : 0;
    Py_DECREF(action);
    return done;
}

/* The seconds that a call took until its answer had come to this machine; UserLoop._take_answer says more. */
static double seconds_of(Rounds *self, const Turn *turn, const Exchange *exchange, double asked_at)
{
    double seconds = turn->now - asked_at;
    double waited = exchange->arrived == 0.0 ? 0.0 : turn->wall_now - exchange->arrived;
    if (!(0.0 < waited && waited < seconds) && !(waited < 0.0 && waited >= turn->now - clock_seconds(CLOCK_MONOTONIC)))
        return seconds;
    self->answers_waited += fmax(0.0, waited);
    self->is_stamped = 1;
    return seconds - waited;
}

/* What the script is told of the whole answer; NULL with an exception. */
static PyObject *outcome_of(Rounds *self, const Turn *turn, Exchange *exchange)
{
    double asked_at = exchange->asked_at;
    PyObject *answer = take_answer(exchange);
    if (answer == NULL)
        return NULL;
    PyObject *value = PyObject_CallOneArg(PyTuple_GET_ITEM(exchange->call, READ), answer);
    PyObject *seconds = PyFloat_FromDouble(seconds_of(self, turn, exchange, asked_at));
    PyObject *outcome = value == NULL || seconds == NULL ? NULL : PyTuple_Pack(3, value, Py_None, seconds);
    Py_DECREF(answer);
    Py_XDECREF(value);
    Py_XDECREF(seconds);
    return outcome;
}

int serve(Rounds *self, const Turn *turn, int fileno)
{
    const Line *line = line_at(&self->lines, fileno);
    if (line == NULL)
        return 0;
    Exchange *exchange = line->exchange;
    if (exchange == NULL || isinf(exchange->asked_at))
        return leave(turn, line, Py_None);
    Outcome heard = hear_answer(exchange);
    if (heard == MORE_LEFT)
        return 0;
    if (heard != ALL_TAKEN || exchange->found.error_size > 0 || exchange->found.warning_size > 0) {
        PyErr_Clear(); /* the loop comes upon the same when it reads */
        return leave(turn, line, Py_None);
    }
    PyObject *outcome = outcome_of(self, turn, exchange);
    return outcome == NULL ? leave_exception(turn, line) : go_on(self, turn, fileno, line, outcome);
}

#endif
