/* A compiled script: its state, and the functions that _order.c (an order's steps) and _script.c (their outcomes)
 * share. */

#ifndef SPINDLE_SCRIPT_H
#define SPINDLE_SCRIPT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* The indices of all objects that a script refers to, in one array for the garbage collector: first the arguments of
 * its constructor, in their order. */
enum {
    USER, CHANCE, TALLY_STEP, TALLY_TRANSACTION, TALLY_ACKNOWLEDGED, TALLY_DELAYED, AMOUNTS, FAILURE, CALL, PAUSE, DELAY,
    THINK, ORDER, LOGIN_STEP, NEW_CUSTOMER_STEP, BROWSE_STEP, PURCHASE_STEP, USERNAME_PREFIX, PASSWORD, TITLE_WORDS,
    FIRST_NAMES, LAST_NAMES, NEW_CUSTOMERS,
    GIVEN,
    ROLLED_BACK = GIVEN, LOGIN, NEW_CUSTOMER, CATEGORY, ACTOR, TITLE, PRICES, PURCHASE,
    ASKED,    /* the call whose outcome is next */
    REST,     /* the generator that runs in the script's place, if any */
    CUSTOMER, /* of the present order */
    LINES,
    NET,
    HELD
};

/* What the next outcome belongs to. */
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
    int is_paced; /* between two orders the user's pacing is asked, see user.py of the package workload */
    long long browses_left;
    double since_due; /* copied to and from the user's _since_due only around a generator of the user's */
    double spent;
    double late; /* seconds from when the order was due, as the pacing has it, to when this attempt began */
} Script;

/* Each of these returns the script's next action, or NULL with an exception. */

/* Begin an order, or the pause that the user's pacing demands before it. */
PyObject *enter(Script *self);

/* Continue after a call that has succeeded, and how many seconds it took. */
PyObject *proceed(Script *self, PyObject *result, double seconds);

/* Pause between two orders. */
PyObject *think(Script *self);

/* Run a generator of the user's in the script's place; steals the reference. */
PyObject *delegate(Script *self, PyObject *generator);

#endif
