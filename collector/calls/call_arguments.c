/* Values for callbacks: see call_arguments.h. Compiled with vector registers in all variants: what
 * the hooks found in them has been read by now. */
#include "collector/calls/call_arguments.h"

#include "formats/log.h"

#include <string.h>

static int64_t whole(const unsigned char *at, uint32_t bytes)
{
    uint64_t word = 0;
    memcpy(&word, at, bytes);
    return (int64_t)(word << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static double real(const unsigned char *at, uint32_t bytes)
{
    float single;
    double twice;
    long double longest = 0;
    if (bytes == 4) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    if (bytes == 8) {
        memcpy(&twice, at, sizeof twice);
        return twice;
    }
#if defined(__x86_64__)
    if (bytes == 16) {
        __float128 quad;
        memcpy(&quad, at, sizeof quad);
        return (double)quad;
    }
#endif
    memcpy(&longest, at, bytes < sizeof longest ? bytes : sizeof longest);
    return (double)longest;
}

static void integer(struct fisql_call_value *value, int64_t number)
{
    value->kind = FISQL_CALL_INTEGER;
    value->is.integer = number;
}

/* Takes a value whose tag was read. Returns its bytes behind the tag. */
static uint32_t take(struct fisql_call_value *value, uint32_t tag, unsigned char *at)
{
    static const uint8_t reals[] = {4, 8, 10, 16};
    uint32_t bytes = 0;
    *value = (struct fisql_call_value){.kind = FISQL_CALL_UNKNOWN};
    if (tag <= FISQL_VALUE_INTEGER_LAST) {
        integer(value, (int64_t)tag - FISQL_VALUE_INTEGER_BASE);
    } else if (tag >= FISQL_VALUE_INTEGER_2 && tag <= FISQL_VALUE_INTEGER_8) {
        bytes = 2u << (tag - FISQL_VALUE_INTEGER_2);
        integer(value, whole(at, bytes));
    } else if (tag == FISQL_VALUE_UNSIGNED_8) {
        bytes = 8;
        integer(value, whole(at, bytes));
        value->kind = FISQL_CALL_UNSIGNED;
    } else if (tag == FISQL_VALUE_NULL || tag == FISQL_VALUE_POINTER_6 ||
               tag == FISQL_VALUE_POINTER_8) {
        uint64_t address = 0;
        bytes = tag == FISQL_VALUE_NULL ? 0 : tag == FISQL_VALUE_POINTER_6 ? 6 : 8;
        memcpy(&address, at, bytes);
        value->kind = FISQL_CALL_POINTER;
        value->is.pointer = (const void *)(uintptr_t)address;
    } else if (tag >= FISQL_VALUE_FLOAT_4 && tag <= FISQL_VALUE_FLOAT_16) {
        bytes = reals[tag - FISQL_VALUE_FLOAT_4];
        value->kind = FISQL_CALL_REAL;
        value->is.real = real(at, bytes);
    } else if (tag == FISQL_VALUE_BYTES) {
        value->kind = FISQL_CALL_BYTES;
        value->length = at[0];
        value->is.bytes = at + 1;
        bytes = 1 + value->length;
    } else if (tag == FISQL_VALUE_TEXT || tag == FISQL_VALUE_TEXT_CUT) {
        value->kind = FISQL_CALL_TEXT;
        value->length = at[0] | (unsigned)at[1] << 8;
        value->cut = tag == FISQL_VALUE_TEXT_CUT;
        value->is.text = (const char *)at + 2;
        bytes = 2 + value->length;
    } else if (tag >= FISQL_VALUE_TEXT_SHORT) {
        value->kind = FISQL_CALL_TEXT;
        value->length = tag - FISQL_VALUE_TEXT_SHORT;
        value->is.text = (const char *)at;
        bytes = value->length;
    }
    return bytes;
}

unsigned call_arguments(const struct watched *call,
                        struct fisql_call_value values[CALL_ARGUMENTS_MAX])
{
    unsigned count = 0;
    unsigned char *at = call->values, *end = at + call->values_bytes;
    uint32_t tag = call->values_bytes > 0 ? *at : 0;
    while (at < end && count < (call->ends ? 1 : CALL_ARGUMENTS_MAX)) {
        at++;
        at += take(&values[count], tag, at);
        tag = *at; /* of the next value, before the NUL takes its place */
        if (values[count].kind == FISQL_CALL_TEXT)
            *at = 0;
        count++;
    }
    return count;
}
