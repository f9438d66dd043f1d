/* What the tools share: databases, time, and answers of rows. See tool_parts.h. */
#include "cli/mcp/tool_parts.h"

#include "base/memory_text.h"
#include "base/must.h"
#include "base/parts.h"
#include "cli/out/clock.h"
#include "cli/out/json.h"
#include "cli/out/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAIL_BYTES = 2500 }; /* behind the rows */

/* ---- databases ---- */

/* Does the path lead to a file within the working folder, links followed? */
static bool is_within_folder(const char *path)
{
    char *folder = realpath(".", NULL), *file = realpath(path, NULL);
    size_t length = folder != NULL ? strlen(folder) : 0;
    bool within = folder != NULL && file != NULL && starts_with(file, folder) &&
                  (file[length] == '/' || strcmp(folder, "/") == 0);
    free(folder);
    free(file);
    return within;
}

int tool_path(const struct tool_call *call, const char *parameter, char path[PATH_MAX])
{
    const struct mcp_options *options = call->options;
    const char *first = options->databases_count > 0 ? options->databases[0] : "run.db";
    const char *named = tool_text(call, parameter);
    const char *wanted = named != NULL ? named : first;
    bool given = named == NULL;
    for (size_t i = 0; i < options->databases_count; i++)
        given = given || strcmp(options->databases[i], wanted) == 0;
    if (strlen(wanted) >= PATH_MAX)
        return fail("%s: is longer than a path may be", parameter);
    memcpy(path, wanted, strlen(wanted) + 1);
    if (given || is_within_folder(wanted))
        return 0;
    if (wanted[0] != '/' && strstr(wanted, "..") == NULL && access(wanted, F_OK) != 0)
        return fail("%s: %s: the tool runs lists the databases", wanted, strerror(errno));
    return fail("%s: may not be read: it is neither in the folder that fisql mcp works in nor was "
                "it named when it began",
                wanted);
}

int tool_open(struct tool_call *call, const char *parameter)
{
    if (tool_path(call, parameter, call->path) != 0)
        return 2;
    call->database = ask_open(call->path);
    if (call->database == NULL)
        return 2;
    tool_watch(call, tool_time_left_ns(call));
    return 0;
}

int64_t tool_time_left_ns(const struct tool_call *call)
{
    int64_t left_ns = call->deadline_ns - clock_ns();
    return left_ns > 0 ? left_ns : 1;
}

void tool_watch(struct tool_call *call, int64_t time_ns)
{
    call->watch.time_ns = time_ns;
    ask_watch_begin(&call->watch, call->database);
}

/* ---- rows ---- */

struct ask_limits tool_limits(const struct tool_call *call, const char *head, long rows_max)
{
    const int cell_columns_max = 2000;
    size_t used = json_string_bytes(head, strlen(head)) + TAIL_BYTES;
    size_t least = 64; /* a head is short, but for what somebody names */
    size_t all = call->answer.bytes_max;
    return (struct ask_limits){.rows_max = rows_max,
                               .bytes_max = all > used + least ? all - used : least,
                               .in_string = true,
                               .cell_width_max = cell_columns_max,
                               .time_ns = tool_time_left_ns(call),
                               .count_ns = INT64_C(2000000000),
                               .stop = call->stop};
}

/* The lines of what was said as a JSON list, `most` of them. */
static void put_notes(FILE *out, const char *said, size_t most)
{
    const char *separator = "";
    fputs("[", out);
    for (size_t i = 0; *said != '\0' && i < most; i++) {
        size_t length = strcspn(said, "\n");
        fputs(separator, out);
        json_string(out, said, length);
        said += length + (said[length] == '\n');
        separator = ",";
    }
    fputs("]", out);
}

/* What stands behind the rows. */
static char *tail_of(const struct ask_answer *answer, const char *said, size_t notes)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return NULL;
    bool all = answer->end == ASK_DONE;
    fprintf(out, "\"rows_shown\":%ld,\"rows_left_out\":%ld", answer->rows, answer->rows_left_out);
    if (!all)
        fputs(",\"rows_left_out_is\":\"at least\"", out);
    if (answer->end == ASK_LATE)
        fputs(",\"stopped\":\"the request's time was over: more rows may follow\"", out);
    if (answer->cells_shortened > 0)
        fprintf(out, ",\"texts_shortened\":%ld", answer->cells_shortened);
    fputs(",\"notes\":", out);
    put_notes(out, said, notes);
    fputs("}\n", out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

void tool_put_rows(struct tool_call *call, const char *head, const char *rows,
                   const struct ask_answer *answer)
{
    const char *said = fflush(call->said) == 0 && call->said_text != NULL ? call->said_text : "";
    char *tail = NULL;
    size_t notes = 20;
    call->answer.watch = NULL; /* the rows are there: late, too, they are an answer */
    do {
        free(tail);
        tail = tail_of(answer, said, notes);
    } while (tail != NULL && json_string_bytes(tail, strlen(tail)) > TAIL_BYTES && notes-- > 0);
    if (tail == NULL)
        fail("out of memory");
    else
        fprintf(call->answer.stream, "{%s,\n\"rows\":%s,%s", head, rows, tail);
    call->notes_given = tail != NULL;
    free(tail);
}
