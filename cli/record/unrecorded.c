/* Programs of a run that could not be recorded: see unrecorded.h. */
#include "cli/record/unrecorded.h"

#include "cli/out/say.h"
#include "cli/record/program_file.h"

#include <stdio.h>
#include <string.h>

#define LOSSES_MAX 1000u /* chunks for one reason; the last one counts the rest */

static const char *const reasons[FISQL_UNRECORDED_REASONS] = {
#define WORDS(constant, number, words) [number] = words,
    FISQL_UNRECORDED(WORDS)
#undef WORDS
};

/* The known names, separated by commas. */
static void list_names(const struct fisql_unrecorded_images *images, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < FISQL_UNRECORDED_NAMES && i < images->named && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%.63s", i > 0 ? ", " : "",
                                 images->names[i]);
    if (images->count > FISQL_UNRECORDED_NAMES && used < size)
        snprintf(text + used, size - used, ", ...");
}

static void append_losses(struct live *live, const struct fisql_unrecorded_images *images,
                          const char *words)
{
    for (uint32_t i = 0; i < images->count && i < LOSSES_MAX; i++) {
        char detail[256];
        bool named = i < images->named && i < FISQL_UNRECORDED_NAMES;
        if (i == LOSSES_MAX - 1 && images->count > LOSSES_MAX)
            snprintf(detail, sizeof detail, "%u programs: %s", images->count - i, words);
        else
            snprintf(detail, sizeof detail, "%.63s: %s", named ? images->names[i] : "?", words);
        const struct live_fact facts[] = {{FISQL_FACT_LOSS_REASON, "program not recorded"},
                                          {FISQL_FACT_LOSS_DETAIL, detail},
                                          {0, NULL}};
        live_append_facts(live, FISQL_CHUNK_LOSS, 0, 0, facts);
    }
}

static void append_not_followed(struct live *live, const struct fisql_unrecorded_images *images)
{
    char names[FISQL_UNRECORDED_NAMES * 66 + 8], text[sizeof names + 32];
    list_names(images, names, sizeof names);
    snprintf(text, sizeof text, "%u (%s)", images->count, names);
    const struct live_fact facts[] = {{FISQL_FACT_RUN_NOT_FOLLOWED, text}, {0, NULL}};
    live_append_facts(live, FISQL_CHUNK_RUN, 0, 0, facts);
}

bool unrecorded_append(struct live *live, const char *log_path, bool quiet)
{
    bool lost = false;
    for (unsigned reason = 0; reason < FISQL_UNRECORDED_REASONS; reason++) {
        const struct fisql_unrecorded_images *images = &live->area->unrecorded[reason];
        bool followed = reason == FISQL_UNRECORDED_FOLLOWED;
        bool in_parts = reason == FISQL_UNRECORDED_SECCOMP ||
                        reason == FISQL_UNRECORDED_SECCOMP_LATER ||
                        reason == FISQL_UNRECORDED_CLOCK;
        char names[FISQL_UNRECORDED_NAMES * 66 + 8];
        if (images->count == 0)
            continue;
        list_names(images, names, sizeof names);
        if (followed)
            append_not_followed(live, images);
        else
            append_losses(live, images, reasons[reason]);
        lost |= !followed;
        if (!followed || !quiet)
            note("%s: %u program%s %s not %s (%s): %s", log_path, images->count,
                 images->count == 1 ? "" : "s", images->count == 1 ? "was" : "were",
                 followed   ? "followed"
                 : in_parts ? "recorded whole"
                            : "recorded",
                 names, reasons[reason]);
    }
    return lost;
}

const char *unrecorded_reason(const struct live *live, const struct record_options *options,
                              const char *program)
{
    struct program_file file;
    if (live->area->unrecorded[FISQL_UNRECORDED_MEMORY].count != 0)
        return reasons[FISQL_UNRECORDED_MEMORY];
    program_file_look(&file, program);
    if (file.known && !file.machine_same)
        return "it is built for another kind of machine than fisql; build it for this one";
    if (file.known && file.hooks && file.is_static)
        return "it is static and does not hold the collector; link it with `fisql cc`";
    if (file.known && file.hooks)
        return "it calls the hooks, but the collector was not started in it; see its messages, "
               "and \"Children and other programs\" in docs/recording.md";
    if (file.known && file.is_static)
        return "it is static: only a program that `fisql cc` links can be recorded so";
    if (options->as_is == 0)
        return "the program does not call the hooks, and --no-patch keeps it as it is; build it "
               "with `fisql cc`, or leave out --no-patch";
    return "the collector was not started in it; see \"What cannot be recorded\" in docs/any.md";
}
