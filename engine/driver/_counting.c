/* What users count with every call: the steps and orders of the present second, and how long each took.
 *
 * Made by counting.py, whose PlainCounting says the same in Python. No lock is needed: between the look at the clock and
 * the last of the counts nothing is called that could let another thread have the interpreter, unless a test has put a
 * clock of its own in the place of the system's.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../_clock.h"

enum { STEPS = 4, EXACT = 1024, EXACT_BITS = 10, STEPS_PER_OCTAVE_BITS = 9 };

/* Of engine/histogram.py; longer ones count as so long. */
static const int64_t LARGEST_US = 4294967295;

/* A second's counts of one kind. */
typedef struct {
    int64_t count, us;
    PyObject *histogram; /* a dict: the count of each bucket */
} Kind;

typedef struct {
    PyObject_HEAD
    double ends;     /* of the present second, by the monotonic clock */
    PyObject *roll;  /* called when it is over */
    PyObject *clock; /* NULL for the system's */
    PyObject *steps[STEPS];
    Kind kinds[STEPS], orders;
    int64_t rollbacks, order_us_max;
} Counting;

/* As bucket_of in engine/histogram.py. */
static long bucket_of(int64_t us)
{
    if (us < EXACT)
        return us < 0 ? 0 : (long)us;
    us = us < LARGEST_US ? us : LARGEST_US;
    int shift = 0;
    while (us >> shift >= EXACT)
        shift++;
    return ((long)shift << STEPS_PER_OCTAVE_BITS) + (long)(us >> shift);
}

/* Whole microseconds, as Python's round makes them. 0, or -1 with an exception. */
static int as_microseconds(PyObject *seconds, int64_t *us)
{
    double all = 1e6 * PyFloat_AsDouble(seconds);
    if (PyErr_Occurred())
        return -1;
    if (!(fabs(all) < 9e15)) {
        PyErr_SetString(PyExc_ValueError, "so many seconds can't be counted");
        return -1;
    }
    *us = (int64_t)nearbyint(all);
    return 0;
}

/* The moment by the clock by which the caller ends a second. */
static double now_of(const Counting *self)
{
    if (self->clock != NULL) {
        PyObject *told = PyObject_CallNoArgs(self->clock);
        double now = told == NULL ? -1.0 : PyFloat_AsDouble(told);
        Py_XDECREF(told);
        return now;
    }
    struct timespec now;
    clock_gettime(MONOTONIC_CLOCK, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* See to it that the present second is the clock's. 0, or -1 with an exception. */
static int keep_up(Counting *self)
{
    while (now_of(self) >= self->ends) {
        PyObject *rolled = PyObject_CallNoArgs(self->roll);
        if (rolled == NULL)
            return -1;
        Py_DECREF(rolled);
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int count(Kind *kind, int64_t us)
{
    PyObject *bucket = PyLong_FromLong(bucket_of(us));
    if (bucket == NULL)
        return -1;
    PyObject *before = PyDict_GetItemWithError(kind->histogram, bucket);
    PyObject *after = PyErr_Occurred() ? NULL : PyLong_FromLong(before == NULL ? 1 : PyLong_AsLong(before) + 1);
    int done = after == NULL ? -1 : PyDict_SetItem(kind->histogram, bucket, after);
    Py_DECREF(bucket);
    Py_XDECREF(after);
    kind->count++;
    kind->us += us;
    return done;
}

static PyObject *counting_step(Counting *self, PyObject *const *arguments, Py_ssize_t count_of_them)
{
    int64_t us;
    int number = 0;
    while (count_of_them == 2 && number < STEPS && self->steps[number] != arguments[0])
        number++;
    if (count_of_them != 2 || number == STEPS) {
        PyErr_SetString(PyExc_TypeError, "step(step: Step, seconds: float)");
        return NULL;
    }
    if (as_microseconds(arguments[1], &us) < 0 || keep_up(self) < 0 || count(&self->kinds[number], us) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *counting_order(
    Counting *self, PyObject *const *arguments, Py_ssize_t count_of_them, PyObject *names)
{
    int64_t us;
    if (count_of_them != 1 || names == NULL || PyTuple_GET_SIZE(names) != 1 ||
        PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "rolled_back") != 0) {
        PyErr_SetString(PyExc_TypeError, "order(seconds: float, *, rolled_back: bool)");
        return NULL;
    }
    if (as_microseconds(arguments[0], &us) < 0 || keep_up(self) < 0 || count(&self->orders, us) < 0)
        return NULL;
    self->rollbacks += arguments[1] == Py_True;
    self->order_us_max = Py_MAX(self->order_us_max, us);
    Py_RETURN_NONE;
}

static int begin(Kind *kind)
{
    *kind = (Kind){.histogram = PyDict_New()};
    return kind->histogram == NULL ? -1 : 0;
}

static PyObject *counting_take(Counting *self, PyObject *Py_UNUSED(nothing))
{
    Kind kinds[STEPS], orders;
    int made = begin(&orders);
    for (int number = 0; number < STEPS; number++)
        made = begin(&kinds[number]) < 0 ? -1 : made;
    if (made < 0)
        return NULL;
    Counting was = *self;
    memcpy(self->kinds, kinds, sizeof kinds);
    self->orders = orders;
    self->rollbacks = self->order_us_max = 0;
    const Kind *k = was.kinds;
    return Py_BuildValue(
        "(LLLLN[LLLL][LLLL][NNNN])", (long long)was.orders.count, (long long)was.orders.us, (long long)was.rollbacks,
        (long long)was.order_us_max, was.orders.histogram, (long long)k[0].count, (long long)k[1].count,
        (long long)k[2].count, (long long)k[3].count, (long long)k[0].us, (long long)k[1].us, (long long)k[2].us,
        (long long)k[3].us, k[0].histogram, k[1].histogram, k[2].histogram, k[3].histogram);
}

static int counting_init(Counting *self, PyObject *arguments, PyObject *Py_UNUSED(options))
{
    PyObject *steps, *roll, *clock;
    if (!PyArg_ParseTuple(arguments, "O!OO", &PyTuple_Type, &steps, &roll, &clock))
        return -1;
    if (PyTuple_GET_SIZE(steps) != STEPS) {
        PyErr_SetString(PyExc_ValueError, "there are four steps");
        return -1;
    }
    self->roll = Py_NewRef(roll);
    self->clock = clock == Py_None ? NULL : Py_NewRef(clock);
    for (int number = 0; number < STEPS; number++) {
        self->steps[number] = Py_NewRef(PyTuple_GET_ITEM(steps, number));
        if (begin(&self->kinds[number]) < 0)
            return -1;
    }
    return begin(&self->orders);
}

static int counting_traverse(Counting *self, visitproc visit, void *arg)
{
    Py_VISIT(self->roll);
    Py_VISIT(self->clock);
    return 0;
}

static int counting_clear(Counting *self)
{
    Py_CLEAR(self->roll);
    Py_CLEAR(self->clock);
    return 0;
}

static void counting_dealloc(Counting *self)
{
    PyObject_GC_UnTrack(self);
    counting_clear(self);
    for (int number = 0; number < STEPS; number++) {
        Py_XDECREF(self->steps[number]);
        Py_XDECREF(self->kinds[number].histogram);
    }
    Py_XDECREF(self->orders.histogram);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef counting_methods[] = {
    {"step", (PyCFunction)(void (*)(void))counting_step, METH_FASTCALL, "Count a step that took so many seconds."},
    {"order", (PyCFunction)(void (*)(void))counting_order, METH_FASTCALL | METH_KEYWORDS,
     "Count an order that took so many seconds."},
    {"take", (PyCFunction)counting_take, METH_NOARGS, "What was counted since the last call."},
    {NULL}};

static PyMemberDef counting_members[] = {
    {"ends", T_DOUBLE, offsetof(Counting, ends), 0, "When the present second is over, by the monotonic clock."}, {NULL}};

static PyTypeObject CountingType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.driver._counting.Counting",
    .tp_doc = "The counts of the present second; made with the steps, what is called when it is over, and a clock.",
    .tp_basicsize = sizeof(Counting),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)counting_init,
    .tp_dealloc = (destructor)counting_dealloc,
    .tp_traverse = (traverseproc)counting_traverse,
    .tp_clear = (inquiry)counting_clear,
    .tp_methods = counting_methods,
    .tp_members = counting_members,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_counting", .m_doc = "Counting, without an interpreter.", .m_size = -1};

PyMODINIT_FUNC PyInit__counting(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyModule_AddType(made, &CountingType) < 0)
        Py_CLEAR(made);
    return made;
}
