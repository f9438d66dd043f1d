/*
 * The tool record: runs a program in the working folder under `fisql record`, and loads its log. Only
 * with --allow-record, for it does whatever the program does.
 *
 * Both steps are processes of their own, in a group that ends with the request's time or when it is
 * cancelled: first SIGTERM, on which `fisql record` writes what was recorded, then SIGKILL. They
 * read nothing, and what they print goes into the answer: our own input and output are protocol.
 */
#include "cli/mcp/tool_parts.h"

#include "base/memory_text.h"
#include "cli/out/clock.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WORDS_MAX = 256,     /* of a command */
    OUTPUT_BYTES = 6000, /* kept of what the program prints */
    LOOK_MS = 50,
    SECONDS_MAX = 3600
};
static const int64_t end_ns = INT64_C(5000000000); /* between SIGTERM and SIGKILL */

static const struct tool_parameter parameters[] = {
    {"command", TOOL_LIST, true, NULL,
     "the program and its arguments, each a string; no shell reads them"},
    {"name", TOOL_TEXT, false, NULL,
     "of the log NAME.bin and the database NAME.db in the working folder, which are replaced "
     "(run)"},
    {"seconds", TOOL_INTEGER, false, NULL,
     "end the program after this time (60, at most 3600): what ran until then is recorded"},
    {"values", TOOL_BOOLEAN, false, NULL,
     "record arguments and results, too; the program needs debug information (-g)"},
    {"locks", TOOL_BOOLEAN, false, NULL, "record locks and waits for them, too"},
    {"library_calls", TOOL_BOOLEAN, false, NULL, "record calls into libraries, too"},
    {NULL, TOOL_TEXT, false, NULL, NULL}};

/* ---- the command ---- */

/* Its words from a JSON list, each malloc'ed. SQLite numbers the members of a list. */
static int read_words(struct tool_call *call, char **words, size_t *count)
{
    const char *list = tool_text(call, "command");
    char *object = sqlite3_mprintf("{\"list\":%s}", list);
    sqlite3_stmt *row = NULL;
    int status = 0;
    if (object == NULL ||
        sqlite3_prepare_v2(call->reader->memory, "SELECT value, type FROM json_each(?1, '$.list')",
                           -1, &row, NULL) != SQLITE_OK)
        status = fail("out of memory");
    if (status == 0)
        sqlite3_bind_text(row, 1, object, -1, SQLITE_STATIC);
    while (status == 0 && sqlite3_step(row) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(row, 1);
        const char *word = (const char *)sqlite3_column_text(row, 0);
        if (type == NULL || strcmp(type, "text") != 0 || word == NULL)
            status = fail("command: wants a list of strings");
        else if (*count == WORDS_MAX)
            status = fail("command: has more than %d words", WORDS_MAX);
        else if ((words[*count] = strdup(word)) == NULL)
            status = fail("out of memory");
        else
            ++*count;
    }
    int ended = sqlite3_finalize(row);
    sqlite3_free(object);
    if (status == 0 && ended != SQLITE_OK)
        status = fail("command: cannot be read");
    if (status == 0 && (*count == 0 || words[0][0] == '\0'))
        status = fail("command: is empty: the first string names the program");
    return status;
}

/* May the name be that of a file here? */
static bool is_plain_name(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length <= 100 && name[0] != '.' && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               length;
}

/* ---- processes ---- */

/* In the child: becomes fisql with these arguments. */
static _Noreturn void become(const struct tool_call *call, char *const *arguments, int output)
{
    struct rlimit files;
    int none = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGPIPE, SIG_DFL);
    if (getrlimit(RLIMIT_FSIZE, &files) == 0) {
        files.rlim_cur = call->options->file_bytes;
        setrlimit(RLIMIT_FSIZE, &files);
    }
    if (none >= 0 && dup2(none, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(output, STDERR_FILENO) >= 0)
        execv("/proc/self/exe", arguments);
    _exit(127);
}

struct child {
    pid_t pid;
    int output; /* what it prints */
    int64_t deadline_ns, kill_ns;
    bool late; /* its time was over */
};

static int start(const struct tool_call *call, struct child *child, char *const *arguments)
{
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return fail("a pipe cannot be made: %s", strerror(errno));
    child->pid = fork();
    if (child->pid == 0)
        become(call, arguments, pipes[1]);
    close(pipes[1]);
    child->output = pipes[0];
    if (child->pid < 0) {
        close(pipes[0]);
        return fail("a process cannot be made: %s", strerror(errno));
    }
    setpgid(child->pid, child->pid); /* whoever is first */
    return 0;
}

/* Keeps what it prints, up to a bound; false when there is nothing more. */
static bool take_output(struct child *child, FILE *kept, size_t *room)
{
    char bytes[4096];
    ssize_t got = read(child->output, bytes, sizeof bytes);
    if (got <= 0)
        return false;
    size_t taken = (size_t)got < *room ? (size_t)got : *room;
    fwrite(bytes, 1, taken, kept);
    *room -= taken;
    return true;
}

/* Ends it when its time is over, or the request was cancelled. */
static void end_if_late(struct tool_call *call, struct child *child)
{
    int64_t now_ns = clock_ns();
    bool stop = __atomic_load_n(call->stop, __ATOMIC_ACQUIRE) != 0;
    if (child->kill_ns == 0 && (stop || now_ns >= child->deadline_ns)) {
        child->late = !stop;
        child->kill_ns = now_ns + end_ns;
        kill(-child->pid, SIGTERM);
    } else if (child->kill_ns != 0 && now_ns >= child->kill_ns) {
        kill(-child->pid, SIGKILL);
    }
}

/* Waits for its end, and keeps the first of what it prints. Returns its status of waitpid(). */
static int wait_for(struct tool_call *call, struct child *child, FILE *kept)
{
    size_t room = OUTPUT_BYTES;
    bool open_output = true;
    int status = 0;
    while (waitpid(child->pid, &status, WNOHANG) == 0) {
        struct pollfd look = {.fd = open_output ? child->output : -1, .events = POLLIN};
        if (poll(&look, 1, LOOK_MS) > 0)
            open_output = take_output(child, kept, &room);
        end_if_late(call, child);
    }
    struct pollfd look = {.fd = open_output ? child->output : -1, .events = POLLIN};
    while (poll(&look, 1, 0) > 0 && take_output(child, kept, &room))
        continue;
    close(child->output);
    return status;
}

/* ---- the tool ---- */

/* Runs fisql with the arguments. *ended gets its status, *output what it printed, malloc'ed. */
static int run_step(struct tool_call *call, char *const *arguments, int64_t time_ns, int *ended,
                    char **output, bool *late)
{
    struct child child = {.deadline_ns = clock_ns() + time_ns};
    size_t size = 0;
    FILE *kept = memory_text_open(output, &size);
    if (kept == NULL)
        return fail("out of memory");
    int status = start(call, &child, arguments);
    if (status == 0)
        *ended = wait_for(call, &child, kept);
    *late = child.late;
    if (fclose(kept) != 0)
        status = fail("out of memory");
    return status;
}

static void put_output(FILE *out, const char *title, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return;
    fprintf(out, "%s%s\n", title, strlen(text) == OUTPUT_BYTES ? " (its beginning)" : "");
    for (const char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *shown = text_shown(line, length);
        fprintf(out, "  %s\n", shown != NULL ? shown : "out of memory");
        free(shown);
        line += length + (line[length] == '\n');
    }
}

/* Records; *loads: there is a log. */
static int record_words(struct tool_call *call, char **words, size_t count, char *log, bool *loads)
{
    char fisql[] = "fisql", command[] = "record", output_option[] = "-o";
    char values[] = "--values", locks[] = "--locks", library_calls[] = "--library-calls";
    char end[] = "--";
    char *arguments[WORDS_MAX + 12] = {fisql, command, output_option, log};
    size_t used = 4;
    int ended = 0;
    char *output = NULL;
    bool late = false;
    FILE *out = call->answer.stream;
    int64_t seconds = tool_integer(call, "seconds", 60);
    if (seconds < 1 || seconds > SECONDS_MAX)
        return fail("seconds: wants a number from 1 to %d", SECONDS_MAX);
    if (tool_flag(call, "values"))
        arguments[used++] = values;
    if (tool_flag(call, "locks"))
        arguments[used++] = locks;
    if (tool_flag(call, "library_calls"))
        arguments[used++] = library_calls;
    arguments[used++] = end;
    memcpy(arguments + used, words, count * sizeof *words);
    int status = run_step(call, arguments, seconds * 1000000000, &ended, &output, &late);
    if (status == 0 && WIFEXITED(ended))
        fprintf(out, "%s: exit status %d\n", words[0], WEXITSTATUS(ended));
    else if (status == 0)
        fprintf(out, "%s: ended by signal %d (%s)\n", words[0], WTERMSIG(ended),
                strsignal(WTERMSIG(ended)));
    if (late)
        fprintf(out, "It was ended after %lld s, which is the limit that was given.\n",
                (long long)seconds);
    put_output(out, "What it and fisql record printed:", output);
    *loads = access(log, R_OK) == 0;
    free(output);
    return status;
}

static int load(struct tool_call *call, char *log, char *database)
{
    char fisql[] = "fisql", command[] = "load", quiet[] = "-q", output_option[] = "-o";
    char end[] = "--";
    char *arguments[] = {fisql, command, quiet, output_option, database, end, log, NULL};
    const int64_t most_ns = SECONDS_MAX * INT64_C(1000000000);
    int ended = 0;
    char *output = NULL;
    bool late = false;
    int status = run_step(call, arguments, most_ns, &ended, &output, &late);
    bool loaded = status == 0 && WIFEXITED(ended) && WEXITSTATUS(ended) != 2;
    if (status == 0)
        put_output(call->answer.stream, "What fisql load printed:", output);
    if (loaded)
        fprintf(call->answer.stream,
                "The run is in %s: ask the tool digest with \"database\": \"%s\".\n", database,
                database);
    free(output);
    return status != 0 || loaded ? status : fail("%s: cannot be loaded", log);
}

static int run(struct tool_call *call)
{
    const char *name = tool_text(call, "name") != NULL ? tool_text(call, "name") : "run";
    char *words[WORDS_MAX], log[PATH_MAX], database[PATH_MAX];
    size_t count = 0;
    bool loads = false;
    if (!is_plain_name(name))
        return fail("name: %s: wants letters, digits, and . _ - not at its beginning", name);
    snprintf(log, sizeof log, "%s.bin", name);
    snprintf(database, sizeof database, "%s.db", name);
    int status = read_words(call, words, &count);
    if (status == 0)
        unlink(log); /* so that one of before is not taken for this one's */
    if (status == 0)
        status = record_words(call, words, count, log, &loads);
    if (status == 0 && !loads)
        fputs("There is no log: nothing was recorded.\n", call->answer.stream);
    else if (status == 0 && __atomic_load_n(call->stop, __ATOMIC_ACQUIRE) == 0)
        status = load(call, log, database);
    while (count > 0)
        free(words[--count]);
    return status;
}

const struct tool tool_record = {
    .name = "record",
    .title = "Record a program",
    .what = "Runs a program in the working folder, records its calls and allocations, and makes "
            "the database that the other tools ask. The program is native; it may be recorded as "
            "it is, or built with `fisql cc` in place of the compiler for more detail. What the "
            "program does is done.",
    .parameters = parameters,
    .records = true,
    .run = run};
