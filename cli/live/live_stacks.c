/* The stacks of a run's threads: see live_stacks.h. */
#include "cli/live/live_stacks.h"

#include "cli/live/live_show.h"
#include "cli/out/cache_folder.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_AGAIN_NS 20000000

/* Shows the circles that still exist at a second look. Returns how many. */
static size_t show_circles(const struct live_show *show)
{
    const struct timespec again = {0, LOOK_AGAIN_NS};
    size_t count = show->threads->count, found = 0;
    size_t *members = malloc((count + 1) * sizeof *members);
    for (size_t i = 0; members != NULL && i < count; i++) {
        size_t circle = live_waits_circle(show->waits, i, members, count);
        if (circle == 0)
            continue;
        nanosleep(&again, NULL);
        bool lasts = true;
        for (size_t k = 0; k < circle && lasts; k++)
            lasts = live_wait_lasts(&show->waits->items[members[k]],
                                    &show->threads->items[members[k]], show->source);
        if (lasts)
            live_show_circle(show, members, circle);
        for (size_t k = 0; k < circle && lasts; k++)
            show->waits->items[members[k]].circle = true;
        found += lasts;
    }
    free(members);
    return found;
}

static int show_process(const struct live_stacks_options *options, struct live_run *run,
                        uint32_t pid, uint64_t process_key, struct live_points *points)
{
    char cache[PATH_MAX], command[4096];
    const struct symbols_options symbols = {.cache_dir = cache_folder(cache, sizeof cache)};
    const struct live_options wanted = {pid, process_key, options->last_max};
    struct live_threads threads = {0};
    struct live_waits waits = {0};
    struct live_names *names = NULL;
    struct error error;
    int status = 0;
    if (live_source_refresh(&run->source, &error) != 0 ||
        live_threads_read(&threads, &run->source, &wanted, false, &error) != 0 ||
        live_waits_read(&waits, &threads, &run->source, &error) != 0)
        status = fail("%s", error.text);
    struct live_clock clock = live_clock_now(&run->source.area);
    if (status == 0 && live_names_open(&names, pid, &symbols, &error) != 0)
        note("%s: functions show as addresses", error.text);
    if (names != NULL)
        live_names_use_points(names, points, process_key);
    if (status == 0) {
        live_command((pid_t)pid, command, sizeof command);
        text_put(stdout, command);
        printf(" (PID %u), %zu thread%s\n\n", pid, threads.count, threads.count == 1 ? "" : "s");
        const struct live_show show = {.source = &run->source,
                                       .threads = &threads,
                                       .waits = &waits,
                                       .names = names,
                                       .clock = clock,
                                       .style = options->style,
                                       .each = options->each,
                                       .all = options->all};
        if (waits.denied && threads.count > 1)
            note("PID %u: it records no locks, and the kernel does not let us look into it for "
                 "those "
                 "that it waits for: root can, or record it with --locks",
                 pid);
        status = show_circles(&show) > 0;
        int shown = live_show_threads(&show);
        status = shown != 0 ? shown : status;
    }
    live_names_close(names);
    live_waits_release(&waits);
    live_threads_release(&threads);
    return status;
}

/* All processes of the run, or the one that is asked for. */
int live_stacks_show(const struct live_stacks_options *options, struct live_run *run)
{
    struct live_images images;
    struct error error;
    int worst = 0;
    if (live_images_read(&images, &run->source, &error) != 0)
        return fail("%s", error.text);
    char log[32]; /* the open file's: its name may lead elsewhere by now */
    snprintf(log, sizeof log, "/proc/self/fd/%d", run->log_file);
    struct live_points *points =
        live_points_open(run->log_file >= 0 ? log : NULL, run->source.area.run_id);
    size_t shown = 0;
    for (size_t i = 0; i < images.count; i++) {
        if (options->pid != 0 && options->pid != run->recorder &&
            images.items[i].pid != (uint32_t)options->pid)
            continue;
        int status =
            show_process(options, run, images.items[i].pid, images.items[i].process_key, points);
        worst = status > worst ? status : worst;
        shown++;
    }
    live_points_close(points);
    free(images.items);
    if (shown == 0)
        return fail("%d: it has not called a recorded function yet", (int)options->pid);
    return worst;
}
