/*
 * Prints the recipes of a module: for tests, and to look at them.
 *
 *   recipes_dump [OPTION...] MODULE     a line for each call of a hook: function, return address (both
 *                                       hexadecimal), enter or exit, and each value
 *     -e       of patched entries, if the module does not call the hooks
 *     -l       of a library that is called, not recorded
 *     -q       the counts alone: how many values are located, and why the others are not
 *     -p       parameters and results as they are shown: function, position, name, type, kind
 *     -s DIR   symbols folder     -c DIR   cache folder
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "debuginfo/expressions/parameters.h"
#include "debuginfo/elf/elf_file.h"
#include "debuginfo/recipes/recipes.h"

static const char *const whats[] = {"signed", "unsigned", "pointer", "float",      "bytes",
                                    "text",   "string",   "view",    "string-cow", "string-1"};

static void print_value(const struct recipes *recipes, const struct fisql_recipe_value *value)
{
    printf(" %s%u", whats[value->what], value->size);
    switch (value->where) {
    case FISQL_WHERE_REGISTER:
        printf("=r%u", value->base);
        break;
    case FISQL_WHERE_VECTOR:
        printf("=v%u", value->base);
        break;
    case FISQL_WHERE_MEMORY:
        printf("=[r%u%+d]%s", value->base, value->offset, value->anywhere ? "?" : "");
        break;
    case FISQL_WHERE_SUM:
        printf("=r%u%+d", value->base, value->offset);
        break;
    case FISQL_WHERE_CONSTANT:
        printf("=%" PRIu64, value->constant);
        break;
    case FISQL_WHERE_ADDRESS:
        printf("=&%" PRIx64, value->constant);
        break;
    case FISQL_WHERE_PIECES:
        printf("={");
        for (unsigned i = 0; i < value->base; i++)
            print_value(recipes, &recipes->values[value->constant + i]);
        printf(" }");
        break;
    case FISQL_WHERE_EXPRESSION:
        printf("=(");
        for (unsigned i = 0; i < value->base; i++)
            print_value(recipes, &recipes->values[value->constant + i]);
        printf(" )");
        break;
    case FISQL_WHERE_STEP:
        printf("=step%u%+d", value->base, value->offset);
        break;
    default:
        printf("=result%u.%u", value->where, value->base);
    }
    printf("%s%s", value->through ? "*" : "", value->object ? "o" : "");
}

static void print_hook(const struct recipes *recipes, const struct fisql_recipe_hook *hook)
{
    printf("%" PRIx64 "\t%" PRIx64 "\t", hook->function, hook->address);
    if (hook->exit)
        printf("exit r%u%+d%+d", hook->cfa_register, hook->cfa_offset, hook->return_offset);
    else
        printf("enter");
    for (unsigned i = 0; i < hook->count; i++) {
        const struct fisql_recipe_value *value = &recipes->values[hook->first + i];
        if (value->where == FISQL_WHERE_ABSENT)
            printf(" ?");
        else
            print_value(recipes, value);
    }
    printf("\n");
}

static void print_counts(const struct recipes *recipes)
{
    static const char *const tallies[RECIPE_TALLIES] = {"functions", "inlined", "results"};
    printf("%shooks %" PRIu64 ", with recipe %zu, nameless %" PRIu64 "%s%s\n",
           recipes->cached ? "cached: " : "", recipes->sites, recipes->hooks_count,
           recipes->nameless, recipes->problem != NULL ? ": " : "",
           recipes->problem != NULL ? recipes->problem : "");
    for (unsigned tally = 0; tally < RECIPE_TALLIES; tally++) {
        uint64_t all = 0;
        for (unsigned i = 0; i < RECIPE_REASONS_MAX; i++)
            all += recipes->tallies[tally][i];
        printf("%s: %" PRIu64 " of %" PRIu64 " located\n", tallies[tally],
               recipes->tallies[tally][0], all);
        for (unsigned i = 1; recipes_reason(i) != NULL; i++)
            if (recipes->tallies[tally][i] > 0)
                printf("  %" PRIu64 "\t%s\n", recipes->tallies[tally][i], recipes_reason(i));
    }
}

static int print_parameters(const char *path, const struct symbols_options *options)
{
    struct parameters *parameters;
    struct error error;
    size_t count;
    if (parameters_open(&parameters, path, NULL, options, NULL, 0, NULL, &error) != 0)
        return 1;
    const struct parameter *all = parameters_all(parameters, &count);
    for (size_t i = 0; i < count; i++) {
        const struct parameter_type *type = all[i].type;
        printf("%" PRIx64 "\t%u\t%s\t%s\t%u %u%s%s", all[i].function, all[i].position, all[i].name,
               all[i].type_name, (unsigned)type->kind, type->size_bytes,
               all[i].is_reference ? " reference" : "", type->is_flags ? " flags" : "");
        for (size_t m = 0; m < type->enumerators_count; m++)
            printf(" %s=%" PRId64, type->enumerators[m].name, type->enumerators[m].value);
        for (size_t m = 0; m < type->members_count; m++)
            printf(" %s@%u", type->members[m].name, type->members[m].offset);
        printf("\n");
    }
    parameters_close(parameters);
    return 0;
}

int main(int argc, char **argv)
{
    struct recipes recipes;
    struct symbols_options options = {.sysroot = NULL};
    struct error error;
    bool quiet = false, shown = false;
    for (int option; (option = getopt(argc, argv, "elpqs:c:")) != -1;) {
        quiet = quiet || option == 'q';
        shown = shown || option == 'p';
        options.as_is = options.as_is || option == 'e';
        options.external = options.external || option == 'l';
        if (option == 's')
            options.symbols_dir = optarg;
        else if (option == 'c') {
            options.cache_dir = optarg;
            options.cache_all = true;
        }
    }
    if (shown && optind < argc)
        return print_parameters(argv[optind], &options);
    if (optind >= argc || recipes_make(&recipes, argv[optind], &options, &error) != 0) {
        fprintf(stderr, "recipes_dump: no module, or no memory\n");
        return 1;
    }
    for (size_t i = 0; i < recipes.hooks_count && !quiet; i++)
        print_hook(&recipes, &recipes.hooks[i]);
    if (quiet)
        print_counts(&recipes);
    recipes_release(&recipes);
    return 0;
}
