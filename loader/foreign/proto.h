/*
 * Reads fields of Protocol Buffers (https://protobuf.dev/programming-guides/encoding) from memory,
 * one after another, in the order of the message. No number is trusted: a field that reaches over
 * the message's end, an unknown wire type or a number of more than ten bytes makes it unsound.
 */
#ifndef FISQL_LOADER_FOREIGN_PROTO_H
#define FISQL_LOADER_FOREIGN_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct proto {
    const unsigned char *at, *end;
};

struct proto_field {
    uint32_t number;
    enum { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 } wire;
    uint64_t bits;             /* of a number */
    const unsigned char *data; /* of bytes; borrowed from the message */
    size_t bytes;
};

static inline struct proto proto_begin(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    return (struct proto){at, at + bytes};
}

static inline struct proto proto_message(const struct proto_field *field)
{
    return proto_begin(field->data, field->bytes);
}

static inline bool proto_varint(struct proto *message, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70 && message->at < message->end; shift += 7) {
        unsigned char byte = *message->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

/* 1: *field is the next one; 0: the end; -1: the message is not sound. */
static inline int proto_next(struct proto *message, struct proto_field *field)
{
    uint64_t tag, length;
    if (message->at == message->end)
        return 0;
    if (!proto_varint(message, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
        return -1;
    size_t left = (size_t)(message->end - message->at);
    *field = (struct proto_field){.number = (uint32_t)(tag >> 3)};
    switch (tag & 7) {
    case PROTO_VARINT:
        field->wire = PROTO_VARINT;
        return proto_varint(message, &field->bits) ? 1 : -1;
    case PROTO_BYTES:
        field->wire = PROTO_BYTES;
        if (!proto_varint(message, &length) || length > (size_t)(message->end - message->at))
            return -1;
        field->data = message->at;
        field->bytes = (size_t)length;
        message->at += length;
        return 1;
    case PROTO_FIXED64:
    case PROTO_FIXED32:
        field->wire = (tag & 7) == PROTO_FIXED64 ? PROTO_FIXED64 : PROTO_FIXED32;
        field->bytes = field->wire == PROTO_FIXED64 ? 8 : 4;
        if (left < field->bytes)
            return -1;
        memcpy(&field->bits, message->at, field->bytes);
        message->at += field->bytes;
        return 1;
    default:
        return -1;
    }
}

#endif
