/* Writing Protocol Buffers: a message is built in a buffer that grows, field by field.
 * Source: https://protobuf.dev/programming-guides/encoding/ */
#ifndef FISQL_CLI_EXPORT_PROTOBUF_H
#define FISQL_CLI_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
    unsigned char *bytes; /* owned */
    size_t count, capacity;
    bool failed; /* memory ran out: later fields are lost */
};

void message_varint(struct message *message, uint64_t value); /* without a field's number */
void message_int(struct message *message, uint32_t field, uint64_t value);
/* Bytes that are not UTF-8 become U+FFFD. */
void message_text(struct message *message, uint32_t field, const char *text);
/* Another message as a field of this one. */
void message_put(struct message *message, uint32_t field, const struct message *part);

static inline void message_clear(struct message *message)
{
    message->count = 0;
}

void message_release(struct message *message);

#endif
