/* --fault of `fisql record`: see record_faults.h. */
#include "cli/record/record_faults.h"

#include "base/array.h"
#include "base/memory_text.h"
#include "cli/out/cache_folder.h"
#include "cli/out/say.h"
#include "cli/record/fault_targets.h"
#include "cli/record/program_file.h"
#include "cli/record/record_libraries.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- rules ---- */

static int add(struct record_faults *faults, const char *text, const char *where)
{
    struct error error;
    if (faults->rules_count == FISQL_FAULT_RULES_MAX)
        return fail("%s: at most %u rules", where, FISQL_FAULT_RULES_MAX);
    if (array_reserve(&faults->rules, &faults->rules_room, faults->rules_count + 1, &error) != 0)
        return fail("%s", error.text);
    struct fault_rule *rule = &faults->rules[faults->rules_count++];
    return fault_rule_parse(rule, text, where);
}

int record_faults_add(struct record_faults *faults, const char *text)
{
    return add(faults, text, "--fault");
}

int record_faults_read(struct record_faults *faults, const char *path)
{
    FILE *file = fopen(path, "re");
    char *line = NULL, where[PATH_MAX + 32];
    size_t room = 0, number = 0, before = faults->rules_count;
    ssize_t length;
    int result = 0;
    if (file == NULL)
        return fail("--faults: %s: %s", path, strerror(errno));
    while (result == 0 && (length = getline(&line, &room, file)) >= 0) {
        number++;
        while (length > 0 && strchr(" \t\r\n", line[length - 1]) != NULL)
            line[--length] = 0;
        const char *text = line + strspn(line, " \t");
        snprintf(where, sizeof where, "%s:%zu", path, number);
        if (*text != 0 && *text != '#')
            result = add(faults, text, where);
    }
    if (result == 0 && ferror(file))
        result = fail("--faults: %s: cannot be read", path);
    else if (result == 0 && faults->rules_count == before)
        result = fail("--faults: %s: it holds no rule", path);
    free(line);
    fclose(file);
    return result;
}

void record_faults_release(struct record_faults *faults)
{
    for (size_t i = 0; i < faults->rules_count; i++)
        fault_rule_release(&faults->rules[i]);
    free(faults->rules);
    free(faults->area);
}

/* ---- the area ---- */

struct area {
    char *bytes;
    size_t used, room;
    bool failed;
};

/* Puts bytes at the area's end, on a multiple of 8; returns their offset. */
static uint64_t put(struct area *area, const void *bytes, size_t count)
{
    struct error error;
    size_t at = (area->used + 7) & ~(size_t)7;
    if (area->failed || array_reserve(&area->bytes, &area->room, at + count + 8, &error) != 0) {
        area->failed = true;
        return 0;
    }
    memset(area->bytes + area->used, 0, at + count + 8 - area->used);
    if (count > 0)
        memcpy(area->bytes + at, bytes, count);
    area->used = at + count;
    return at;
}

/* Parses MODULE+0xADDRESS,..., from the call outwards. */
static int put_sites(struct area *area, const struct fault_rule *rule,
                     struct fisql_fault_rule *made)
{
    struct fisql_fault_site *sites = NULL;
    size_t count = 0, room = 0;
    struct error error;
    int result = 0;
    for (const char *at = rule->sites; at != NULL && result == 0;) {
        const char *end = strchrnul(at, ','), *plus = memrchr(at, '+', (size_t)(end - at));
        char *after = NULL;
        uint64_t address = plus != NULL ? strtoull(plus + 1, &after, 0) : 0;
        if (plus == NULL || plus == at || after != end) {
            result = fault_rule_wrong(rule->text, rule->sites_at, "--fault",
                                      "`at` wants call sites: MODULE+0xADDRESS,..., from the call "
                                      "outwards");
            break;
        }
        if (array_reserve(&sites, &room, count + 1, &error) != 0) {
            result = fail("record: out of memory");
            break;
        }
        sites[count++] = (struct fisql_fault_site){put(area, at, (size_t)(plus - at)),
                                                   (uint64_t)(plus - at), address};
        at = *end != 0 ? end + 1 : NULL;
    }
    made->sites_count = (uint32_t)count;
    made->sites = put(area, sites, count * sizeof *sites);
    free(sites);
    return result;
}

/* The index of an argument of a call of the C library; -1 after saying which arguments there
 * are. */
static int argument_index(const struct fault_rule *rule, const struct fault_when *when)
{
    const char *names = rule->call != NULL ? rule->call->arguments : "size alignment";
    size_t length = strlen(when->name);
    int index = 0;
    for (const char *at = names; *at != 0; index++) {
        size_t own = strcspn(at, " ");
        if (own == length && strncmp(at, when->name, length) == 0)
            return index;
        at += own + (at[own] == ' ');
    }
    fault_rule_wrong(rule->text, when->at, "--fault", "%s has no argument `%s`: there are: %s",
                     rule->target, when->name, names);
    return -1;
}

static int put_rule(struct area *area, const struct fault_rule *rule,
                    const struct fault_class *class, struct fisql_fault_rule *made)
{
    *made = rule->made;
    made->inside = rule->inside != NULL;
    made->is_void = rule->value == FAULT_VALUE_NONE;
    made->text =
        rule->thrown != NULL ? put(area, rule->thrown, rule->thrown_bytes) : put(area, "", 1);
    if (rule->throws_class)
        made->class = put(area, &class->made, sizeof class->made);
    for (uint8_t i = 0; i < made->whens_count; i++) {
        const struct fault_when *when = &rule->whens[i];
        if (when->text != NULL)
            made->when[i].text = put(area, when->text, strlen(when->text) + 1);
        int index = made->kind != FISQL_FAULT_FUNCTION ? argument_index(rule, when) : 0;
        if (index < 0)
            return 2;
        made->when[i].parameter = (uint16_t)index;
    }
    return rule->sites != NULL ? put_sites(area, rule, made) : 0;
}

static int make_area(const struct fault_search *search, struct record_faults *faults)
{
    struct fisql_faults head = {.magic = FISQL_FAULTS_MAGIC,
                                .version = FISQL_FAULTS_VERSION,
                                .rules = (uint32_t)faults->rules_count,
                                .modules = (uint32_t)search->modules_count,
                                .values_count = search->values.count};
    struct area area = {.bytes = NULL};
    struct fisql_fault_rule *rules = calloc(faults->rules_count + 1, sizeof *rules);
    struct fisql_fault_module *modules = calloc(search->modules_count + 1, sizeof *modules);
    int result = rules == NULL || modules == NULL ? fail("record: out of memory") : 0;
    put(&area, &head, sizeof head);
    for (size_t i = 0; i < faults->rules_count && result == 0; i++)
        result = put_rule(&area, &faults->rules[i], &search->classes[i], &rules[i]);
    for (size_t i = 0; i < search->modules_count && result == 0; i++) {
        const struct fault_module *module = &search->modules[i];
        modules[i] = (struct fisql_fault_module){
            .path = put(&area, module->path, strlen(module->path)),
            .path_bytes = strlen(module->path),
            .hooks = put(&area, module->hooks, module->hooks_count * sizeof *module->hooks),
            .hooks_count = module->hooks_count,
            .places = put(&area, module->places, module->places_count * sizeof *module->places),
            .places_count = module->places_count};
    }
    if (result == 0) {
        head.rules_at = put(&area, rules, faults->rules_count * sizeof *rules);
        head.modules_at = put(&area, modules, search->modules_count * sizeof *modules);
        head.values_at =
            put(&area, search->values.items, search->values.count * sizeof *search->values.items);
        head.counts_at = put(&area, NULL, 0);
        head.bytes = head.counts_at + FISQL_FAULT_PROCESSES_MAX * sizeof(struct fisql_fault_counts);
        if (area.failed)
            result = fail("record: out of memory");
        else
            memcpy(area.bytes, &head, sizeof head);
    }
    free(rules);
    free(modules);
    if (result != 0) {
        free(area.bytes);
        return result;
    }
    faults->area = area.bytes;
    faults->area_bytes = area.used;
    faults->room_bytes = head.bytes;
    return 0;
}

/* ---- is there what the rules name? ---- */

/* Says that no function has the name, and which may be meant. */
static int misspelt(const struct fault_search *search, const struct fault_rule *rule, size_t at,
                    const char *pattern, bool target)
{
    size_t others = 0, count = search->names_count;
    const char *const *more = fault_target_names(&others);
    const char **names = calloc(count + others + 1, sizeof *names);
    if (names == NULL)
        return fail("record: out of memory");
    for (size_t i = 0; i < count; i++)
        names[i] = search->names[i];
    for (size_t i = 0; target && i < others; i++)
        names[count++] = more[i];
    const char *near = nearest_name(pattern, names, count);
    fault_rule_wrong(rule->text, at, "--fault", "%s: no function %s has this name%s%s%s", pattern,
                     search->as_is ? "that is recorded" : "with hooks",
                     near != NULL ? "; did you mean "
                     : target     ? ", nor can a call of the C library of this name be made to fail"
                                  : "",
                     near != NULL ? near : "", near != NULL ? "?" : "");
    free(names);
    return 2;
}

static int check_rule(const struct fault_search *search, const struct fault_rule *rule,
                      const struct fault_found *found)
{
    if (rule->inside != NULL && found->places == 0)
        return misspelt(search, rule, rule->inside_at, rule->inside, false);
    if (rule->made.kind != FISQL_FAULT_FUNCTION)
        return 0;
    if (found->functions == 0)
        return misspelt(search, rule, 0, rule->target, true);
    const char *problem = NULL;
    if (found->hooked == 0 && found->unpatched != NULL)
        problem = found->unpatched;
    else if (found->hooked == 0)
        problem = "it has no hooks: compile it with `fisql cc`";
    else if (found->taken == 0 && found->undescribed)
        problem = "there is no debug information: compile with -g (`fisql cc` does so by itself)";
    else if (found->taken == 0 && found->unknown > 0)
        problem =
            "where this argument lies when it is called is not known: compile with -O0 or -O1";
    else if (found->inlined > 0 && (found->taken == 0 || found->called == 0))
        problem = "it is inlined wherever it is called, and cannot fail by itself there: compile "
                  "with `fisql cc --no-inline`";
    else if (found->taken == 0)
        problem =
            rule->made.after
                ? "where it returns is not known: its result is of a type that cannot be "
                  "followed, or its return is far from the exit hook"
                : "how to return from it is not known: on x86-64 the call frame information "
                  "(.eh_frame) tells; on other machines functions cannot be made to return or "
                  "throw, only to wait, to raise a signal or to exit";
    if (problem != NULL)
        return fault_rule_wrong(rule->text, 0, "--fault", "%s: %s", rule->target, problem);
    if (found->inlined > 0)
        note("--fault %s: %zu calls of the hooks in inlined copies of it cannot fail", rule->target,
             found->inlined);
    if (found->unknown > 0)
        note("--fault %s: %zu calls of the hooks cannot fail: where the argument lies is not known "
             "there",
             rule->target, found->unknown);
    return 0;
}

static int check(const struct fault_search *search, uint32_t string_max)
{
    for (size_t i = 0; i < search->faults->rules_count; i++) {
        const struct fault_rule *rule = &search->faults->rules[i];
        if (check_rule(search, rule, &search->found[i]) != 0)
            return 2;
        for (uint8_t k = 0; k < rule->made.whens_count; k++)
            if (string_max != 0 && rule->made.kind == FISQL_FAULT_FUNCTION &&
                rule->made.when[k].bytes > string_max)
                return fault_rule_wrong(rule->text, rule->whens[k].at, "--fault",
                                        "a text of %u bytes needs --string-max %u",
                                        rule->made.when[k].bytes, rule->made.when[k].bytes);
    }
    return 0;
}

/* Does a rule name a function of the program? */
static bool want_modules(const struct record_faults *faults)
{
    bool wanted = false;
    for (size_t i = 0; i < faults->rules_count; i++)
        wanted = wanted || faults->rules[i].made.kind == FISQL_FAULT_FUNCTION ||
                 faults->rules[i].inside != NULL;
    return wanted;
}

static bool want_classes(const struct record_faults *faults)
{
    for (size_t i = 0; i < faults->rules_count; i++)
        if (faults->rules[i].throws_class)
            return true;
    return false;
}

int record_faults_make(struct record_options *options, const char *program, uint32_t string_max)
{
    struct record_faults *faults = &options->faults;
    char image[PATH_MAX], cache[PATH_MAX];
    if (faults->rules_count == 0 || !program_image(program, image))
        return 0; /* running it says why */
    struct program_file file;
    program_file_look(&file, program);
    if (file.collector || file.is_static)
        return fail("%s: its calls cannot be made to fail: link it without -static and without "
                    "`fisql cc --static-runtime`",
                    program);
    for (size_t i = 0; i < faults->rules_count; i++)
        faults->library_calls =
            faults->library_calls || faults->rules[i].made.kind == FISQL_FAULT_CALL;
    struct fault_search search = {.faults = faults,
                                  .options = options,
                                  .image = image,
                                  .found = calloc(faults->rules_count, sizeof *search.found),
                                  .classes = calloc(faults->rules_count, sizeof *search.classes),
                                  .cache_dir = cache_folder(cache, sizeof cache)};
    int result = search.found == NULL || search.classes == NULL ? fail("record: out of memory") : 0;
    if (result == 0 && want_modules(faults))
        result = program_modules(image, false, fault_targets_add, &search);
    if (result == 0)
        result = check(&search, string_max);
    if (result == 0 && want_classes(faults))
        result = program_modules(image, false, fault_classes_add, &search);
    if (result == 0)
        result = fault_classes_choose(&search);
    if (result == 0)
        result = make_area(&search, faults);
    fault_search_release(&search);
    return result;
}

/* ---- what became of them ---- */

char *record_faults_text(const struct record_faults *faults)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = faults->rules_count > 0 ? memory_text_open(&text, &size) : NULL;
    if (out == NULL)
        return NULL;
    for (size_t i = 0; i < faults->rules_count; i++) {
        const struct fault_rule *rule = &faults->rules[i];
        bool usual = strncmp(rule->action, "fail", 4) == 0;
        fprintf(out, "%s\t%s", rule->target, rule->made.after ? "after: " : "");
        if (usual) /* its meaning for this call */
            fprintf(out, "return %" PRId64, (int64_t)rule->made.value);
        else
            fputs(rule->action, out);
        if (rule->made.error != 0 && (usual || !rule->error_said))
            fprintf(out, " errno %s", rule->error);
        fprintf(out, "\t%s\n", rule->text);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static void say_idle(const struct fault_rule *rule, uint64_t reached)
{
    const struct fisql_fault_rule *made = &rule->made;
    bool bound = rule->inside != NULL || rule->sites != NULL || made->whens_count > 0;
    if (reached == 0 && bound)
        note("--fault %s: it never struck: no call met its conditions", rule->text);
    else if (reached == 0)
        note("--fault %s: it never struck: %s was not called", rule->text, rule->target);
    else
        note("--fault %s: it never struck: %" PRIu64 " calls %s", rule->text, reached,
             bound ? "met its conditions" : "were made");
}

void record_faults_append(const struct record_faults *faults, struct live *live, bool quiet)
{
    uint64_t reached[FISQL_FAULT_RULES_MAX] = {0}, struck[FISQL_FAULT_RULES_MAX] = {0};
    struct fisql_live_part part = live->area->parts.faults;
    struct fisql_faults head;
    struct fisql_fault_counts counts;
    if (part.bytes == 0 ||
        pread(live->memory, &head, sizeof head, (off_t)part.offset) != (ssize_t)sizeof head)
        return;
    for (uint32_t i = 0; i < head.processes && i < FISQL_FAULT_PROCESSES_MAX; i++) {
        uint64_t at =
            part.offset + faults->room_bytes - (FISQL_FAULT_PROCESSES_MAX - i) * sizeof counts;
        if (pread(live->memory, &counts, sizeof counts, (off_t)at) != (ssize_t)sizeof counts)
            break;
        for (size_t k = 0; k < faults->rules_count; k++) {
            reached[k] += counts.reached[k];
            struck[k] += counts.struck[k];
        }
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return;
    for (size_t k = 0; k < faults->rules_count; k++) {
        fprintf(out, "%" PRIu64 " %" PRIu64 "\n", reached[k], struck[k]);
        if (struck[k] == 0 && !quiet)
            say_idle(&faults->rules[k], reached[k]);
    }
    if (fclose(out) == 0)
        live_append_fact(live, FISQL_FACT_RUN_FAULT_COUNTS, text);
    free(text);
}
