/* MySQL's client/server protocol, which MariaDB shares ("MySQL Client/Server Protocol" in MySQL's source documentation):
 * executing statements and taking what comes of it. The connection has been made, with the capabilities of
 * engine/databases/mariadb/handshake.py: among them CLIENT_PS_MULTI_RESULTS and not CLIENT_DEPRECATE_EOF.
 */

#ifndef SPINDLE_MYSQL_H
#define SPINDLE_MYSQL_H

#include "_protocol.h"

/* Of a packet: the length of what it holds, in three bytes, and its number. One of the longest length goes on in the
 * next packet, and is refused: no call of a workload comes near 16 MiB. */
enum { PACKET_HEADER = 4, LONGEST_PACKET = 0xFFFFFF };

/* The types of columns and parameters that are read or written in ways of their own; of all others a value is a text
 * behind its length. */
enum {
    TYPE_TINY = 1, TYPE_SHORT = 2, TYPE_LONG = 3, TYPE_FLOAT = 4, TYPE_DOUBLE = 5, TYPE_NULL = 6, TYPE_TIMESTAMP = 7,
    TYPE_LONGLONG = 8, TYPE_INT24 = 9, TYPE_DATE = 10, TYPE_TIME = 11, TYPE_DATETIME = 12, TYPE_YEAR = 13,
    TYPE_NEWDECIMAL = 246, TYPE_VAR_STRING = 253
};

/* What is added to the number of a column's type: it holds no negative numbers; its texts are bytes. */
enum { IS_UNSIGNED = 0x100, IS_BINARY = 0x200, TYPE_BITS = 0xFF };

/* See Protocol. */
int write_mysql_request(Buffer *request, PyObject *call, PyObject *values);
Outcome parse_mysql_packets(const Buffer *input, Py_ssize_t *parsed, Found *found);

#endif
