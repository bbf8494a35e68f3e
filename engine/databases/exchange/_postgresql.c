/* Parsing PostgreSQL's answers: their messages, and the values in them. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#include "_postgresql.h"
#include "_reader.h"

/* A message's header: its type, a letter, and its length, which includes itself but not the letter. */
enum { HEADER = 5, LONGEST_OTHER_MESSAGE = 30000 };

static int32_t int32_at(const char *bytes) { return (int32_t)big_endian(bytes, 4); }

static Py_ssize_t size_of(const char *message) { return 1 + int32_at(message + 1); }

static Reader reader_of(const char *messages, Part message)
{
    const char *begin = messages + message.at;
    return (Reader){.at = begin + (message.size > 0 ? HEADER : 0), .end = begin + message.size};
}

static int32_t read_int32(Reader *reader) { return int32_at(skip(reader, 4)); }

static int read_int16(Reader *reader) { return (int)big_endian(skip(reader, 2), 2); }

/* A text that ends with a zero byte. */
static const char *read_text(Reader *reader, Py_ssize_t *size)
{
    const char *zero = reader->at < reader->end ? memchr(reader->at, 0, (size_t)(reader->end - reader->at)) : NULL;
    *size = zero == NULL ? -1 : zero - reader->at;
    const char *text = skip(reader, *size);
    skip(reader, 1);
    return text;
}

/* A field of an ErrorResponse or a NoticeResponse. */
static Value find_field(const char *messages, Part message, char letter)
{
    Reader reader = reader_of(messages, message);
    while (!reader.is_spoilt) {
        Value field = {0};
        char found = *skip(&reader, 1);
        field.at = read_text(&reader, &field.size);
        if (!reader.is_spoilt && found == letter)
            return field;
    }
    return (Value){0};
}

static int is_warning(const char *messages, Part notice)
{
    Value severity = find_field(messages, notice, 'V');
    return severity.at != NULL && strcmp(severity.at, "WARNING") == 0;
}

/* Record a complete message. */
static void note(Found *found, const char *messages, Part message)
{
    Reader reader = reader_of(messages, message);
    switch (messages[message.at]) {
    case 'D':
        found->rows++;
        found->row_bytes += message.size;
        break;
    case 'T':
        found->description = message;
        found->columns = read_int16(&reader);
        break;
    case 'E':
        found->error = message;
        break;
    case 'N':
        if (is_warning(messages, message))
            found->warning = message;
        break;
    }
}

/* Whether this can be a message of an answer; as in libpq, only some types may be long. */
static int is_known(char type, int32_t length)
{
    switch (type) {
    case 'D': case 'T': case 'E': case 'N': case 'A':
        return length >= 4 && length <= LONGEST_BYTES;
    case 'C': case 'I': case 'Z': case 'S': case '1': case '2': case 'n': case 's':
        return length >= 4 && length <= LONGEST_OTHER_MESSAGE;
    default:
        return 0;
    }
}

static Outcome parse(const Buffer *input, Py_ssize_t *parsed, Found *found)
{
    while (input->size - *parsed >= HEADER) {
        const char *message = input->bytes + *parsed;
        int32_t length = int32_at(message + 1);
        if (!is_known(*message, length))
            return ENDED;
        if (input->size - *parsed < 1 + length)
            return MORE_LEFT;
        note(found, input->bytes, (Part){*parsed, 1 + length});
        *parsed += 1 + length;
        if (*message == 'Z')
            return ALL_TAKEN;
    }
    return MORE_LEFT;
}

/* The DataRow of a number, which exists. The search begins at the first row, since few rows are ever read. */
static Reader row_of(const char *messages, Py_ssize_t number)
{
    for (const char *message = messages;; message += size_of(message))
        if (*message == 'D' && number-- == 0)
            return (Reader){.at = message + HEADER, .end = message + size_of(message)};
}

static Value value(const Found *Py_UNUSED(found), const char *messages, Py_ssize_t row, Py_ssize_t column)
{
    Value value = {0};
    Reader reader = row_of(messages, row);
    if (column < 0 || column >= read_int16(&reader)) {
        PyErr_SetString(PyExc_IndexError, "the answer has no such column");
        return value;
    }
    do {
        value.size = read_int32(&reader);
        value.at = skip(&reader, value.size < 0 ? 0 : value.size);
    } while (column-- > 0);
    if (reader.is_spoilt)
        PyErr_SetString(PyExc_IndexError, "the answer has no such value");
    if (reader.is_spoilt || value.size < 0)
        value.at = NULL;
    return value;
}

static PyObject *integer(const Value *value)
{
    switch (value->size) {
    case 2:
        return PyLong_FromLong((int16_t)big_endian(value->at, 2));
    case 4:
        return PyLong_FromLong(int32_at(value->at));
    case 8:
        return PyLong_FromLongLong((int64_t)big_endian(value->at, 8));
    }
    PyErr_Format(PyExc_ValueError, "a value of %zd bytes is not an integer", value->size);
    return NULL;
}

static long column_type(const Found *found, const char *messages, Py_ssize_t column)
{
    Reader reader = reader_of(messages, found->description);
    if (column < 0 || column >= read_int16(&reader))
        return -1;
    uint32_t type;
    do {
        Py_ssize_t name_size;
        read_text(&reader, &name_size);
        skip(&reader, 6); /* table, and number in it */
        type = (uint32_t)read_int32(&reader);
        skip(&reader, 8); /* size, modifier, format */
    } while (column-- > 0);
    return reader.is_spoilt ? -1 : (long)type;
}

const Protocol POSTGRESQL_PROTOCOL = {
    .key = "postgresql",
    .product = "PostgreSQL",
    .decoder = "engine.databases.postgresql.wire",
    .write_request = write_postgresql_request,
    .parse = parse,
    .value = value,
    .integer = integer,
    .column_type = column_type,
    .field = find_field,
};
