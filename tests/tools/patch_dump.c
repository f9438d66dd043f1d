/*
 * Prints what a plan for patching modules says: for tests, and to look at it.
 *
 *   patch_dump [OPTION...] MODULE...   a line for each module: how many functions are hooked, the
 *                                      reasons of the others, and how long planning took
 *     -l   and the functions that are not hooked: address, reason
 *     -e   and those that are
 *     -o FILE   writes the plan
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "debuginfo/patch/patch_plan.h"

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void print_list(const struct patch_plan *plan, bool entries, bool left)
{
    for (uint32_t i = 0; entries && plan->plan != NULL && i < plan->plan->entries_count; i++)
        printf("%" PRIx64 "\thooked\n", fisql_patch_entries(plan->plan)[i].address);
    for (size_t i = 0; left && i < plan->left_count; i++)
        printf("%" PRIx64 "\t%s\n", plan->left[i].address, patch_reason_text(plan->left[i].reason));
}

static int write_plan(const struct fisql_patch *plan, const char *path)
{
    FILE *out = plan != NULL ? fopen(path, "w") : NULL;
    if (out == NULL)
        return 1;
    bool written = fwrite(plan, plan->bytes, 1, out) == 1;
    return fclose(out) != 0 || !written;
}

static int dump(const char *path, bool entries, bool left, const char *out)
{
    static const char *const names[] = {"HOOKED",
#define REASON_NAME(name, text) #name,
                                        FISQL_PATCH_REASONS(REASON_NAME)
#undef REASON_NAME
    };
    size_t counts[FISQL_PATCH_REASONS_COUNT] = {0};
    struct elf_file module;
    struct patch_plan plan = {.problem = NULL};
    struct error error;
    const char *problem = elf_file_open(&module, path);
    if (problem != NULL) {
        printf("%s: %s\n", path, problem);
        elf_file_close(&module);
        return 1;
    }
    double start = now_ms();
    int result = patch_plan_make(&plan, &module, &error);
    double took = now_ms() - start;
    size_t hooked = plan.plan != NULL ? plan.plan->entries_count : 0, framed = hooked;
    for (size_t i = 0; i < plan.left_count; i++) {
        counts[plan.left[i].reason]++;
        framed +=
            plan.left[i].reason != FISQL_PATCH_NO_FRAME && plan.left[i].reason != FISQL_PATCH_PART;
    }
    printf("%s: entries %zu, hooked %zu (%.2f %%)", path, framed, hooked,
           framed > 0 ? 100.0 * (double)hooked / (double)framed : 0.0);
    for (unsigned i = 0; i < FISQL_PATCH_REASONS_COUNT; i++)
        if (counts[i] > 0)
            printf(", %s %zu", names[i], counts[i]);
    printf(", %.0f ms%s%s\n", took, plan.problem != NULL ? ": " : "",
           plan.problem != NULL ? plan.problem : "");
    print_list(&plan, entries, left);
    if (out != NULL)
        result |= write_plan(plan.plan, out);
    patch_plan_release(&plan);
    elf_file_close(&module);
    return result;
}

int main(int argc, char **argv)
{
    bool entries = false, left = false;
    const char *out = NULL;
    int result = 0;
    for (int option; (option = getopt(argc, argv, "elo:")) != -1;) {
        entries = entries || option == 'e';
        left = left || option == 'l';
        if (option == 'o')
            out = optarg;
    }
    for (int i = optind; i < argc; i++)
        result |= dump(argv[i], entries, left, out);
    return result != 0;
}
