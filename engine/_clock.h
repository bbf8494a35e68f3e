/* Which clock is Python's time.monotonic, by which all that is compiled is held against Python's moments. */

#ifndef SPINDLE_CLOCK_H
#define SPINDLE_CLOCK_H

#include <time.h>

/* On macOS CLOCK_MONOTONIC runs on while the machine sleeps, and Python's does not. */
#ifdef __APPLE__
#define MONOTONIC_CLOCK CLOCK_UPTIME_RAW
#else
#define MONOTONIC_CLOCK CLOCK_MONOTONIC
#endif

#endif
