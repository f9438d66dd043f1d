/* Reports of incidents: see incident_report.h. */
#include "cli/record/incident_report.h"

#include "cli/out/cache_folder.h"
#include "cli/out/say.h"
#include "cli/record/incident_copy.h"
#include "cli/record/incident_words.h"
#include "loader/loader.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HISTORY_OWN 20u /* calls printed by default: the database has all */
#define HISTORY_OTHERS 5u

/* Makes the database and prints the report from it. */
static int report_from(const struct incident_report *report, const char *log, const char *folder,
                       const struct fisql_incident *told)
{
    char path[PATH_MAX + 32], cache[PATH_MAX];
    struct load_report loaded;
    struct error error;
    struct load_options options = {.cache_dir = cache_folder(cache, sizeof cache)};
    uint32_t asked = report->options->incidents.history;
    struct incident_history history = {asked != 0 ? asked : HISTORY_OWN,
                                       asked != 0 ? asked : HISTORY_OTHERS};
    snprintf(path, sizeof path, "%s/incident.db", folder);
    int result = -1;
    if (fisql_load(log, path, &options, &loaded, &error) != 2) {
        sqlite3 *database = NULL;
        if (sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
            result = incident_words(database, told, &history);
        sqlite3_close(database);
    }
    load_report_release(&loaded);
    unlink(path);
    return result;
}

static void report_one(const struct incident_report *report, const struct fisql_incident *told)
{
    char log[64], folder[PATH_MAX];
    bool whole;
    const char *temporary = getenv("TMPDIR");
    int copy = incident_copy(report->live, &whole);
    snprintf(log, sizeof log, "/proc/self/fd/%d", copy);
    snprintf(folder, sizeof folder, "%s/fisql-XXXXXX",
             temporary != NULL && *temporary ? temporary : "/tmp");
    int result = -1;
    if (copy >= 0 && mkdtemp(folder) != NULL) {
        result = report_from(report, log, folder, told);
        rmdir(folder);
    }
    if (result != 0)
        note("process %u, thread %u: %s", told->pid, told->tid, told->text);
    if (!whole && (told->flags & FISQL_INCIDENT_ADDRESS) != 0)
        note("  the log is long: ask `fisql query incidents` for the block at 0x%llx",
             (unsigned long long)told->address);
    if (copy >= 0)
        close(copy);
}

/* Serves a request. The box comes from a program that went wrong. */
static void serve(void *context)
{
    struct incident_report *report = context;
    struct fisql_incident_box *box = report->mailbox.part;
    uint32_t ticket = __atomic_load_n(&box->asked, __ATOMIC_ACQUIRE);
    report->told = __atomic_load_n(&box->tickets, __ATOMIC_RELAXED);
    if (ticket == 0 || ticket == report->served)
        return;
    struct fisql_incident told = box->incident;
    told.text[sizeof told.text - 1] = 0;
    report->served = ticket;
    report->count++;
    __atomic_store_n(&box->begun, ticket, __ATOMIC_RELEASE);
    report_one(report, &told);
    __atomic_store_n(&box->done, ticket, __ATOMIC_RELEASE);
    syscall(SYS_futex, &box->done, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    __atomic_compare_exchange_n(&box->holder, &ticket, 0, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
    syscall(SYS_futex, &box->holder, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void incident_report_start(struct incident_report *report, struct live *live,
                           const struct record_options *options)
{
    *report = (struct incident_report){.live = live, .options = options};
    const struct fisql_incident_box box = {.unwanted = options->quiet};
    uint64_t offset;
    if (!live_put(live, &box, sizeof box, &offset))
        return;
    live->area->parts.incidents = (struct fisql_live_part){offset, sizeof box};
    if (!options->quiet)
        mailbox_start(&report->mailbox, live, live->area->parts.incidents, serve, report);
}

static bool is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
           number == SIGTRAP || number == SIGSYS;
}

void incident_report_say(const struct incident_report *report, int status)
{
    if (report->told == 0 && !report->options->quiet && WIFSIGNALED(status) &&
        is_fault(WTERMSIG(status)))
        note("signal %d ended the program, and the handler of fisql was not called: `fisql load` "
             "and `fisql query incidents` show the calls that were open",
             WTERMSIG(status));
    char reported[64] = "";
    if (report->told > report->count)
        snprintf(reported, sizeof reported, ", %u of them reported here", report->count);
    if (report->told > 0)
        note("%u incident%s%s: `fisql load` and `fisql query incidents` show more", report->told,
             report->told == 1 ? "" : "s", reported);
}

void incident_report_end(struct incident_report *report)
{
    mailbox_end(&report->mailbox, true);
}
