/* Reading what a server has sent, never beyond its end. */

#ifndef SPINDLE_READER_H
#define SPINDLE_READER_H

#include <Python.h>
#include <stdint.h>

/* What is left of a message; a read beyond its end gives nothing, and marks it as spoilt. */
typedef struct {
    const char *at, *end;
    int is_spoilt;
} Reader;

/* Go beyond so many bytes; where they begin. Up to eight can be read also when they are not there. */
static inline const char *skip(Reader *reader, Py_ssize_t size)
{
    static const char nothing[8] = {0};
    const char *at = reader->at;
    if (reader->is_spoilt || size < 0 || reader->end - at < size) {
        reader->is_spoilt = 1;
        return nothing;
    }
    reader->at += size;
    return at;
}

/* The bytes of a number, the last one first. */
static inline uint64_t little_endian(const char *bytes, int size)
{
    uint64_t value = 0;
    for (int place = size - 1; place >= 0; place--)
        value = value << 8 | (unsigned char)bytes[place];
    return value;
}

/* The bytes of a number, the first one first. */
static inline uint64_t big_endian(const char *bytes, int size)
{
    uint64_t value = 0;
    for (int place = 0; place < size; place++)
        value = value << 8 | (unsigned char)bytes[place];
    return value;
}

#endif
