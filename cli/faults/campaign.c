/* A campaign: see campaign.h. */
#include "cli/faults/campaign.h"

#include "base/shortage.h"
#include "cli/faults/contexts.h"
#include "cli/faults/experiments.h"
#include "cli/out/cache_folder.h"
#include "cli/out/clock.h"
#include "cli/out/say.h"
#include "cli/query/query_file.h"
#include "cli/run/database.h"
#include "cli/run/run_view.h"
#include "loader/loader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RULES_MAX 64u
#define TIMEOUT_LEAST_NS 2000000000
#define TIMEOUT_TIMES 10
#define LOG_LEAST_BYTES (16 << 20)
#define LOG_TIMES 4
#define FOREVER_NS (INT64_MAX / 4)

static const char plain_name[] = "plain"; /* the run with whose output we compare the others */

/* ---- one run ---- */

/* Loads a run's log; with the queries as views if the database stays. Returns it, open, or NULL
 * after saying what is wrong. */
static sqlite3 *load(const struct trial *trial, const char *database_path, bool stays)
{
    char log[PATH_MAX], cache[PATH_MAX];
    struct query_views views = {0};
    bool has_views = stays && query_views_make(&views) == 0;
    struct load_report report;
    struct error error;
    sqlite3 *database = NULL;
    const struct load_options options = {.views = views.items,
                                         .views_count = has_views ? views.count : 0,
                                         .cache_dir = cache_folder(cache, sizeof cache),
                                         .threads = stays ? 0 : 1};
    int result = fisql_load(trial_path(trial->place, trial->name, ".bin", log), database_path,
                            &options, &report, &error);
    if (result == 2)
        fail("%s", error.text);
    else if (sqlite3_open_v2(database_path, &database, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
        fail("%s: %s", database_path, sqlite3_errmsg(database));
        sqlite3_close(database);
        database = NULL;
    }
    load_report_release(&report);
    query_views_release(&views);
    return database;
}

/* Prints what a run that could not be made said on stderr. */
static void say_errors(const struct trial *trial)
{
    char path[PATH_MAX], text[4096];
    FILE *file = fopen(trial_path(trial->place, trial->name, ".err", path), "re");
    size_t length = file != NULL ? fread(text, 1, sizeof text, file) : 0;
    if (file != NULL)
        fclose(file);
    if (length > 0)
        say_through(text, length);
}

/* ---- waiting ---- */

static sigset_t awaited;

/* From now on stop_asked() takes signals one by one. */
static void signals_take(struct campaign *campaign)
{
    static const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t blocked;
    sigemptyset(&awaited);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaddset(&awaited, numbers[i]);
    blocked = awaited;
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &blocked, &campaign->place.signals);
}

/* Waits up to a second for a signal. Returns one that asks us to stop; 0 = none. */
static int stop_asked(void)
{
    const struct timespec second = {1, 0};
    int number = sigtimedwait(&awaited, NULL, &second);
    return number > 0 && number != SIGCHLD ? number : 0;
}

/* Waits for a supervisor. Returns its exit status, or 128 and the number of the signal that made us
 * stop it. */
static int wait_for(pid_t pid)
{
    int status, stopped = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        int number = stop_asked();
        if (number != 0 && stopped == 0) {
            stopped = 128 + number;
            kill(pid, SIGTERM);
        }
    }
    return stopped != 0 ? stopped : WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

/* ---- the runs without faults ---- */

struct plain {
    struct trial_end *end; /* shared with the supervisor */
    const char *database;  /* path */
};

static int judge_plain(void *context, const struct trial *trial, const struct trial_end *end)
{
    const struct plain *plain = context;
    *plain->end = *end;
    if (!end->ran) {
        fail("%s: cannot be recorded:", trial->place->program[0]);
        say_errors(trial);
        return 2;
    }
    if (!WIFEXITED(end->status))
        return fail("%s: is ended by signal %d without any fault: mend that first",
                    trial->place->program[0], WTERMSIG(end->status));
    if (end->timed_out)
        return fail("%s: takes longer than --timeout says, without any fault",
                    trial->place->program[0]);
    sqlite3 *database = load(trial, plain->database, true);
    sqlite3_close(database);
    return database != NULL ? 0 : 2;
}

static int run_plain(struct campaign *campaign, const char *name, const char *const *rules,
                     size_t rules_count, const char *database_path)
{
    struct trial_end *end =
        mmap(NULL, sizeof *end, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (end == MAP_FAILED)
        return fail("out of memory");
    struct plain plain = {end, database_path};
    const struct trial trial = {.place = &campaign->place,
                                .name = name,
                                .rules = rules,
                                .rules_count = rules_count,
                                .timeout_ns =
                                    campaign->timeout_ns > 0 ? campaign->timeout_ns : FOREVER_NS,
                                .log_max_bytes = INT64_MAX};
    pid_t pid = trial_start(&trial, judge_plain, &plain);
    int status = pid > 0 ? wait_for(pid) : 2;
    if (status == 0) {
        struct stat log;
        char path[PATH_MAX];
        struct baseline *baseline = &campaign->baseline;
        if (stat(trial_path(&campaign->place, name, ".bin", path), &log) == 0 &&
            log.st_size > baseline->log_bytes)
            baseline->log_bytes = log.st_size;
        if (end->elapsed_ns > baseline->elapsed_ns)
            baseline->elapsed_ns = end->elapsed_ns;
        if (baseline->name != NULL && baseline->exit_status != WEXITSTATUS(end->status))
            status =
                fail("%s: ends with status %d and then with %d, without any fault: its runs cannot "
                     "be compared",
                     campaign->program[0], baseline->exit_status, WEXITSTATUS(end->status));
        baseline->exit_status = WEXITSTATUS(end->status);
        baseline->name = name;
    }
    munmap(end, sizeof *end);
    return status;
}

/* Makes a rule `NAME: mark` for each call. Returns how many; 0 after saying what is wrong. */
static size_t make_marks(const char *calls, char **rules)
{
    char *list = strdup(calls), *rest = list;
    size_t count = 0;
    for (char *name; list != NULL && (name = strsep(&rest, ",")) != NULL;) {
        name += strspn(name, " ");
        if (*name == 0)
            continue;
        if (count == RULES_MAX || asprintf(&rules[count], "%s: mark", name) < 0) {
            fail("--calls: at most %u", RULES_MAX);
            count = 0;
            break;
        }
        count++;
    }
    free(list);
    return count;
}

/* Notes what the runs without faults left, and what differs between them. */
static int compare_plain(struct campaign *campaign, const char *first, sqlite3 *database)
{
    struct baseline *baseline = &campaign->baseline;
    char one[PATH_MAX], other[PATH_MAX], path[PATH_MAX];
    sqlite3 *second = database_open(trial_path(&campaign->place, plain_name, ".db", path));
    int status = second == NULL || baseline_add(baseline, database) != 0 ||
                         baseline_add(baseline, second) != 0
                     ? 2
                     : 0;
    sqlite3_close(second);
    if (status == 0 && folder_compare(trial_path(&campaign->place, first, ".work", one),
                                      trial_path(&campaign->place, plain_name, ".work", other),
                                      NULL, false, &baseline->unstable) != 0)
        status = fail("out of memory");
    for (size_t i = 0; i < baseline->unstable.count; i++)
        note("%s: differs between runs without faults: it is not compared",
             mirror_shown(&campaign->mirror, baseline->unstable.items[i], one));
    if (status == 0 && !files_same(trial_path(&campaign->place, first, ".out", one),
                                   trial_path(&campaign->place, plain_name, ".out", other))) {
        note("standard output differs between runs without faults: it is not compared");
        status = folder_names_add(&baseline->unstable, "") == 0 ? 0 : fail("out of memory");
    }
    unlink(path);
    return status;
}

static void say_contexts(const struct campaign *campaign, const struct contexts_report *report)
{
    if (report->outside > 0)
        note("%" PRId64 " calls were made outside of any function with hooks: none of them is made "
             "to fail",
             report->outside);
    if (report->nameless > 0)
        note("%" PRId64 " contexts are left out: code of no module, or of one with an odd name, is "
             "among the callers",
             report->nameless);
    if (campaign->sample > 0 && campaign->sample < report->experiments)
        note("%" PRId64 " of %" PRId64 " experiments are run (--sample)", campaign->sample,
             report->experiments);
}

/* Begins a campaign: the first run, with marks, is its database. */
static int begin_fresh(struct campaign *campaign, const struct campaign_key *key)
{
    char *rules[RULES_MAX] = {NULL};
    struct contexts_report report = {0};
    size_t count = make_marks(campaign->calls, rules);
    int status = count == 0 ? 2
                            : run_plain(campaign, "marked", (const char *const *)rules, count,
                                        campaign->full_path);
    if (status == 0)
        status = run_plain(campaign, plain_name, NULL, 0,
                           trial_path(&campaign->place, plain_name, ".db", (char[PATH_MAX]){0}));
    sqlite3 *database = status == 0 ? experiments_open(campaign->full_path) : NULL;
    if (status == 0)
        status = database == NULL ? 2 : compare_plain(campaign, "marked", database);
    if (status == 0 && sqlite3_exec(database, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        status = fail("%s: %s", campaign->path, sqlite3_errmsg(database));
    if (status == 0)
        status = contexts_to_experiments(database, campaign->per, &report);
    if (status == 0)
        status = experiments_put_key(database, key);
    if (status == 0 && sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = fail("%s: %s", campaign->path, sqlite3_errmsg(database));
    sqlite3_close(database);
    while (count > 0)
        free(rules[--count]);
    if (status == 0)
        say_contexts(campaign, &report);
    if (status == 0 && report.experiments == 0)
        status = fail("%s: makes none of these calls in a function with hooks: %s",
                      campaign->program[0], campaign->calls);
    if (status != 0) /* otherwise the next start would go on with half of it */
        unlink(campaign->full_path);
    trial_clean(&campaign->place, "marked", false);
    return status;
}

/* Goes on with a stopped campaign: repeats the runs with which the others are compared. */
static int begin_again(struct campaign *campaign)
{
    char path[PATH_MAX], other[PATH_MAX];
    int status =
        run_plain(campaign, "again", NULL, 0, trial_path(&campaign->place, "again", ".db", path));
    if (status == 0)
        status = run_plain(campaign, plain_name, NULL, 0,
                           trial_path(&campaign->place, plain_name, ".db", other));
    sqlite3 *database = status == 0 ? database_open(path) : NULL;
    if (status == 0)
        status = database == NULL ? 2 : compare_plain(campaign, "again", database);
    sqlite3_close(database);
    trial_clean(&campaign->place, "again", false);
    return status;
}

/* ---- the experiments ---- */

struct experiment {
    struct campaign *campaign;
    int64_t id;
    pid_t pid; /* of its supervisor; 0 = none */
    char name[24];
    const char *rule;
    struct trial trial;
};

static int judge_experiment(void *context, const struct trial *trial, const struct trial_end *end)
{
    struct experiment *experiment = context;
    struct campaign *campaign = experiment->campaign;
    char path[PATH_MAX], log[PATH_MAX];
    struct verdict verdict;
    if (!end->ran) {
        fail("experiment %" PRId64 " could not be run:", experiment->id);
        say_errors(trial);
        return 2;
    }
    sqlite3 *run = load(trial, trial_path(trial->place, trial->name, ".db", path), false);
    if (run == NULL)
        return 2;
    verdict_reach(&verdict, trial, end, run, &campaign->baseline, campaign->expected_exit);
    bool keep = outcome_is_wrong(verdict.outcome) && campaign->kept_bytes < campaign->keep_bytes;
    int status = database_status(0); /* a verdict on what could not be read is none */
    if (status == 0)
        status =
            experiments_put(campaign->full_path, experiment->id, &verdict, end->elapsed_ns,
                            keep ? trial_path(trial->place, trial->name, ".bin", log) : NULL, run);
    sqlite3_close(run);
    verdict_release(&verdict);
    trial_clean(trial->place, trial->name, keep && status == 0);
    return status;
}

static int experiment_start(struct experiment *experiment)
{
    struct campaign *campaign = experiment->campaign;
    const struct baseline *baseline = &campaign->baseline;
    snprintf(experiment->name, sizeof experiment->name, "%" PRId64, experiment->id);
    int64_t usual = TIMEOUT_TIMES * baseline->elapsed_ns, log = LOG_TIMES * baseline->log_bytes;
    experiment->trial =
        (struct trial){.place = &campaign->place,
                       .name = experiment->name,
                       .rules = &experiment->rule,
                       .rules_count = 1,
                       .timeout_ns = campaign->timeout_ns > 0   ? campaign->timeout_ns
                                     : usual > TIMEOUT_LEAST_NS ? usual
                                                                : TIMEOUT_LEAST_NS,
                       .log_max_bytes = log > LOG_LEAST_BYTES ? log : LOG_LEAST_BYTES};
    experiment->pid = trial_start(&experiment->trial, judge_experiment, experiment);
    return experiment->pid > 0 ? 0 : 2;
}

/* Has it ended? *status is then the judge's. */
static bool experiment_ended(struct experiment *experiment, int *status)
{
    int ended;
    if (waitpid(experiment->pid, &ended, WNOHANG) != experiment->pid)
        return false;
    experiment->pid = 0;
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended)
                               : fail("experiment %" PRId64 ": judging it was ended by signal %d",
                                      experiment->id, WTERMSIG(ended));
    struct stat log;
    char path[PATH_MAX];
    if (stat(trial_path(&experiment->campaign->place, experiment->name, ".bin", path), &log) == 0)
        experiment->campaign->kept_bytes += log.st_size;
    return true;
}

static void show_progress(size_t done, size_t count, int64_t began_ns)
{
    int64_t taken_s = (clock_ns() - began_ns) / 1000000000;
    if (!isatty(STDERR_FILENO))
        return;
    if (done > 0 && taken_s > 0)
        say_progress("%zu of %zu experiments, about %" PRId64 " s left", done, count,
                     taken_s * (int64_t)(count - done) / (int64_t)done);
    else
        say_progress("%zu of %zu experiments", done, count);
}

static void stop_all(struct experiment *running, int64_t jobs)
{
    int status;
    for (int64_t i = 0; i < jobs; i++)
        if (running[i].pid > 0)
            kill(running[i].pid, SIGTERM);
    for (int64_t i = 0; i < jobs; i++)
        while (running[i].pid > 0 && !experiment_ended(&running[i], &status))
            stop_asked();
}

static int run_experiments(struct campaign *campaign, const struct pending *pending)
{
    struct experiment running[CAMPAIGN_JOBS_MAX] = {{.pid = 0}};
    size_t next = 0, done = 0, count = pending->count;
    int status = 0;
    int64_t began_ns = clock_ns();
    while (status == 0 && done < count) {
        for (int64_t i = 0; i < campaign->jobs && status == 0; i++) {
            struct experiment *slot = &running[i];
            if (slot->pid > 0 && experiment_ended(slot, &status))
                done++;
            if (slot->pid == 0 && next < count && status == 0) {
                const struct pending_one *one = &pending->items[next++];
                *slot = (struct experiment){.campaign = campaign, .id = one->id, .rule = one->rule};
                status = experiment_start(slot);
            }
        }
        show_progress(done, count, began_ns);
        if (status == 0 && done < count) {
            int number = stop_asked();
            status = number != 0 ? 128 + number : 0;
        }
    }
    stop_all(running, campaign->jobs);
    if (isatty(STDERR_FILENO))
        say_progress_end();
    if (status > 128)
        note("stopped after %zu of %zu experiments: the same command goes on with the others", done,
             count);
    return status;
}

/* ---- the whole ---- */

/* Copies the input that every run reads: a file from its present offset, or all of a pipe; nothing
 * from a terminal. */
static int take_input(const struct campaign *campaign)
{
    char path[PATH_MAX], bytes[65536];
    struct stat input;
    ssize_t got = 0;
    bool given = fstat(STDIN_FILENO, &input) == 0 &&
                 (S_ISREG(input.st_mode) || S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
    FILE *copy = fopen(trial_path(&campaign->place, "input", "", path), "we");
    if (copy == NULL)
        return fail("%s: %s", path, strerror(errno));
    while (given && (got = read(STDIN_FILENO, bytes, sizeof bytes)) > 0)
        if (fwrite(bytes, 1, (size_t)got, copy) != (size_t)got)
            break;
    if (got < 0)
        fail("standard input: %s", strerror(errno));
    return fclose(copy) == 0 && got == 0 ? 0 : fail("%s: %s", path, strerror(errno));
}

/* Makes the folder for the runs' files; one campaign at a time holds it. */
static int take_folder(struct campaign *campaign, bool known)
{
    const char *folder = campaign->place.folder;
    if (mkdir(folder, 0700) != 0 && (errno != EEXIST || !known))
        return errno == EEXIST
                   ? fail("%s: is there without its database %s: remove it, or give another "
                          "file with -o",
                          folder, campaign->path)
                   : fail("%s: %s", folder, strerror(errno));
    int held = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* held until we exit */
    if (held < 0 || flock(held, LOCK_EX | LOCK_NB) != 0)
        return fail("%s: another fisql faults works on it", folder);
    campaign->held = true;
    return 0;
}

/* Identifies the program's file by size and time: another build is another program. */
static void stamp(const struct campaign *campaign, char *text, size_t size)
{
    struct stat file;
    text[0] = 0;
    if (stat(campaign->program[0], &file) == 0)
        snprintf(text, size, "%" PRId64 " %" PRId64 ".%09ld", (int64_t)file.st_size,
                 (int64_t)file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
}

static int take_places(struct campaign *campaign)
{
    struct trial_place *place = &campaign->place;
    char source[PATH_MAX];
    if (getcwd(source, sizeof source) == NULL)
        return fail("the current folder: %s", strerror(errno));
    if (folder_full_path(campaign->path, campaign->full_path) != 0)
        return 2;
    snprintf(place->folder, sizeof place->folder, "%.*s.d", PATH_MAX - FOLDER_PATH_SPARE,
             campaign->full_path);
    place->mirror = &campaign->mirror;
    place->program = campaign->program;
    place->record = campaign->record;
    return mirror_list(&campaign->mirror, source, campaign->full_path, campaign->copy,
                       campaign->program);
}

/* Is the file a campaign's? False, too, after saying that it cannot be read. */
static bool is_campaign(const struct campaign *campaign, const struct campaign_key *key, bool *same)
{
    sqlite3 *database = experiments_open(campaign->full_path);
    char *per = database != NULL ? experiments_value(database, "per") : NULL;
    bool found = per != NULL;
    *same = found && experiments_has_key(database, key);
    free(per);
    sqlite3_close(database);
    return found && shortage_noted() == 0;
}

static int go_on(struct campaign *campaign)
{
    sqlite3 *database = experiments_open(campaign->full_path);
    struct pending pending = {.items = NULL};
    int status = database == NULL ? 2 : experiments_pending(database, campaign->sample, &pending);
    size_t count = pending.count;
    sqlite3_close(database);
    pending_release(&pending);
    if (status == 0 && count == 0)
        note("%s: has all experiments: remove it to run them anew", campaign->path);
    return status == 0 && count > 0 ? begin_again(campaign) : status;
}

static int prepare(struct campaign *campaign)
{
    struct campaign_key key = {.calls = campaign->calls,
                               .per = campaign->per,
                               .folder = mirror_source(&campaign->mirror),
                               .copy = campaign->copy,
                               .program = campaign->program};
    struct stat there;
    bool resumes = false, known = lstat(campaign->full_path, &there) == 0;
    stamp(campaign, key.stamp, sizeof key.stamp);
    if (known && !is_campaign(campaign, &key, &resumes))
        return shortage_noted() != 0
                   ? 2
                   : fail("%s: is there and holds no campaign: remove it, or give another file "
                          "with -o",
                          campaign->path);
    int status = take_folder(campaign, known);
    if (status != 0)
        return status;
    if (resumes)
        return go_on(campaign);
    folder_empty(campaign->place.folder); /* of an older campaign */
    status = take_input(campaign);
    if (status == 0)
        status = begin_fresh(campaign, &key);
    if (status != 0)
        folder_empty(campaign->place.folder);
    return status;
}

/* Removes all but the logs of failures, and the input if there is any. */
static void tidy_up(const struct campaign *campaign, bool all)
{
    const struct trial_place *place = &campaign->place;
    char path[PATH_MAX];
    struct stat input;
    trial_clean(place, plain_name, false);
    if (all && stat(trial_path(place, "input", "", path), &input) == 0 && input.st_size == 0)
        unlink(path);
    rmdir(place->folder); /* if it is empty */
}

int campaign_run(struct campaign *campaign)
{
    struct pending pending = {.items = NULL};
    int status = take_places(campaign);
    if (status != 0) {
        mirror_release(&campaign->mirror);
        return status;
    }
    signals_take(campaign);
    status = prepare(campaign);
    sqlite3 *database = status == 0 ? experiments_open(campaign->full_path) : NULL;
    if (status == 0)
        status = database == NULL ? 2 : experiments_pending(database, campaign->sample, &pending);
    if (status == 0)
        campaign->kept_bytes = run_integer(database, "SELECT count(log) FROM experiments", 0) *
                               campaign->baseline.log_bytes; /* of earlier starts, roughly */
    sqlite3_close(database);
    if (status == 0)
        status = run_experiments(campaign, &pending);
    if (campaign->held)
        tidy_up(campaign, status == 0);
    pending_release(&pending);
    baseline_release(&campaign->baseline);
    mirror_release(&campaign->mirror);
    return status;
}
