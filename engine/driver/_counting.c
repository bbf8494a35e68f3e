/* What users count after every call: the steps and orders of the present second, and how long each took.
 *
 * Created by counting.py, whose PlainCounting does the same in Python. No lock is needed: from reading the clock to the
 * last count nothing is called that could release the GIL, unless a test has replaced the clock.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <math.h>
#include <stdint.h>

#include "../_clock.h"

enum { STEPS = 4, ORDERS = STEPS, KINDS, EXACT = 1024, STEPS_PER_OCTAVE_BITS = 9 };

/* The limit of engine/histogram.py; longer times count as this. BUCKETS is one more than its bucket. */
static const int64_t LARGEST_US = 4294967295;
enum { BUCKETS = (22 << STEPS_PER_OCTAVE_BITS) + EXACT };

/* The counts of one kind in one second. Arrays rather than a dict, because a server on the same machine leaves little
 * in the caches: counting touches one place in each of two arrays here, and about five places of a dict. */
typedef struct {
    int64_t count, us;
    int seen_count;
    uint16_t seen[BUCKETS]; /* the buckets that are not empty */
    uint32_t in_bucket[BUCKETS];
} Kind;

/* How often a bucket was counted. */
typedef struct {
    uint16_t bucket;
    uint32_t count;
} Pair;

typedef struct {
    PyObject_HEAD
    double ends;     /* when the present second ends, by the monotonic clock */
    PyObject *roll;  /* called when the second is over */
    PyObject *clock; /* NULL for the system's clock */
    PyObject *steps[STEPS];
    Kind *kinds; /* one for each step, and one for orders */
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

/* Seconds in whole microseconds, rounded as Python's round does. 0, or -1 with an exception. */
static int as_microseconds(PyObject *seconds, int64_t *us)
{
    double all = 1e6 * PyFloat_AsDouble(seconds);
    if (PyErr_Occurred())
        return -1;
    if (!(fabs(all) < 9e15)) {
        PyErr_SetString(PyExc_ValueError, "seconds must be finite, and less than 9e9");
        return -1;
    }
    *us = (int64_t)nearbyint(all);
    return 0;
}

/* The time of the clock that also ends the seconds. */
static double now_of(const Counting *self)
{
    if (self->clock != NULL) {
        PyObject *reading = PyObject_CallNoArgs(self->clock);
        double now = reading == NULL ? -1.0 : PyFloat_AsDouble(reading);
        Py_XDECREF(reading);
        return now;
    }
    struct timespec now;
    clock_gettime(MONOTONIC_CLOCK, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* End seconds until the present one is the clock's. 0, or -1 with an exception. */
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

static void count(Kind *kind, int64_t us)
{
    long bucket = bucket_of(us);
    if (kind->in_bucket[bucket]++ == 0)
        kind->seen[kind->seen_count++] = (uint16_t)bucket;
    kind->count++;
    kind->us += us;
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
    if (as_microseconds(arguments[1], &us) < 0 || keep_up(self) < 0)
        return NULL;
    count(&self->kinds[number], us);
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
    if (as_microseconds(arguments[0], &us) < 0 || keep_up(self) < 0)
        return NULL;
    count(&self->kinds[ORDERS], us);
    self->rollbacks += arguments[1] == Py_True;
    self->order_us_max = Py_MAX(self->order_us_max, us);
    Py_RETURN_NONE;
}

/* Write a kind's pairs to an array with room for them, and reset the kind: where they end. */
static Pair *take_pairs(Kind *kind, Pair *pairs)
{
    for (int place = 0; place < kind->seen_count; place++) {
        uint16_t bucket = kind->seen[place];
        *pairs++ = (Pair){bucket, kind->in_bucket[bucket]};
        kind->in_bucket[bucket] = 0;
    }
    kind->count = kind->us = kind->seen_count = 0;
    return pairs;
}

/* A dict with the count of each bucket. */
static PyObject *histogram_of(const Pair *pairs, const Pair *end)
{
    PyObject *histogram = PyDict_New();
    for (; histogram != NULL && pairs < end; pairs++) {
        PyObject *bucket = PyLong_FromLong(pairs->bucket), *count = PyLong_FromUnsignedLong(pairs->count);
        if (bucket == NULL || count == NULL || PyDict_SetItem(histogram, bucket, count) < 0)
            Py_CLEAR(histogram);
        Py_XDECREF(bucket);
        Py_XDECREF(count);
    }
    return histogram;
}

/* Everything is copied before the first Python object is created, because that could release the GIL to a thread that
 * counts. */
static PyObject *counting_take(Counting *self, PyObject *Py_UNUSED(nothing))
{
    Kind *kinds = self->kinds;
    Py_ssize_t size = 1;
    for (int number = 0; number < KINDS; number++)
        size += kinds[number].seen_count;
    Pair *pairs = PyMem_New(Pair, size), *ends[KINDS], *at = pairs;
    if (pairs == NULL)
        return PyErr_NoMemory();
    long long counts[KINDS], us[KINDS], rollbacks = self->rollbacks, order_us_max = self->order_us_max;
    for (int number = 0; number < KINDS; number++) {
        counts[number] = kinds[number].count;
        us[number] = kinds[number].us;
        ends[number] = at = take_pairs(&kinds[number], at);
    }
    self->rollbacks = self->order_us_max = 0;
    PyObject *histograms[KINDS]; /* if one is NULL, Py_BuildValue fails and releases the others */
    for (int number = 0; number < KINDS; number++)
        histograms[number] = histogram_of(number == 0 ? pairs : ends[number - 1], ends[number]);
    PyMem_Free(pairs);
    return Py_BuildValue(
        "(LLLLN[LLLL][LLLL][NNNN])", counts[ORDERS], us[ORDERS], rollbacks, order_us_max, histograms[ORDERS], counts[0],
        counts[1], counts[2], counts[3], us[0], us[1], us[2], us[3], histograms[0], histograms[1], histograms[2],
        histograms[3]);
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
    for (int number = 0; number < STEPS; number++)
        Py_XDECREF(self->steps[number]);
    PyMem_Free(self->kinds);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *counting_new(PyTypeObject *type, PyObject *arguments, PyObject *Py_UNUSED(options))
{
    PyObject *steps, *roll, *clock;
    if (!PyArg_ParseTuple(arguments, "O!OO", &PyTuple_Type, &steps, &roll, &clock))
        return NULL;
    if (PyTuple_GET_SIZE(steps) != STEPS) {
        PyErr_SetString(PyExc_ValueError, "there are four steps");
        return NULL;
    }
    Counting *self = (Counting *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->roll = Py_NewRef(roll);
    self->clock = clock == Py_None ? NULL : Py_NewRef(clock);
    for (int number = 0; number < STEPS; number++)
        self->steps[number] = Py_NewRef(PyTuple_GET_ITEM(steps, number));
    self->kinds = PyMem_Calloc(KINDS, sizeof *self->kinds); /* the system provides only the pages that are used */
    if (self->kinds == NULL) {
        PyErr_NoMemory();
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static PyMethodDef counting_methods[] = {
    {"step", (PyCFunction)(void (*)(void))counting_step, METH_FASTCALL, "Count a step that took so many seconds."},
    {"order", (PyCFunction)(void (*)(void))counting_order, METH_FASTCALL | METH_KEYWORDS,
     "Count an order that took so many seconds."},
    {"take", (PyCFunction)counting_take, METH_NOARGS, "Return what was counted since the last call, and reset it."},
    {NULL}};

static PyMemberDef counting_members[] = {
    {"ends", T_DOUBLE, offsetof(Counting, ends), 0, "When the present second ends, by the monotonic clock."}, {NULL}};

static PyTypeObject CountingType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.driver._counting.Counting",
    .tp_doc = "The counts of the present second; made with the steps, what is called when it is over, and a clock.",
    .tp_basicsize = sizeof(Counting),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = counting_new,
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
