/* The ordinary course of an emulated user's orders: the same random draws, actions and counts as user.py's generator.
 *
 * user.py defines the workload, and passes its numbers, words and types. Everything out of the ordinary (a username
 * that is taken, a call that has failed, a missing price, the recovery after an error) is done by methods of the
 * user's: their generators run in the script's place until they end, as with "yield from".
 */

#include "_customer.h"
#include "_script.h"

static PyObject *go_on(Script *self, PyObject *outcome);

PyObject *delegate(Script *self, PyObject *generator)
{
    if (generator == NULL)
        return NULL;
    PyObject *since_due = PyFloat_FromDouble(self->since_due);
    int written = since_due == NULL ? -1 : PyObject_SetAttrString(self->held[USER], "_since_due", since_due);
    Py_XDECREF(since_due);
    if (written < 0) {
        Py_DECREF(generator);
        return NULL;
    }
    Py_XSETREF(self->held[REST], generator);
    return go_on(self, Py_None);
}

/* Continue the script after a generator, with the time since the order was due that the generator has updated. */
static int take_back(Script *self)
{
    Py_CLEAR(self->held[REST]);
    PyObject *since_due = PyObject_GetAttrString(self->held[USER], "_since_due");
    if (since_due == NULL)
        return -1;
    self->since_due = PyFloat_AsDouble(since_due);
    Py_DECREF(since_due);
    return self->since_due == -1.0 && PyErr_Occurred() ? -1 : 0;
}

/* The next action after the generator in the script's place was resumed; steals the value. */
static PyObject *settle(Script *self, PySendResult sent, PyObject *value)
{
    if (sent == PYGEN_NEXT)
        return value;
    PyObject *type, *error, *traceback, *action = NULL, *result;
    double seconds;
    PyErr_Fetch(&type, &error, &traceback);
    int taken = take_back(self);
    if (sent == PYGEN_ERROR) {
        PyErr_Restore(type, error, traceback);
        return NULL;
    }
    if (taken == 0 && self->stage == RECOVERED)
        action = think(self);
    else if (taken == 0 && PyArg_ParseTuple(value, "Od", &result, &seconds))
        action = proceed(self, result, seconds);
    Py_DECREF(value);
    return action;
}

static PyObject *try_again(Script *self, PyObject *error, PyObject *seconds)
{
    const char *method = self->stage == BOUGHT ? "_retry_purchase" : "_retry";
    return delegate(self, PyObject_CallMethod(self->held[USER], method, "OOO", self->held[ASKED], error, seconds));
}

static PyObject *go_on(Script *self, PyObject *outcome)
{
    if (self->held[REST] != NULL) {
        PyObject *value = NULL;
        PySendResult sent = PyIter_Send(self->held[REST], outcome, &value);
        return settle(self, sent, value);
    }
    if (self->stage == BEGUN)
        return enter(self);
    if (!PyTuple_Check(outcome) || PyTuple_GET_SIZE(outcome) != 3) {
        PyErr_SetString(PyExc_TypeError, "an outcome must be a tuple of a result, an error and seconds");
        return NULL;
    }
    PyObject *error = PyTuple_GET_ITEM(outcome, 1);
    double seconds = PyFloat_AsDouble(PyTuple_GET_ITEM(outcome, 2));
    if (seconds == -1.0 && PyErr_Occurred())
        return NULL;
    if (self->stage == THOUGHT) {
        if (self->has_failed)
            self->since_due += seconds;
        return enter(self);
    }
    self->since_due += seconds;
    if (error != Py_None)
        return try_again(self, error, PyTuple_GET_ITEM(outcome, 2));
    return proceed(self, PyTuple_GET_ITEM(outcome, 0), seconds);
}

static int script_clear(Script *self)
{
    self->stage = ENDED;
    for (int place = 0; place < HELD; place++)
        Py_CLEAR(self->held[place]);
    return 0;
}

/* The action; or, if a database error has ended the order, the first action of the user's recovery. Any other error
 * ends the script. */
static PyObject *recovered(Script *self, PyObject *action)
{
    if (action == NULL && self->stage > BEGUN && self->stage < RECOVERED &&
        PyErr_ExceptionMatches(self->held[FAILURE])) {
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        PyErr_NormalizeException(&type, &error, &traceback);
        if (traceback != NULL)
            PyException_SetTraceback(error, traceback);
        self->has_failed = 1;
        self->stage = RECOVERED;
        action = delegate(self, PyObject_CallMethod(self->held[USER], "_recover", "O", error));
        Py_XDECREF(type);
        Py_XDECREF(error);
        Py_XDECREF(traceback);
    }
    if (action == NULL) {
        PyObject *type, *error, *traceback;
        PyErr_Fetch(&type, &error, &traceback);
        script_clear(self);
        PyErr_Restore(type, error, traceback);
    }
    return action;
}

static int runs_already(const Script *self)
{
    if (self->is_running)
        PyErr_SetString(PyExc_ValueError, "script already executing");
    return self->is_running;
}

static PySendResult script_am_send(Script *self, PyObject *outcome, PyObject **action)
{
    *action = NULL;
    if (runs_already(self))
        return PYGEN_ERROR;
    if (self->stage == ENDED) {
        *action = Py_NewRef(Py_None);
        return PYGEN_RETURN;
    }
    if (self->stage == BEGUN && outcome != Py_None) {
        PyErr_SetString(PyExc_TypeError, "can't send an outcome to a script that has not started");
        return PYGEN_ERROR;
    }
    self->is_running = 1;
    *action = recovered(self, go_on(self, outcome));
    self->is_running = 0;
    return *action == NULL ? PYGEN_ERROR : PYGEN_NEXT;
}

static PyObject *script_send(Script *self, PyObject *outcome)
{
    PyObject *action;
    if (script_am_send(self, outcome, &action) == PYGEN_RETURN) {
        Py_CLEAR(action);
        PyErr_SetNone(PyExc_StopIteration);
    }
    return action;
}

static PyObject *script_next(Script *self)
{
    return script_send(self, Py_None);
}

/* The value that a generator has returned, if the exception that is set is its StopIteration. */
static PySendResult value_of_end(PyObject **value)
{
    *value = NULL;
    if (!PyErr_ExceptionMatches(PyExc_StopIteration))
        return PYGEN_ERROR;
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    *value = PyObject_GetAttrString(error, "value");
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    return *value == NULL ? PYGEN_ERROR : PYGEN_RETURN;
}

/* As a generator's throw, only in the form with one argument: the others are deprecated. */
static PyObject *script_throw(Script *self, PyObject *error)
{
    if (runs_already(self))
        return NULL;
    if (!PyExceptionInstance_Check(error)) {
        PyErr_SetString(PyExc_TypeError, "throw(error: BaseException)");
        return NULL;
    }
    PyObject *action = NULL, *rest = self->held[REST], *value;
    self->is_running = 1;
    if (rest == NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    } else if ((action = PyObject_CallMethod(rest, "throw", "O", error)) == NULL) {
        PySendResult sent = value_of_end(&value);
        action = settle(self, sent, value);
    }
    action = recovered(self, action);
    self->is_running = 0;
    return action;
}

static PyObject *script_close(Script *self, PyObject *Py_UNUSED(nothing))
{
    if (runs_already(self))
        return NULL;
    self->is_running = 1;
    PyObject *rest = self->held[REST];
    PyObject *closed = rest == NULL ? Py_NewRef(Py_None) : PyObject_CallMethod(rest, "close", NULL);
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    script_clear(self);
    PyErr_Restore(type, error, traceback);
    self->is_running = 0;
    return closed;
}

static int script_traverse(Script *self, visitproc visit, void *arg)
{
    for (int place = 0; place < HELD; place++)
        Py_VISIT(self->held[place]);
    return 0;
}

static void script_dealloc(Script *self)
{
    PyObject_GC_UnTrack(self);
    script_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int take_arguments(Script *self, PyObject *arguments, PyObject *options)
{
    static char *names[] = {
        "user", "chance", "step", "transaction", "acknowledged", "delayed", "amounts", "failure", "call", "pause", "delay",
        "think", "order", "login_step", "new_customer_step", "browse_step", "purchase_step", "username_prefix",
        "password", "title_words", "first_names", "last_names", "new_customers", "customers", "products", "tickets",
        "popular_every", "popular_factor", "tax_per_10_000", "searches", "batch_size", "line_items", "most_lines",
        "most_quantity", "categories", "think_seconds", "percent_new", "is_paced", NULL};
    PyObject **held = self->held, *tuples = (PyObject *)&PyTuple_Type, *types = (PyObject *)&PyType_Type;
    return PyArg_ParseTupleAndKeywords(
        arguments, options, "$OOOOOOOOO!O!O!OOOOOOUOO!O!O!O!LLLLLLLLLLLLddp", names, &held[USER], &held[CHANCE],
        &held[TALLY_STEP], &held[TALLY_TRANSACTION], &held[TALLY_ACKNOWLEDGED], &held[TALLY_DELAYED], &held[AMOUNTS],
        &held[FAILURE], types, &held[CALL], types, &held[PAUSE], types, &held[DELAY], &held[THINK], &held[ORDER],
        &held[LOGIN_STEP], &held[NEW_CUSTOMER_STEP], &held[BROWSE_STEP], &held[PURCHASE_STEP], &held[USERNAME_PREFIX], &held[PASSWORD],
        tuples, &held[TITLE_WORDS], tuples, &held[FIRST_NAMES], tuples, &held[LAST_NAMES], &NewCustomersType,
        &held[NEW_CUSTOMERS], &self->customers, &self->products, &self->tickets, &self->popular_every,
        &self->popular_factor, &self->tax_per_10_000, &self->searches, &self->batch_size, &self->line_items,
        &self->most_lines, &self->most_quantity, &self->categories, &self->think_seconds, &self->percent_new,
        &self->is_paced);
}

/* Whether the types of actions are tuples, and there are words to draw from. */
static int is_fit(PyObject *const *held)
{
    for (int place = CALL; place <= DELAY; place++)
        if (!PyType_IsSubtype((PyTypeObject *)held[place], &PyTuple_Type))
            return 0;
    for (int place = TITLE_WORDS; place <= LAST_NAMES; place++)
        if (PyTuple_GET_SIZE(held[place]) == 0)
            return 0;
    return 1;
}

static PyObject *script_new(PyTypeObject *type, PyObject *arguments, PyObject *options)
{
    static const char *const verbs[] = {
        "login", "new_customer", "browse_by_category", "browse_by_actor", "browse_by_title", "prices", "purchase"};
    Script *self = (Script *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    PyObject_GC_UnTrack(self); /* until it owns the references */
    int taken = take_arguments(self, arguments, options);
    for (int place = 0; place < GIVEN; place++)
        Py_XINCREF(self->held[place]); /* also those before an invalid argument */
    if (taken && !is_fit(self->held)) {
        PyErr_SetString(PyExc_ValueError, "call, pause and delay must be tuple types, and there must be words");
        taken = 0;
    }
    if (taken && self->popular_factor < 2) {
        PyErr_SetString(PyExc_ValueError, "popular_factor must be at least 2");
        taken = 0;
    }
    if (taken && (self->searches < 1 || self->batch_size < 1 || self->line_items < 1)) {
        PyErr_SetString(PyExc_ValueError, "searches, batch_size and line_items must be at least 1");
        taken = 0;
    }
    self->held[ROLLED_BACK] = taken ? Py_BuildValue("(s)", "rolled_back") : NULL;
    taken = self->held[ROLLED_BACK] != NULL;
    for (int number = 0; taken && number <= PURCHASE - LOGIN; number++) {
        self->held[LOGIN + number] = PyUnicode_InternFromString(verbs[number]);
        taken = self->held[LOGIN + number] != NULL;
    }
    if (taken)
        PyObject_GC_Track(self);
    else
        Py_CLEAR(self);
    return (PyObject *)self;
}

/* The user's _since_due while a generator of the user's runs, otherwise the script's own. */
static PyObject *script_since_due(Script *self, void *Py_UNUSED(closure))
{
    if (self->held[REST] != NULL)
        return PyObject_GetAttrString(self->held[USER], "_since_due");
    return PyFloat_FromDouble(self->since_due);
}

static PyObject *script_has_failed(Script *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->has_failed);
}

static PyGetSetDef script_attributes[] = {
    {"since_due", (getter)script_since_due, NULL, "For how many seconds the order has been due.", NULL},
    {"has_failed", (getter)script_has_failed, NULL, "Whether an attempt at the order has failed.", NULL},
    {NULL}};

static PyMethodDef script_methods[] = {
    {"send", (PyCFunction)script_send, METH_O, "Resume with the outcome of the last action: the next action."},
    {"throw", (PyCFunction)script_throw, METH_O, "Raise an exception where the script is suspended."},
    {"close", (PyCFunction)script_close, METH_NOARGS, "End the script where it is suspended."},
    {NULL}};

static PyAsyncMethods script_as_async = {.am_send = (sendfunc)script_am_send};

static PyTypeObject ScriptType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.workloads.dvdstore._script.Script",
    .tp_doc = "The life of an emulated user, as a generator of actions.",
    .tp_basicsize = sizeof(Script),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = script_new,
    .tp_dealloc = (destructor)script_dealloc,
    .tp_traverse = (traverseproc)script_traverse,
    .tp_clear = (inquiry)script_clear,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)script_next,
    .tp_as_async = &script_as_async,
    .tp_methods = script_methods,
    .tp_getset = script_attributes,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_script", .m_doc = "The orders of an emulated user, compiled.", .m_size = -1};

PyMODINIT_FUNC PyInit__script(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made != NULL && (PyModule_AddType(made, &ScriptType) < 0 || PyModule_AddType(made, &NewCustomersType) < 0))
        Py_CLEAR(made);
    return made;
}
