/* The rounds of a user loop: whom they wait for, and the state of a turn. */

#ifndef SPINDLE_ROUNDS_H
#define SPINDLE_ROUNDS_H

#include <Python.h>
#include <sys/epoll.h>

#include "_lines.h"
#include "_pauses.h"

/* The most answers that a round takes: rarely are there more, which the next round then takes. */
enum { MOST_AT_ONCE = 64 };

/* epoll's timeout is in whole milliseconds: a pause ends at the nearest one, so that pauses have the right mean. */
#define HALF_A_TICK_SECONDS 0.0005

/* The state of a turn. */
typedef struct {
    double now, wall_now;
    double deadline, until; /* when to stop waiting for answers, and when to return in any case */
    int is_stopping;
    PyObject *left; /* a list of pairs: who, and the script's action, its exception, or None for something to read */
} Turn;

typedef struct {
    PyObject_HEAD
    int epoll;
    PyTypeObject *call_type, *pause_type;
    PyObject *think;              /* the PauseKind of a pause between two orders */
    PyObject *thinking, *working; /* a user's state during such a pause, and after it */
    PyObject *nothing;            /* the outcome of a pause of no length */
    PyObject *never;              /* infinity */
    Lines lines;
    Pauses pauses;
    char is_turning; /* a turn is under way: no other method may change the rounds */
    int *to_send;     /* the file numbers of sockets whose requests are to be sent, in order */
    int first, last, asking_space; /* the requests from first up to, but not including, last are not yet sent */
    struct epoll_event come[MOST_AT_ONCE]; /* the sockets that are ready */
    int served, found;                     /* how many of them were served, and how many there are */
    char is_stamped; /* the system gives timestamps, so that it is known how long answers waited */
    double answers_waited; /* in seconds, the sum */
} Rounds;

/* Leave a user to the loop. 0, or -1 with an exception. */
int leave(const Turn *turn, const Line *line, PyObject *said);

/* Leave a user to the loop with the exception that is set. 0, or -1 with an exception: also with that one, if it is to
 * end the program (KeyboardInterrupt, SystemExit) and not just this user. */
int leave_exception(const Turn *turn, const Line *line);

/* Take the answer that a socket has received, and continue the user's script up to its next request, which is prepared
 * to be sent. 0, or -1 with an exception that is not a user's. */
int serve(Rounds *self, const Turn *turn, int fileno);

/* Continue the scripts whose pauses are over, at least one, until time is up. 0, or -1 with an exception. */
int end_pauses(Rounds *self, const Turn *turn);

/* Leave all users who think to the loop, with their pauses. 0, or -1 with an exception. */
int leave_sleepers(Rounds *self, const Turn *turn);

#endif
