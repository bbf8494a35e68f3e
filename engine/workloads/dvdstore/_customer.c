/* A customer to be registered: the same random draws as new_customer in picks.py, at a fraction of its CPU time. */

#include "_customer.h"
#include "_draw.h"

enum { LONGEST_PART = 64, LARGEST_NUMBER = 0x7fffffff, LETTERS = 26, MOST_DIGITS_AT_ONCE = 8 };

/* The fields of NewCustomer, in its order. */
enum {
    FIRSTNAME, LASTNAME, ADDRESS1, ADDRESS2, CITY, STATE, ZIP, COUNTRY, REGION, EMAIL, PHONE, CREDITCARDTYPE,
    CREDITCARD, CREDITCARDEXPIRATION, USERNAME, PASSWORD, AGE, INCOME, GENDER,
    FIELDS
};

/* What is read from people.py: numbers, texts and tuples of texts. */
enum {
    US, REST_OF_THE_WORLD, LEAST_HOUSE_NUMBER, HOUSE_NUMBERS, LEAST_ZIP, ZIPS, CREDIT_CARD_TYPES, LARGEST_NEW_USERNAME,
    LEAST_AGE, AGES, INCOME_STEP, INCOMES, FIRSTNAME_LETTERS, LASTNAME_LETTERS, CITY_LETTERS, PHONE_DIGITS,
    CREDIT_CARD_DIGITS,
    NUMBERS
};
enum { US_COUNTRY, EMAIL_DOMAIN, NEW_USERNAME_PREFIX, EVERYBODYS_PASSWORD, TEXTS };
enum { STREETS, STATES, COUNTRIES, EXPIRATIONS, GENDERS, CHOICES };

#define NAMED(name) [name] = #name
static const char *const number_names[NUMBERS] = {
    NAMED(US), NAMED(REST_OF_THE_WORLD), NAMED(LEAST_HOUSE_NUMBER), NAMED(HOUSE_NUMBERS), NAMED(LEAST_ZIP), NAMED(ZIPS),
    NAMED(CREDIT_CARD_TYPES), NAMED(LARGEST_NEW_USERNAME), NAMED(LEAST_AGE), NAMED(AGES), NAMED(INCOME_STEP),
    NAMED(INCOMES), NAMED(FIRSTNAME_LETTERS), NAMED(LASTNAME_LETTERS), NAMED(CITY_LETTERS), NAMED(PHONE_DIGITS),
    NAMED(CREDIT_CARD_DIGITS)};
static const char *const text_names[TEXTS] = {
    NAMED(US_COUNTRY), NAMED(EMAIL_DOMAIN), NAMED(NEW_USERNAME_PREFIX), [EVERYBODYS_PASSWORD] = "PASSWORD"};
static const char *const choice_names[CHOICES] = {
    NAMED(STREETS), NAMED(STATES), NAMED(COUNTRIES), NAMED(EXPIRATIONS), NAMED(GENDERS)};

typedef struct {
    PyObject_HEAD
    PyTypeObject *kind; /* NewCustomer */
    PyObject *texts[TEXTS];
    PyObject *choices[CHOICES];
    long long numbers[NUMBERS];
} NewCustomers;

/* A text under construction, of at most two parts and a blank; longer parts were refused when they were read. */
typedef struct {
    Py_ssize_t size;
    char bytes[2 * LONGEST_PART + 1];
} Text;

static PyObject *made_of(const Text *text)
{
    PyObject *made = PyUnicode_New(text->size, 127);
    if (made != NULL)
        memcpy(PyUnicode_1BYTE_DATA(made), text->bytes, (size_t)text->size);
    return made;
}

static void add_text(Text *text, PyObject *part)
{
    memcpy(text->bytes + text->size, PyUnicode_1BYTE_DATA(part), (size_t)PyUnicode_GET_LENGTH(part));
    text->size += PyUnicode_GET_LENGTH(part);
}

/* Append a number, padded with zeros to a length. */
static void add_number(Text *text, long long number, int length)
{
    int least = 1;
    for (long long rest = number; rest >= 10; rest /= 10)
        least++;
    length = Py_MAX(length, least);
    for (int place = length - 1; place >= 0; place--, number /= 10)
        text->bytes[text->size + place] = (char)('0' + number % 10);
    text->size += length;
}

/* Append random letters, drawn two at a time as in picks.py; if their number is odd, the last one is dropped. */
static int add_capitals(Text *text, PyObject *chance, long long length)
{
    for (long long place = 0; place < length; place += 2) {
        long long pair = draw_below(chance, LETTERS * LETTERS);
        if (pair < 0)
            return -1;
        text->bytes[text->size + place] = (char)('A' + pair / LETTERS);
        text->bytes[text->size + place + 1] = (char)('A' + pair % LETTERS);
    }
    text->size += length;
    return 0;
}

static PyObject *capitals(PyObject *chance, long long length)
{
    Text text = {.size = 0};
    return add_capitals(&text, chance, length) < 0 ? NULL : made_of(&text);
}

/* Random digits, drawn in parts as in picks.py: one random float has too few bits for all of them. */
static PyObject *digits(PyObject *chance, long long length)
{
    static const long long powers[MOST_DIGITS_AT_ONCE + 1] = {1,      10,      100,      1000,     10000,
                                                              100000, 1000000, 10000000, 100000000};
    Text text = {.size = 0};
    while (text.size < length) {
        int part = (int)Py_MIN(length - text.size, MOST_DIGITS_AT_ONCE);
        long long number = draw_below(chance, powers[part]);
        if (number < 0)
            return NULL;
        add_number(&text, number, part);
    }
    return made_of(&text);
}

static PyObject *number_from(PyObject *chance, long long least, long long count)
{
    long long drawn = draw_below(chance, count);
    return drawn < 0 ? NULL : PyLong_FromLongLong(least + drawn);
}

/* One of a tuple's texts, a borrowed reference. */
static PyObject *one_of(PyObject *chance, PyObject *choices)
{
    long long place = draw_below(chance, PyTuple_GET_SIZE(choices));
    return place < 0 ? NULL : PyTuple_GET_ITEM(choices, place);
}

static PyObject *address(PyObject *chance, long long house, PyObject *streets)
{
    Text text = {.size = 0};
    PyObject *street = one_of(chance, streets);
    if (street == NULL)
        return NULL;
    add_number(&text, house, 1);
    text.bytes[text.size++] = ' ';
    add_text(&text, street);
    return made_of(&text);
}

static PyObject *email(PyObject *lastname, PyObject *domain)
{
    Text text = {.size = 0};
    add_text(&text, lastname);
    for (Py_ssize_t place = 0; place < text.size; place++)
        text.bytes[place] = (char)(text.bytes[place] - 'A' + 'a');
    add_text(&text, domain);
    return made_of(&text);
}

static PyObject *username(PyObject *chance, PyObject *prefix, long long largest)
{
    Text text = {.size = 0};
    long long number = draw_below(chance, largest);
    if (number < 0)
        return NULL;
    add_text(&text, prefix);
    add_number(&text, 1 + number, 1);
    return made_of(&text);
}

/* Set a field to a value, stealing the reference: false if the value is NULL. */
static int got(PyObject **field, PyObject *value)
{
    *field = value;
    return value != NULL;
}

/* As got, with a borrowed reference. */
static int got_one(PyObject **field, PyObject *value)
{
    return got(field, Py_XNewRef(value));
}

/* Draw the name and the address, in the order of picks.py. */
static int is_settled(const NewCustomers *self, PyObject *chance, PyObject **fields)
{
    const long long *numbers = self->numbers;
    PyObject *const *choices = self->choices;
    double drawn;
    if (draw(chance, &drawn) < 0 || !got(&fields[LASTNAME], capitals(chance, numbers[LASTNAME_LETTERS])))
        return 0;
    int in_us = drawn < 0.5;
    long long house = draw_below(chance, numbers[HOUSE_NUMBERS]);
    if (house < 0 || !got(&fields[FIRSTNAME], capitals(chance, numbers[FIRSTNAME_LETTERS])) ||
        !got(&fields[ADDRESS1], address(chance, numbers[LEAST_HOUSE_NUMBER] + house, choices[STREETS])) ||
        !got(&fields[ADDRESS2], PyUnicode_New(0, 0)) ||
        !got(&fields[CITY], capitals(chance, numbers[CITY_LETTERS])) ||
        !got(&fields[REGION], PyLong_FromLongLong(numbers[in_us ? US : REST_OF_THE_WORLD])) ||
        !got(&fields[EMAIL], email(fields[LASTNAME], self->texts[EMAIL_DOMAIN])))
        return 0;
    if (in_us)
        return got_one(&fields[STATE], one_of(chance, choices[STATES])) &&
               got(&fields[ZIP], number_from(chance, numbers[LEAST_ZIP], numbers[ZIPS])) &&
               got_one(&fields[COUNTRY], self->texts[US_COUNTRY]);
    return got_one(&fields[STATE], fields[ADDRESS2]) && got(&fields[ZIP], PyLong_FromLong(0)) &&
           got_one(&fields[COUNTRY], one_of(chance, choices[COUNTRIES]));
}

/* Draw the other fields. */
static int is_described(const NewCustomers *self, PyObject *chance, PyObject **fields)
{
    const long long *numbers = self->numbers;
    PyObject *const *choices = self->choices, *const *texts = self->texts;
    long long income;
    return got(&fields[PHONE], digits(chance, numbers[PHONE_DIGITS])) &&
           got(&fields[CREDITCARDTYPE], number_from(chance, 1, numbers[CREDIT_CARD_TYPES])) &&
           got(&fields[CREDITCARD], digits(chance, numbers[CREDIT_CARD_DIGITS])) &&
           got_one(&fields[CREDITCARDEXPIRATION], one_of(chance, choices[EXPIRATIONS])) &&
           got(&fields[USERNAME], username(chance, texts[NEW_USERNAME_PREFIX], numbers[LARGEST_NEW_USERNAME])) &&
           got_one(&fields[PASSWORD], texts[EVERYBODYS_PASSWORD]) &&
           got(&fields[AGE], number_from(chance, numbers[LEAST_AGE], numbers[AGES])) &&
           (income = draw_below(chance, numbers[INCOMES])) >= 0 &&
           got(&fields[INCOME], PyLong_FromLongLong(numbers[INCOME_STEP] * (1 + income))) &&
           got_one(&fields[GENDER], one_of(chance, choices[GENDERS]));
}

/* The tuple is filled here, without calling its Python constructor. */
PyObject *draw_customer(PyObject *new_customers, PyObject *chance)
{
    const NewCustomers *self = (NewCustomers *)new_customers;
    PyObject *fields[FIELDS] = {NULL}, *made = NULL;
    if (is_settled(self, chance, fields) && is_described(self, chance, fields))
        made = self->kind->tp_alloc(self->kind, FIELDS);
    for (int field = 0; field < FIELDS; field++) {
        if (made != NULL)
            PyTuple_SET_ITEM(made, field, fields[field]);
        else
            Py_XDECREF(fields[field]);
    }
    return made;
}

static int take_number(PyObject *people, const char *name, long long *number)
{
    PyObject *value = PyObject_GetAttrString(people, name);
    if (value == NULL)
        return -1;
    *number = PyLong_AsLongLong(value);
    Py_DECREF(value);
    if (*number >= 1 && *number <= LARGEST_NUMBER)
        return 0;
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "%s must be from 1 to 2,147,483,647", name);
    return -1;
}

static int is_part(PyObject *text)
{
    return PyUnicode_Check(text) && PyUnicode_IS_ASCII(text) && PyUnicode_GET_LENGTH(text) <= LONGEST_PART;
}

/* Read a text, or a tuple of texts. */
static int take_text(PyObject *people, const char *name, int is_choice, PyObject **text)
{
    *text = PyObject_GetAttrString(people, name);
    if (*text == NULL)
        return -1;
    int is_fit = is_choice ? PyTuple_Check(*text) && PyTuple_GET_SIZE(*text) > 0 : is_part(*text);
    for (Py_ssize_t place = 0; is_choice && is_fit && place < PyTuple_GET_SIZE(*text); place++)
        is_fit = is_part(PyTuple_GET_ITEM(*text, place));
    if (!is_fit)
        PyErr_Format(PyExc_ValueError, "%s must be ASCII text of at most 64 characters, or a tuple of that", name);
    return is_fit ? 0 : -1;
}

static int take_people(NewCustomers *self, PyObject *people)
{
    for (int place = 0; place < NUMBERS; place++)
        if (take_number(people, number_names[place], &self->numbers[place]) < 0)
            return -1;
    for (int place = 0; place < TEXTS; place++)
        if (take_text(people, text_names[place], 0, &self->texts[place]) < 0)
            return -1;
    for (int place = 0; place < CHOICES; place++)
        if (take_text(people, choice_names[place], 1, &self->choices[place]) < 0)
            return -1;
    for (int place = FIRSTNAME_LETTERS; place <= CREDIT_CARD_DIGITS; place++) {
        if (self->numbers[place] > LONGEST_PART) {
            PyErr_Format(PyExc_ValueError, "%s must be at most 64", number_names[place]);
            return -1;
        }
    }
    return 0;
}

static PyObject *new_customers_new(PyTypeObject *type, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"people", "kind", NULL};
    PyObject *people, *kind;
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "OO!", names, &people, &PyType_Type, &kind))
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)kind, &PyTuple_Type)) {
        PyErr_SetString(PyExc_TypeError, "kind must be a subclass of tuple");
        return NULL;
    }
    NewCustomers *self = (NewCustomers *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->kind = (PyTypeObject *)Py_NewRef(kind);
    if (take_people(self, people) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int new_customers_traverse(NewCustomers *self, visitproc visit, void *arg)
{
    Py_VISIT(self->kind); /* the only member that can be part of a cycle */
    return 0;
}

static void new_customers_dealloc(NewCustomers *self)
{
    PyObject_GC_UnTrack(self);
    Py_CLEAR(self->kind);
    for (int place = 0; place < TEXTS; place++)
        Py_CLEAR(self->texts[place]);
    for (int place = 0; place < CHOICES; place++)
        Py_CLEAR(self->choices[place]);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

PyTypeObject NewCustomersType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "engine.workloads.dvdstore._script.NewCustomers",
    .tp_doc = "The values that customers to be registered are drawn from.",
    .tp_basicsize = sizeof(NewCustomers),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = new_customers_new,
    .tp_dealloc = (destructor)new_customers_dealloc,
    .tp_traverse = (traverseproc)new_customers_traverse,
};
