/* fisql push: adds runs to a store of many. */
#include "cli/commands.h"
#include "cli/fleet/fold.h"
#include "cli/fleet/push.h"
#include "cli/fleet/store.h"
#include "cli/out/args.h"
#include "cli/out/say.h"

#include <errno.h>
#include <stdlib.h>

static const char help[] =
    "usage: fisql push [OPTION...] FLEET RUN.db...\n"
    "\n"
    "Adds runs to FLEET, a store of many runs: an SQLite file such as fleet.db, or a ClickHouse\n"
    "server, http://HOST:8123/DATABASE. Missing tables are made; without a RUN.db only the tables "
    "are\n"
    "made. A run is in the store whole or not at all, and pushing it again changes nothing. The "
    "store\n"
    "keeps a run's facts and labels, its sums by functions, contexts and places of allocation, and "
    "its\n"
    "database, packed, without the rows of single calls.\n"
    "\n"
    "      --label KEY=VALUE  a label to choose the run by, such as commit, branch or version; "
    "may\n"
    "                         be repeated. Each run has the labels program, host, build and day\n"
    "      --calls            also every call and allocation\n"
    "      --cluster NAME     on a server: tables over the shards of the cluster of that name. "
    "Make\n"
    "                         them on each shard first: fisql push --cluster NAME URL-OF-SHARD\n"
    "      --fold RUNS        add up RUNS runs of one build and day, so that questions about all "
    "of\n"
    "                         them are answered sooner (100; 0 = never)\n"
    "  -q, --quiet            say nothing but errors\n"
    "\n"
    "A server's user and password come from CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, or from a "
    "netrc\n"
    "file ($NETRC, else ~/.netrc). The system's certificates, or those in $SSL_CERT_FILE,\n"
    "verify https.\n"
    "\n"
    "Exit status: 0 all runs are there, 2 one of them could not be pushed; those before it are.\n"
    "\n"
    "example: fisql push fleet.db run.db --label version=1.0\n";

enum { LABELS_MAX = 64, LABEL = 256, CALLS, CLUSTER, FOLD, FOLD_RUNS = 100 };

static bool read_runs(const char *text, long *runs)
{
    char *end;
    errno = 0;
    *runs = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *runs >= 0;
}

int cmd_push(int argc, char **argv)
{
    static const struct args_option known[] = {{"label", LABEL, true},     {"calls", CALLS, false},
                                               {"cluster", CLUSTER, true}, {"fold", FOLD, true},
                                               {"quiet", 'q', false},      {NULL, 0, false}};
    const char *labels[LABELS_MAX], *cluster = NULL;
    long fold = FOLD_RUNS;
    struct push_options options = {.labels = labels};
    struct args args = {.command = "push", .help = help, .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        if (args.code == LABEL) {
            if (options.labels_count == LABELS_MAX)
                return fail("--label: at most %d labels", LABELS_MAX);
            if (push_label_check(args.value) != 0)
                return 2;
            labels[options.labels_count++] = args.value;
        }
        if (args.code == CLUSTER)
            cluster = args.value;
        if (args.code == FOLD && !read_runs(args.value, &fold))
            return args_wrong(&args, "a number of runs, 0 = never");
        options.calls |= args.code == CALLS;
        options.quiet |= args.code == 'q';
    }
    if (args.status != ARGS_GO_ON)
        return args.status;
    const char *url = args_word(&args, NULL);
    if (url == NULL)
        return fail("push: wants a file of many runs and a run: fisql push fleet.db run.db");
    struct store store;
    bool pushes = args_words(&args) > 0;
    int status = pushes ? store_open(&store, url, cluster, true) : store_make(&store, url, cluster);
    while (status == 0 && args_words(&args) > 0)
        status = push_run(&store, args_word(&args, NULL), &options);
    if (status == 0 && pushes && fold > 0)
        status = fold_runs(&store, fold);
    store_close(&store);
    return status;
}
