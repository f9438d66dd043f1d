/*
 * `fisql top`: see live_top.h.
 *
 * We look at the program some twenty times a second, so that its chunks do not pile up, and show the
 * sums once in `every_ns`. Keys are read between two looks.
 */
#include "cli/live/live_top.h"

#include "cli/live/live_end.h"
#include "cli/live/live_stacks.h"
#include "cli/live/live_sums.h"
#include "cli/live/top_screen.h"
#include "cli/out/clock.h"
#include "cli/out/say.h"
#include "cli/out/terminal.h"
#include "cli/out/text.h"
#include "live/live_piece.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOOK_MS 50
#define ENDED_NS INT64_C(1000000000) /* we ask so often whether the recording has ended */
#define PIECE_NS INT64_C(5000000000)
#define FILTER_BYTES 128
#define HEAD_LINES 5 /* of the screen, besides rows */

static const char keys[] =
    "keys: c calls, t CPU, w waits, n name, / filter, s stacks, r record 5 s, "
    "q quit";

struct top {
    struct live_run *run;
    const struct live_top_options *options;
    struct live_sums sums;
    enum top_sort sort;
    char filter[FILTER_BYTES];
    bool screen;       /* we have the terminal */
    bool quit, redraw; /* asked for by keys */
    int64_t shown;     /* tables */
    int64_t next_ns;   /* when the next table is due */
    int64_t asked_ns;  /* when we asked last whether it is recorded */
    struct live_piece piece;
    int64_t piece_end_ns; /* 0 = none is being recorded */
    char said[512];       /* the last line of the screen; "" = the keys */
};

/* ---- showing ---- */

static void put_line(const char *text, int columns)
{
    char *shown = text_shown(text, strlen(text));
    if (shown == NULL)
        return;
    printf("%.*s\n", columns > 0 ? (int)text_fits(shown, columns) : (int)strlen(shown), shown);
    free(shown);
}

/* Shows the last sums; keys may show them again in another order. */
static int show(struct top *top)
{
    int columns = terminal_columns(), rows = top->screen ? top_screen_rows() - HEAD_LINES : 0;
    if (top->options->rows > 0 && (rows <= 0 || top->options->rows < rows))
        rows = (int)top->options->rows;
    const struct top_rows_options table = {.sort = top->sort,
                                           .filter = top->filter,
                                           .columns = columns,
                                           .rows_max = rows > 0      ? (size_t)rows
                                                       : top->screen ? 1
                                                                     : 0};
    if (top->screen)
        top_screen_clear();
    int lines = top_rows_print(&top->sums, &table);
    if (lines < 0)
        return fail("out of memory");
    if (top->screen) {
        putchar('\n');
        put_line(top->said[0] != 0 ? top->said : keys, columns);
    } else {
        putchar('\n');
    }
    fflush(stdout);
    return 0;
}

/* ---- keys ---- */

static void stacks_show(struct top *top)
{
    const struct live_stacks_options options = {.pid = top->options->pid,
                                                .style = top->options->style};
    top_screen_clear();
    live_stacks_show(&options, top->run);
    fputs("\nany key: back\n", stdout);
    fflush(stdout);
    while (live_end_asked == 0 && top_screen_key(LOOK_MS) == 0)
        live_sums_look(&top->sums, false);
}

/* A name that no file has yet. */
static int piece_make(struct top *top, char *path, size_t size)
{
    char stamp[32] = "";
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local) != NULL)
        strftime(stamp, sizeof stamp, "%H%M%S", &local);
    int error = EEXIST;
    for (unsigned number = 0; error == EEXIST && number < 1000; number++) {
        if (number == 0)
            snprintf(path, size, "top-%s.bin", stamp);
        else
            snprintf(path, size, "top-%s-%u.bin", stamp, number);
        error = live_piece_begin(&top->piece, &top->run->source, top->run->log_file, path);
    }
    return error;
}

static void piece_begin(struct top *top)
{
    char path[64];
    if (top->piece_end_ns != 0)
        return;
    int error = piece_make(top, path, sizeof path);
    if (error == 0)
        top->piece_end_ns = clock_now_ns(CLOCK_MONOTONIC) + PIECE_NS;
    if (error == 0)
        snprintf(top->said, sizeof top->said, "recording 5 s to %s ...", path);
    else
        snprintf(top->said, sizeof top->said, "%s: %s", path, strerror(error));
}

static void piece_look(struct top *top, bool at_once)
{
    if (top->piece_end_ns == 0 || (!at_once && clock_now_ns(CLOCK_MONOTONIC) < top->piece_end_ns))
        return;
    int error = live_piece_end(&top->piece, top->run->log_file);
    top->piece_end_ns = 0;
    if (error == 0)
        snprintf(top->said, sizeof top->said, "recorded: fisql load %.200s", top->piece.path);
    else
        snprintf(top->said, sizeof top->said, "%.200s: %s", top->piece.path, strerror(error));
    top->redraw = true;
}

static void idle(void *context)
{
    struct top *top = context;
    live_sums_look(&top->sums, false);
}

static void key_take(struct top *top, int key)
{
    enum top_sort sort = top_sort_of_letter(key);
    if (key == 0)
        return;
    if (top->piece_end_ns == 0)
        top->said[0] = 0;
    if (sort != TOP_SORTS_COUNT)
        top->sort = sort;
    else if (key == '/')
        top_screen_ask("functions (a part, or a pattern): ", top->filter, sizeof top->filter, idle,
                       top);
    else if (key == 's')
        stacks_show(top);
    else if (key == 'r')
        piece_begin(top);
    top->quit = key == 'q' || key < 0;
    top->redraw = true;
}

/* ---- the whole ---- */

/* Waits for the next look. */
static void pause_between(struct top *top)
{
    const struct timespec moment = {0, LOOK_MS * 1000000};
    if (top->screen)
        key_take(top, top_screen_key(LOOK_MS));
    else
        nanosleep(&moment, NULL);
}

/* Has the recording ended? Asked now and then. */
static bool has_ended(struct top *top, int64_t now_ns)
{
    if (now_ns - top->asked_ns < ENDED_NS)
        return false;
    top->asked_ns = now_ns;
    return !live_run_is_recorded(top->run);
}

static int table(struct top *top, bool ended)
{
    int status = live_sums_settle(&top->sums, ended);
    if (status == 0)
        status = show(top);
    top->shown++;
    return status;
}

/* One look. *ended: there is nothing more to come. */
static int look(struct top *top, bool *ended)
{
    int64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
    int status = 0;
    *ended = has_ended(top, now_ns);
    piece_look(top, *ended);
    if (now_ns >= top->next_ns || *ended) {
        status = table(top, *ended);
        top->next_ns += top->options->every_ns;
        if (top->next_ns < now_ns)
            top->next_ns = now_ns + top->options->every_ns;
        top->redraw = false;
        return status;
    }
    status = live_sums_look(&top->sums, false);
    if (status == 0 && top->redraw)
        status = show(top);
    top->redraw = false;
    return status;
}

static int go(struct top *top)
{
    bool ended = false;
    int status = 0;
    top->asked_ns = clock_now_ns(CLOCK_MONOTONIC);
    top->next_ns = top->asked_ns + top->options->every_ns;
    while (status == 0 && !ended && !top->quit && live_end_asked == 0 && ferror(stdout) == 0 &&
           (top->options->tables == 0 || top->shown < top->options->tables)) {
        pause_between(top);
        status = look(top, &ended);
    }
    piece_look(top, true);
    return status;
}

int live_top(struct live_run *run, const struct live_top_options *options)
{
    struct top *top = calloc(1, sizeof *top);
    if (top == NULL)
        return fail("out of memory");
    top->run = run;
    top->options = options;
    top->sort = options->sort;
    if (options->filter != NULL)
        snprintf(top->filter, sizeof top->filter, "%s", options->filter);
    int status = live_sums_open(&top->sums, run, options->pid, options->style);
    top->screen = status == 0 && options->tables == 0 && top_screen_begin();
    if (!top->screen)
        live_catch_end();
    if (status == 0)
        status = go(top);
    if (top->screen)
        top_screen_end();
    if (top->screen && top->said[0] != 0)
        note("%s", top->said);
    live_sums_close(&top->sums);
    free(top);
    return status;
}
