/* Writing Protocol Buffers: see protobuf.h. */
#include "cli/export/protobuf.h"

#include "base/array.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, VARINT_MAX = 10 };

static bool reserve(struct message *message, size_t more)
{
    if (!message->failed &&
        array_reserve(&message->bytes, &message->capacity, message->count + more, NULL) != 0)
        message->failed = true;
    return !message->failed;
}

void message_varint(struct message *message, uint64_t value)
{
    if (!reserve(message, VARINT_MAX))
        return;
    for (; value >= 0x80; value >>= 7)
        message->bytes[message->count++] = (unsigned char)(value | 0x80);
    message->bytes[message->count++] = (unsigned char)value;
}

void message_int(struct message *message, uint32_t field, uint64_t value)
{
    message_varint(message, (uint64_t)field << 3 | WIRE_VARINT);
    message_varint(message, value);
}

static void message_bytes(struct message *message, uint32_t field, const void *bytes, size_t count)
{
    message_varint(message, (uint64_t)field << 3 | WIRE_BYTES);
    message_varint(message, count);
    if (count == 0 || !reserve(message, count))
        return;
    memcpy(message->bytes + message->count, bytes, count);
    message->count += count;
}

/* Strings must be UTF-8: readers refuse others. Writes the text, or only counts if `to` is NULL. */
static size_t put_sound(unsigned char *to, const char *text)
{
    static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
    const unsigned char *at = (const unsigned char *)text;
    size_t count = 0;
    while (*at != 0) {
        size_t sound = (size_t)utf8_length(at), bytes = sound > 0 ? sound : sizeof unknown - 1;
        if (to != NULL)
            memcpy(to + count, sound > 0 ? (const char *)at : unknown, bytes);
        count += bytes;
        at += sound > 0 ? sound : 1;
    }
    return count;
}

void message_text(struct message *message, uint32_t field, const char *text)
{
    size_t count = put_sound(NULL, text);
    message_varint(message, (uint64_t)field << 3 | WIRE_BYTES);
    message_varint(message, count);
    if (count > 0 && reserve(message, count))
        message->count += put_sound(message->bytes + message->count, text);
}

void message_put(struct message *message, uint32_t field, const struct message *part)
{
    message_bytes(message, field, part->bytes, part->count);
    message->failed |= part->failed;
}

void message_release(struct message *message)
{
    free(message->bytes);
    *message = (struct message){0};
}
