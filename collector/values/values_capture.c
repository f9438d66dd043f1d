/*
 * Turns the value that a recipe names into the bytes of the log. values_capture.h does this for
 * most values, numbers in a general register or on the stack. Longer ones, those that lie
 * elsewhere, and texts go through a buffer here.
 */
#include "collector/values/values_capture.h"

#include "collector/core/wide_text.h"
#include "collector/values/values_exit.h"
#include "collector/values/values_expression.h"

#include <string.h>

#define CXX1_BYTES 24u
#define COW_LENGTH_BEFORE 24u

/* the value's bytes */

/* A number of at most 8 bytes, in the low ones of a word. */
static void put_word(struct value_writer *writer, const struct fisql_recipe_value *value,
                     uint64_t word)
{
    uint32_t unused = value->size - 1u < 8 ? 64 - 8u * value->size : 0;
    switch (value->what) {
    case FISQL_WHAT_SIGNED:
        value_put_signed(writer, (int64_t)(word << unused) >> unused);
        break;
    case FISQL_WHAT_UNSIGNED:
        value_put_unsigned(writer, word << unused >> unused);
        break;
    default:
        value_put_pointer(writer, word);
    }
}

/* What a function returned in several registers. */
static void result_bytes(const struct capture *capture, const struct fisql_recipe_value *value,
                         unsigned char bytes[FISQL_RECIPE_BYTES_MAX])
{
    const struct values_returned *returned = capture->returned;
    uint32_t element = value->base != 0 ? value->base : 8;
    switch (value->where) {
    case FISQL_WHERE_RESULT:
        memcpy(bytes, returned->general, sizeof returned->general);
        break;
    case FISQL_WHERE_RESULT_MIXED:
        memcpy(bytes + (value->base == 0 ? 0 : 8), &returned->general[0], 8);
        memcpy(bytes + (value->base == 0 ? 8 : 0), returned->vector[0], 8);
        break;
#if defined(__x86_64__)
    case FISQL_WHERE_RESULT_X87: /* a copy of the top is pushed and popped: it stays as it is */
        __asm__ volatile("fld %%st(0)\n\tfstpt %0" : "=m"(*(unsigned char(*)[10])bytes));
        break;
#endif
    default:
        if (value->what == FISQL_WHAT_FLOAT && value->size == 16) { /* all of one register */
            memcpy(bytes, returned->vector[0], 16);
            break;
        }
        for (uint32_t i = 0; i < VALUES_RETURNED_VECTORS; i++)
            memcpy(bytes + i * element, returned->vector[i], element);
    }
}

/* Copies the first `size` bytes from the recipe's place. */
static enum found bytes_of(const struct capture *capture, const struct fisql_recipe_value *value,
                           unsigned char bytes[FISQL_RECIPE_BYTES_MAX], uint32_t size)
{
    uint64_t address;
    switch (value->where) {
    case FISQL_WHERE_ABSENT:
        return FOUND_ABSENT;
    case FISQL_WHERE_VECTOR:
        values_keep(capture->stack.from);
        memcpy(bytes, capture->vector + 16 * value->base, 16);
        return FOUND;
    case FISQL_WHERE_MEMORY:
    case FISQL_WHERE_RESULT_MEMORY:
        address = value->where == FISQL_WHERE_MEMORY ? capture_sum(capture->general, value)
                                                     : capture->returned->general[0];
        if (value->where == FISQL_WHERE_MEMORY && !value->anywhere)
            memcpy(bytes, (const void *)(uintptr_t)address, size);
        else if (read_memory(&capture->stack, address, bytes, size) != size)
            return FOUND_UNREADABLE;
        return FOUND;
    case FISQL_WHERE_PIECES:
        for (uint32_t i = 0, at = 0; i < value->base; i++) {
            const struct fisql_recipe_value *piece = &capture->module->values[value->constant + i];
            unsigned char part[FISQL_RECIPE_BYTES_MAX];
            if (piece->where == FISQL_WHERE_PIECES || piece->size > 16 ||
                at + piece->size > FISQL_RECIPE_BYTES_MAX)
                return FOUND_ABSENT;
            enum found found = bytes_of(capture, piece, part, piece->size);
            if (found != FOUND)
                return found;
            memcpy(bytes + at, part, piece->size);
            at += piece->size;
        }
        return FOUND;
    case FISQL_WHERE_RESULT:
    case FISQL_WHERE_RESULT_VECTOR:
    case FISQL_WHERE_RESULT_MIXED:
    case FISQL_WHERE_RESULT_X87:
        result_bytes(capture, value, bytes);
        return FOUND;
    case FISQL_WHERE_EXPRESSION:
        return expression_word(capture, value, bytes);
    case FISQL_WHERE_KEPT:
        if (capture->kept == NULL || value->base >= FISQL_RECIPE_KEPT_MAX ||
            (capture->kept->known >> value->base & 1) == 0)
            return FOUND_ABSENT;
        memcpy(bytes, &capture->kept->words[value->base], sizeof address);
        return FOUND;
    case FISQL_WHERE_KEEP: /* its value comes at the exit */
    case FISQL_WHERE_STEP:
        return FOUND_ABSENT;
    default:
        address = value->where == FISQL_WHERE_REGISTER   ? capture->general[value->base]
                  : value->where == FISQL_WHERE_CONSTANT ? value->constant
                  : value->where == FISQL_WHERE_ADDRESS  ? value->constant + capture->module->bias
                                                         : capture_sum(capture->general, value);
        memcpy(bytes, &address, sizeof address);
        return FOUND;
    }
}

/* the value in the log */

static void put_missing(struct value_writer *writer, enum found found)
{
    value_put_tag(writer, found == FOUND_NULL     ? FISQL_VALUE_NULL
                          : found == FOUND_ABSENT ? FISQL_VALUE_ABSENT
                                                  : FISQL_VALUE_UNREADABLE);
}

/* How many bytes of a text fit; 0 if none. */
static uint32_t text_room(const struct value_writer *writer)
{
    size_t room = value_room(writer);
    if (room < VALUE_TEXT_HEAD + 2)
        return 0;
    room -= VALUE_TEXT_HEAD + 1; /* we read one more, to see whether the text goes on */
    return room < recipe_string_max ? (uint32_t)room : recipe_string_max;
}

/* Puts a text that ends with a NUL, or after `most` bytes (0 = only with a NUL). */
static void put_text(struct value_writer *writer, const struct capture *capture, uint64_t address,
                     uint32_t most)
{
    uint32_t room = text_room(writer);
    if (address == 0) {
        value_put_tag(writer, FISQL_VALUE_NULL);
        return;
    }
    if (room == 0) {
        value_put_tag(writer, FISQL_VALUE_NO_ROOM);
        return;
    }
    unsigned char *text = value_text(writer);
    bool whole = most != 0 && most <= room;
    size_t got = read_text(&capture->stack, address, text, whole ? most : room + 1);
    bool ended = got > 0 && text[got - 1] == 0;
    if (ended)
        value_put_text(writer, (uint32_t)got - 1, false);
    else if (whole && got == most)
        value_put_text(writer, most, false);
    else if (got > room)
        value_put_text(writer, room, true);
    else
        put_missing(writer, FOUND_UNREADABLE);
}

#define WIDE_BYTES 64u

/* The characters of a wide text that are being read. */
struct wide_text {
    uint64_t address; /* of the bytes behind these */
    uint32_t unit, at, got;
    unsigned char bytes[WIDE_BYTES];
};

/* The next unit; false if it cannot be read. */
static bool next_unit(struct wide_text *wide, const struct capture *capture, uint32_t *unit)
{
    if (wide->at + wide->unit > wide->got) {
        wide->address += wide->at;
        wide->at = 0;
        wide->got = (uint32_t)read_memory(&capture->stack, wide->address, wide->bytes, WIDE_BYTES);
        if (wide->got < wide->unit)
            return false;
    }
    *unit = 0;
    memcpy(unit, wide->bytes + wide->at, wide->unit); /* little-endian: x86-64 and aarch64 are */
    wide->at += wide->unit;
    return true;
}

/* Puts a text of UTF-16 or UTF-32 that ends with a 0. */
static void put_wide_text(struct value_writer *writer, const struct capture *capture,
                          uint64_t address, uint32_t unit_bytes)
{
    uint32_t room = text_room(writer), put = 0, unit, second;
    struct wide_text wide = {.address = address, .unit = unit_bytes};
    if (address == 0) {
        value_put_tag(writer, FISQL_VALUE_NULL);
        return;
    }
    if (room == 0) {
        value_put_tag(writer, FISQL_VALUE_NO_ROOM);
        return;
    }
    while (next_unit(&wide, capture, &unit)) {
        unsigned char character[UTF8_BYTES_MAX];
        if (unit == 0) {
            value_put_text(writer, put, false);
            return;
        }
        if (unit_bytes == 2 && utf16_begins_pair(unit)) {
            struct wide_text before = wide;
            if (next_unit(&wide, capture, &second) && utf16_ends_pair(second))
                unit = utf16_pair(unit, second);
            else
                wide = before;
        }
        uint32_t bytes = utf8_put(character, unit);
        if (put + bytes > room) {
            value_put_text(writer, put, true);
            return;
        }
        memcpy(value_text(writer) + put, character, bytes);
        put += bytes;
    }
    put_missing(writer, FOUND_UNREADABLE);
}

/* Text of a known length. */
static void put_string(struct value_writer *writer, const struct capture *capture, uint64_t address,
                       uint64_t length)
{
    uint32_t room = text_room(writer);
    uint32_t put = length < room ? (uint32_t)length : room;
    if (room == 0 && length != 0)
        value_put_tag(writer, FISQL_VALUE_NO_ROOM);
    else if (read_memory(&capture->stack, address, value_text(writer), put) != put)
        put_missing(writer, FOUND_UNREADABLE);
    else
        value_put_text(writer, put, length > put);
}

static uint64_t word_at(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* A pointer and a number of bytes, which a program may not have set yet. */
static void put_counted(struct value_writer *writer, const struct capture *capture,
                        uint64_t address, uint64_t length)
{
    if (address == 0)
        put_missing(writer, FOUND_NULL);
    else if ((int64_t)length < 0)
        put_missing(writer, FOUND_UNREADABLE);
    else
        put_string(writer, capture, address, length);
}

/* Bytes, all of them or none. */
/* bytes_max: what is more is cut; 0 = then nothing is recorded. */
static void put_dump(struct value_writer *writer, const struct capture *capture, uint64_t address,
                     uint64_t length, uint32_t bytes_max)
{
    if (bytes_max != 0 && length > bytes_max)
        length = bytes_max;
    if (address == 0)
        put_missing(writer, FOUND_NULL);
    else if (length > FISQL_RECIPE_BYTES_MAX || value_room(writer) < 2 + length)
        value_put_tag(writer, FISQL_VALUE_NO_ROOM);
    else if (read_memory(&capture->stack, address, writer->at + 2, length) != length)
        put_missing(writer, FOUND_UNREADABLE);
    else {
        writer->at[0] = FISQL_VALUE_BYTES;
        writer->at[1] = (unsigned char)length;
        writer->at += 2 + length;
    }
}

/* The bytes of a string's object. */
static uint32_t string_bytes(uint32_t what)
{
    bool of_three = what == FISQL_WHAT_STRING_CXX1 || what == FISQL_WHAT_BUFFER;
    return of_three ? CXX1_BYTES : what == FISQL_WHAT_STRING_COW ? 8 : 16;
}

static void put_string_object(struct value_writer *writer, const struct capture *capture,
                              const struct fisql_recipe_value *value, const unsigned char *object)
{
    uint64_t first = word_at(object), length;
    switch (value->what) {
    case FISQL_WHAT_STRING:
        put_string(writer, capture, first, word_at(object + 8));
        break;
    case FISQL_WHAT_VIEW:
        put_string(writer, capture, word_at(object + 8), first);
        break;
    case FISQL_WHAT_BUFFER:
        put_string(writer, capture, word_at(object + 16), word_at(object + 8));
        break;
    case FISQL_WHAT_STRING_COW:
        if (read_memory(&capture->stack, first - COW_LENGTH_BEFORE, &length, sizeof length) !=
            sizeof length)
            put_missing(writer, FOUND_UNREADABLE);
        else
            put_string(writer, capture, first, length);
        break;
    default:
        if ((object[0] & 1) != 0) {
            put_string(writer, capture, word_at(object + 16), word_at(object + 8));
        } else {
            length = object[0] >> 1;
            if (length >= CXX1_BYTES) /* not constructed yet */
                put_missing(writer, FOUND_UNREADABLE);
            else if (text_room(writer) < length)
                value_put_tag(writer, FISQL_VALUE_NO_ROOM);
            else {
                memcpy(value_text(writer), object + 1, length);
                value_put_text(writer, (uint32_t)length, false);
            }
        }
    }
}

/* The bytes of a value of `size` bytes, or of a string's object. */
static enum found value_bytes(const struct capture *capture, const struct fisql_recipe_value *value,
                              unsigned char bytes[FISQL_RECIPE_BYTES_MAX], uint32_t size)
{
    bool by_address = value->what >= FISQL_WHAT_STRING && !value->object &&
                      value->where != FISQL_WHERE_RESULT_MEMORY;
    uint32_t pointed = by_address ? 8 : size; /* bytes at the address in `through` */
    enum found found = bytes_of(capture, value, bytes, value->through ? 8 : pointed);
    if (found == FOUND && value->through &&
        read_memory(&capture->stack, word_at(bytes), bytes, pointed) != pointed)
        found = FOUND_UNREADABLE;
    if (found == FOUND && by_address && word_at(bytes) == 0)
        found = FOUND_NULL;
    if (found == FOUND && by_address &&
        read_memory(&capture->stack, word_at(bytes), bytes, size) != size)
        found = FOUND_UNREADABLE;
    return found;
}

enum found capture_word(const struct capture *capture, const struct fisql_recipe_value *value,
                        uint64_t *word)
{
    unsigned char bytes[FISQL_RECIPE_BYTES_MAX + 16];
    uint32_t size = value->size, unused = 64 - 8 * size;
    if (size == 0 || size > 8 || value->part + size > FISQL_RECIPE_BYTES_MAX ||
        value->what > FISQL_WHAT_POINTER || value->where >= FISQL_WHERE_STEP)
        return FOUND_ABSENT;
    enum found found = value_bytes(capture, value, bytes, value->part + size);
    *word = word_at(bytes + value->part) << unused;
    *word =
        value->what == FISQL_WHAT_SIGNED ? (uint64_t)((int64_t)*word >> unused) : *word >> unused;
    return found;
}

static void put_other(struct value_writer *writer, const struct capture *capture,
                      const struct fisql_recipe_value *value)
{
    unsigned char bytes[FISQL_RECIPE_BYTES_MAX + 16];
    uint32_t unit_bytes = fisql_recipe_unit_bytes(value->what);
    bool is_string = value->what >= FISQL_WHAT_STRING, is_text = unit_bytes != 0;
    bool is_counted = value->what == FISQL_WHAT_COUNTED;
    uint32_t size = is_string ? string_bytes(value->what) : is_text ? 8 : value->size;
    enum found found =
        size <= FISQL_RECIPE_BYTES_MAX ? value_bytes(capture, value, bytes, size) : FOUND_ABSENT;
    if (found != FOUND)
        put_missing(writer, found);
    else if (is_string)
        put_string_object(writer, capture, value, bytes);
    else if (is_counted)
        put_counted(writer, capture, word_at(bytes), word_at(bytes + 8));
    else if (value->what == FISQL_WHAT_DUMP)
        put_dump(writer, capture, word_at(bytes), word_at(bytes + 8), value->text_max);
    else if (unit_bytes > 1)
        put_wide_text(writer, capture, word_at(bytes), unit_bytes);
    else if (is_text)
        put_text(writer, capture, word_at(bytes), value->text_max);
    else if (value->what == FISQL_WHAT_BYTES)
        value_put_bytes(writer, bytes, value->size);
    else if (value->what == FISQL_WHAT_FLOAT)
        value_put_float(writer, bytes, value->size);
    else
        put_word(writer, value, word_at(bytes));
}

unsigned char *capture_other(struct value_writer writer, const struct capture *capture,
                             const struct fisql_recipe_value *value)
{
    if (value_room(&writer) < VALUE_SCALAR_BYTES)
        value_put_tag(&writer, FISQL_VALUE_NO_ROOM);
    else
        put_other(&writer, capture, value);
    return writer.at;
}
