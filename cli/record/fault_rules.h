/*
 * Rules for faults, as users write them (`fisql record --fault`):
 *
 *   TARGET [CONDITION...]: ACTION
 *
 *   malloc nth=3 in parse_*: return 0 errno ENOMEM
 *   db_open when path="/etc/x": return -5
 *   Parser::next nth=100: throw std::runtime_error("injected")
 *   write probability=0.01 seed=7: delay 50ms
 *
 * This is what a rule says by itself; which functions its names mean is record_faults.c's matter.
 */
#ifndef FISQL_CLI_RECORD_FAULT_RULES_H
#define FISQL_CLI_RECORD_FAULT_RULES_H

#include "cli/record/fault_names.h"
#include "formats/fault.h"

#include <stdbool.h>
#include <stddef.h>

/* A condition on an argument, by its name in the rule. */
struct fault_when {
    char *name;
    char *text; /* NULL = compare with a number */
    size_t at;  /* its place in the rule */
};

/* What an exception is made of: the rule's `made.value`, `number` or text. */
enum fault_given {
    FAULT_GIVEN_NOTHING,
    FAULT_GIVEN_INTEGER,
    FAULT_GIVEN_DECIMAL,
    FAULT_GIVEN_TEXT
};

enum fault_value { FAULT_VALUE_NONE, FAULT_VALUE_INTEGER, FAULT_VALUE_FLOAT };

struct fault_rule {
    char *text;      /* the whole rule; the texts below are owned, too */
    char *target;    /* a name or a pattern */
    char *action;    /* in the user's words */
    char *inside;    /* pattern; NULL = none */
    char *sites;     /* MODULE+ADDRESS,...; NULL = none */
    size_t sites_at; /* place in the rule */
    size_t inside_at;
    struct fault_when whens[FISQL_FAULT_WHENS_MAX];
    enum fault_value value; /* what is returned */
    double number;          /* a FLOAT */
    char *thrown;           /* type, NUL, text, NUL */
    size_t thrown_bytes;
    bool throws_class;                  /* of the program's, given ... */
    enum fault_given thrown_given;      /* ... this */
    size_t thrown_at;                   /* its place in the rule */
    bool error_said;                    /* in the action */
    char *error;                        /* name of the errno value; NULL = not given */
    const struct fault_call_info *call; /* if the target is one of the C library */
    struct fisql_fault_rule made;       /* but for what is elsewhere in the area */
};

/* Parses a rule. Returns 0, or 2 after saying what is wrong and pointing at the word. `where` names
 * the source: "--fault", "FILE:3". Release it in either case. */
int fault_rule_parse(struct fault_rule *rule, const char *text, const char *where);
void fault_rule_release(struct fault_rule *rule);

/* Says that something is wrong at this place of the rule. Returns 2. */
int fault_rule_wrong(const char *text, size_t at, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
