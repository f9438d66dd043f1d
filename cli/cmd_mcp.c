/* fisql mcp: coding agents ask about runs by the Model Context Protocol (cli/mcp/mcp.h). */
#include "cli/ask/ask.h"
#include "cli/commands.h"
#include "cli/mcp/mcp.h"
#include "cli/out/amount.h"
#include "cli/out/args.h"
#include "cli/out/say.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char help[] =
    "usage: fisql mcp [OPTION...] [DB...]\n"
    "\n"
    "Serves coding agents: speaks the Model Context Protocol on standard input and output, until\n"
    "the input ends. An agent's tool starts it (docs/agents.md says how for the common ones) and\n"
    "asks what the commands tell people: digest, queries, query, sql, tree, call, source, runs,\n"
    "diff. The first DB (run.db) is asked unless a request names another one: one of those given\n"
    "here, or one in the working folder. All are only read.\n"
    "\n"
    "      --allow-record       also give agents the tool record: it runs any program in the\n"
    "                           working folder and makes its database there\n"
    "      --max-bytes N        bytes of an answer at most: what does not fit is counted and\n"
    "                           named (50000, at least 8K)\n"
    "      --max-time T         of a request: then its statement is stopped (30s)\n"
    "\n"
    "Exit status: 0 the input ended, 2 could not be done.\n"
    "\n"
    "example: fisql mcp run.db </dev/null\n";

enum { MEMORY_BYTES = 512 << 20 }; /* of SQLite */
/* Of each of its temporary files, into which it sorts: a statement of the agent's could fill the
 * disk. */
#define TEMPORARY_BYTES ((rlim_t)4 << 30)

static int parse(struct mcp_options *options, int argc, char **argv)
{
    enum { ALLOW_RECORD = 256, MAX_BYTES, MAX_TIME };
    static const struct args_option known[] = {{"allow-record", ALLOW_RECORD, false},
                                               {"max-bytes", MAX_BYTES, true},
                                               {"max-time", MAX_TIME, true},
                                               {NULL, 0, false}};
    const int64_t bytes_most = INT64_C(64) << 20, hour_ns = INT64_C(3600000000000);
    struct args args = {.command = "mcp", .help = help, .options = known};
    int64_t bytes = MCP_ANSWER_BYTES;
    args_begin(&args, argc, argv);
    while (args_next(&args))
        switch (args.code) {
        case ALLOW_RECORD:
            options->allow_record = true;
            break;
        case MAX_BYTES:
            if (!amount_size(args.value, &bytes) || bytes < MCP_ANSWER_BYTES_MIN ||
                bytes > bytes_most)
                return args_wrong(&args, "a size from 8K to 64M");
            break;
        case MAX_TIME:
            if (!amount_time(args.value, &options->time_ns) || options->time_ns < 1000000 ||
                options->time_ns > hour_ns)
                return args_wrong(&args, "a time from 1ms to 60min");
            break;
        }
    options->answer_bytes = (size_t)bytes;
    while (args_words(&args) > 0 && args.status == ARGS_GO_ON) {
        if (options->databases_count == MCP_DATABASES_MAX)
            return fail("mcp: at most %d databases", MCP_DATABASES_MAX);
        options->databases[options->databases_count++] = args_word(&args, NULL);
    }
    return args_end(&args);
}

/* Moves standard output away: what else may write there goes to standard error. Returns the
 * descriptor of the client, or -1 after saying why not. */
static int take_output(void)
{
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return out;
    fail("mcp: standard output: %s", strerror(errno));
    return -1;
}

/* What goes beyond it fails (cli/out/interrupts.h). */
static void bound_files(struct mcp_options *options)
{
    struct rlimit limit;
    options->file_bytes = RLIM_INFINITY;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
        return;
    options->file_bytes = limit.rlim_cur;
    if (limit.rlim_cur > TEMPORARY_BYTES)
        limit.rlim_cur = TEMPORARY_BYTES;
    setrlimit(RLIMIT_FSIZE, &limit);
}

int cmd_mcp(int argc, char **argv)
{
    struct mcp_options options = {.time_ns = INT64_C(30000000000)};
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    int out = take_output();
    if (out < 0 || ask_begin(MEMORY_BYTES) != 0)
        return 2;
    bound_files(&options);
    status = mcp_serve(&options, STDIN_FILENO, out);
    close(out);
    return status;
}
