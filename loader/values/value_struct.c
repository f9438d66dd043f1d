/* Structs by value as text: see value_struct.h. We do not trust the debug information on members:
 * it may come with a program from anybody. */
#include "loader/values/value_struct.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NESTING_MAX 8

struct writer {
    char *text;
    size_t used;
    bool failed; /* the text is too long, or the type contradicts the bytes */
};

struct piece {
    const unsigned char *data;
    uint32_t bytes;
};

static __attribute__((format(printf, 2, 3))) void put(struct writer *writer, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(writer->text + writer->used, VALUE_STRUCT_TEXT_MAX - writer->used,
                           format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= VALUE_STRUCT_TEXT_MAX - writer->used)
        writer->failed = true;
    else
        writer->used += (size_t)length;
}

static void put_hex(struct writer *writer, struct piece piece)
{
    put(writer, "x");
    for (uint32_t i = 0; i < piece.bytes && !writer->failed; i++)
        put(writer, "%02x", piece.data[i]);
}

/* Text as in C, up to its end. */
static void put_chars(struct writer *writer, struct piece piece)
{
    put(writer, "\"");
    for (uint32_t i = 0; i < piece.bytes && piece.data[i] != 0 && !writer->failed; i++) {
        unsigned char c = piece.data[i];
        if (c == '"' || c == '\\')
            put(writer, "\\%c", c);
        else if (c >= ' ' && c < 0x7f)
            put(writer, "%c", c);
        else
            put(writer, "\\x%02x", c);
    }
    put(writer, "\"");
}

/* Names of flags, joined by a bar. False where a bit has none. */
static bool put_flags(struct writer *writer, const struct parameter_type *type, uint64_t number)
{
    uint64_t known = 0;
    for (size_t i = 0; i < type->enumerators_count; i++) {
        uint64_t mask = (uint64_t)type->enumerators[i].mask;
        if ((number & mask) == (uint64_t)type->enumerators[i].value)
            known |= number & mask;
    }
    if (number == 0 || known != number)
        return false;
    known = 0;
    for (size_t i = 0; i < type->enumerators_count; i++) {
        uint64_t mask = (uint64_t)type->enumerators[i].mask;
        if (mask == 0 || (number & mask) != (uint64_t)type->enumerators[i].value ||
            (known & mask) != 0)
            continue;
        put(writer, "%s%s", known != 0 ? "|" : "", type->enumerators[i].name);
        known |= mask;
    }
    return true;
}

/* Has the type a name for no bits in a field that is empty in the number, which has others? */
static bool has_no_bits(const struct parameter_type *type, int64_t number)
{
    for (size_t i = 0; i < type->enumerators_count; i++)
        if (type->enumerators[i].value == 0 && type->enumerators[i].mask != 0 &&
            (number & type->enumerators[i].mask) == 0)
            return number != 0;
    return false;
}

static void put_enumerator(struct writer *writer, const struct parameter_type *type, int64_t number)
{
    bool joined = type->is_flags && has_no_bits(type, number);
    for (size_t i = 0; i < type->enumerators_count && !joined; i++)
        if (type->enumerators[i].value == number) {
            put(writer, "%s", type->enumerators[i].name);
            return;
        }
    if (!type->is_flags || !put_flags(writer, type, (uint64_t)number))
        put(writer, "%" PRId64, number);
}

static void put_number(struct writer *writer, const struct parameter_type *type, uint64_t bits,
                       uint32_t width)
{
    int64_t number = (int64_t)bits;
    if (type->is_signed && width < 64)
        number = (int64_t)(bits << (64 - width)) >> (64 - width);
    if (type->kind == PARAMETER_POINTER || type->kind == PARAMETER_FUNCTION ||
        type->kind == PARAMETER_TEXT)
        put(writer, bits == 0 ? "NULL" : "0x%" PRIx64, bits);
    else if (type->kind == PARAMETER_BOOL && bits < 2)
        put(writer, bits == 0 ? "false" : "true");
    else if (type->kind == PARAMETER_ENUM)
        put_enumerator(writer, type, number);
    else if (type->kind == PARAMETER_CHAR && number >= ' ' && number < 0x7f)
        put(writer, "%d '%c'", (int)number, (char)number);
    else if (type->is_signed)
        put(writer, "%" PRId64, number);
    else
        put(writer, "%" PRIu64, bits);
}

static void put_float(struct writer *writer, struct piece piece)
{
    char text[VALUE_FLOAT_TEXT_MAX];
    struct value value = {.type = VALUE_FLOAT, .bytes = piece.bytes, .data = piece.data};
    if (piece.bytes == 16) /* long double on x86: ten bytes and padding */
        value.bytes = sizeof(long double) == 16 && __LDBL_MANT_DIG__ == 64 ? 10 : 16;
    value_float_text(&value, text);
    put(writer, "%s", text);
}

static void put_members(struct writer *writer, const struct parameter_type *type,
                        struct piece piece, int nesting);

static void put_piece(struct writer *writer, const struct parameter_type *type, struct piece piece,
                      int nesting)
{
    uint64_t bits = 0;
    bool number = type->kind != PARAMETER_STRUCT && type->kind != PARAMETER_UNKNOWN &&
                  type->kind != PARAMETER_FLOAT && piece.bytes <= 8;
    if (type->kind == PARAMETER_STRUCT && type->members_count > 0)
        put_members(writer, type, piece, nesting + 1);
    else if (type->kind == PARAMETER_TEXT && type->is_chars)
        put_chars(writer, piece);
    else if (type->kind == PARAMETER_FLOAT &&
             (piece.bytes == 4 || piece.bytes == 8 || piece.bytes == 10 || piece.bytes == 16))
        put_float(writer, piece);
    else if (number && !(type->kind == PARAMETER_TEXT && piece.bytes != sizeof(void *))) {
        memcpy(&bits, piece.data, piece.bytes);
        put_number(writer, type, bits, 8 * piece.bytes);
    } else
        put_hex(writer, piece);
}

static void put_bit_field(struct writer *writer, const struct parameter_member *member,
                          struct piece piece)
{
    uint64_t bits = 0;
    uint32_t last = member->bits_from + (uint32_t)member->bits;
    uint32_t bytes = piece.bytes - member->offset < 8 ? piece.bytes - member->offset : 8;
    if (last > 8 * bytes) {
        writer->failed = true;
        return;
    }
    memcpy(&bits, piece.data + member->offset, bytes);
    bits >>= member->bits_from;
    if (member->bits < 64)
        bits &= (UINT64_C(1) << member->bits) - 1;
    put_number(writer, member->type, bits, member->bits);
}

static void put_members(struct writer *writer, const struct parameter_type *type,
                        struct piece piece, int nesting)
{
    put(writer, "{");
    for (size_t i = 0; i < type->members_count && !writer->failed; i++) {
        const struct parameter_member *member = &type->members[i];
        uint32_t bytes = member->type->size_bytes;
        put(writer, "%s%s%s", i > 0 ? ", " : "", member->name, member->name[0] != 0 ? " = " : "");
        if (nesting > NESTING_MAX || member->offset >= piece.bytes ||
            (member->bits == 0 && (bytes == 0 || bytes > piece.bytes - member->offset)))
            writer->failed = true;
        else if (member->bits != 0)
            put_bit_field(writer, member, piece);
        else
            put_piece(writer, member->type, (struct piece){piece.data + member->offset, bytes},
                      nesting);
    }
    put(writer, "}");
}

void value_struct_text(const struct value *value, const struct parameter_type *type,
                       char text[VALUE_STRUCT_TEXT_MAX])
{
    struct writer writer = {.text = text};
    struct piece piece = {value->data, value->bytes};
    text[0] = 0;
    bool known = type != NULL && type->kind == PARAMETER_STRUCT && type->members_count > 0 &&
                 type->size_bytes <= value->bytes;
    if (known)
        put_members(&writer, type, piece, 0);
    if (known && !writer.failed)
        return;
    writer = (struct writer){.text = text};
    put_hex(&writer, piece);
}
