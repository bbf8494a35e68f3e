/* The clock of Python's time.monotonic: times read in C and in Python are compared with each other. */

#ifndef SPINDLE_CLOCK_H
#define SPINDLE_CLOCK_H

#include <time.h>

/* On macOS CLOCK_MONOTONIC goes on while the machine sleeps; Python's clock does not. */
#ifdef __APPLE__
#define MONOTONIC_CLOCK CLOCK_UPTIME_RAW
#else
#define MONOTONIC_CLOCK CLOCK_MONOTONIC
#endif

#endif
