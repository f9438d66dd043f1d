/* Reads values: see values.h. Little-endian machines only, as the log is. */
#include "loader/log/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/log.h"

static uint64_t number(const unsigned char *at, uint32_t bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, at, bytes);
    return bits;
}

static bool take(const unsigned char **at, const unsigned char *end, uint32_t bytes,
                 struct value *value, enum value_type type)
{
    if ((size_t)(end - *at) < bytes)
        return false;
    value->type = type;
    value->bytes = bytes;
    value->data = *at;
    *at += bytes;
    return true;
}

static bool take_number(const unsigned char **at, const unsigned char *end, uint32_t bytes,
                        struct value *value, enum value_type type)
{
    if (!take(at, end, bytes, value, type))
        return false;
    value->bits = number(value->data, bytes);
    return true;
}

/* A length of `width` bytes, then as many bytes. */
static bool take_counted(const unsigned char **at, const unsigned char *end, uint32_t width,
                         struct value *value, enum value_type type)
{
    if ((size_t)(end - *at) < width)
        return false;
    uint32_t bytes = (uint32_t)number(*at, width);
    *at += width;
    return take(at, end, bytes, value, type);
}

static bool read_integer(const unsigned char **at, const unsigned char *end, uint32_t tag,
                         struct value *value)
{
    uint32_t bytes = tag == FISQL_VALUE_INTEGER_2 ? 2 : tag == FISQL_VALUE_INTEGER_4 ? 4 : 8;
    if (!take_number(at, end, bytes, value, VALUE_INTEGER))
        return false;
    uint32_t above = 64 - 8 * bytes;
    if (tag == FISQL_VALUE_UNSIGNED_8)
        value->type = value->bits > INT64_MAX ? VALUE_UNSIGNED : VALUE_INTEGER;
    else
        value->bits = (uint64_t)((int64_t)(value->bits << above) >> above);
    return true;
}

bool value_read(const unsigned char **at, const unsigned char *end, struct value *value)
{
    static const uint8_t float_bytes[] = {4, 8, 10, 16};
    if (*at >= end)
        return false;
    uint32_t tag = *(*at)++;
    if (tag <= FISQL_VALUE_INTEGER_LAST) {
        value->type = VALUE_INTEGER;
        value->bits = (uint64_t)((int64_t)tag - FISQL_VALUE_INTEGER_BASE);
        return true;
    }
    if (tag >= FISQL_VALUE_TEXT_SHORT)
        return take(at, end, tag - FISQL_VALUE_TEXT_SHORT, value, VALUE_TEXT);
    switch (tag) {
    case FISQL_VALUE_INTEGER_2:
    case FISQL_VALUE_INTEGER_4:
    case FISQL_VALUE_INTEGER_8:
    case FISQL_VALUE_UNSIGNED_8:
        return read_integer(at, end, tag, value);
    case FISQL_VALUE_POINTER_6:
        return take_number(at, end, 6, value, VALUE_POINTER);
    case FISQL_VALUE_POINTER_8:
        return take_number(at, end, 8, value, VALUE_POINTER);
    case FISQL_VALUE_NULL:
        return take_number(at, end, 0, value, VALUE_POINTER);
    case FISQL_VALUE_FLOAT_4:
    case FISQL_VALUE_FLOAT_8:
    case FISQL_VALUE_FLOAT_10:
    case FISQL_VALUE_FLOAT_16:
        return take(at, end, float_bytes[tag - FISQL_VALUE_FLOAT_4], value, VALUE_FLOAT);
    case FISQL_VALUE_BYTES:
        return take_counted(at, end, 1, value, VALUE_BYTES);
    case FISQL_VALUE_TEXT:
        return take_counted(at, end, 2, value, VALUE_TEXT);
    case FISQL_VALUE_TEXT_CUT:
        return take_counted(at, end, 2, value, VALUE_TEXT_CUT);
    case FISQL_VALUE_ABSENT:
        return take(at, end, 0, value, VALUE_ABSENT);
    case FISQL_VALUE_UNREADABLE:
        return take(at, end, 0, value, VALUE_UNREADABLE);
    case FISQL_VALUE_NO_ROOM:
        return take(at, end, 0, value, VALUE_NO_ROOM);
    default:
        return false;
    }
}

/* ---- floats ---- */

__extension__ typedef unsigned __int128 uint128;

/* A binary float taken apart: (-1)^negative * mantissa * 2^exponent. */
struct binary_float {
    bool negative, infinite, nan;
    uint128 mantissa;
    int exponent;
    int digits; /* decimal ones that always read back the same */
};

static struct binary_float take_apart_x87(const unsigned char *data)
{
    uint64_t mantissa = number(data, 8);
    uint32_t head = (uint32_t)number(data + 8, 2), exponent = head & 0x7fff;
    struct binary_float out = {.negative = head >> 15, .digits = 21};
    /* Without its leading bit a number is none, but for those below the least normal one. */
    bool leading = mantissa >> 63;
    out.infinite = exponent == 0x7fff && mantissa == UINT64_C(1) << 63;
    out.nan = !out.infinite && (exponent == 0x7fff || (exponent != 0 && !leading));
    out.mantissa = mantissa;
    out.exponent = (exponent == 0 ? 1 : (int)exponent) - 16383 - 63;
    return out;
}

static struct binary_float take_apart_quad(const unsigned char *data)
{
    uint128 bits;
    memcpy(&bits, data, 16);
    uint128 fraction = bits & (((uint128)1 << 112) - 1);
    uint32_t exponent = (uint32_t)(bits >> 112) & 0x7fff;
    struct binary_float out = {.negative = (bits >> 127) != 0, .digits = 36};
    out.infinite = exponent == 0x7fff && fraction == 0;
    out.nan = exponent == 0x7fff && fraction != 0;
    out.mantissa = exponent == 0 ? fraction : fraction | (uint128)1 << 112;
    out.exponent = (exponent == 0 ? 1 : (int)exponent) - 16383 - 112;
    return out;
}

static struct binary_float take_apart(const struct value *value)
{
    return value->bytes == 10 ? take_apart_x87(value->data) : take_apart_quad(value->data);
}

/* Is it m * 2^e with m below 2^53, in a double's range? */
static bool exact_double(struct binary_float value, double *out)
{
    if (value.nan)
        return false;
    if (value.mantissa != 0 && !value.infinite) {
        while ((value.mantissa & 1) == 0) {
            value.mantissa >>= 1;
            value.exponent++;
        }
        if (value.mantissa >> 53 != 0 || value.exponent < -1074)
            return false;
    }
    double magnitude =
        value.infinite ? (double)INFINITY : ldexp((double)(uint64_t)value.mantissa, value.exponent);
    if (isinf(magnitude) && !value.infinite)
        return false;
    *out = value.negative ? -magnitude : magnitude;
    return true;
}

bool value_double(const struct value *value, double *out)
{
    if (value->bytes > 8)
        return exact_double(take_apart(value), out);
    float narrow;
    double wide;
    if (value->bytes == 4) {
        memcpy(&narrow, value->data, 4);
        wide = (double)narrow;
    } else {
        memcpy(&wide, value->data, 8);
    }
    if (isnan(wide))
        return false;
    *out = wide;
    return true;
}

/* A natural number as decimal digits, nine a limb, the low limb first. 2^16384 and 5^16494 * 2^113
 * have less than 11,600 digits. */
#define LIMBS_MAX 1300
#define LIMB 1000000000u

struct decimal {
    uint32_t limbs[LIMBS_MAX];
    uint32_t count;
};

static void decimal_times(struct decimal *number, uint32_t factor)
{
    uint64_t carry = 0;
    for (uint32_t i = 0; i < number->count; i++) {
        carry += (uint64_t)number->limbs[i] * factor;
        number->limbs[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    if (carry != 0 && number->count < LIMBS_MAX)
        number->limbs[number->count++] = (uint32_t)carry;
}

/* factor^power, some powers at a time: chunk = factor^chunk_power is less than a limb holds. */
static void decimal_times_power(struct decimal *number, uint32_t factor, uint32_t chunk,
                                uint32_t chunk_power, uint32_t power)
{
    for (; power >= chunk_power; power -= chunk_power)
        decimal_times(number, chunk);
    for (; power > 0; power--)
        decimal_times(number, factor);
}

/* mantissa * 2^exponent = number * 10^*tens, exactly. */
static void decimal_of(struct decimal *number, const struct binary_float *value, int *tens)
{
    uint128 rest = value->mantissa;
    for (number->count = 0; rest != 0; rest /= LIMB)
        number->limbs[number->count++] = (uint32_t)(rest % LIMB);
    *tens = value->exponent < 0 ? value->exponent : 0;
    if (value->exponent >= 0)
        decimal_times_power(number, 2, 1u << 29, 29, (uint32_t)value->exponent);
    else
        decimal_times_power(number, 5, 244140625u, 12, (uint32_t)-value->exponent);
}

/* Rounds the digits to `wanted`, half to even; true where that carries over all of them. */
static bool round_digits(char *digits, size_t length, size_t wanted)
{
    bool above = false;
    for (size_t i = wanted + 1; i < length; i++)
        above |= digits[i] != '0';
    char next = digits[wanted];
    bool odd = (digits[wanted - 1] - '0') % 2 != 0;
    if (next < '5' || (next == '5' && !above && !odd))
        return false;
    size_t i = wanted;
    while (i > 0 && digits[i - 1] == '9')
        digits[--i] = '0';
    if (i > 0) {
        digits[i - 1]++;
        return false;
    }
    digits[0] = '1';
    return true;
}

/* All digits of the number; the caller frees. */
static char *decimal_digits(const struct decimal *number)
{
    char *digits = malloc(9 * (size_t)number->count + 1), *at = digits;
    if (digits == NULL)
        return NULL;
    for (uint32_t i = number->count; i-- > 0;) {
        uint32_t limb = number->limbs[i];
        for (int place = 8; place >= 0; place--, limb /= 10)
            at[place] = (char)('0' + limb % 10);
        at += 9;
    }
    *at = 0;
    return digits;
}

static void put_decimal(const struct binary_float *value, char text[VALUE_FLOAT_TEXT_MAX])
{
    struct decimal number;
    int tens;
    decimal_of(&number, value, &tens);
    char *all = decimal_digits(&number), *digits = all;
    if (all == NULL) {
        snprintf(text, VALUE_FLOAT_TEXT_MAX, "?");
        return;
    }
    while (*digits == '0')
        digits++;
    size_t length = strlen(digits), wanted = (size_t)value->digits;
    int exponent = tens + (int)length - 1; /* of the first digit */
    if (length > wanted)
        exponent += round_digits(digits, length, wanted);
    else
        wanted = length;
    while (wanted > 1 && digits[wanted - 1] == '0')
        wanted--;
    snprintf(text, VALUE_FLOAT_TEXT_MAX, "%s%c%s%.*se%+d", value->negative ? "-" : "", digits[0],
             wanted > 1 ? "." : "", (int)wanted - 1, digits + 1, exponent);
    free(all);
}

/* The shortest text that reads back as the same double, or the same float. */
static void put_double(double wide, bool is_float, char text[VALUE_FLOAT_TEXT_MAX])
{
    double back;
    int digits = is_float ? 6 : 15;
    do {
        snprintf(text, VALUE_FLOAT_TEXT_MAX, "%.*g", digits++, wide);
        back = is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
    } while (back < wide || back > wide);
}

#if __LDBL_MANT_DIG__ >= 64 && __LDBL_MAX_EXP__ >= 16384
/* The shortest text that reads back as the same x87 number: long double holds it here. */
static bool put_long(const struct binary_float *value, char text[VALUE_FLOAT_TEXT_MAX])
{
    long double wide = ldexpl((long double)(uint64_t)value->mantissa, value->exponent), back;
    for (int digits = 15; digits <= value->digits; digits++) {
        snprintf(text, VALUE_FLOAT_TEXT_MAX, "%.*Lg", digits, value->negative ? -wide : wide);
        back = fabsl(strtold(text, NULL));
        if (!(back < wide || back > wide))
            return true;
    }
    return false;
}
#else
static bool put_long(const struct binary_float *value, char text[VALUE_FLOAT_TEXT_MAX])
{
    (void)value, (void)text;
    return false;
}
#endif

void value_float_text(const struct value *value, char text[VALUE_FLOAT_TEXT_MAX])
{
    bool negative = (value->data[value->bytes - 1] & 0x80) != 0;
    struct binary_float parts = {.nan = true};
    double wide;
    if (value->bytes > 8)
        parts = take_apart(value);
    else if (value_double(value, &wide)) {
        put_double(wide, value->bytes == 4, text);
        return;
    }
    if (parts.nan || parts.infinite)
        snprintf(text, VALUE_FLOAT_TEXT_MAX, "%s%s", negative ? "-" : "",
                 parts.nan ? "nan" : "inf");
    else if (parts.mantissa == 0)
        snprintf(text, VALUE_FLOAT_TEXT_MAX, negative ? "-0" : "0");
    else if (value->bytes != 10 || !put_long(&parts, text))
        put_decimal(&parts, text);
}
