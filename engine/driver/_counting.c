/* What users count after every call: the transactions and steps of the present second, and how long each took.
 *
 * Created by counting.py, whose PlainCounting does the same in Python. No lock is needed: from reading the clock to the
 * last count nothing is called that could release the GIL, unless a test has replaced the clock.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "../_clock.h"

enum { MOST_KINDS = 64, EXACT = 1024, STEPS_PER_OCTAVE_BITS = 9, MOST_IN_A_PAIR = 0xFFFF };

/* The limit of engine/histogram.py; longer times count as this. BUCKETS is one more than its bucket. */
static const int64_t LARGEST_US = 4294967295;
enum { BUCKETS = (22 << STEPS_PER_OCTAVE_BITS) + EXACT };

/* The counts of one type of transaction or step in one second. Arrays rather than a dict, because a server on the same machine leaves little
 * in the caches: counting touches one place in each of two arrays here, and about five places of a dict. */
typedef struct {
    int64_t count, us, us_max;
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
    PyObject *ids;   /* the tuple of the types' ids */
    Py_ssize_t size; /* how many these are */
    Kind *kinds;     /* one for each */
    int64_t rollbacks;
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
    kind->us_max = Py_MAX(kind->us_max, us);
}

/* The kind with an id; NULL with an exception. Ids are usually the very objects that were given. */
static Kind *kind_of(Counting *self, PyObject *id)
{
    for (Py_ssize_t number = 0; number < self->size; number++)
        if (PyTuple_GET_ITEM(self->ids, number) == id)
            return &self->kinds[number];
    for (Py_ssize_t number = 0; number < self->size; number++) {
        int is_equal = PyObject_RichCompareBool(PyTuple_GET_ITEM(self->ids, number), id, Py_EQ);
        if (is_equal != 0)
            return is_equal < 0 ? NULL : &self->kinds[number];
    }
    PyErr_SetObject(PyExc_KeyError, id);
    return NULL;
}

/* Count what took so many seconds. 0, or -1 with an exception. */
static int count_one(Counting *self, PyObject *id, PyObject *seconds)
{
    int64_t us;
    Kind *kind = kind_of(self, id);
    if (kind == NULL || as_microseconds(seconds, &us) < 0 || keep_up(self) < 0)
        return -1;
    count(kind, us);
    return 0;
}

static PyObject *counting_step(Counting *self, PyObject *const *arguments, Py_ssize_t count_of_them)
{
    if (count_of_them != 2) {
        PyErr_SetString(PyExc_TypeError, "step(step: str, seconds: float)");
        return NULL;
    }
    return count_one(self, arguments[0], arguments[1]) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *counting_transaction(
    Counting *self, PyObject *const *arguments, Py_ssize_t count_of_them, PyObject *names)
{
    if (count_of_them != 2 || names == NULL || PyTuple_GET_SIZE(names) != 1 ||
        PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "rolled_back") != 0) {
        PyErr_SetString(PyExc_TypeError, "transaction(transaction: str, seconds: float, *, rolled_back: bool)");
        return NULL;
    }
    if (count_one(self, arguments[0], arguments[1]) < 0)
        return NULL;
    self->rollbacks += arguments[2] == Py_True;
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
    kind->count = kind->us = kind->us_max = kind->seen_count = 0;
    return pairs;
}

static int compare_buckets(const void *one, const void *other)
{
    return (int)((const Pair *)one)->bucket - (int)((const Pair *)other)->bucket;
}

static unsigned char *write_pair(unsigned char *at, uint16_t bucket, uint16_t count)
{
    *at++ = bucket & 0xFF;
    *at++ = bucket >> 8;
    *at++ = count & 0xFF;
    *at++ = count >> 8;
    return at;
}

/* The counts as pack of engine/histogram.py makes them, which sorts the pairs. */
static PyObject *packed_of(Pair *pairs, const Pair *end)
{
    Py_ssize_t size = 0;
    for (const Pair *pair = pairs; pair < end; pair++)
        size += 4 * (1 + (pair->count - 1) / MOST_IN_A_PAIR);
    PyObject *packed = PyBytes_FromStringAndSize(NULL, size);
    if (packed == NULL)
        return NULL;
    qsort(pairs, end - pairs, sizeof *pairs, compare_buckets);
    unsigned char *at = (unsigned char *)PyBytes_AS_STRING(packed);
    for (const Pair *pair = pairs; pair < end; pair++) {
        uint32_t left = pair->count;
        for (; left > MOST_IN_A_PAIR; left -= MOST_IN_A_PAIR)
            at = write_pair(at, pair->bucket, MOST_IN_A_PAIR);
        at = write_pair(at, pair->bucket, (uint16_t)left);
    }
    return packed;
}

/* Everything is copied before the first Python object is created, because that could release the GIL to a thread that
 * counts. */
static PyObject *counting_take(Counting *self, PyObject *Py_UNUSED(nothing))
{
    Py_ssize_t size = 1;
    for (Py_ssize_t number = 0; number < self->size; number++)
        size += self->kinds[number].seen_count;
    Pair *pairs = PyMem_New(Pair, size), *ends[MOST_KINDS], *at = pairs;
    if (pairs == NULL)
        return PyErr_NoMemory();
    struct { long long count, us, us_max; } sums[MOST_KINDS];
    long long rollbacks = self->rollbacks;
    for (Py_ssize_t number = 0; number < self->size; number++) {
        Kind *kind = &self->kinds[number];
        sums[number].count = kind->count;
        sums[number].us = kind->us;
        sums[number].us_max = kind->us_max;
        ends[number] = at = take_pairs(kind, at);
    }
    self->rollbacks = 0;
    PyObject *kinds = PyList_New(0);
    for (Py_ssize_t number = 0; kinds != NULL && number < self->size; number++) {
        PyObject *histogram = packed_of(number == 0 ? pairs : ends[number - 1], ends[number]);
        PyObject *kind = histogram == NULL ? NULL
                                           : Py_BuildValue("(LLLN)", sums[number].count, sums[number].us,
                                                           sums[number].us_max, histogram);
        if (kind == NULL || PyList_Append(kinds, kind) < 0)
            Py_CLEAR(kinds);
        Py_XDECREF(kind);
    }
    PyMem_Free(pairs);
    return kinds == NULL ? NULL : Py_BuildValue("(LN)", rollbacks, kinds);
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
    Py_XDECREF(self->ids);
    PyMem_Free(self->kinds);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *counting_new(PyTypeObject *type, PyObject *arguments, PyObject *Py_UNUSED(options))
{
    PyObject *ids, *roll, *clock;
    if (!PyArg_ParseTuple(arguments, "O!OO", &PyTuple_Type, &ids, &roll, &clock))
        return NULL;
    if (PyTuple_GET_SIZE(ids) < 1 || PyTuple_GET_SIZE(ids) > MOST_KINDS) {
        PyErr_Format(PyExc_ValueError, "there are 1 to %d types", MOST_KINDS);
        return NULL;
    }
    Counting *self = (Counting *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->roll = Py_NewRef(roll);
    self->clock = clock == Py_None ? NULL : Py_NewRef(clock);
    self->ids = Py_NewRef(ids);
    self->size = PyTuple_GET_SIZE(ids);
    self->kinds = PyMem_Calloc(self->size, sizeof *self->kinds); /* the system provides only the pages that are used */
    if (self->kinds == NULL) {
        PyErr_NoMemory();
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static PyMethodDef counting_methods[] = {
    {"step", (PyCFunction)(void (*)(void))counting_step, METH_FASTCALL, "Count a step that took so many seconds."},
    {"transaction", (PyCFunction)(void (*)(void))counting_transaction, METH_FASTCALL | METH_KEYWORDS,
     "Count a transaction that took so many seconds."},
    {"take", (PyCFunction)counting_take, METH_NOARGS, "Return what was counted since the last call, and reset it."},
    {NULL}};

static PyMemberDef counting_members[] = {
    {"ends", T_DOUBLE, offsetof(Counting, ends), 0, "When the present second ends, by the monotonic clock."}, {NULL}};

static PyTypeObject CountingType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.driver._counting.Counting",
    .tp_doc = "The counts of the present second; made with the ids of transactions and steps, what is called when it is over, and a clock.",
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
