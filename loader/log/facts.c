/* Reads chunks of facts: see facts.h. */
#include "loader/log/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool text_next(struct facts *facts, const char **text)
{
    const char *nul = memchr(facts->at, '\0', (size_t)(facts->end - facts->at));
    if (nul == NULL)
        return false;
    *text = facts->at;
    facts->at = nul + 1;
    return true;
}

bool facts_next(struct facts *facts, const char **key, const char **value)
{
    if (facts->at >= facts->end)
        return false;
    return text_next(facts, key) && (*key)[0] != '\0' && text_next(facts, value);
}

enum fisql_fact fact_find(uint16_t kind, const char *key)
{
    static const uint16_t kinds[] = {
#define KIND(kind, constant, key, what) FISQL_CHUNK_##kind,
        FISQL_FACTS(KIND)
#undef KIND
    };
    enum fisql_fact fact = 0;
    while (fact < FISQL_FACTS_COUNT &&
           (kinds[fact] != kind || strcmp(fisql_fact_key(fact), key) != 0))
        fact++;
    return fact;
}

static bool number(const char *text, int base, uint64_t *out)
{
    if (*text < '0' || (*text > '9' && base == 10) || *text > 'f')
        return false;
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, base);
    if (*end != '\0' || errno != 0)
        return false;
    *out = value;
    return true;
}

bool fact_decimal(const char *text, uint64_t *out)
{
    return number(text, 10, out);
}

bool fact_hexadecimal(const char *text, uint64_t *out)
{
    return number(text, 16, out);
}
