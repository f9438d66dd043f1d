/* What the readers of other tools' recordings stand on: Chrome's decimal times, fields of Protocol
 * Buffers, values that are put into a log, forms of uftrace's arguments. */
#include "loader/foreign/chrome_event.h"
#include "loader/foreign/proto.h"
#include "loader/foreign/uftrace.h"
#include "loader/log/values.h"
#include "tests/unit/check.h"

static void check_times(void)
{
    static const struct {
        const char *text;
        bool sound;
        int64_t ns;
    } times[] = {{"0", true, 0},
                 {"1", true, 1000},
                 {"-2.5", true, -2500},
                 {"123456789.123", true, 123456789123},
                 {"0.0004", true, 0},
                 {"0.0005", true, 1},
                 {"0.00051", true, 1},
                 {"1.0005", true, 1001},
                 {"1e3", true, 1000000},
                 {"1.5E-3", true, 2},
                 {"2.5e+1", true, 25000},
                 {"1e-400", true, 0},
                 {"000000000000000000000000000007", true, 7000},
                 {"1152921504606846", true, 1152921504606846000},
                 {"1152921504606847", false, 0},
                 {"1e300", false, 0},
                 {"99999999999999999999999", false, 0},
                 {"", false, 0},
                 {"-", false, 0},
                 {".", false, 0},
                 {"1e", false, 0},
                 {"1 ", false, 0},
                 {"NaN", false, 0}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        int64_t ns = 0;
        bool sound = chrome_time(times[i].text, strlen(times[i].text), &ns);
        check(sound == times[i].sound && (!sound || ns == times[i].ns), "time %s: %d, %lld",
              times[i].text, sound, (long long)ns);
    }
}

static void check_fields(void)
{
    static const unsigned char message[] = {0x08, 0x96, 0x01, 0x12, 0x02, 'h', 'i', 0x1d, 1, 2, 3,
                                            4,    0x21, 1,    2,    3,    4,   5,   6,    7, 8};
    static const unsigned char unsound[][12] = {
        {0x08},                                                       /* no number */
        {0x12, 0x03, 'a'},                                            /* longer than the message */
        {0x0b},                                                       /* a group */
        {0x00, 0x01},                                                 /* field 0 */
        {0x1d, 1, 2},                                                 /* too short */
        {0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}}; /* eleven bytes */
    static const size_t sizes[] = {1, 3, 1, 2, 3, 12};
    struct proto all = proto_begin(message, sizeof message);
    struct proto_field field;
    check(proto_next(&all, &field) == 1 && field.number == 1 && field.bits == 150, "a number");
    check(proto_next(&all, &field) == 1 && field.number == 2 && field.bytes == 2 &&
              memcmp(field.data, "hi", 2) == 0,
          "bytes");
    check(proto_next(&all, &field) == 1 && field.bits == 0x04030201, "four bytes");
    check(proto_next(&all, &field) == 1 && field.bits == 0x0807060504030201, "eight bytes");
    check_equal(0, proto_next(&all, &field), "the end");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct proto bad = proto_begin(unsound[i], sizes[i]);
        check_equal(-1, proto_next(&bad, &field), "an unsound field");
    }
}

/* Reads the values back. */
static unsigned count_values(const struct put_values *values, struct value *last)
{
    const unsigned char *at = values->data, *end = at + values->bytes;
    unsigned count = 0;
    while (at < end && value_read(&at, end, last))
        count++;
    return at == end ? count : 0;
}

static void check_values(void)
{
    static const int64_t integers[] = {0,         -32,       -33,       127,          128,
                                       -128,      32767,     -32768,    32768,        INT32_MAX,
                                       INT32_MIN, INT64_MAX, INT64_MIN, 1234567890123};
    struct put_values values;
    struct value value;
    char text[2000];
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        put_values_clear(&values);
        put_integer(&values, integers[i]);
        check(count_values(&values, &value) == 1 && value.type == VALUE_INTEGER &&
                  (int64_t)value.bits == integers[i],
              "integer %lld", (long long)integers[i]);
    }
    put_values_clear(&values);
    put_unsigned(&values, UINT64_MAX);
    check(count_values(&values, &value) == 1 && value.type == VALUE_UNSIGNED, "above 2^63 - 1");
    memset(text, 'x', sizeof text);
    for (size_t bytes = 0; bytes < sizeof text; bytes += bytes < 70 ? 1 : 430) {
        put_values_clear(&values);
        put_text(&values, text, bytes);
        bool cut = bytes > PUT_VALUE_TEXT_MAX;
        check(count_values(&values, &value) == 1 &&
                  value.type == (cut ? VALUE_TEXT_CUT : VALUE_TEXT) &&
                  value.bytes == (cut ? PUT_VALUE_TEXT_MAX : bytes),
              "a text of %zu bytes", bytes);
    }
    put_values_clear(&values);
    for (int i = 0; i < 100; i++)
        put_text(&values, text, 200);
    check(count_values(&values, &value) == PUT_VALUES_MAX && value.type == VALUE_NO_ROOM &&
              values.bytes <= FISQL_VALUES_BYTES_MAX,
          "more than there is room for: %zu bytes", values.bytes);
}

static void check_args(void)
{
    struct uftrace_args args;
    uftrace_args_read(&args, "arg1/i32,arg3/s,fparg1/64%xmm0,retval/x", false, false);
    check(args.count == 3 && args.items[0].bytes == 4 && args.items[0].form == UFTRACE_SIGNED &&
              args.items[1].position == 3 && args.items[1].form == UFTRACE_TEXT &&
              args.items[2].form == UFTRACE_FLOAT && args.items[2].bytes == 8,
          "arguments of a list");
    uftrace_args_read(&args, "arg1/i32,retval/x16", true, false);
    check(args.count == 1 && args.items[0].position == 0 && args.items[0].bytes == 2 &&
              args.items[0].form == UFTRACE_UNSIGNED,
          "the result of a list");
    uftrace_args_read(&args, "arg1/t16:s%RDI+XMM0,arg2/e:col%rsi,arg3%rdx,arg4/c%rcx", false, true);
    check(args.count == 4 && args.items[0].bytes == 16 && args.items[0].form == UFTRACE_STRUCT &&
              args.items[3].bytes == 1 && args.items[3].position == 4,
          "structs, enumerations, registers, characters");
    uftrace_args_read(&args, "arg1,arg2/what", false, false);
    check_equal(0, args.count, "a form that is not known: nothing can be read");
    uftrace_args_read(&args, "", false, false);
    check_equal(0, args.count, "no list");
}

int main(void)
{
    check_times();
    check_fields();
    check_values();
    check_args();
    return check_status();
}
