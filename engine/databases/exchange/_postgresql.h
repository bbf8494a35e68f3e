/* PostgreSQL's protocol 3.0 ("Message Formats" in its manual), as far as prepared statements need it.
 *
 * For each statement the same messages are sent as by libpq: Bind, Describe, Execute, Sync, with binary results.
 */

#ifndef SPINDLE_POSTGRESQL_H
#define SPINDLE_POSTGRESQL_H

#include "_protocol.h"

/* See Protocol. */
int write_postgresql_request(Buffer *request, PyObject *call, PyObject *values);

#endif
