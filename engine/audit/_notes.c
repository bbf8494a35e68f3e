/* A ledger's records of the outcomes of purchases: written to a memory-mapped window of the ledger's file, or held in
 * memory until they are written to the file.
 *
 * Created by notes.py, whose PlainNotes does the same in Python. No lock is needed: a record's numbers are known before
 * its first byte is stored, and nothing is called before the last one is that could release the GIL. Nobody else has a
 * reference to the bytearray until it is taken, so that it can always grow.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef _WIN32
#include <setjmp.h>
#include <signal.h>
#endif

#include "../_clock.h"

enum { NUMBERS = 4, RECORD_BYTES = 24 };

static PyObject *struct_error; /* struct.error, for numbers that do not fit into a record */

typedef struct {
    PyObject_HEAD
    PyObject *held;   /* a bytearray with the records that are not in the file */
    PyObject *clock;  /* NULL for the system's clock */
    Py_buffer window; /* its obj is NULL if there is none */
    uint64_t begin;   /* where in the file the window begins */
    uint64_t end;     /* where in the file the last record ends */
    double epoch, tick_seconds;
    int has_given_up, has_faulted;
} Notes;

#ifdef _WIN32

static int copy(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return 0;
}

static int expect_bus_errors(void)
{
    return 0;
}

#else

static _Thread_local sigjmp_buf *volatile copying; /* volatile, because the signal handler reads it */
static struct sigaction others; /* the handler from before ours */

static void on_bus_error(int number, siginfo_t *details, void *context)
{
    (void)number, (void)details, (void)context;
    if (copying != NULL)
        siglongjmp(*copying, 1);
    sigaction(SIGBUS, &others, NULL); /* not ours: when the instruction is repeated, the handler from before gets it */
}

/* Handle SIGBUS from the first window on, so that a failing disk does not end the process. 0, or -1 with an exception.
 * */
static int expect_bus_errors(void)
{
    static int is_expected;
    if (is_expected)
        return 0;
    struct sigaction ours = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGBUS, &ours, &others) < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    is_expected = 1;
    return 0;
}

/* Copy into a window. 0, or -1 if the system can't provide the file's page. */
static int copy(char *to, const char *from, size_t bytes)
{
    sigjmp_buf here;
    if (sigsetjmp(here, 0) != 0) {
        copying = NULL;
        return -1;
    }
    copying = &here;
    memcpy(to, from, bytes);
    copying = NULL;
    return 0;
}

#endif

/* The clock's time, as Python's time.monotonic returns it. 0, or -1 with an exception. */
static int read_clock(const Notes *self, double *now)
{
    if (self->clock == NULL) {
        struct timespec reading;
        clock_gettime(MONOTONIC_CLOCK, &reading);
        *now = (double)((int64_t)reading.tv_sec * 1000000000 + reading.tv_nsec) / 1e9;
        return 0;
    }
    PyObject *clock = Py_NewRef(self->clock), *reading = PyObject_CallNoArgs(clock);
    Py_DECREF(clock);
    *now = reading == NULL ? -1.0 : PyFloat_AsDouble(reading);
    Py_XDECREF(reading);
    return PyErr_Occurred() ? -1 : 0;
}

static int out_of_range(void)
{
    PyErr_SetString(struct_error, "the number does not fit into a ledger's record");
    return -1;
}

/* Whole milliseconds since the epoch, truncated as by Python's int; 0 before the epoch. 0, or -1 with an exception. */
static int present_ms(const Notes *self, uint64_t *moment)
{
    double now;
    if (read_clock(self, &now) < 0)
        return -1;
    if (self->tick_seconds == 0.0) {
        PyErr_SetString(PyExc_ZeroDivisionError, "float division by zero");
        return -1;
    }
    double milliseconds = (now - self->epoch) / self->tick_seconds * 1000;
    if (!isfinite(milliseconds)) {
        Py_XDECREF(PyLong_FromDouble(milliseconds)); /* sets the exception */
        return -1;
    }
    if (milliseconds >= 0x1p64)
        return out_of_range();
    *moment = milliseconds > 0 ? (uint64_t)milliseconds : 0;
    return 0;
}

/* An integer from 0 to the most, converted as by struct.pack. 0, or -1 with an exception. */
static int as_number(PyObject *given, uint64_t most, uint64_t *number)
{
    if (!PyIndex_Check(given)) {
        PyErr_SetString(struct_error, "required argument is not an integer");
        return -1;
    }
    PyObject *whole = PyNumber_Index(given);
    if (whole == NULL)
        return -1;
    *number = PyLong_AsUnsignedLongLong(whole);
    Py_DECREF(whole);
    return *number > most || (*number == UINT64_MAX && PyErr_Occurred()) ? out_of_range() : 0;
}

/* The numbers after a record's time: number, key and check. 0, or -1 with an exception. */
static int as_numbers(PyObject *const *given, uint64_t *numbers)
{
    for (int place = 1; place < NUMBERS; place++)
        if (as_number(*given++, UINT32_MAX, &numbers[place]) < 0)
            return -1;
    return 0;
}

/* A checksum that tells a complete record from a torn or unwritten one; never 0. See notes.py, checksum_of. */
static uint32_t checksum_of(const uint64_t *numbers)
{
    uint32_t words[] = {(uint32_t)numbers[0], (uint32_t)(numbers[0] >> 32), (uint32_t)numbers[1],
                        (uint32_t)numbers[2], (uint32_t)numbers[3]};
    uint32_t check = 2166136261u;
    for (size_t place = 0; place < sizeof words / sizeof *words; place++)
        check = (check ^ words[place]) * 16777619u;
    return check | 1;
}

static char *put(char *at, uint64_t number, int bytes)
{
    for (int shift = 0; shift < 8 * bytes; shift += 8)
        *at++ = (char)(unsigned char)(number >> shift);
    return at;
}

/* How many bytes the window has room for; 0 without a window, or if it has failed. */
static uint64_t room_in(const Notes *self)
{
    if (self->window.obj == NULL || self->has_faulted)
        return 0;
    return self->begin + (uint64_t)self->window.len - self->end;
}

/* Write a record into the window: false if there is no room; then all that follow are held in memory as well. */
static int put_into_window(Notes *self, const char *record)
{
    if (room_in(self) < RECORD_BYTES)
        return 0;
    if (copy((char *)self->window.buf + (self->end - self->begin), record, RECORD_BYTES) < 0) {
        self->has_faulted = 1;
        return 0;
    }
    self->end += RECORD_BYTES;
    return 1;
}

/* Store a record in little-endian format. None, or NULL with an exception. */
static PyObject *store(Notes *self, const uint64_t *numbers)
{
    char record[RECORD_BYTES], *at = put(record, numbers[0], 8);
    for (int place = 1; place < NUMBERS; place++)
        at = put(at, numbers[place], 4);
    put(at, checksum_of(numbers), 4);
    if (self->has_given_up || put_into_window(self, record))
        Py_RETURN_NONE;
    Py_ssize_t end = PyByteArray_GET_SIZE(self->held);
    if (PyByteArray_Resize(self->held, end + RECORD_BYTES) < 0)
        return NULL;
    memcpy(PyByteArray_AS_STRING(self->held) + end, record, RECORD_BYTES);
    Py_RETURN_NONE;
}

static PyObject *notes_note(Notes *self, PyObject *const *arguments, Py_ssize_t count)
{
    uint64_t numbers[NUMBERS];
    if (count != NUMBERS) {
        PyErr_SetString(PyExc_TypeError, "note(moment_ms: int, number: int, key: int, check: int)");
        return NULL;
    }
    if (as_number(arguments[0], UINT64_MAX, &numbers[0]) < 0 || as_numbers(arguments + 1, numbers) < 0)
        return NULL;
    return store(self, numbers);
}

static PyObject *notes_note_now(Notes *self, PyObject *const *arguments, Py_ssize_t count)
{
    uint64_t numbers[NUMBERS];
    if (count != NUMBERS - 1) {
        PyErr_SetString(PyExc_TypeError, "note_now(number: int, key: int, check: int)");
        return NULL;
    }
    if (present_ms(self, &numbers[0]) < 0 || as_numbers(arguments, numbers) < 0)
        return NULL;
    return store(self, numbers);
}

static PyObject *notes_keep_time(Notes *self, PyObject *arguments)
{
    double epoch, tick_seconds;
    PyObject *clock;
    if (!PyArg_ParseTuple(arguments, "ddO", &epoch, &tick_seconds, &clock))
        return NULL;
    self->epoch = epoch;
    self->tick_seconds = tick_seconds;
    Py_XSETREF(self->clock, clock == Py_None ? NULL : Py_NewRef(clock));
    Py_RETURN_NONE;
}

/* The new bytearray is created first: if that fails, nothing is lost. */
static PyObject *notes_take(Notes *self, PyObject *Py_UNUSED(nothing))
{
    PyObject *begun = PyByteArray_FromStringAndSize(NULL, 0);
    if (begun == NULL)
        return NULL;
    PyObject *taken = self->held;
    self->held = begun;
    return taken;
}

static PyObject *notes_put_back(Notes *self, PyObject *rest)
{
    if (!PyByteArray_Check(rest)) {
        PyErr_SetString(PyExc_TypeError, "put_back(rest: bytearray)");
        return NULL;
    }
    if (!self->has_given_up && PyByteArray_GET_SIZE(rest) > 0) {
        PyObject *all = PyByteArray_Concat(rest, self->held);
        if (all == NULL)
            return NULL;
        Py_SETREF(self->held, all);
    }
    return PyLong_FromSsize_t(PyByteArray_GET_SIZE(self->held));
}

/* The records held in memory go into the new window; if that fails, the old window stays. */
static PyObject *notes_map(Notes *self, PyObject *arguments)
{
    PyObject *file;
    unsigned long long begin;
    Py_buffer window;
    if (!PyArg_ParseTuple(arguments, "OK", &file, &begin) || expect_bus_errors() < 0 ||
        PyObject_GetBuffer(file, &window, PyBUF_WRITABLE) < 0)
        return NULL;
    uint64_t held = (uint64_t)PyByteArray_GET_SIZE(self->held), at = self->end - begin;
    if (begin > self->end || at + held > (uint64_t)window.len)
        PyErr_SetString(PyExc_ValueError, "the window has no room for what is held");
    else if (copy((char *)window.buf + at, PyByteArray_AS_STRING(self->held), held) < 0)
        PyErr_SetString(PyExc_OSError, "the system can't provide the file's page");
    else if (PyByteArray_Resize(self->held, 0) == 0) {
        PyBuffer_Release(&self->window);
        self->window = window;
        self->begin = begin;
        self->end += held;
        self->has_faulted = 0;
        Py_RETURN_NONE;
    }
    PyBuffer_Release(&window);
    return NULL;
}

static PyObject *notes_unmap(Notes *self, PyObject *Py_UNUSED(nothing))
{
    PyBuffer_Release(&self->window);
    Py_RETURN_NONE;
}

static PyObject *notes_wrote(Notes *self, PyObject *count)
{
    uint64_t bytes;
    if (as_number(count, UINT32_MAX, &bytes) < 0)
        return NULL;
    self->end += bytes;
    Py_RETURN_NONE;
}

static PyObject *notes_get_end(Notes *self, void *Py_UNUSED(nothing))
{
    return PyLong_FromUnsignedLongLong(self->end);
}

static PyObject *notes_get_room(Notes *self, void *Py_UNUSED(nothing))
{
    return PyLong_FromUnsignedLongLong(room_in(self));
}

static PyObject *notes_get_held_bytes(Notes *self, void *Py_UNUSED(nothing))
{
    return PyLong_FromSsize_t(PyByteArray_GET_SIZE(self->held));
}

static PyObject *notes_give_up(Notes *self, PyObject *nothing)
{
    PyObject *taken = notes_take(self, nothing);
    if (taken == NULL)
        return NULL;
    self->has_given_up = 1;
    Py_DECREF(taken);
    Py_RETURN_NONE;
}

static PyObject *notes_new(PyTypeObject *type, PyObject *arguments, PyObject *Py_UNUSED(options))
{
    PyObject *header;
    if (!PyArg_ParseTuple(arguments, "S", &header))
        return NULL;
    Notes *self = (Notes *)type->tp_alloc(type, 0);
    if (self != NULL && (self->held = PyByteArray_FromObject(header)) == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int notes_traverse(Notes *self, visitproc visit, void *arg)
{
    Py_VISIT(self->clock);
    Py_VISIT(self->window.obj);
    return 0;
}

/* Without a clock of its own it uses the system's. */
static int notes_clear(Notes *self)
{
    Py_CLEAR(self->clock);
    return 0;
}

static void notes_dealloc(Notes *self)
{
    PyObject_GC_UnTrack(self);
    notes_clear(self);
    PyBuffer_Release(&self->window);
    Py_XDECREF(self->held);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyMethodDef notes_methods[] = {
    {"note", (PyCFunction)(void (*)(void))notes_note, METH_FASTCALL, "Add a record of a time of the run."},
    {"note_now", (PyCFunction)(void (*)(void))notes_note_now, METH_FASTCALL, "Add a record of the clock's time."},
    {"keep_time", (PyCFunction)notes_keep_time, METH_VARARGS, "Set the epoch, the length of a second, and the clock."},
    {"take", (PyCFunction)notes_take, METH_NOARGS, "Return what is held, and hold nothing."},
    {"put_back", (PyCFunction)notes_put_back, METH_O, "Hold the rest of what was taken: how many bytes are held."},
    {"map", (PyCFunction)notes_map, METH_VARARGS, "Write records into a window on the file from now on."},
    {"unmap", (PyCFunction)notes_unmap, METH_NOARGS, "Hold records in memory from now on."},
    {"wrote", (PyCFunction)notes_wrote, METH_O, "Count bytes that were written to the file."},
    {"give_up", (PyCFunction)notes_give_up, METH_NOARGS, "Discard all records, also those to come."},
    {NULL}};

static PyGetSetDef notes_values[] = {
    {"end", (getter)notes_get_end, NULL, "Where in the file the last record ends.", NULL},
    {"room", (getter)notes_get_room, NULL, "How many bytes the window has room for.", NULL},
    {"held_bytes", (getter)notes_get_held_bytes, NULL, "How many bytes are held.", NULL},
    {NULL}};

static PyTypeObject NotesType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.audit._notes.Notes",
    .tp_doc = "The records of a ledger that are not yet in its file; created with the file's header.",
    .tp_basicsize = sizeof(Notes),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = notes_new,
    .tp_dealloc = (destructor)notes_dealloc,
    .tp_traverse = (traverseproc)notes_traverse,
    .tp_clear = (inquiry)notes_clear,
    .tp_methods = notes_methods,
    .tp_getset = notes_values,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_notes", .m_doc = "A ledger's notes, without an interpreter.", .m_size = -1};

PyMODINIT_FUNC PyInit__notes(void)
{
    PyObject *structs = PyImport_ImportModule("struct");
    struct_error = structs == NULL ? NULL : PyObject_GetAttrString(structs, "error");
    Py_XDECREF(structs);
    if (struct_error == NULL)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyModule_AddType(made, &NotesType) < 0)
        Py_CLEAR(made);
    return made;
}
