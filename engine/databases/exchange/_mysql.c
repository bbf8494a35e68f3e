/* The values in MySQL's answers, which the column definitions locate and give the types of. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

#include "_mysql.h"

enum { NULL_TEXT = 0xFB, UNSIGNED_FLAG = 0x0020, BINARY_CHARACTER_SET = 63, SQLSTATE_SIZE = 5, NULL_BITS_OFFSET = 2 };

/* Read the next packet. */
static Reader read_packet(Reader *packets)
{
    Py_ssize_t size = (Py_ssize_t)little_endian(skip(packets, 3), 3);
    skip(packets, 1);
    const char *content = skip(packets, size);
    return (Reader){content, packets->is_spoilt ? content : content + size, packets->is_spoilt};
}

/* Read the type of the next column definition. */
static long read_type(Reader *definitions)
{
    enum { NAMES = 6 }; /* catalog, schema, table, original table, name, original name */
    Reader reader = read_packet(definitions);
    for (int number = 0; number < NAMES; number++)
        skip(&reader, read_length(&reader));
    skip(&reader, 1);
    unsigned characters = (unsigned)little_endian(skip(&reader, 2), 2);
    skip(&reader, 4); /* the column's length */
    long type = (unsigned char)*skip(&reader, 1);
    unsigned flags = (unsigned)little_endian(skip(&reader, 2), 2);
    definitions->is_spoilt |= reader.is_spoilt;
    return type | (flags & UNSIGNED_FLAG ? IS_UNSIGNED : 0) | (characters == BINARY_CHARACTER_SET ? IS_BINARY : 0);
}

static Reader definitions_of(const Found *found, const char *messages)
{
    const char *begin = messages + found->description.at;
    return (Reader){.at = begin, .end = begin + found->description.size};
}

/* The row of a number, which exists. The search begins at the first row, since few rows are ever read. */
static Reader row_of(const Found *found, const char *messages, Py_ssize_t number)
{
    const char *packet = messages + found->rows_at;
    for (; number > 0; number--)
        packet += PACKET_HEADER + little_endian(packet, 3);
    const char *content = packet + PACKET_HEADER;
    return (Reader){.at = content, .end = content + little_endian(packet, 3)};
}

/* The size of a value in the binary format. */
static Py_ssize_t size_in_binary(Reader *row, long type)
{
    switch (type & TYPE_BITS) {
    case TYPE_TINY:
        return 1;
    case TYPE_SHORT: case TYPE_YEAR:
        return 2;
    case TYPE_LONG: case TYPE_INT24: case TYPE_FLOAT:
        return 4;
    case TYPE_LONGLONG: case TYPE_DOUBLE:
        return 8;
    default:
        return read_length(row);
    }
}

static int is_null(const char *nulls, Py_ssize_t column)
{
    Py_ssize_t bit = column + NULL_BITS_OFFSET;
    return ((unsigned char)nulls[bit / 8] >> bit % 8) & 1;
}

/* Read the next value of a row; for a null, its place is NULL. */
static Value read_value(Reader *row, long type, const char *nulls, Py_ssize_t column)
{
    Value value = {.type = type};
    if (nulls == NULL) {
        int is_null_text = !row->is_spoilt && row->at < row->end && (unsigned char)*row->at == NULL_TEXT;
        value.type = TYPE_VAR_STRING;
        value.size = is_null_text ? 1 : read_length(row);
        value.at = skip(row, value.size);
        if (is_null_text)
            value.at = NULL;
    } else if (!is_null(nulls, column)) {
        value.size = size_in_binary(row, type);
        value.at = skip(row, value.size);
    }
    return value;
}

static Value value(const Found *found, const char *messages, Py_ssize_t row, Py_ssize_t column)
{
    Reader definitions = definitions_of(found, messages), values = row_of(found, messages, row);
    Value value = {0};
    if (column < 0 || column >= found->columns) {
        PyErr_SetString(PyExc_IndexError, "the answer has no such column");
        return value;
    }
    const char *nulls = NULL;
    if (!found->is_text) {
        values.is_spoilt |= *skip(&values, 1) != OK;
        nulls = skip(&values, (found->columns + NULL_BITS_OFFSET + 7) / 8);
    }
    for (Py_ssize_t number = 0; number <= column && !values.is_spoilt && !definitions.is_spoilt; number++)
        value = read_value(&values, read_type(&definitions), nulls, number);
    if (values.is_spoilt || definitions.is_spoilt) {
        PyErr_SetString(PyExc_IndexError, "the answer has no such value");
        value.at = NULL;
    }
    return value;
}

static PyObject *integer(const Value *value)
{
    int bits;
    switch (value->type & TYPE_BITS) {
    case TYPE_TINY: case TYPE_SHORT: case TYPE_YEAR: case TYPE_LONG: case TYPE_INT24: case TYPE_LONGLONG:
        bits = 8 * (int)value->size;
        break;
    default:
        PyErr_Format(PyExc_ValueError, "a value of type %ld is not an integer", value->type & TYPE_BITS);
        return NULL;
    }
    uint64_t number = little_endian(value->at, bits / 8);
    if (value->type & IS_UNSIGNED)
        return PyLong_FromUnsignedLongLong(number);
    return PyLong_FromLongLong((int64_t)(number << (64 - bits)) >> (64 - bits));
}

static long column_type(const Found *found, const char *messages, Py_ssize_t column)
{
    Reader definitions = definitions_of(found, messages);
    if (column < 0 || column >= found->columns)
        return -1;
    long type = -1;
    for (Py_ssize_t number = 0; number <= column; number++)
        type = read_type(&definitions);
    if (definitions.is_spoilt)
        return -1;
    return found->is_text ? TYPE_VAR_STRING | (type & IS_BINARY) : type;
}

/* A field of an error: its number (E), its SQLSTATE (C) or its message (M). */
static Value field(const char *messages, Part message, char letter)
{
    const char *begin = messages + message.at;
    Reader reader = {.at = begin, .end = begin + message.size};
    Value number = {0}, sqlstate = {0}, said = {0};
    skip(&reader, PACKET_HEADER + 1);
    number.at = skip(&reader, number.size = 2);
    if (!reader.is_spoilt && reader.at < reader.end && *reader.at == '#') {
        skip(&reader, 1);
        sqlstate.at = skip(&reader, sqlstate.size = SQLSTATE_SIZE);
    }
    if (reader.is_spoilt)
        return (Value){0};
    said.at = reader.at;
    said.size = reader.end - reader.at;
    return letter == 'E' ? number : letter == 'C' ? sqlstate : letter == 'M' ? said : (Value){0};
}

/* The only message that a server sends unasked is the error that says why it ends the connection. */
static int may_be_unasked(const Buffer *input)
{
    return input->size > PACKET_HEADER && (unsigned char)input->bytes[PACKET_HEADER] == ERROR;
}

const Protocol MYSQL_PROTOCOL = {
    .key = "mysql",
    .product = "MySQL",
    .decoder = "engine.databases.mariadb.native.wire",
    .write_request = write_mysql_request,
    .parse = parse_mysql_packets,
    .value = value,
    .integer = integer,
    .column_type = column_type,
    .field = field,
    .may_be_unasked = may_be_unasked,
};
