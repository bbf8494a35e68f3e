/* The compiled form of PlainParameters in parameters.py: makes the parameters of a call from its arguments. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>
#include <stdint.h>

#include "_parameters.h"

/* The values of Form and the indices of a Source, as in parameters.py. */
enum { PLAIN, JOINED, WORDS, MEMBERS, COUNT, SPREAD };
enum { FORM, FIRST, SECOND, LENGTH, SOURCE_FIELDS };

enum { MOST_SOURCES = 64 };

typedef struct {
    long form, first, second, length;
} Source;

typedef struct {
    PyObject_VAR_HEAD
    Py_ssize_t total; /* how many parameters there are */
    Source sources[];
} Parameters;

static PyObject *wrong(const char *what)
{
    PyErr_SetString(PyExc_TypeError, what);
    return NULL;
}

static int is_word(Py_UCS4 character) { return Py_UNICODE_ISALNUM(character) || character == '_'; }

/* Append the words of a text, each with a plus before it, and a space between two: how many characters there are then.
 * */
static Py_ssize_t add_words(Py_UCS4 *found, Py_ssize_t size, PyObject *text)
{
    Py_UCS4 before = 0;
    for (Py_ssize_t place = 0; place < PyUnicode_GET_LENGTH(text); place++) {
        Py_UCS4 character = PyUnicode_READ_CHAR(text, place);
        if (is_word(character)) {
            if (!is_word(before)) {
                if (size > 0)
                    found[size++] = ' ';
                found[size++] = '+';
            }
            found[size++] = character;
        }
        before = character;
    }
    return size;
}

static PyObject *words_of(PyObject *text, PyObject *other)
{
    Py_ssize_t most = 3 * (PyUnicode_GET_LENGTH(text) + PyUnicode_GET_LENGTH(other)) + 1;
    Py_UCS4 *found = PyMem_New(Py_UCS4, most);
    if (found == NULL)
        return PyErr_NoMemory();
    Py_ssize_t size = add_words(found, add_words(found, 0, text), other);
    PyObject *words = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, found, size);
    PyMem_Free(found);
    return words;
}

static PyObject *text_of(const Source *source, PyObject *arguments)
{
    PyObject *text = PyTuple_GET_ITEM(arguments, source->first), *other = PyTuple_GET_ITEM(arguments, source->second);
    if (!PyUnicode_Check(text) || !PyUnicode_Check(other))
        return wrong("a joined text needs two texts");
    return source->form == WORDS ? words_of(text, other) : PyUnicode_FromFormat("%U %U", text, other);
}

/* The list of one member of each tuple in a list. */
static PyObject *members_of(PyObject *tuples, Py_ssize_t place)
{
    Py_ssize_t count = PyList_GET_SIZE(tuples);
    PyObject *all = PyList_New(count);
    for (Py_ssize_t number = 0; all != NULL && number < count; number++) {
        PyObject *tuple = PyList_GET_ITEM(tuples, number);
        if (PyTuple_Check(tuple) && place < PyTuple_GET_SIZE(tuple)) {
            PyList_SET_ITEM(all, number, Py_NewRef(PyTuple_GET_ITEM(tuple, place)));
        } else {
            Py_CLEAR(all);
            wrong("the list holds something other than tuples with such a member");
        }
    }
    return all;
}

/* Spread a list, or the members of its tuples, over several parameters; those that are left are 0. */
static int spread(const Source *source, PyObject *list, PyObject *parameters, Py_ssize_t at)
{
    Py_ssize_t count = PyList_GET_SIZE(list), width = source->second;
    for (Py_ssize_t number = 0; number < source->length; number++) {
        PyObject *member = number / width < count ? PyList_GET_ITEM(list, number / width) : NULL;
        if (member != NULL && width > 1) {
            int is_right = PyTuple_Check(member) && PyTuple_GET_SIZE(member) == width;
            member = is_right ? PyTuple_GET_ITEM(member, number % width) : NULL;
            if (!is_right)
                return wrong("the list holds something other than tuples of its width"), -1;
        }
        PyTuple_SET_ITEM(parameters, at + number, member == NULL ? PyLong_FromLong(0) : Py_NewRef(member));
    }
    if (count * width <= source->length)
        return 0;
    PyErr_Format(PyExc_ValueError, "a list of %zd is longer than there are parameters for", count);
    return -1;
}

static PyObject *parameter_of(const Source *source, PyObject *arguments)
{
    PyObject *argument = PyTuple_GET_ITEM(arguments, source->first);
    switch (source->form) {
    case PLAIN:
        return Py_NewRef(argument);
    case JOINED: case WORDS:
        return text_of(source, arguments);
    }
    if (!PyList_Check(argument))
        return wrong("a list is asked for");
    return source->form == COUNT ? PyLong_FromSsize_t(PyList_GET_SIZE(argument))
                                 : members_of(argument, source->second);
}

static PyObject *parameters_call(Parameters *self, PyObject *arguments, PyObject *options)
{
    Py_ssize_t count = PyTuple_GET_SIZE(arguments), at = 0;
    PyObject *parameters = options == NULL ? PyTuple_New(self->total) : wrong("a call has no named arguments");
    for (Py_ssize_t number = 0; parameters != NULL && number < Py_SIZE(self); number++) {
        const Source *source = &self->sources[number];
        int has_two = source->form == JOINED || source->form == WORDS, done = 0;
        if (source->first >= count || (has_two && source->second >= count)) {
            wrong("an argument is missing");
            done = -1;
        } else if (source->form == SPREAD) {
            PyObject *list = PyTuple_GET_ITEM(arguments, source->first);
            done = PyList_Check(list) ? spread(source, list, parameters, at) : (wrong("a list is asked for"), -1);
            at += source->length;
        } else {
            PyObject *parameter = parameter_of(source, arguments);
            PyTuple_SET_ITEM(parameters, at++, parameter);
            done = parameter == NULL ? -1 : 0;
        }
        if (done < 0)
            Py_CLEAR(parameters);
    }
    return parameters;
}

/* Read one of the sources; false with an exception. */
static int read_source(PyObject *source, Source *read)
{
    if (!PyTuple_Check(source) || PyTuple_GET_SIZE(source) != SOURCE_FIELDS)
        return wrong("a source is a form, a place, another one and a length"), 0;
    read->form = PyLong_AsLong(PyTuple_GET_ITEM(source, FORM));
    read->first = PyLong_AsLong(PyTuple_GET_ITEM(source, FIRST));
    read->second = PyLong_AsLong(PyTuple_GET_ITEM(source, SECOND));
    read->length = PyLong_AsLong(PyTuple_GET_ITEM(source, LENGTH));
    if (PyErr_Occurred())
        return 0;
    if (read->form < PLAIN || read->form > SPREAD || read->first < 0 || read->second < 0 || read->length < 1 ||
        read->length > UINT16_MAX || (read->form == SPREAD && read->second < 1)) {
        PyErr_SetString(PyExc_ValueError, "a source with values out of range");
        return 0;
    }
    return 1;
}

static PyObject *parameters_new(PyTypeObject *type, PyObject *sources, PyObject *options)
{
    Py_ssize_t count = PyTuple_GET_SIZE(sources);
    if (options != NULL || count > MOST_SOURCES)
        return wrong("Parameters(*sources: Source)");
    Parameters *self = (Parameters *)type->tp_alloc(type, count);
    for (Py_ssize_t number = 0; self != NULL && number < count; number++) {
        if (!read_source(PyTuple_GET_ITEM(sources, number), &self->sources[number])) {
            Py_CLEAR(self);
            break;
        }
        self->total += self->sources[number].form == SPREAD ? self->sources[number].length : 1;
    }
    return (PyObject *)self;
}

PyTypeObject ParametersType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.databases.exchange._exchange.Parameters",
    .tp_doc = "The parameters of a call, made of its arguments; made of a Source for each.",
    .tp_basicsize = offsetof(Parameters, sources),
    .tp_itemsize = sizeof(Source),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = parameters_new,
    .tp_call = (ternaryfunc)parameters_call,
};
