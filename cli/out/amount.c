/* Reading amounts: see amount.h. Whole numbers and decimal fractions are computed exactly. */
#include "cli/out/amount.h"

#include "base/wide.h"

#include <ctype.h>
#include <string.h>

struct unit {
    const char *name;
    uint64_t factor;
};

/* Reads decimal digits into *value / *scale, up to 18 of them: further ones are passed over. */
static bool parse_digits(const char **at, uint64_t *value, uint64_t *scale)
{
    const char *start = *at;
    *value = 0;
    *scale = 1;
    for (; isdigit((unsigned char)**at); ++*at) {
        if (*scale >= 1000000000000000000u)
            continue;
        *value = *value * 10 + (uint64_t)(**at - '0');
        *scale *= 10;
    }
    return *at > start;
}

static bool parse(const char *text, const struct unit *units, int64_t *value)
{
    uint64_t whole, whole_scale, fraction = 0, scale = 1;
    const char *at = text;
    bool digits = parse_digits(&at, &whole, &whole_scale);
    if (at - text > 19)
        return false;
    if (at - text == 19) /* its last digit was not read yet */
        whole = whole * 10 + (uint64_t)(at[-1] - '0');
    if (*at == '.') {
        at++;
        if (units[1].name == NULL || (!parse_digits(&at, &fraction, &scale) && !digits))
            return false;
    } else if (!digits) {
        return false;
    }
    for (; units->name != NULL; units++) {
        if (strcmp(at, units->name) != 0)
            continue;
        wide_uint factor = units->factor;
        wide_uint sum = (wide_uint)(whole * factor);
        sum += (wide_uint)(fraction * factor / scale);
        if (sum > INT64_MAX)
            return false;
        *value = (int64_t)sum;
        return true;
    }
    return false;
}

bool amount_count(const char *text, int64_t *value)
{
    static const struct unit units[] = {{"", 1}, {NULL, 0}};
    return parse(text, units, value);
}

bool amount_time(const char *text, int64_t *ns)
{
    static const struct unit units[] = {{"", 1},         {"ns", 1},         {"us", 1000},
                                        {"ms", 1000000}, {"s", 1000000000}, {"min", 60000000000},
                                        {NULL, 0}};
    return parse(text, units, ns);
}

bool amount_size(const char *text, int64_t *size_bytes)
{
    static const struct unit units[] = {
#define SIZES(letter, lower, factor)                                                               \
    {#letter, factor}, {#lower, factor}, {#letter "B", factor}, {#letter "i", factor},             \
        {#letter "iB", factor}
        {"", 1},
        {"B", 1},
        SIZES(K, k, 1u << 10),
        SIZES(M, m, 1u << 20),
        SIZES(G, g, 1u << 30),
        SIZES(T, t, UINT64_C(1) << 40),
        {NULL, 0}};
#undef SIZES
    return parse(text, units, size_bytes);
}
