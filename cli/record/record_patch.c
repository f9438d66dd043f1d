/* Which modules are patched: see record_patch.h. */
#include "cli/record/record_patch.h"

#include "cli/out/say.h"
#include "cli/out/cache_folder.h"
#include "debuginfo/patch/patch_cache.h"
#include "formats/patch_modules.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Does --libs name it: by its path, its name, or its name without "lib" and what follows ".so"? */
static bool is_named(const struct record_patterns *libs, const char *path)
{
    const char *name = fisql_patch_name(path);
    char plain[256];
    snprintf(plain, sizeof plain, "%.255s", strncmp(name, "lib", 3) == 0 ? name + 3 : name);
    char *end = strstr(plain, ".so");
    if (end != NULL)
        *end = 0;
    for (size_t i = 0; i < libs->count; i++) {
        const char *pattern = libs->items[i];
        if (fnmatch(pattern, path, 0) == 0 || fnmatch(pattern, name, 0) == 0 ||
            fnmatch(pattern, plain, 0) == 0)
            return true;
    }
    return false;
}

static bool is_plugin(const struct record_options *options, const char *path)
{
    return options->libs.plugin != NULL && strcmp(options->libs.plugin, path) == 0;
}

bool record_patch_takes(const struct record_options *options, const char *program, const char *path)
{
    return options->as_is != 0 && !fisql_patch_is_base(path) && !is_plugin(options, path) &&
           (fisql_patch_is_own(program, path) || is_named(&options->libs.patched, path));
}

static void skip(struct patch_summary *summary, const char *path)
{
    size_t used = strlen(summary->names);
    summary->skipped++;
    if (summary->skipped <= 3)
        snprintf(summary->names + used, sizeof summary->names - used, "%s%s", used > 0 ? ", " : "",
                 fisql_patch_name(path));
}

/* Leaves of the plan what is asked for. */
static void plan_choose(struct fisql_patch *plan, const struct record_options *options,
                        bool links_only)
{
    const struct record_patterns *wanted = &options->libs.called;
    struct fisql_patch_link *links = fisql_patch_links(plan);
    if (links_only)
        plan->entries_count = 0;
    if (!options->libs.calls) {
        plan->links_count = plan->references_count = 0;
        plan->code_bytes = plan->entries_code_bytes;
        plan->fixups_count = plan->entries_fixups_count;
    }
    for (uint32_t i = 0; i < plan->links_count; i++)
        if (wanted->count > 0 &&
            !record_patterns_match(wanted, fisql_patch_text(plan, links[i].name), NULL))
            links[i].flags |= FISQL_PATCH_UNWANTED;
}

void *record_patch_plan(const struct record_options *options,
                        const struct fisql_late_module *module, struct patch_summary *summary,
                        uint64_t *bytes)
{
    char cache[PATH_MAX], path[PATH_MAX];
    struct patch_plan plan = {.plan = NULL};
    struct error error;
    void *made = NULL;
    *bytes = 0;
    if (is_plugin(options, module->path))
        return NULL;
    snprintf(path, sizeof path, "%s%s", options->attach.root != NULL ? options->attach.root : "",
             module->path);
    if ((module->flags & FISQL_LATE_OWN) == 0 && !is_named(&options->libs.patched, module->path)) {
        skip(summary, module->path);
        return NULL;
    }
    if ((module->flags & FISQL_LATE_SANITIZED) != 0 ||
        (options->as_is < 2 && (module->flags & FISQL_LATE_EXECUTABLE) != 0 &&
         patch_holds_asan(path))) {
        if (summary->problem[0] == 0)
            snprintf(summary->problem, sizeof summary->problem,
                     "%.64s: AddressSanitizer and LeakSanitizer read return addresses of the "
                     "stack for their reports; --as-is records it all the same",
                     fisql_patch_name(module->path));
        return NULL;
    }
    if (patch_plan_open(&plan, path, module->build_id, cache_folder(cache, sizeof cache), &error) ==
            0 &&
        plan.plan != NULL) {
        bool links_only = (module->flags & FISQL_LATE_LINKS) != 0;
        plan_choose(plan.plan, options, links_only);
        if (plan.plan->entries_count > 0) {
            summary->functions += patch_plan_functions(&plan);
            summary->modules++;
        }
        if (plan.plan->entries_count > 0 || plan.plan->links_count > 0) {
            made = plan.plan;
            *bytes = plan.plan->bytes;
            plan.plan = NULL;
        }
    }
    if (plan.problem != NULL && summary->problem[0] == 0 &&
        (module->flags & FISQL_LATE_LINKS) == 0 &&
        options->as_is != FISQL_AS_IS_GUEST) { /* it may use macros of fisql_trace.h */
        snprintf(summary->problem, sizeof summary->problem, "%.64s: %.160s",
                 fisql_patch_name(module->path), plan.problem);
    }
    patch_plan_release(&plan);
    return made;
}

void patch_summary_add(struct patch_summary *summary, const struct fisql_late_module *module)
{
    summary->hooked += __atomic_load_n(&module->patched, __ATOMIC_RELAXED);
    summary->linked += __atomic_load_n(&module->linked, __ATOMIC_RELAXED);
}

static void unmirrored_append(struct live *live)
{
    char calls[24], detail[128];
    if (live->area->unmirrored == 0)
        return;
    snprintf(calls, sizeof calls, "%" PRIu64, live->area->unmirrored);
    snprintf(detail, sizeof detail, "%s calls of patched functions: no memory beside their stack",
             calls);
    const struct live_fact facts[] = {{FISQL_FACT_LOSS_REASON, "calls not recorded"},
                                      {FISQL_FACT_LOSS_DETAIL, detail},
                                      {FISQL_FACT_LOSS_CALLS, calls},
                                      {0, NULL}};
    live_append_facts(live, FISQL_CHUNK_LOSS, 0, 0, facts);
    note("%s; limits of memory and seccomp do that", detail);
}

void patch_summary_append(const struct patch_summary *summary, struct live *live,
                          const struct record_options *options)
{
    const char *known = options->values.without;
    char detail[RECORD_WITHOUT + 64];
    unmirrored_append(live);
    if (known[0] == 0 && summary->without[0] == 0)
        return;
    snprintf(detail, sizeof detail, "of what is recorded as it is: %s",
             known[0] != 0 ? known : summary->without);
    const struct live_fact facts[] = {
        {FISQL_FACT_LOSS_REASON, "arguments and results not recorded"},
        {FISQL_FACT_LOSS_DETAIL, detail},
        {0, NULL}};
    live_append_facts(live, FISQL_CHUNK_LOSS, 0, 0, facts);
    if (known[0] == 0) /* else it was said before the start */
        note("%s: its arguments and results were not recorded", summary->without);
}

void patch_summary_say(const struct patch_summary *summary, const struct record_options *options,
                       const char *program)
{
    char skipped[PATCH_SUMMARY_NAMES + 128] = "";
    if (is_named(&options->libs.patched, "libc.so.6"))
        note("--libs: libc.so.6 and the dynamic linker are left out: the collector itself runs on "
             "them");
    if (summary->problem[0] != 0)
        note("not recorded as it is: %s", summary->problem);
    if (options->libs.calls && summary->linked == 0)
        note("%s: no calls of functions in libraries were found to record", program);
    else if (options->libs.calls)
        note("%s: calls of %" PRIu64 " functions in libraries were recorded", program,
             summary->linked);
    if (summary->modules == 0)
        return;
    if (summary->skipped != 0)
        snprintf(skipped, sizeof skipped, "; %u librar%s not (--libs PATTERN): %s%s",
                 summary->skipped, summary->skipped == 1 ? "y" : "ies", summary->names,
                 summary->skipped > 3 ? ", ..." : "");
    note("%s: recorded as it is: %" PRIu64 " of %" PRIu64 " functions%s", program, summary->hooked,
         summary->functions, skipped);
}
