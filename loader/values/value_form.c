/* Values as the database has them: see value_form.h. */
#include "loader/values/value_form.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "loader/values/value_socket.h"
#include "loader/values/value_struct.h"
#include "formats/log.h"

#define TEXT_BYTES_MAX FISQL_CHECKPOINT_TEXT_MAX /* the longest; those of arguments are shorter */
#define ESCAPED_MAX (4 * TEXT_BYTES_MAX + 8)
_Static_assert(FISQL_VALUES_BYTES_MAX <= TEXT_BYTES_MAX, "any text fits");

uint64_t value_text_hash(const char *text, size_t bytes)
{
    uint64_t hash = bytes;
    while (bytes > 0) {
        uint64_t word = 0;
        size_t taken = bytes < 8 ? bytes : 8;
        memcpy(&word, text, taken);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
        text += taken;
        bytes -= taken;
    }
    return hash;
}

/* Room for a form with text, not yet counted as used. */
static struct value_form *place(struct value_buffer *buffer, size_t text_bytes, struct error *error)
{
    size_t more = sizeof(struct value_form) + text_bytes + 8;
    if (array_reserve(&buffer->bytes, &buffer->capacity, buffer->used + more, error) != 0)
        return NULL;
    struct value_form *form = (struct value_form *)(void *)(buffer->bytes + buffer->used);
    *form = (struct value_form){.class = VALUE_CLASS_NONE};
    return form;
}

static int add_number(struct value_buffer *buffer, unsigned position, enum value_form_type type,
                      uint64_t bits, enum value_class class, struct error *error)
{
    struct value_form *form = place(buffer, 0, error);
    if (form == NULL)
        return -1;
    form->position = (uint8_t)position;
    form->type = (uint8_t)type;
    form->class = (uint8_t) class;
    form->bits = bits;
    buffer->used += sizeof *form;
    return 0;
}

static int add_text(struct value_buffer *buffer, unsigned position, enum value_form_type type,
                    const char *text, size_t bytes, enum value_class class, struct error *error)
{
    struct value_form *form = place(buffer, bytes, error);
    if (form == NULL)
        return -1;
    form->position = (uint8_t)position;
    form->type = (uint8_t)type;
    form->class = (uint8_t) class;
    form->text_bytes = (uint32_t)bytes;
    form->bits = value_text_hash(text, bytes);
    memset(form->text + (bytes & ~(size_t)7), 0, 8);
    memcpy(form->text, text, bytes);
    buffer->used += value_form_bytes(form);
    return 0;
}

/* Escapes a text: readable, and different texts stay different. Returns its length. */
static size_t escape(const struct value *value, char *out)
{
    static const char hex[] = "0123456789abcdef";
    unsigned char text[TEXT_BYTES_MAX + 1];
    char *to = out;
    memcpy(text, value->data, value->bytes);
    text[value->bytes] = 0;
    for (uint32_t i = 0; i < value->bytes;) {
        unsigned char c = text[i];
        int length = c == 0 ? 0 : utf8_length(text + i);
        const char *letter = strchr("n\nt\tr\r\\\\", c);
        if (c != 0 && letter != NULL && (c < ' ' || c == '\\')) {
            *to++ = '\\';
            *to++ = c == '\\' ? '\\' : letter[-1];
            i++;
        } else if (length == 0 || c < ' ' || c == 0x7f) {
            *to++ = '\\';
            *to++ = 'x';
            *to++ = hex[c >> 4];
            *to++ = hex[c & 15];
            i++;
        } else {
            memcpy(to, text + i, (size_t)length);
            to += length;
            i += (uint32_t)length;
        }
    }
    if (value->type == VALUE_TEXT_CUT)
        to = mempcpy(to, "\\...", 4);
    return (size_t)(to - out);
}

static int add_string(struct value_buffer *buffer, const struct value *value, unsigned position,
                      struct error *error)
{
    char text[ESCAPED_MAX];
    size_t bytes = value->bytes;
    if (value->type == VALUE_TEXT_CUT) /* perhaps in the middle of a character: we drop that */
        bytes -= utf8_open_end((const char *)value->data, bytes);
    struct value whole = *value;
    whole.bytes = (uint32_t)bytes;
    return add_text(buffer, position, value->type == VALUE_TEXT ? FORM_TEXT : FORM_CUT, text,
                    escape(&whole, text), VALUE_CLASS_POINTER, error);
}

static int add_float(struct value_buffer *buffer, const struct value *value, unsigned position,
                     struct error *error)
{
    char text[VALUE_FLOAT_TEXT_MAX];
    double number;
    uint64_t bits;
    if (value_double(value, &number)) {
        memcpy(&bits, &number, 8);
        return add_number(buffer, position, FORM_REAL, bits, VALUE_CLASS_OTHER, error);
    }
    value_float_text(value, text);
    return add_text(buffer, position, FORM_WORDS, text, strlen(text), VALUE_CLASS_OTHER, error);
}

static enum value_class class_of(int64_t number, const struct parameter_type *type)
{
    if (type != NULL && type->kind == PARAMETER_BOOL)
        return number == 0 ? VALUE_CLASS_FALSE : VALUE_CLASS_TRUE;
    return number < 0    ? VALUE_CLASS_NEGATIVE
           : number == 0 ? VALUE_CLASS_ZERO
                         : VALUE_CLASS_POSITIVE;
}

__extension__ typedef __int128 int128;

/* An integer of 16 bytes. */
static int add_int128(struct value_buffer *buffer, const struct value *value, unsigned position,
                      const struct parameter_type *type, struct error *error)
{
    char text[48], *at = text + sizeof text;
    int128 number;
    memcpy(&number, value->data, sizeof number);
    bool negative = type->kind == PARAMETER_SIGNED && number < 0;
    if (number == (int64_t)number && (type->kind == PARAMETER_SIGNED || number >= 0))
        return add_number(buffer, position, FORM_INTEGER, (uint64_t)number,
                          class_of((int64_t)number, type), error);
    uint64_t low, high; /* of the rest, by long division by ten */
    number = negative ? -number : number;
    low = (uint64_t)number;
    high = (uint64_t)(number >> 64);
    for (; (low | high) != 0;) {
        uint64_t carry = high % 10, upper = low >> 32 | carry << 32;
        high /= 10;
        uint64_t lower = (low & UINT32_MAX) | upper % 10 << 32;
        low = upper / 10 << 32 | lower / 10;
        *--at = (char)('0' + lower % 10);
    }
    if (negative)
        *--at = '-';
    return add_text(buffer, position, FORM_WORDS, at, (size_t)(text + sizeof text - at),
                    negative ? VALUE_CLASS_NEGATIVE : VALUE_CLASS_POSITIVE, error);
}

/* The integer that is shown: of formats that have no sign its bits alone. */
static uint64_t as_bits(const struct value *value, const struct parameter_type *type)
{
    bool unsigned_bits = type != NULL && type->size_bytes < 8 &&
                         (type->kind == PARAMETER_HEX || type->kind == PARAMETER_OCTAL);
    return unsigned_bits ? value->bits & ((UINT64_C(1) << 8 * type->size_bytes) - 1) : value->bits;
}

int value_form_add(struct value_buffer *buffer, const struct value *value, unsigned position,
                   const struct parameter_type *type, const char *name, struct error *error)
{
    char text[VALUE_STRUCT_TEXT_MAX];
    const uint64_t bits = as_bits(value, type);
    switch (value->type) {
    case VALUE_INTEGER:
        return add_number(buffer, position, FORM_INTEGER, bits, class_of((int64_t)bits, type),
                          error);
    case VALUE_UNSIGNED:
        snprintf(text, sizeof text,
                 type != NULL && type->kind == PARAMETER_HEX     ? "0x%llx"
                 : type != NULL && type->kind == PARAMETER_OCTAL ? "0%llo"
                                                                 : "%llu",
                 (unsigned long long)value->bits);
        return add_text(buffer, position, FORM_WORDS, text, strlen(text), VALUE_CLASS_POSITIVE,
                        error);
    case VALUE_POINTER:
        if (value->bits == 0 && type != NULL && type->kind == PARAMETER_SOCKET_ADDRESS)
            name = "NULL"; /* no address */
        if (name != NULL && !(type != NULL && type->kind == PARAMETER_HEX))
            return add_text(buffer, position, FORM_WORDS, name, strlen(name), VALUE_CLASS_POINTER,
                            error);
        return add_number(buffer, position, FORM_POINTER, value->bits,
                          value->bits == 0 ? VALUE_CLASS_NULL : VALUE_CLASS_POINTER, error);
    case VALUE_FLOAT:
        return add_float(buffer, value, position, error);
    case VALUE_BYTES:
        if (value->bytes == 16 && type != NULL &&
            (type->kind == PARAMETER_SIGNED || type->kind == PARAMETER_UNSIGNED))
            return add_int128(buffer, value, position, type, error);
        if (type != NULL && type->kind == PARAMETER_SOCKET_ADDRESS)
            value_socket_text(value, text);
        else
            value_struct_text(value, type, text);
        return add_text(buffer, position, FORM_WORDS, text, strlen(text), VALUE_CLASS_OTHER, error);
    case VALUE_TEXT:
    case VALUE_TEXT_CUT:
        return add_string(buffer, value, position, error);
    case VALUE_ABSENT:
        return add_number(buffer, position, FORM_ABSENT, 0, VALUE_CLASS_NONE, error);
    case VALUE_UNREADABLE:
        return add_number(buffer, position, FORM_UNREADABLE, 0, VALUE_CLASS_NONE, error);
    default:
        return add_number(buffer, position, FORM_NO_ROOM, 0, VALUE_CLASS_NONE, error);
    }
}

int value_buffer_add(struct value_buffer *buffer, const void *forms, size_t bytes,
                     struct error *error)
{
    if (array_reserve(&buffer->bytes, &buffer->capacity, buffer->used + bytes, error) != 0)
        return -1;
    memcpy(buffer->bytes + buffer->used, forms, bytes);
    buffer->used += bytes;
    return 0;
}
