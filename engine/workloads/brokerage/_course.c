/* The ordinary course of an emulated user, in front of its script: transactions of its own that succeed and that nothing
 * follows.
 *
 * user.py defines the workload. As long as the script rests between two transactions and nothing else is due, the course
 * takes the next call from those that were drawn ahead, and counts it. For everything else it resumes the script, which
 * continues with the call that the course has begun, if there is one.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum { USER, SCRIPT, AHEAD, DRAW, FOLLOWED, TRANSACTION, PAUSE, CLOCK, GIVEN, BEGUN = GIVEN, HELD };

typedef struct {
    PyObject_HEAD
    PyObject *held[HELD];
    Py_buffer due[2]; /* one double each: from this moment on the script is asked what comes next */
    char is_resting;  /* the script has yielded the pause between two transactions, and waits for its outcome */
} Course;

static PyObject *begun_name, *not_rolled_back; /* "_begun", and the names of the keyword arguments of a count */

/* Resume the script; its next action is returned. */
static PySendResult resume(Course *self, PyObject *outcome, PyObject **action)
{
    PySendResult sent = PyIter_Send(self->held[SCRIPT], outcome, action);
    self->is_resting = sent == PYGEN_NEXT && *action == self->held[PAUSE];
    return sent;
}

/* Whether nothing but a transaction of the user's own is due: 1 or 0, or -1 with an exception. */
static int is_ordinary(Course *self)
{
    PyObject *reading = PyObject_CallNoArgs(self->held[CLOCK]);
    double now = reading == NULL ? -1.0 : PyFloat_AsDouble(reading);
    Py_XDECREF(reading);
    if (PyErr_Occurred())
        return -1;
    return now < *(const double *)self->due[0].buf && now < *(const double *)self->due[1].buf;
}

/* Take the next of the calls that were drawn ahead. 0, or -1 with an exception. */
static int take_call(Course *self)
{
    PyObject *ahead = self->held[AHEAD];
    while (PyList_GET_SIZE(ahead) == 0) { /* again, if other users have taken what was drawn */
        PyObject *drawn = PyObject_CallNoArgs(self->held[DRAW]);
        if (drawn == NULL)
            return -1;
        Py_DECREF(drawn);
    }
    Py_ssize_t last = PyList_GET_SIZE(ahead) - 1;
    PyObject *begun = Py_NewRef(PyList_GET_ITEM(ahead, last));
    if (PyList_SetSlice(ahead, last, last + 1, NULL) < 0) {
        Py_DECREF(begun);
        return -1;
    }
    if (!PyTuple_Check(begun) || PyTuple_GET_SIZE(begun) != 2 || !PyTuple_Check(PyTuple_GET_ITEM(begun, 0)) ||
        PyTuple_GET_SIZE(PyTuple_GET_ITEM(begun, 0)) != 2) {
        Py_DECREF(begun);
        PyErr_SetString(PyExc_TypeError, "what is drawn ahead must be pairs of a call and what it trades");
        return -1;
    }
    Py_XSETREF(self->held[BEGUN], begun);
    return 0;
}

static PyObject *begun_call(const Course *self) { return PyTuple_GET_ITEM(self->held[BEGUN], 0); }

/* Whether the outcome ends the transaction, so that it only has to be counted: 1 or 0, or -1 with an exception. */
static int ends_transaction(const Course *self, PyObject *outcome)
{
    if (!PyTuple_Check(outcome) || PyTuple_GET_SIZE(outcome) != 3 || PyTuple_GET_ITEM(outcome, 1) != Py_None)
        return 0;
    int is_followed = PySequence_Contains(self->held[FOLLOWED], PyTuple_GET_ITEM(begun_call(self), 0));
    return is_followed < 0 ? -1 : !is_followed;
}

static int count(const Course *self, PyObject *outcome)
{
    PyObject *arguments[] = {PyTuple_GET_ITEM(begun_call(self), 0), PyTuple_GET_ITEM(outcome, 2), Py_False};
    PyObject *counted = PyObject_Vectorcall(self->held[TRANSACTION], arguments, 2, not_rolled_back);
    Py_XDECREF(counted);
    return counted == NULL ? -1 : 0;
}

/* Let the script yield the call that was begun, whose outcome it then waits for. */
static PySendResult hand_over(Course *self, PyObject **action)
{
    PyObject *begun = self->held[BEGUN];
    self->held[BEGUN] = NULL;
    int given = PyObject_SetAttr(self->held[USER], begun_name, begun);
    Py_DECREF(begun);
    PyObject *rested = given < 0 ? NULL : Py_BuildValue("(OOd)", Py_None, Py_None, 0.0);
    if (rested == NULL)
        return PYGEN_ERROR;
    PySendResult sent = resume(self, rested, action);
    Py_DECREF(rested);
    return sent;
}

static PySendResult course_am_send(Course *self, PyObject *outcome, PyObject **action)
{
    *action = NULL;
    if (self->held[BEGUN] != NULL) {
        int ends = ends_transaction(self, outcome);
        if (ends == 0) {
            PySendResult sent = hand_over(self, action);
            if (sent != PYGEN_NEXT)
                return sent;
            Py_DECREF(*action); /* the very call */
            return resume(self, outcome, action);
        }
        if (ends < 0 || count(self, outcome) < 0)
            return PYGEN_ERROR;
        Py_CLEAR(self->held[BEGUN]);
        *action = Py_NewRef(self->held[PAUSE]);
        return PYGEN_NEXT;
    }
    int ordinary = self->is_resting ? is_ordinary(self) : 0;
    if (ordinary == 0)
        return resume(self, outcome, action);
    if (ordinary < 0 || take_call(self) < 0)
        return PYGEN_ERROR;
    *action = Py_NewRef(begun_call(self));
    return PYGEN_NEXT;
}

static PyObject *course_send(Course *self, PyObject *outcome)
{
    PyObject *action;
    if (course_am_send(self, outcome, &action) == PYGEN_RETURN) {
        Py_CLEAR(action);
        PyErr_SetNone(PyExc_StopIteration);
    }
    return action;
}

static PyObject *course_next(Course *self) { return course_send(self, Py_None); }

static PyObject *course_throw(Course *self, PyObject *error)
{
    PyObject *action = NULL;
    if (self->held[BEGUN] != NULL && hand_over(self, &action) != PYGEN_NEXT)
        return NULL;
    Py_XDECREF(action);
    self->is_resting = 0;
    return PyObject_CallMethod(self->held[SCRIPT], "throw", "O", error);
}

static PyObject *course_close(Course *self, PyObject *Py_UNUSED(nothing))
{
    Py_CLEAR(self->held[BEGUN]);
    self->is_resting = 0;
    return PyObject_CallMethod(self->held[SCRIPT], "close", NULL);
}

static int course_traverse(Course *self, visitproc visit, void *arg)
{
    for (int place = 0; place < HELD; place++)
        Py_VISIT(self->held[place]);
    Py_VISIT(self->due[0].obj);
    Py_VISIT(self->due[1].obj);
    return 0;
}

static int course_clear(Course *self)
{
    for (int place = 0; place < HELD; place++)
        if (place != SCRIPT) /* which every method uses; circles through it end at the other references */
            Py_CLEAR(self->held[place]);
    self->is_resting = 0;
    return 0;
}

static void course_dealloc(Course *self)
{
    PyObject_GC_UnTrack(self);
    course_clear(self);
    Py_CLEAR(self->held[SCRIPT]);
    PyBuffer_Release(&self->due[0]);
    PyBuffer_Release(&self->due[1]);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Hold the buffer of an object that has one double. 0, or -1 with an exception. */
static int hold_double(PyObject *object, Py_buffer *buffer)
{
    if (PyObject_GetBuffer(object, buffer, PyBUF_FORMAT) < 0)
        return -1;
    if (buffer->len == sizeof(double) && buffer->format != NULL && strcmp(buffer->format, "d") == 0)
        return 0;
    PyErr_SetString(PyExc_TypeError, "own_due and market_due must be arrays of one double");
    return -1;
}

static PyObject *course_new(PyTypeObject *type, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"user", "script", "ahead", "draw", "followed", "transaction", "pause", "clock", "own_due", "market_due", NULL};
    PyObject *given[GIVEN], *own_due, *market_due;
    if (!PyArg_ParseTupleAndKeywords(
            arguments, options, "$OOO!OOOOOOO", names, &given[USER], &given[SCRIPT], &PyList_Type, &given[AHEAD],
            &given[DRAW], &given[FOLLOWED], &given[TRANSACTION], &given[PAUSE], &given[CLOCK], &own_due, &market_due))
        return NULL;
    Course *self = (Course *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    for (int place = 0; place < GIVEN; place++)
        self->held[place] = Py_NewRef(given[place]);
    if (hold_double(own_due, &self->due[0]) < 0 || hold_double(market_due, &self->due[1]) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static PyMethodDef course_methods[] = {
    {"send", (PyCFunction)course_send, METH_O, "Resume with the outcome of the last action: the next action."},
    {"throw", (PyCFunction)course_throw, METH_O, "Raise an exception where the script is suspended."},
    {"close", (PyCFunction)course_close, METH_NOARGS, "End the script where it is suspended."},
    {NULL}};

static PyAsyncMethods course_as_async = {.am_send = (sendfunc)course_am_send};

static PyTypeObject CourseType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.workloads.brokerage._course.Course",
    .tp_doc = "An emulated user's script, whose ordinary transactions are begun and counted without it.",
    .tp_basicsize = sizeof(Course),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = course_new,
    .tp_dealloc = (destructor)course_dealloc,
    .tp_traverse = (traverseproc)course_traverse,
    .tp_clear = (inquiry)course_clear,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)course_next,
    .tp_as_async = &course_as_async,
    .tp_methods = course_methods,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_course", .m_doc = "The ordinary course of an emulated user, compiled.", .m_size = -1};

PyMODINIT_FUNC PyInit__course(void)
{
    begun_name = PyUnicode_InternFromString("_begun");
    not_rolled_back = Py_BuildValue("(s)", "rolled_back");
    PyObject *made = begun_name == NULL || not_rolled_back == NULL ? NULL : PyModule_Create(&module);
    if (made != NULL && PyModule_AddType(made, &CourseType) < 0)
        Py_CLEAR(made);
    return made;
}
