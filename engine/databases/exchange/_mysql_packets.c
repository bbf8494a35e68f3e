/* Parsing MySQL's answers packet by packet: one or more results, with columns and rows or without. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_mysql.h"

/* What the next packet belongs to; at first, to a result. */
enum { RESULT, DEFINITIONS, END_OF_DEFINITIONS, ROWS };

/* The packet that ends a result is shorter than any row that begins with the same byte. */
enum { LONGEST_END = 8, MORE_RESULTS = 0x0008, MOST_COLUMNS = 4096 };

/* The first byte of an error and its number. */
enum { SHORTEST_ERROR = 3 };

/* Whether another result follows the one that this packet ends; -1 if the packet is malformed. */
static int goes_on(Reader packet, int is_ok)
{
    skip(&packet, 1);
    for (int number = 0; is_ok && number < 2; number++) /* affected rows, last inserted id */
        read_length(&packet);
    if (!is_ok)
        skip(&packet, 2); /* the number of warnings */
    unsigned status = (unsigned)little_endian(skip(&packet, 2), 2);
    return packet.is_spoilt ? -1 : (status & MORE_RESULTS) != 0;
}

/* Parse the first packet of a result: the number of its columns, or the end of a statement without a result set. */
static Outcome begin_result(Found *found, Reader packet, Py_ssize_t next)
{
    unsigned char first = (unsigned char)*packet.at;
    if (first == OK) {
        int more = goes_on(packet, 1);
        return more < 0 ? ENDED : more ? MORE_LEFT : ALL_TAKEN;
    }
    Py_ssize_t columns = first > 0xFC ? 0 : read_length(&packet);
    if (packet.is_spoilt || packet.at != packet.end || columns == 0 || columns > MOST_COLUMNS)
        return ENDED; /* also a request for a local file, which is never sent */
    found->expected = columns;
    found->stage = DEFINITIONS;
    if (++found->results == 1) {
        found->columns = columns;
        found->description.at = next;
    }
    return MORE_LEFT;
}

/* Parse a packet, given its payload, which is not empty, and where it and the next packet begin. */
static Outcome note(Found *found, Reader packet, Py_ssize_t at, Py_ssize_t next)
{
    Py_ssize_t size = packet.end - packet.at;
    unsigned char first = (unsigned char)*packet.at;
    int is_end = first == END && size <= LONGEST_END;
    if (first == ERROR && size < SHORTEST_ERROR)
        return ENDED;
    if (first == ERROR) {
        found->error = (Part){at, next - at};
        return ALL_TAKEN;
    }
    switch (found->stage) {
    case RESULT:
        return begin_result(found, packet, next);
    case DEFINITIONS:
        if (--found->expected == 0)
            found->stage = END_OF_DEFINITIONS;
        return MORE_LEFT;
    case END_OF_DEFINITIONS:
        if (!is_end)
            return ENDED;
        if (found->results == 1) {
            found->description.size = at - found->description.at;
            found->rows_at = next;
        }
        found->stage = ROWS;
        return MORE_LEFT;
    }
    if (!is_end) {
        if (found->results == 1) {
            found->rows++;
            found->row_bytes += next - at;
        }
        return MORE_LEFT;
    }
    int more = goes_on(packet, 0);
    found->stage = RESULT;
    return more < 0 ? ENDED : more ? MORE_LEFT : ALL_TAKEN;
}

Outcome parse_mysql_packets(const Buffer *input, Py_ssize_t *parsed, Found *found)
{
    while (input->size - *parsed >= PACKET_HEADER) {
        const char *packet = input->bytes + *parsed;
        Py_ssize_t size = (Py_ssize_t)little_endian(packet, 3);
        unsigned char number = (unsigned char)packet[3];
        Py_ssize_t come = input->size - *parsed - PACKET_HEADER;
        const char *content = packet + PACKET_HEADER;
        if (size == 0 || size == LONGEST_PACKET)
            return ENDED;
        if (come == 0)
            return MORE_LEFT;
        /* The error that a server sends unasked before it ends the connection has a sequence of its own. */
        int is_error = (unsigned char)*content == ERROR;
        if (number != (unsigned char)(found->sequence + 1) && !is_error)
            return ENDED;
        if (come < size)
            return MORE_LEFT;
        found->sequence = number;
        Py_ssize_t next = *parsed + PACKET_HEADER + size;
        Outcome outcome = note(found, (Reader){content, content + size, 0}, *parsed, next);
        if (outcome == ENDED)
            return ENDED;
        *parsed = next;
        if (outcome == ALL_TAKEN)
            return ALL_TAKEN;
    }
    return MORE_LEFT;
}
