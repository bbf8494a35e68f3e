/* The course of an order: an emulated user's random draws, calls and counts, one action after the other. */

#include "_customer.h"
#include "_draw.h"
#include "_script.h"

static long long below(const Script *self, long long limit)
{
    return draw_below(self->held[CHANCE], limit);
}

/* A Call, Pause or Delay: tuples of two, filled here without calling their Python constructor. Steals both references.
 * */
static PyObject *pair_of(PyObject *type, PyObject *first, PyObject *second)
{
    PyObject *made = NULL;
    if (first != NULL && second != NULL)
        made = ((PyTypeObject *)type)->tp_alloc((PyTypeObject *)type, 2);
    if (made == NULL) {
        Py_XDECREF(first);
        Py_XDECREF(second);
        return NULL;
    }
    PyTuple_SET_ITEM(made, 0, first);
    PyTuple_SET_ITEM(made, 1, second);
    return made;
}

/* Make a call the next action; steals the arguments. */
static PyObject *ask(Script *self, Stage stage, int verb, PyObject *arguments)
{
    if (arguments == NULL)
        return NULL;
    PyObject *call = pair_of(self->held[CALL], Py_NewRef(self->held[verb]), arguments);
    if (call == NULL)
        return NULL;
    self->stage = stage;
    Py_XSETREF(self->held[ASKED], Py_NewRef(call));
    return call;
}

static int discard_result(PyObject *answer)
{
    Py_XDECREF(answer);
    return answer == NULL ? -1 : 0;
}

static int count_step(const Script *self, int step, double seconds)
{
    PyObject *number = PyFloat_FromDouble(seconds);
    if (number == NULL)
        return -1;
    PyObject *arguments[] = {self->held[step], number};
    PyObject *answer = PyObject_Vectorcall(self->held[TALLY_STEP], arguments, 2, NULL);
    Py_DECREF(number);
    return discard_result(answer);
}

/* A number among the user's attributes. 0, or -1 with an exception. */
static int read_number(const Script *self, const char *name, double *number)
{
    PyObject *value = PyObject_GetAttrString(self->held[USER], name);
    if (value == NULL)
        return -1;
    *number = PyFloat_AsDouble(value);
    Py_DECREF(value);
    return *number == -1.0 && PyErr_Occurred() ? -1 : 0;
}

/* The pause to think of a user that is paced: the think time may change from stage to stage. */
static PyObject *think_paced(Script *self)
{
    PyObject *seconds = PyObject_CallMethod(self->held[USER], "_pause_seconds", NULL);
    if (seconds == NULL || read_number(self, "_think_seconds", &self->think_seconds) < 0) {
        Py_XDECREF(seconds);
        return NULL;
    }
    return pair_of(self->held[PAUSE], seconds, Py_NewRef(self->held[THINK]));
}

PyObject *think(Script *self)
{
    double drawn;
    self->stage = THOUGHT;
    if (self->is_paced)
        return think_paced(self);
    if (draw(self->held[CHANCE], &drawn) < 0)
        return NULL;
    PyObject *seconds = PyFloat_FromDouble(drawn * (2 * self->think_seconds));
    return pair_of(self->held[PAUSE], seconds, Py_NewRef(self->held[THINK]));
}

/* Ask the user's pacing: Py_None to begin the order now, or the pause before it; the user keeps the time since the order
 * was due. Returns NULL with an exception. */
static PyObject *hold_back(Script *self)
{
    PyObject *failed = PyBool_FromLong(self->has_failed);
    int written = PyObject_SetAttrString(self->held[USER], "_has_failed", failed);
    Py_DECREF(failed);
    PyObject *pause = written < 0 ? NULL : PyObject_CallMethod(self->held[USER], "_held_back", NULL);
    if (pause != Py_None)
        return pause;
    if (read_number(self, "_late", &self->late) < 0 ||
        (!self->has_failed && read_number(self, "_since_due", &self->since_due) < 0))
        Py_CLEAR(pause);
    return pause;
}

PyObject *enter(Script *self)
{
    double drawn;
    if (self->is_paced) {
        self->stage = THOUGHT;
        PyObject *pause = hold_back(self);
        if (pause != Py_None)
            return pause;
        Py_DECREF(pause);
    }
    self->stage = ENTERED;
    if (draw(self->held[CHANCE], &drawn) < 0)
        return NULL;
    if (drawn * 100 < self->percent_new) {
        PyObject *new_customer = draw_customer(self->held[NEW_CUSTOMERS], self->held[CHANCE]);
        return ask(self, REGISTERED, NEW_CUSTOMER, new_customer == NULL ? NULL : Py_BuildValue("(N)", new_customer));
    }
    long long customer = below(self, self->customers);
    if (customer < 0)
        return NULL;
    PyObject *username = PyUnicode_FromFormat("%U%lld", self->held[USERNAME_PREFIX], 1 + customer);
    return ask(self, ENTERED, LOGIN, username == NULL ? NULL : Py_BuildValue("(NO)", username, self->held[PASSWORD]));
}

static PyObject *word(PyObject *words, long long place)
{
    return PySequence_Fast_GET_ITEM(words, place); /* the place was drawn from their number */
}

static PyObject *browse(Script *self)
{
    PyObject *first = self->held[FIRST_NAMES], *last = self->held[LAST_NAMES], *words = self->held[TITLE_WORDS];
    long long batch_size = below(self, 2 * self->batch_size - 1) + 1;
    long long kind = batch_size < 1 ? -1 : below(self, 3);
    long long drawn = kind < 0    ? -1
                      : kind == 0 ? below(self, self->categories)
                      : kind == 1 ? below(self, PyTuple_GET_SIZE(first))
                                  : below(self, self->products);
    if (drawn < 0)
        return NULL;
    if (kind == 0)
        return ask(self, BROWSED, CATEGORY, Py_BuildValue("(LL)", 1 + drawn, batch_size));
    if (kind == 1) {
        long long other = below(self, PyTuple_GET_SIZE(last));
        if (other < 0)
            return NULL;
        return ask(self, BROWSED, ACTOR, Py_BuildValue("(OOL)", word(first, drawn), word(last, other), batch_size));
    }
    Py_ssize_t count = PyTuple_GET_SIZE(words);
    PyObject *one = word(words, drawn / count % count), *two = word(words, drawn % count);
    return ask(self, BROWSED, TITLE, Py_BuildValue("(OOL)", one, two, batch_size));
}

/* Draw one line of a cart and add it to both lists. 0, or -1 with an exception. */
static int fill_line(const Script *self, PyObject *lines, PyObject *products, Py_ssize_t place)
{
    long long ticket = below(self, self->tickets);
    long long quantity = ticket < 0 ? -1 : below(self, self->most_quantity);
    if (quantity < 0)
        return -1;
    long long beyond = ticket - self->products;
    long long drawn = beyond < 0 ? ticket + 1 : (beyond / (self->popular_factor - 1) + 1) * self->popular_every;
    PyObject *product = PyLong_FromLongLong(drawn);
    if (product == NULL)
        return -1;
    PyList_SET_ITEM(products, place, product);
    PyObject *line = Py_BuildValue("(OL)", product, 1 + quantity);
    if (line == NULL)
        return -1;
    PyList_SET_ITEM(lines, place, line);
    return 0;
}

static PyObject *fill_cart(Script *self)
{
    long long drawn = below(self, 2 * self->line_items - 1);
    if (drawn < 0)
        return NULL;
    Py_ssize_t count = Py_MIN(1 + drawn, self->most_lines);
    PyObject *lines = PyList_New(count), *products = PyList_New(count);
    int filled = lines == NULL || products == NULL ? -1 : 0;
    for (Py_ssize_t place = 0; filled == 0 && place < count; place++)
        filled = fill_line(self, lines, products, place);
    if (filled < 0) {
        Py_XDECREF(lines);
        Py_XDECREF(products);
        return NULL;
    }
    Py_XSETREF(self->held[LINES], lines);
    return ask(self, PRICED, PRICES, Py_BuildValue("(N)", products));
}

/* The net amount of the cart, or -1 to leave it to amounts() in user.py, which reports missing and invalid prices. */
static long long net_of(PyObject *lines, PyObject *prices)
{
    enum { HIGHEST_CENTS = 1000000000 };
    long long net = 0;
    if (!PyDict_CheckExact(prices))
        return -1;
    for (Py_ssize_t place = 0; place < PyList_GET_SIZE(lines); place++) {
        PyObject *line = PyList_GET_ITEM(lines, place);
        PyObject *price = PyDict_GetItemWithError(prices, PyTuple_GET_ITEM(line, 0));
        int overflow = 0;
        long cents = price != NULL && PyLong_CheckExact(price) ? PyLong_AsLongAndOverflow(price, &overflow) : -1;
        if (cents < 0 || overflow != 0 || cents > HIGHEST_CENTS)
            return -1;
        net += (long long)cents * PyLong_AsLong(PyTuple_GET_ITEM(line, 1));
    }
    return net;
}

static PyObject *buy(Script *self, PyObject *prices)
{
    PyObject *lines = self->held[LINES], *both;
    long long net = net_of(lines, prices);
    if (net >= 0)
        both = Py_BuildValue("(LL)", net, (net * self->tax_per_10_000 + 5000) / 10000);
    else
        both = PyErr_Occurred() ? NULL : PyObject_CallFunctionObjArgs(self->held[AMOUNTS], lines, prices, NULL);
    if (both == NULL)
        return NULL;
    PyObject *total = NULL, *arguments = NULL;
    if (PyTuple_Check(both) && PyTuple_GET_SIZE(both) == 2)
        total = PyNumber_Add(PyTuple_GET_ITEM(both, 0), PyTuple_GET_ITEM(both, 1));
    else
        PyErr_SetString(PyExc_TypeError, "amounts() must return a tuple of net and tax");
    if (total != NULL) {
        Py_XSETREF(self->held[NET], Py_NewRef(PyTuple_GET_ITEM(both, 0)));
        arguments = Py_BuildValue("(OOOON)", self->held[CUSTOMER], lines, self->held[NET], PyTuple_GET_ITEM(both, 1),
                                  total);
    }
    Py_DECREF(both);
    return ask(self, BOUGHT, PURCHASE, arguments);
}

static int count_order(const Script *self, double seconds, int is_rolled_back)
{
    PyObject *number = PyFloat_FromDouble(seconds);
    if (number == NULL)
        return -1;
    PyObject *arguments[] = {self->held[ORDER], number, is_rolled_back ? Py_True : Py_False};
    PyObject *answer = PyObject_Vectorcall(self->held[TALLY_TRANSACTION], arguments, 2, self->held[ROLLED_BACK]);
    Py_DECREF(number);
    return discard_result(answer);
}

/* Report the delay of an order with that response time, see _report_delay in user.py. */
static int report_delay(const Script *self, double spent)
{
    int is_ordinary = !self->has_failed && self->since_due <= 2 * spent;
    if (self->think_seconds == 0.0 || (is_ordinary && self->since_due <= self->think_seconds))
        return 0;
    double unmeasured = is_ordinary ? 0.0 : self->since_due - spent;
    PyObject *seconds = PyFloat_FromDouble(self->since_due);
    PyObject *delay = pair_of(self->held[DELAY], seconds, PyFloat_FromDouble(unmeasured > 0.0 ? unmeasured : 0.0));
    if (delay == NULL)
        return -1;
    PyObject *answer = PyObject_CallOneArg(self->held[TALLY_DELAYED], delay);
    Py_DECREF(delay);
    return discard_result(answer);
}

static PyObject *finish_order(Script *self, PyObject *order, double seconds)
{
    PyObject *arguments[] = {order, self->held[CUSTOMER], self->held[NET]};
    if (order != Py_None && discard_result(PyObject_Vectorcall(self->held[TALLY_ACKNOWLEDGED], arguments, 3, NULL)) < 0)
        return NULL;
    double spent = self->spent + seconds;
    if (count_step(self, PURCHASE_STEP, seconds) < 0 || count_order(self, spent + self->late, order == Py_None) < 0 ||
        report_delay(self, spent) < 0)
        return NULL;
    /* An order that failed stays due: only one that succeeded restarts the user's schedule. */
    self->has_failed = 0;
    self->since_due = 0.0;
    if (self->is_paced && PyObject_SetAttrString(self->held[USER], "_due", Py_None) < 0)
        return NULL;
    return think(self);
}

static PyObject *begin_browsing(Script *self, PyObject *customer, double seconds)
{
    Py_XSETREF(self->held[CUSTOMER], Py_NewRef(customer));
    self->spent = seconds;
    self->browses_left = below(self, 2 * self->searches - 1) + 1;
    return self->browses_left < 1 ? NULL : browse(self);
}

static PyObject *logged_in(Script *self, PyObject *answer, double seconds)
{
    PyObject *action = NULL, *found = PySequence_GetItem(answer, 0);
    if (found == Py_None) {
        PyObject *arguments = PyTuple_GET_ITEM(self->held[ASKED], 1);
        Py_XDECREF(PyObject_CallMethod(self->held[USER], "_raise_unknown_customer", "O", PyTuple_GET_ITEM(arguments, 0)));
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_RuntimeError, "_raise_unknown_customer must raise an exception");
    } else if (found != NULL && count_step(self, LOGIN_STEP, seconds) == 0) {
        action = begin_browsing(self, found, seconds);
    }
    Py_XDECREF(found);
    return action;
}

static PyObject *registered(Script *self, PyObject *made, double seconds)
{
    if (made == Py_None) /* the username is taken: the user tries others, and the result comes back here */
        return delegate(self, PyObject_CallMethod(self->held[USER], "_register", "i", 1));
    return count_step(self, NEW_CUSTOMER_STEP, seconds) < 0 ? NULL : begin_browsing(self, made, seconds);
}

static PyObject *browsed(Script *self, double seconds)
{
    if (count_step(self, BROWSE_STEP, seconds) < 0)
        return NULL;
    self->spent += seconds;
    return --self->browses_left > 0 ? browse(self) : fill_cart(self);
}

PyObject *proceed(Script *self, PyObject *result, double seconds)
{
    switch (self->stage) {
    case ENTERED:
        return logged_in(self, result, seconds);
    case REGISTERED:
        return registered(self, result, seconds);
    case BROWSED:
        return browsed(self, seconds);
    case PRICED:
        return buy(self, result);
    case BOUGHT:
        return finish_order(self, result, seconds);
    default:
        PyErr_SetString(PyExc_SystemError, "an outcome was sent to a script that awaits no call");
        return NULL;
    }
}
