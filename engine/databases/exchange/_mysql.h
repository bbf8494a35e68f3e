/* MySQL's client/server protocol, which MariaDB shares ("MySQL Client/Server Protocol" in MySQL's source
 * documentation): executing statements and reading their results. The connection was made before, with the capabilities
 * of engine/databases/mariadb/handshake.py: among them CLIENT_PS_MULTI_RESULTS and not CLIENT_DEPRECATE_EOF.
 */

#ifndef SPINDLE_MYSQL_H
#define SPINDLE_MYSQL_H

#include "_protocol.h"
#include "_reader.h"

/* A packet's header: the length of its payload, in three bytes, and its number. A payload of the longest length
 * continues in the next packet, which is not supported: no call of the workload comes near 16 MiB. */
enum { PACKET_HEADER = 4, LONGEST_PACKET = 0xFFFFFF };

/* The types of columns and parameters with a binary format of their own; the values of all others are length-encoded
 * texts. */
enum {
    TYPE_TINY = 1, TYPE_SHORT = 2, TYPE_LONG = 3, TYPE_FLOAT = 4, TYPE_DOUBLE = 5, TYPE_NULL = 6, TYPE_TIMESTAMP = 7,
    TYPE_LONGLONG = 8, TYPE_INT24 = 9, TYPE_DATE = 10, TYPE_TIME = 11, TYPE_DATETIME = 12, TYPE_YEAR = 13,
    TYPE_NEWDECIMAL = 246, TYPE_VAR_STRING = 253
};

/* Flags that are added to the number of a column's type: it is unsigned; its texts are bytes. */
enum { IS_UNSIGNED = 0x100, IS_BINARY = 0x200, TYPE_BITS = 0xFF };

/* The first byte of packets that are neither rows nor column definitions. */
enum { OK = 0x00, LOCAL_FILE = 0xFB, END = 0xFE, ERROR = 0xFF };

/* A length-encoded integer; -1 for a null (0xFB). */
static inline Py_ssize_t read_length(Reader *reader)
{
    unsigned char first = (unsigned char)*skip(reader, 1);
    if (first < 0xFB)
        return first;
    int size = first == 0xFC ? 2 : first == 0xFD ? 3 : first == 0xFE ? 8 : -1;
    uint64_t length = little_endian(skip(reader, size), Py_MAX(size, 0));
    return reader->is_spoilt || length > LONGEST_BYTES ? -1 : (Py_ssize_t)length;
}

/* See Protocol. */
int write_mysql_request(Buffer *request, PyObject *call, PyObject *values);
Outcome parse_mysql_packets(const Buffer *input, Py_ssize_t *parsed, Found *found);

#endif
