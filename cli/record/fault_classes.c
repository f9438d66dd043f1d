/* The classes that rules throw: see fault_classes.h. */
#include "cli/record/fault_classes.h"

#include "base/array.h"
#include "cli/out/say.h"
#include "cli/record/fault_targets.h"
#include "cli/record/record_faults.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STD_STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

/* The parameters that a constructor may have, best first for what is given. */
static const struct constructor {
    const char *parameters;
    enum fault_given given;
    enum fisql_fault_make how;
} constructors[] = {
    {"", FAULT_GIVEN_NOTHING, FISQL_FAULT_MAKE_DEFAULT},
    {"int", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"long", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"long long", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"unsigned int", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"unsigned long", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"unsigned long long", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"short", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"unsigned short", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"signed char", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"unsigned char", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"char", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"bool", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_WORD},
    {"double", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_DOUBLE},
    {"float", FAULT_GIVEN_INTEGER, FISQL_FAULT_MAKE_FLOAT},
    {"double", FAULT_GIVEN_DECIMAL, FISQL_FAULT_MAKE_DOUBLE},
    {"float", FAULT_GIVEN_DECIMAL, FISQL_FAULT_MAKE_FLOAT},
    {"char const*", FAULT_GIVEN_TEXT, FISQL_FAULT_MAKE_TEXT},
    {STD_STRING " const&", FAULT_GIVEN_TEXT, FISQL_FAULT_MAKE_STRING},
    {STD_STRING, FAULT_GIVEN_TEXT, FISQL_FAULT_MAKE_STRING},
    {STD_STRING "&&", FAULT_GIVEN_TEXT, FISQL_FAULT_MAKE_STRING},
    {"std::basic_string_view<char, std::char_traits<char> >", FAULT_GIVEN_TEXT,
     FISQL_FAULT_MAKE_VIEW},
};

/* The constructor's place in the list; UINT32_MAX if it does not take what the rule gives. */
static uint32_t rank_of(enum fault_given given, const char *parameters)
{
    for (uint32_t i = 0; i < sizeof constructors / sizeof constructors[0]; i++)
        if (constructors[i].given == given && strcmp(constructors[i].parameters, parameters) == 0)
            return i;
    return UINT32_MAX;
}

/* The module's index among those of the area; -1 without memory. */
static int64_t module_index(struct fault_search *search, const char *path)
{
    struct error error;
    for (size_t i = 0; i < search->modules_count; i++)
        if (strcmp(search->modules[i].path, path) == 0)
            return (int64_t)i;
    if (array_reserve(&search->modules, &search->modules_capacity, search->modules_count + 1,
                      &error) != 0)
        return -1;
    struct fault_module *module = &search->modules[search->modules_count];
    *module = (struct fault_module){.path = strdup(path)};
    if (module->path == NULL)
        return -1;
    return (int64_t)search->modules_count++;
}

int fault_classes_add(void *context, const char *path)
{
    struct fault_search *search = context;
    struct error error;
    char full[PATH_MAX];
    if (realpath(path, full) == NULL)
        return 0;
    for (size_t i = 0; i < search->faults->rules_count; i++) {
        const struct fault_rule *rule = &search->faults->rules[i];
        struct fault_class *found = &search->classes[i];
        if (!rule->throws_class || found->made.type != 0)
            continue;
        if (class_symbols_find(&found->symbols, full, rule->thrown, &error) != 0)
            return fail("%s: %s", path, error.text);
        if (found->symbols.name == NULL)
            continue;
        int64_t module = module_index(search, full);
        if (module < 0)
            return fail("record: out of memory");
        found->made = (struct fisql_fault_class){.module = (uint64_t)module,
                                                 .type = found->symbols.type,
                                                 .table = found->symbols.table,
                                                 .destroy = found->symbols.destroy};
    }
    return 0;
}

/* Chooses the best constructor. Returns whether there is one. */
static bool choose_constructor(const struct fault_rule *rule, struct fault_class *found)
{
    const struct class_symbols *symbols = &found->symbols;
    uint32_t best = UINT32_MAX;
    bool complete = false;
    for (size_t i = 0; i < symbols->constructors_count; i++) {
        const struct class_constructor *constructor = &symbols->constructors[i];
        uint32_t rank = rank_of(rule->thrown_given, constructor->parameters);
        if (rank > best || rank == UINT32_MAX || (rank == best && complete) ||
            (symbols->virtual_bases && !constructor->complete))
            continue;
        best = rank;
        complete = constructor->complete;
        found->made.make = constructor->address;
        found->made.how = constructors[rank].how;
    }
    return best != UINT32_MAX;
}

/* How to make an object of a class whose constructors have no code of their own. */
static bool choose_without(const struct fault_rule *rule, struct fault_class *found)
{
    enum fault_given given = rule->thrown_given;
    bool nothing = given == FAULT_GIVEN_NOTHING;
    if (found->symbols.constructors_count > 0 || found->symbols.virtual_bases)
        return false;
    found->made.how = found->made.table != 0 ? FISQL_FAULT_MAKE_BASE : FISQL_FAULT_MAKE_PLAIN;
    return nothing || given == (found->made.table != 0 ? FAULT_GIVEN_TEXT : FAULT_GIVEN_INTEGER);
}

/* Sets the number that the constructor gets, in the form that it gets it in. */
static void set_number(const struct fault_rule *rule, struct fisql_fault_class *made)
{
    double number = rule->thrown_given == FAULT_GIVEN_DECIMAL ? rule->number
                                                              : (double)(int64_t)rule->made.value;
    float small = (float)number;
    made->number = rule->made.value;
    if (made->how == FISQL_FAULT_MAKE_DOUBLE)
        memcpy(&made->number, &number, sizeof number);
    else if (made->how == FISQL_FAULT_MAKE_FLOAT)
        memcpy(&made->number, &small, sizeof small);
}

/* Does it copy or move an object of the class? */
static bool copies(const struct class_symbols *symbols, const char *parameters)
{
    size_t length = strlen(symbols->name);
    return strncmp(parameters, symbols->name, length) == 0 &&
           (strcmp(parameters + length, " const&") == 0 || strcmp(parameters + length, "&&") == 0);
}

/* Says what the class can be made of instead. */
static int say_constructors(const struct fault_rule *rule, const struct class_symbols *symbols)
{
    static const char *const given[] = {"nothing", "an integer", "a decimal number", "a text"};
    const char *last = class_last_name(symbols->name);
    char words[700] = "";
    size_t used = 0;
    for (size_t i = 0; i < symbols->constructors_count && used < sizeof words; i++) {
        const char *parameters = symbols->constructors[i].parameters;
        bool seen = copies(symbols, parameters);
        for (size_t k = 0; k < i; k++)
            seen = seen || strcmp(symbols->constructors[k].parameters, parameters) == 0;
        if (!seen)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%.*s(%s)",
                                     used > 0 ? ", " : ": there are ", (int)strcspn(last, "<"),
                                     last, parameters);
    }
    return fault_rule_wrong(rule->text, rule->thrown_at, "--fault", "%s cannot be made of %s%s",
                            symbols->name, given[rule->thrown_given],
                            used > 0 ? words
                                     : ": its constructors are inlined; compile with -O0, or "
                                       "`fisql cc --no-inline`");
}

static int choose(const struct fault_rule *rule, struct fault_class *found)
{
    const struct class_symbols *symbols = &found->symbols;
    if (symbols->name == NULL)
        return fault_rule_wrong(rule->text, rule->thrown_at, "--fault",
                                "%s: the program and its libraries have no type information of a "
                                "class of this name: it is misspelt, never thrown or caught, or "
                                "the program is stripped",
                                rule->thrown);
    if (symbols->another != NULL)
        return fault_rule_wrong(rule->text, rule->thrown_at, "--fault",
                                "%s: there are several: %s, %s", rule->thrown, symbols->name,
                                symbols->another);
    if (!choose_constructor(rule, found)) {
        if (!choose_without(rule, found))
            return say_constructors(rule, symbols);
        note("--fault %s: no constructor of %s has code of its own: the exception is %s",
             rule->text, symbols->name,
             found->made.how == FISQL_FAULT_MAKE_PLAIN
                 ? "that number, and zeros"
                 : "made by the standard library's class that it inherits, and zeros");
    }
    set_number(rule, &found->made);
    return 0;
}

int fault_classes_choose(const struct fault_search *search)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < search->faults->rules_count; i++)
        if (search->faults->rules[i].throws_class)
            result = choose(&search->faults->rules[i], &search->classes[i]);
    return result;
}

void fault_class_release(struct fault_class *found)
{
    class_symbols_release(&found->symbols);
}
