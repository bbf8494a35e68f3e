/* What the rounds of a user loop are made of: whom they wait for, and what has come in a turn. */

#ifndef SPINDLE_ROUNDS_H
#define SPINDLE_ROUNDS_H

#include <Python.h>
#include <sys/epoll.h>

#include "_lines.h"
#include "_pauses.h"

/* Room is made for so many answers in each round: few have come, and others are told in the next. */
enum { MOST_AT_ONCE = 64 };

/* epoll's time-out is in whole milliseconds: a pause ends at the nearest one, so that pauses keep their mean. */
#define HALF_A_TICK_SECONDS 0.0005

/* The answers that have come in a turn, and what is left of them to the loop. */
typedef struct {
    double now, wall_now;
    double deadline, until; /* of waiting, and of all */
    int is_stopping;
    PyObject *left; /* a list of pairs: who, and what the script says, its exception, or None for something to read */
} Turn;

typedef struct {
    PyObject_HEAD
    int epoll;
    PyTypeObject *call_type, *pause_type;
    PyObject *think;              /* the kind of a pause between two orders */
    PyObject *thinking, *working; /* what a user's state then is, and after it */
    PyObject *nothing;            /* the outcome of a pause of no length */
    PyObject *never;
    Lines lines;
    Pauses pauses;
    char is_turning; /* a turn is under way, so nothing else may change what is here */
    int *asking;     /* the file numbers of those whose questions are to be sent, in order */
    int first, last, asking_space; /* those from the first to before the last are still to be sent */
    struct epoll_event come[MOST_AT_ONCE]; /* whose sockets had something to read */
    int served, found;                     /* of those */
    char is_stamped; /* it is known how long answers waited */
    double answers_waited;
} Rounds;

/* Leave somebody to the loop. 0, or -1 with an exception. */
int leave(const Turn *turn, const Line *line, PyObject *said);

/* Leave somebody to the loop with the exception that is pending. 0, or -1 with an exception: also with one that is to end
 * the program, as KeyboardInterrupt is, and no user's. */
int leave_exception(const Turn *turn, const Line *line);

/* Take the answer that has come over a socket, and have its user's script go on until it asks; the question is to be
 * sent. 0, or -1 with an exception, which is no user's. */
int serve(Rounds *self, const Turn *turn, int fileno);

/* Have those go on whose pauses are over, one at least, until time is up. 0, or -1 with an exception. */
int end_pauses(Rounds *self, const Turn *turn);

/* Leave all who think to the loop, with their pauses. 0, or -1 with an exception. */
int leave_sleepers(Rounds *self, const Turn *turn);

#endif
