/*
 * The collector's own report, if no fisql record reports: a line that says what happened, and a
 * line for each open call of the thread, as module+offset, for addr2line. It makes only system
 * calls: the program may be in the middle of malloc().
 */
#include "collector/incidents/incident_print.h"

#include "collector/core/digits.h"
#include "collector/core/module_names.h"
#include "collector/core/shown.h"
#include "collector/core/thread_log.h"

#include <unistd.h>

#define CALLS_INNER 48u /* printed of the innermost calls */
#define CALLS_OUTER 8u  /* printed of the outermost ones */

/* A line in the making; what does not fit is left out. */
struct line {
    char text[512];
    size_t used;
};

static void put(struct line *line, const char *text)
{
    while (*text != 0 && line->used + SHOWN_BYTES_MAX < sizeof line->text)
        line->used += shown_put(line->text + line->used, *text++);
}

static void put_number(struct line *line, uint64_t number, unsigned base)
{
    char digits[DIGITS_BYTES];
    put(line, digits_put(digits, number, base, 1));
}

static void put_end(struct line *line)
{
    line->text[line->used++] = '\n';
    ssize_t written = write(STDERR_FILENO, line->text, line->used);
    (void)written; /* there is nowhere else to say it */
    line->used = 0;
}

/* MODULE+0xOFFSET, as in the module's file. */
static void put_place(struct line *line, uint64_t address)
{
    const struct module_name *module = module_names_find(address);
    if (module != NULL) {
        put(line, module->path);
        put(line, "+");
    }
    put(line, "0x");
    put_number(line, module != NULL ? address - module->bias : address, 16);
}

static void print_call(struct line *line, uint32_t number, uint64_t address, const char *more)
{
    put(line, "fisql:   #");
    put_number(line, number, 10);
    put(line, " ");
    put_place(line, address);
    put(line, more);
    put_end(line);
}

void incident_print(const struct trouble *trouble)
{
    struct line line = {.used = 0};
    const struct thread_log *log = current_log;
    uint32_t open = log != NULL ? calls_open(log) : 0;
    if (log != NULL && open > log->shadow.depth_max)
        open = log->shadow.depth_max;
    put(&line, "fisql: thread ");
    put_number(&line, trouble->told.tid, 10);
    put(&line, ": ");
    put(&line, trouble->told.text);
    put_end(&line);
    print_call(&line, 0, trouble->told.code, "");
    if ((trouble->told.flags & FISQL_INCIDENT_CALLER) != 0) {
        put(&line, "fisql:   called from ");
        put_place(&line, trouble->told.caller);
        put_end(&line);
    }
    if (log != NULL && (trouble->told.flags & FISQL_INCIDENT_RETURN) != 0) {
        put(&line, "fisql:   returned from ");
        put_place(&line, log->shadow.calls[open].function);
        put_end(&line);
    }
    for (uint32_t i = open, number = 1; i-- > 0; number++) {
        if (i + 1 == CALLS_OUTER && open > CALLS_INNER + CALLS_OUTER) {
            put(&line, "fisql:   ...");
            put_end(&line);
        }
        if (number > CALLS_INNER && i >= CALLS_OUTER)
            continue;
        put(&line, "fisql:   #");
        put_number(&line, number, 10);
        put(&line, " ");
        put_place(&line, log->shadow.calls[i].function);
        put(&line, " called from ");
        put_place(&line, log->shadow.calls[i].site);
        put_end(&line);
    }
}
