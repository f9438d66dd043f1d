/*
 * fisql whatif: how long would the run have taken if something were different? Reads the run as a
 * graph (cli/whatif/graph.h), replays it as it was, and again with the changes (replay.h).
 */
#include "cli/out/args.h"
#include "cli/out/say.h"
#include "cli/commands.h"
#include "cli/run/database.h"
#include "cli/run/whole_calls.h"
#include "cli/whatif/answer.h"
#include "cli/whatif/pool.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: fisql whatif [OPTION...] [DB] [CHANGE...]\n"
    "\n"
    "Says how long a run (DB: run.db) would have taken with changes, by replaying it with who "
    "waited "
    "for\n"
    "whom: what is saved behind another thread's wait does not count. Record it with --locks=all. "
    "Without\n"
    "a change it ranks functions, locks and waits by what they would save if they were faster.\n"
    "\n"
    "  'parse: 2x', 'parse: -30%'  the function's own time is halved, or 30 % less (0.5x: "
    "doubled)\n"
    "  'work: 4 threads'           its calls by one call of another function are shared among "
    "threads\n"
    "  'lock stat_lock: split 8'   the lock becomes eight\n"
    "  'lock stat_lock: none'      no thread waits for it\n"
    "  'malloc in node_new: pool'  its blocks come from a list of free ones\n"
    "  'read: async'               each wait in it begins when the one before is over\n"
    "\n"
    "Functions and locks may be patterns (*, ? and [...]). Times are without the hooks' cost.\n"
    "\n"
    "      --processors N       replay on N processors (as many as this machine has)\n"
    "      --top N              rank N functions, locks and waits (10)\n"
    "      --format FORMAT      table or json (table)\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "\n"
    "example: fisql whatif run.db 'main: 2x'\n";

struct request {
    const char *path;
    enum name_style style;
    bool json;
    double processors;
    size_t rows;
    struct change_list changes;
};

static bool parse_number(const char *text, long most, long *number)
{
    char *end = NULL;
    *number = strtol(text, &end, 10);
    return *text != '\0' && *end == '\0' && *number >= 1 && *number <= most;
}

/* The database and the changes, in any order. */
static int parse_words(struct request *request, struct args *args)
{
    while (args_words(args) > 0) {
        const char *word = args_word(args, "");
        if (change_looks_like(word)) {
            if (change_add(&request->changes, word) != 0)
                return 2;
        } else if (request->path != NULL) {
            return fail("%s: is no change such as 'parse: 2x', and %s is the database; see `fisql "
                        "whatif --help`",
                        word, request->path);
        } else {
            request->path = word;
        }
    }
    if (request->path == NULL)
        request->path = "run.db";
    return args_end(args);
}

static int parse(struct request *request, int argc, char **argv)
{
    enum { PROCESSORS = 256, TOP, FORMAT, DEMANGLE };
    static const struct args_option known[] = {{"processors", PROCESSORS, true},
                                               {"top", TOP, true},
                                               {"format", FORMAT, true},
                                               {"demangle", DEMANGLE, true},
                                               {NULL, 0, false}};
    struct args args = {.command = "whatif", .help = help, .options = known};
    long number;
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        switch (args.code) {
        case PROCESSORS:
            if (!parse_number(args.value, 100000, &number))
                return args_wrong(&args, "a number from 1 to 100000");
            request->processors = (double)number;
            break;
        case TOP:
            if (!parse_number(args.value, 1000, &number))
                return args_wrong(&args, "a number from 1 to 1000");
            request->rows = (size_t)number;
            break;
        case FORMAT:
            request->json = strcmp(args.value, "json") == 0;
            if (!request->json && strcmp(args.value, "table") != 0)
                return args_wrong(&args, "table or json");
            break;
        default:
            if (!name_style_parse(args.value, &request->style))
                return args_wrong(&args, "short, full or no");
            break;
        }
    }
    return args.status != ARGS_GO_ON ? args.status : parse_words(request, &args);
}

/* The hooks' cost in the functions of a change, by whose error it may be off. */
static double hooks_in(const struct graph *graph, const struct change *change)
{
    double sum_ns = 0;
    for (uint32_t i = CLASSES_FIRST; i < graph->classes_count; i++)
        if (change->functions != NULL && change->functions[graph->classes[i].function])
            sum_ns += (double)(graph->classes[i].raw_ns - graph->classes[i].self_ns);
    return sum_ns;
}

static int replay_change(struct answer *answer, struct replay_plan plan,
                         const struct change *change)
{
    const struct change *const list[] = {change};
    struct replay replay;
    plan.changes = list;
    plan.changes_count = 1;
    int status = replay_run(&plan, false, &replay);
    double saved_ns = answer->run_ns - replay.end_ns;
    answer->changes[answer->changes_count++] = (struct answer_change){
        .text = change->text,
        .told = change->told,
        .predicted_ns = replay.end_ns,
        .saved_ns = saved_ns,
        .error_ns = answer_error(answer, saved_ns, hooks_in(answer->graph, change)),
        .forced = replay.forced};
    return status;
}

/* All changes at once, with the path that is critical then. */
static int replay_together(struct answer *answer, struct replay_plan plan)
{
    const struct change *list[CHANGES_MAX];
    struct replay replay;
    double hooks_ns = 0;
    for (size_t i = 0; i < plan.all->count; i++) {
        list[i] = &plan.all->items[i];
        hooks_ns += hooks_in(answer->graph, list[i]);
    }
    plan.changes = list;
    plan.changes_count = plan.all->count;
    int status = replay_run(&plan, true, &replay);
    answer->after = replay.path;
    if (plan.all->count == 1)
        return status;
    double saved_ns = answer->run_ns - replay.end_ns;
    answer->changes[answer->changes_count++] =
        (struct answer_change){.predicted_ns = replay.end_ns,
                               .saved_ns = saved_ns,
                               .error_ns = answer_error(answer, saved_ns, hooks_ns),
                               .forced = replay.forced};
    return status;
}

static int find(struct answer *answer, struct request *request)
{
    struct change_list *changes = &request->changes;
    struct replay_plan plan = {
        .graph = answer->graph, .all = changes, .processors = answer->processors, .raw = true};
    struct replay replay;
    int status = replay_run(&plan, false, &replay);
    answer->replayed_ns = replay.end_ns;
    plan.raw = false;
    if (status == 0)
        status = replay_run(&plan, true, &replay);
    answer->before = replay.path;
    answer->run_ns = replay.end_ns;
    for (size_t i = 0; i < changes->count && status == 0; i++) {
        if (changes->items[i].kind == CHANGE_POOL)
            status = pool_measure(answer->graph, &changes->items[i]);
        if (status == 0)
            status = replay_change(answer, plan, &changes->items[i]);
    }
    if (status == 0 && changes->count > 0)
        status = replay_together(answer, plan);
    return status == 0 && changes->count == 0
               ? rank_find(&plan, answer->run_ns, request->rows, &answer->rank)
               : status;
}

static void release_path(struct replay_path *path)
{
    struct replay replay = {.path = *path};
    replay_release(&replay);
}

static int answer_request(struct request *request, const struct run_view *view)
{
    struct graph graph;
    int status = graph_open(&graph, view, &request->changes);
    struct answer answer = {.graph = &graph, .processors = request->processors};
    if (status == 0) {
        answer.recorded_ns = (double)(graph.end_ns - graph.start_ns);
        status = find(&answer, request);
    }
    if (status == 0 && request->json)
        answer_print_json(&answer);
    else if (status == 0)
        answer_print(&answer);
    release_path(&answer.before);
    release_path(&answer.after);
    free(answer.rank.rows);
    graph_release(&graph);
    return status;
}

static bool has_times(sqlite3 *database, const char *path)
{
    if (run_integer(database, DATABASE_SAMPLED, 0) == 0)
        return true;
    fail("%s: some of its calls have no times, which whatif needs: record it without --time "
         "sampled",
         path);
    return false;
}

int cmd_whatif(int argc, char **argv)
{
    struct request request = {.style = NAMES_SHORT, .rows = 10, .processors = processors_here()};
    struct run_view view = {0};
    int status = parse(&request, argc, argv);
    if (status == ARGS_GO_ON) {
        sqlite3 *database = database_open(request.path);
        status = 2;
        if (database != NULL && has_times(database, request.path) &&
            whole_calls_open(&database, request.path, "whatif", 0, 0) &&
            run_has_calls(database, request.path, "whatif"))
            status = run_view_open(&view, database, request.style, MEASURE_CPU);
        if (status == 0) {
            database_say_state(database, request.path);
            status = answer_request(&request, &view);
        }
        run_view_release(&view);
        sqlite3_close(database);
    }
    change_list_release(&request.changes);
    return status;
}
