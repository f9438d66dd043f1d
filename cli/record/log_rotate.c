/* Replacing a log that is long: see log_rotate.h. */
#include "cli/record/log_rotate.h"

#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/record/live_parts.h"
#include "cli/record/log_facts.h"
#include "cli/record/robust.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fast program on two cores writes so much in a millisecond; we look so often at least. */
#define GROWTH_BYTES_MS (1u << 18)
#define WAIT_MS 50

/* A log holds at least so many times the facts with which it began. */
#define FACTS_TIMES 2u

static uint64_t size_of(int log)
{
    struct stat status;
    return fstat(log, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* The log gets so long before we replace it. */
static void next_set(struct log_rotate *rotate)
{
    uint64_t least = FACTS_TIMES * rotate->facts_bytes;
    rotate->next_bytes = rotate->size_bytes > least ? rotate->size_bytes : least;
}

int log_rotate_begin(struct log_rotate *rotate, struct live *live, struct log_place *place,
                     const struct record_options *options)
{
    *rotate = (struct log_rotate){.live = live,
                                  .place = place,
                                  .size_bytes = options->kept.log_bytes,
                                  .count = options->kept.logs};
    if (rotate->size_bytes == 0)
        return 0;
    rotate->totals = calloc(rotate->count, sizeof *rotate->totals);
    next_set(rotate);
    return rotate->totals != NULL ? 0 : fail("out of memory");
}

/* A new file beside the log; `fresh` gets its path. Returns -1 with errno. */
static int fresh_make(const char *path, char fresh[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    int folder = slash != NULL ? (int)(slash - path + 1) : 0;
    if ((size_t)snprintf(fresh, PATH_MAX, "%.*s.fisql-XXXXXX", folder, path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int log = mkostemp(fresh, O_APPEND | O_CLOEXEC);
    if (log >= 0 && fchmod(log, 0600) != 0) {
        int error = errno;
        unlink(fresh);
        close(log);
        errno = error;
        log = -1;
    }
    return log;
}

/* Is the file at the path the log that we write? Whoever moved it away may have made another. */
static bool log_is_there(const struct log_rotate *rotate)
{
    struct stat log, named;
    return fstat(rotate->live->log, &log) == 0 && lstat(rotate->place->path, &named) == 0 &&
           log.st_ino == named.st_ino && log.st_dev == named.st_dev;
}

/* Gives the path to the new file, and the old one its number. Returns 0 or errno. */
static int names_change(const struct log_rotate *rotate, const char *fresh)
{
    const char *path = rotate->place->path;
    if (!log_is_there(rotate))
        return EEXIST;
    if (log_place_shift(path, rotate->count) != 0 || log_place_number(path, path, true) != 0 ||
        rename(fresh, path) != 0)
        return errno;
    return 0;
}

static void epoch_set(struct live *live, uint32_t epoch)
{
    uint32_t *shared = &live->area->writer.log_epoch;
    __atomic_store_n(shared, epoch, __ATOMIC_SEQ_CST);
    word_wake(shared);
}

/* What the log before the last one holds, for which nothing waits any more. */
static void before_settle(struct log_rotate *rotate)
{
    struct live *live = rotate->live;
    if (live->log_before < 0)
        return;
    struct log_totals *totals = &rotate->totals[rotate->replaced % rotate->count];
    *totals = (struct log_totals){0};
    log_totals(live->log_before, live->area->run_id, live->area->lost_chunks != 0, totals);
    close(live->log_before);
    live->log_before = -1;
}

/* Writes the facts of what goes on to the new log. Returns 0 or errno. */
static int facts_write(const struct log_rotate *rotate, struct log_facts *facts, int fresh,
                       uint64_t *copied)
{
    const struct live *live = rotate->live;
    struct error error = {.text = ""};
    uint64_t end = size_of(live->log);
    *copied = 0;
    facts->run_id = live->area->run_id;
    return log_facts_learn(facts, live, live->log, end, &error) != 0
               ? ENOMEM
               : log_facts_copy(facts, live->log, copied, end, fresh);
}

/* The rest of replacing, when the new log has the path: what cannot be done now is only missing in
 * words. */
static void goes_on(struct log_rotate *rotate, const struct log_facts *facts, uint64_t copied)
{
    struct live *live = rotate->live;
    char earlier[16];
    rotate->replaced++;
    log_facts_copy(facts, live->log_before, &copied, size_of(live->log_before), live->log);
    snprintf(earlier, sizeof earlier, "%" PRIu32, rotate->replaced);
    const struct live_fact came[] = {{FISQL_FACT_RUN_EARLIER_LOGS, earlier}, {0, NULL}};
    const struct live_fact goes[] = {{FISQL_FACT_RUN_CONTINUED, "1"}, {0, NULL}};
    live_log_append_facts(live, live->log, came);
    live_log_append_facts(live, live->log_before, goes);
    live_reserve(live);
    rotate->facts_bytes = size_of(live->log);
    next_set(rotate);
}

/* Puts the new file in the place of the log, while no process opens one. Returns 0 or errno. */
static int log_change(struct log_rotate *rotate, const char *path, int fresh, int before)
{
    struct live *live = rotate->live;
    epoch_set(live, live->log_epoch + 1);
    int error = names_change(rotate, path);
    if (error == 0 && dup3(fresh, live->log, O_CLOEXEC) < 0)
        error = errno;
    if (error == 0) {
        live->log_before = before;
        live->log_epoch += 2;
    }
    epoch_set(live, live->log_epoch);
    return error;
}

/* Returns 0 or errno; then the log is as it was. */
static int replace(struct log_rotate *rotate)
{
    struct live *live = rotate->live;
    struct log_facts facts = {0};
    char path[PATH_MAX];
    uint64_t copied;
    int fresh = fresh_make(rotate->place->path, path);
    if (fresh < 0)
        return errno;
    live_drain(live);
    int error = facts_write(rotate, &facts, fresh, &copied);
    int before = error == 0 ? fcntl(live->log, F_DUPFD_CLOEXEC, live->log + 1) : -1;
    if (error == 0 && before < 0)
        error = errno;
    if (error == 0) {
        before_settle(rotate);
        error = log_change(rotate, path, fresh, before);
        rotate->failed |= error != 0; /* a next try might push logs away */
    }
    if (error == 0)
        goes_on(rotate, &facts, copied);
    if (error != 0)
        unlink(path);
    if (error != 0 && before >= 0)
        close(before);
    close(fresh);
    log_facts_release(&facts);
    return error;
}

bool log_rotate_look(struct log_rotate *rotate)
{
    struct live *live = rotate->live;
    uint64_t size = rotate->size_bytes != 0 ? size_of(live->log) : 0;
    if (size == 0 || size < rotate->next_bytes)
        return false;
    log_place_recorded(rotate->place);
    pthread_mutex_lock(&live->lock);
    int error = replace(rotate);
    pthread_mutex_unlock(&live->lock);
    if (error != 0 && (rotate->failed || !rotate->said))
        fail("%s: cannot be replaced by a new log: %s: it grows on%s", rotate->place->path,
             error == EEXIST ? "another file has its name" : strerror(error),
             rotate->failed ? "" : "; we try again");
    rotate->said |= error != 0;
    if (error != 0)
        rotate->next_bytes = rotate->failed ? UINT64_MAX : size + rotate->size_bytes / 8 + 1;
    return error == 0;
}

int log_rotate_wait_ms(const struct log_rotate *rotate)
{
    if (rotate->size_bytes == 0)
        return INT_MAX;
    uint64_t ms = rotate->size_bytes / GROWTH_BYTES_MS;
    return ms < 1 ? 1 : ms > WAIT_MS ? WAIT_MS : (int)ms;
}

/* Adds up a log anew if something was appended since: a process that had it open may take long. */
static void totals_again(const struct log_rotate *rotate, uint32_t number,
                         struct log_totals *totals)
{
    const struct fisql_live_area *area = rotate->live->area;
    char path[PATH_MAX];
    if (!log_place_numbered(path, rotate->place->path, number))
        return;
    int log = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (log >= 0 && size_of(log) != totals->bytes) {
        *totals = (struct log_totals){0};
        log_totals(log, area->run_id, area->lost_chunks != 0, totals);
    }
    if (log >= 0)
        close(log);
}

uint32_t log_rotate_kept(const struct log_rotate *rotate)
{
    return rotate->replaced < rotate->count ? rotate->replaced : rotate->count;
}

void log_rotate_totals(struct log_rotate *rotate, struct log_totals *totals)
{
    uint32_t kept = log_rotate_kept(rotate);
    before_settle(rotate);
    for (uint32_t i = 0; i < kept; i++) {
        struct log_totals *one = &rotate->totals[(rotate->replaced - i) % rotate->count];
        totals_again(rotate, i + 1, one);
        totals->calls += one->calls;
        totals->chunks += one->chunks;
        totals->bytes += one->bytes;
        totals->processes |= one->processes;
        totals->events |= one->events;
        totals->torn |= one->torn;
    }
}

void log_rotate_words(const struct log_rotate *rotate, char *text, size_t size)
{
    const char *path = rotate->place->path;
    uint32_t kept = log_rotate_kept(rotate);
    uint32_t removed = rotate->replaced - kept;
    text[0] = 0;
    if (kept == 0)
        return;
    size_t used = kept == 1 ? (size_t)snprintf(text, size, " in 2 logs (%s.1 came before", path)
                            : (size_t)snprintf(text, size,
                                               " in %" PRIu32
                                               " logs (%s.1 came before, ... %s.%" PRIu32 " first",
                                               kept + 1, path, path, kept);
    if (used < size && removed > 0)
        used += (size_t)snprintf(text + used, size - used, "; %" PRIu32 " older %s removed",
                                 removed, removed == 1 ? "one was" : "ones were");
    if (used < size)
        snprintf(text + used, size - used, ")");
}

void log_rotate_end(struct log_rotate *rotate)
{
    if (rotate->live->log_before >= 0)
        close(rotate->live->log_before);
    rotate->live->log_before = -1;
    free(rotate->totals);
    rotate->totals = NULL;
}
