/* A compiled script, and what the course of an order (_order.c) and its outcomes (_script.c) need of each other. */

#ifndef SPINDLE_SCRIPT_H
#define SPINDLE_SCRIPT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* All that a script refers to, in one row for the garbage collector; first what it was made with, as Script's
 * constructor takes it. */
enum {
    USER, CHANCE, TALLY_STEP, TALLY_ORDER, TALLY_ACKNOWLEDGED, TALLY_DELAYED, AMOUNTS, FAILURE, CALL, PAUSE, DELAY,
    THINK, LOGIN_STEP, NEW_CUSTOMER_STEP, BROWSE_STEP, PURCHASE_STEP, USERNAME_PREFIX, PASSWORD, TITLE_WORDS,
    FIRST_NAMES, LAST_NAMES, NEW_CUSTOMERS,
    GIVEN,
    ROLLED_BACK = GIVEN, LOGIN, NEW_CUSTOMER, CATEGORY, ACTOR, TITLE, PRICES, PURCHASE,
    ASKED,    /* the call whose outcome is awaited */
    REST,     /* the generator that has taken the script's place */
    CUSTOMER, /* of the present order */
    LINES,
    NET,
    HELD
};

/* What the script's next outcome is of. */
typedef enum { BEGUN, ENTERED, REGISTERED, BROWSED, PRICED, BOUGHT, RECOVERED, THOUGHT, ENDED } Stage;

typedef struct {
    PyObject_HEAD
    PyObject *held[HELD];
    long long customers, products, tickets, popular_every, popular_factor, tax_per_10_000;
    long long searches, batch_size, line_items, most_lines, most_quantity, categories;
    double think_seconds, percent_new;
    Stage stage;
    char is_running;
    char has_failed;
    long long browses_left;
    double since_due; /* user.py's _since_due is this one's only while a generator of the user's is at work */
    double spent;
} Script;

/* Each of these gives the script's next action, or NULL with an exception. */

/* Begin an order. */
PyObject *enter(Script *self);

/* Go on after a call that has gone well, in so many seconds. */
PyObject *proceed(Script *self, PyObject *result, double seconds);

/* Pause between two orders. */
PyObject *think(Script *self);

/* Have a generator of the user's go on in the script's place; takes it over. */
PyObject *delegate(Script *self, PyObject *generator);

#endif
