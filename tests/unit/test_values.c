/* Values: each tag is read as formats/log.h says, floats become doubles or text that reads back the
 * same, and what is cut or unknown is refused. */
#include "loader/log/values.h"
#include "loader/values/value_counts.h"
#include "tests/unit/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sample {
    const char *bytes;
    uint32_t count;
    enum value_type type;
    uint64_t bits;
};

static const struct sample samples[] = {
    {"\x00", 1, VALUE_INTEGER, (uint64_t)-32},
    {"\x20", 1, VALUE_INTEGER, 0},
    {"\x9f", 1, VALUE_INTEGER, 127},
    {"\xa1\x00\x80", 3, VALUE_INTEGER, (uint64_t)-32768},
    {"\xa2\xff\xff\xff\x7f", 5, VALUE_INTEGER, INT32_MAX},
    {"\xa3\x00\x00\x00\x00\x00\x00\x00\x80", 9, VALUE_INTEGER, (uint64_t)INT64_MIN},
    {"\xa4\xff\xff\xff\xff\xff\xff\xff\xff", 9, VALUE_UNSIGNED, UINT64_MAX},
    {"\xa4\x01\x00\x00\x00\x00\x00\x00\x00", 9, VALUE_INTEGER, 1},
    {"\xa5\x78\x56\x34\x12\xff\x7f", 7, VALUE_POINTER, 0x7fff12345678},
    {"\xa6\x00\x00\x00\x00\x00\x00\x00\xff", 9, VALUE_POINTER, 0xff00000000000000},
    {"\xa7", 1, VALUE_POINTER, 0},
    {"\xb0", 1, VALUE_ABSENT, 0},
    {"\xb1", 1, VALUE_UNREADABLE, 0},
    {"\xb2", 1, VALUE_NO_ROOM, 0},
};

static void check_sample(const struct sample *sample)
{
    const unsigned char *bytes = (const unsigned char *)sample->bytes;
    for (uint32_t left = 0; left < sample->count; left++) {
        const unsigned char *at = bytes;
        struct value value;
        if (value_read(&at, bytes + left, &value))
            check(false, "tag %02x cut after %u bytes is refused", bytes[0], left);
    }
    const unsigned char *at = bytes;
    struct value value = {0};
    bool read = value_read(&at, bytes + sample->count, &value);
    check(read && at == bytes + sample->count && value.type == sample->type &&
              (value_is_missing(&value) || value.bits == sample->bits),
          "tag %02x gives type %d, 0x%" PRIx64, bytes[0], (int)sample->type, sample->bits);
}

static void check_text(const char *bytes, uint32_t count, enum value_type type,
                       const char *expected)
{
    const unsigned char *at = (const unsigned char *)bytes;
    struct value value = {0};
    bool read = value_read(&at, at + count, &value);
    check(read && value.type == type && value.bytes == strlen(expected) &&
              memcmp(value.data, expected, value.bytes) == 0,
          "tag %02x gives \"%s\"", (unsigned char)bytes[0], expected);
}

static void check_float(const char *bytes, uint32_t count, const char *expected, double exact)
{
    const unsigned char *at = (const unsigned char *)bytes;
    struct value value = {0};
    char text[VALUE_FLOAT_TEXT_MAX];
    double wide = NAN;
    if (!value_read(&at, at + count, &value)) {
        check(false, "tag %02x is a float", (unsigned char)bytes[0]);
        return;
    }
    bool is_double = value_double(&value, &wide);
    value_float_text(&value, text);
    check(strcmp(text, expected) == 0, "a float of %u bytes is %s: %s", value.bytes, expected,
          text);
    check(is_double == !isnan(exact) && (!is_double || memcmp(&wide, &exact, 8) == 0),
          "%s: the double is %g", expected, exact);
}

/* What long double holds on this machine reads back the same from its text. */
static void check_long_double(void)
{
#if defined(__x86_64__)
    uint64_t state = 1;
    unsigned wrong = 0;
    for (int i = 0; i < 20000; i++) {
        unsigned char bytes[11] = {0xaa};
        for (int j = 1; j < 11; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[j] = (unsigned char)(state >> 56);
        }
        bytes[8] |= 0x80;
        if (i % 2 == 0) { /* near 1: as programs have them */
            bytes[9] = (unsigned char)(0xff - i % 64);
            bytes[10] = 0x3f;
        }
        const unsigned char *at = bytes;
        struct value value = {0};
        char text[VALUE_FLOAT_TEXT_MAX];
        long double put = 0, got;
        (void)value_read(&at, bytes + 11, &value);
        memcpy(&put, bytes + 1, 10);
        value_float_text(&value, text);
        got = strtold(text, NULL);
        wrong += memcmp(&put, &got, 10) != 0 && !isnan(put);
    }
    check(wrong == 0, "20000 long doubles read back the same from their texts: %u do not", wrong);
#endif
}

/* Of a parameter that no call of one thread had a value of, counters were never made there. */
static void check_merge(void)
{
    static struct value_form known = {.type = FORM_INTEGER, .bits = 7};
    const struct valued_call call = {.call_id = 3, .cpu_ns = 10, .finished = true};
    struct value_room room = {.bytes = 1 << 20};
    struct error error;
    struct value_counts *empty = value_counts_new(true, &error);
    struct value_counts *one = value_counts_new(true, &error);
    if (empty == NULL || one == NULL || value_counts_add(one, &known, &call, &room, &error) != 0) {
        check(false, "values are counted");
    } else {
        check(empty->counters == NULL, "no value, no counters");
        check(value_counts_merge(empty, one, &error) == 0 && empty->counters_count == 1 &&
                  empty->counters[0].bits == 7 && empty->counters[0].calls == 1,
              "what a thread counted is added to nothing");
    }
    value_counts_free(empty);
    value_counts_free(one);
}

int main(void)
{
    check_merge();
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        check_sample(&samples[i]);
    check_text("\xc0", 1, VALUE_TEXT, "");
    check_text("\xc3"
               "abc",
               4, VALUE_TEXT, "abc");
    check_text("\xad\x02\x00"
               "ab",
               5, VALUE_TEXT, "ab");
    check_text("\xae\x02\x00"
               "ab",
               5, VALUE_TEXT_CUT, "ab");
    check_text("\xac\x03"
               "xyz",
               5, VALUE_BYTES, "xyz");
    check_float("\xa8\xcd\xcc\xcc\x3d", 5, "0.1", (double)0.1f);
    check_float("\xa9\x9a\x99\x99\x99\x99\x99\xb9\x3f", 9, "0.1", 0.1);
    check_float("\xa9\x00\x00\x00\x00\x00\x00\xf0\xff", 9, "-inf", -INFINITY);
    check_float("\xa8\x00\x00\xc0\x7f", 5, "nan", NAN);
    check_float("\xaa\x00\x00\x00\x00\x00\x00\x00\xc0\x00\x40", 11, "3", 3);
    check_float("\xaa\xcd\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xfb\x3f", 11, "0.1", NAN);
    check_float("\xaa\x00\x00\x00\x00\x00\x00\x00\x80\xff\x7f", 11, "inf", INFINITY);
    check_float("\xaa\x00\x00\x00\x00\x00\x00\x00\xc0\xff\xff", 11, "-nan", NAN);
    check_float("\xab\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x40", 17, "2e+0",
                2);
    check_float("\xab\x9a\x99\x99\x99\x99\x99\x99\x99\x99\x99\x99\x99\x99\x99\xfb\x3f", 17,
                "1.00000000000000000000000000000000005e-1", NAN);
    check_float("\xab\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", 17,
                "6.47517511943802511092443895822764655e-4966", NAN);
    check_float("\xab\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\x7f", 17,
                "1.18973149535723176508575932662800702e+4932", NAN);
    check_long_double();
    return check_status();
}
