/* Reading a server's messages, never beyond their end. */

#ifndef SPINDLE_READER_H
#define SPINDLE_READER_H

#include <Python.h>
#include <stdint.h>

/* The rest of a message. A read beyond its end returns zeros and marks it as spoilt. */
typedef struct {
    const char *at, *end;
    int is_spoilt;
} Reader;

/* Skip some bytes: where they begin. Beyond the end, up to eight zero bytes can be read there. */
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

/* A number whose first byte is the least significant. */
static inline uint64_t little_endian(const char *bytes, int size)
{
    uint64_t value = 0;
    for (int place = size - 1; place >= 0; place--)
        value = value << 8 | (unsigned char)bytes[place];
    return value;
}

/* A number whose first byte is the most significant. */
static inline uint64_t big_endian(const char *bytes, int size)
{
    uint64_t value = 0;
    for (int place = 0; place < size; place++)
        value = value << 8 | (unsigned char)bytes[place];
    return value;
}

#endif
