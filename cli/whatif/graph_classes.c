/* Which functions are told apart in a graph, and which of them the changes name. */
#include "cli/whatif/graph_parts.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out/say.h"
#include "cli/run/database.h"

const char *graph_class_name(const struct graph *graph, uint32_t class)
{
    return class == CLASS_OUTSIDE  ? "(outside any call)"
           : class == CLASS_OTHERS ? "(other functions)"
                                   : graph->view->functions[graph->classes[class].function].name;
}

static void class_add(struct graph *graph, uint32_t function)
{
    if (graph->class_of[function] != 0 || graph->classes_count >= CLASSES_MAX)
        return;
    graph->class_of[function] = (uint16_t)graph->classes_count;
    graph->classes[graph->classes_count++] = (struct graph_class){.function = function};
}

/* Those of the statement. */
static int choose(struct building *building, const char *sql)
{
    struct graph *graph = building->graph;
    sqlite3_stmt *row = NULL;
    if (database_rows(building->database, sql, "the functions' times", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(row, 0);
        if (id > 0 && (uint64_t)id < graph->view->functions_count &&
            graph->view->functions[id].name != NULL)
            class_add(graph, (uint32_t)id);
    }
    return database_rows_end(row, "the functions' times");
}

/* Those that take most, and those that wait for others, by whose names turns are told apart. */
static int choose_hot(struct building *building)
{
    int status = choose(
        building, "SELECT function_id FROM function_stats WHERE self_cpu_ns + self_wait_ns > 0"
                  " ORDER BY max(self_cpu_ns, self_wait_ns) DESC, function_id LIMIT 1000");
    return status != 0
               ? status
               : choose(building, "SELECT DISTINCT fr.function_id FROM lock_waits w"
                                  " JOIN frames fr ON fr.id = w.frame_id ORDER BY 1 LIMIT 900");
}

static int no_such_function(const struct run_view *view, const struct change *change)
{
    char words[512];
    const char **names = calloc(view->functions_count + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; names != NULL && i < view->functions_count; i++)
        if (view->functions[i].name != NULL)
            names[count++] = view->functions[i].name;
    snprintf(words, sizeof words, "%.200s: there is no function %.200s", change->text,
             change->name);
    if (names != NULL && nearest_name(change->name, names, count) != NULL)
        fail_nearest(words, change->name, names, count);
    else
        fail("%s; `fisql query call-counts` lists those that were called", words);
    free(names);
    return 2;
}

/* The functions that the change names. */
static int name_functions(struct building *building, struct change *change)
{
    struct graph *graph = building->graph;
    const struct run_view *view = graph->view;
    bool any = false;
    change->functions = calloc(view->functions_count + 1, sizeof *change->functions);
    if (change->functions == NULL)
        return fail("out of memory");
    for (uint32_t id = 1; id < view->functions_count; id++) {
        if (view->functions[id].name == NULL ||
            !run_function_is(&view->functions[id], change->name))
            continue;
        change->functions[id] = any = true;
        class_add(graph, id);
    }
    return any ? 0 : no_such_function(view, change);
}

static bool lock_is(const struct graph_lock *lock, const char *pattern)
{
    char id[24];
    snprintf(id, sizeof id, "%lld", (long long)lock->id);
    return strcmp(id, pattern) == 0 || strcmp(lock->name, pattern) == 0 ||
           fnmatch(pattern, lock->name, 0) == 0 ||
           (lock->variable != NULL && fnmatch(pattern, lock->variable, 0) == 0);
}

static bool can_be_split(const struct graph_lock *lock)
{
    return lock->kind <= FISQL_LOCK_KIND_SPIN;
}

static int name_locks(struct building *building, struct change *change)
{
    struct graph *graph = building->graph;
    bool any = false;
    change->locks = calloc(graph->locks_count + 1, sizeof *change->locks);
    const char **names = calloc(graph->locks_count + 1, sizeof *names);
    if (change->locks == NULL || names == NULL) {
        free(names);
        return fail("out of memory");
    }
    size_t count = 0;
    for (size_t i = 0; i < graph->locks_count; i++) {
        if (!can_be_split(&graph->locks[i]))
            continue;
        names[count++] = graph->locks[i].name;
        if (lock_is(&graph->locks[i], change->name))
            change->locks[i] = any = true;
    }
    char words[512];
    int status = 0;
    snprintf(words, sizeof words, "%.200s: there is no lock %.200s", change->text, change->name);
    if (!any && !graph->doubts.locks_recorded)
        status =
            fail("%s: locks were not recorded: `fisql record --locks=all` does it", change->text);
    else if (!any)
        status = count > 0 ? fail_nearest(words, change->name, names, count)
                           : fail("%s; `fisql query lock-holders` names those of the run", words);
    free(names);
    return status;
}

/* By how much calls can be faster together: each call of another function makes so many of them, in
 * as many rounds as there are calls for a thread, and no round is shorter than a call. */
static int find_speedup(struct building *building, struct change *change)
{
    sqlite3_stmt *row = NULL;
    double calls = 0, callers = 0, total_ns = 0, longest_ns = 0;
    if (database_rows(
            building->database,
            "SELECT s.function_id, s.cpu_ns, s.max_ns,"
            " (SELECT sum(calls) FROM callee_runs r WHERE r.callee_id = s.function_id),"
            " (SELECT sum(caller_calls) FROM callee_runs r WHERE r.callee_id = s.function_id)"
            " FROM function_stats s",
            "the callers", &row) != 0)
        return 2;
    while (sqlite3_step(row) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(row, 0);
        if (id <= 0 || (uint64_t)id >= building->graph->view->functions_count ||
            !change->functions[id])
            continue;
        total_ns += sqlite3_column_double(row, 1);
        if (sqlite3_column_double(row, 2) > longest_ns)
            longest_ns = sqlite3_column_double(row, 2);
        calls += sqlite3_column_double(row, 3);
        callers += sqlite3_column_double(row, 4);
    }
    if (callers > 0 && calls > callers) {
        double each = calls / callers, rounds = each / change->value;
        if (rounds < 64) /* each thread has few: count them */
            rounds = (double)(int64_t)(rounds + 0.999999);
        change->speedup = each / (rounds < 1 ? 1 : rounds);
        if (longest_ns > 0 && change->speedup > total_ns / callers / longest_ns)
            change->speedup = total_ns / callers / longest_ns;
    }
    if (change->speedup <= 1) {
        change->speedup = 1;
        change->told = strdup("no call of another function makes several of these calls");
        if (change->told == NULL)
            return database_rows_short(row);
    }
    return database_rows_end(row, "the callers");
}

/* Contexts have one number for each of these, so a function can be in one alone. */
static int check_once(const struct building *building)
{
    const struct change_list *changes = building->changes;
    for (size_t i = 0; i < changes->count; i++)
        for (size_t k = i + 1; k < changes->count; k++) {
            const struct change *one = &changes->items[i], *other = &changes->items[k];
            if (one->kind != other->kind ||
                (one->kind != CHANGE_SPREAD && one->kind != CHANGE_ASYNC))
                continue;
            for (uint32_t id = 1; id < building->graph->view->functions_count; id++)
                if (one->functions[id] && other->functions[id])
                    return fail("%s: there is another such change of %s; ask for one at a time",
                                other->text, building->graph->view->functions[id].name);
        }
    return 0;
}

/* What the changes mean by context. Contexts come after their parents. */
static int mark_frames(struct building *building)
{
    const struct run_view *view = building->graph->view;
    const struct change_list *changes = building->changes;
    size_t count = view->frames_count + 1;
    building->key_of = calloc(count, sizeof *building->key_of);
    building->owner_of = calloc(count, sizeof *building->owner_of);
    building->overlaps_of = calloc(count, 1);
    building->spread_of = calloc(count, 1);
    if (building->key_of == NULL || building->owner_of == NULL || building->overlaps_of == NULL ||
        building->spread_of == NULL)
        return fail("out of memory");
    for (uint32_t id = 1; id < view->frames_count; id++) {
        const struct run_frame *frame = &view->frames[id];
        uint32_t parent = frame->parent < id ? frame->parent : 0;
        uint16_t class = building->graph->class_of[frame->function];
        building->owner_of[id] = class != 0 ? class : CLASS_OTHERS;
        building->overlaps_of[id] = building->overlaps_of[parent];
        building->spread_of[id] = building->spread_of[parent];
        for (uint8_t i = 0; i < changes->count && frame->function != 0; i++) {
            const struct change *change = &changes->items[i];
            if (change->functions == NULL || !change->functions[frame->function])
                continue;
            if (change->kind == CHANGE_ASYNC)
                building->overlaps_of[id] = (uint8_t)(i + 1);
            if (change->kind == CHANGE_SPREAD && building->spread_of[id] == 0)
                building->spread_of[id] = (uint8_t)(i + 1);
        }
        building->key_of[id] = key_make(building->owner_of[id], building->spread_of[id]);
    }
    return 0;
}

/* Time of functions of system headers and libraries counts as that of the own code that called them,
 * unless a change names them. */
static int fold_frames(struct building *building)
{
    const struct run_view *view = building->graph->view;
    sqlite3_stmt *row = NULL;
    bool *folded = calloc(view->functions_count + 1, sizeof *folded);
    if (folded == NULL)
        return fail("out of memory");
    int status = database_rows(building->database, "SELECT id FROM functions WHERE own = 0",
                               "functions", &row);
    while (status == 0 && sqlite3_step(row) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(row, 0);
        if (id > 0 && (uint64_t)id < view->functions_count)
            folded[id] = true;
    }
    if (status == 0)
        status = database_rows_end(row, "functions");
    for (size_t i = 0; i < building->changes->count; i++)
        for (uint32_t id = 1; id < view->functions_count; id++)
            if (building->changes->items[i].functions != NULL &&
                building->changes->items[i].functions[id])
                folded[id] = false;
    for (uint32_t id = 1; id < view->frames_count; id++) {
        const struct run_frame *frame = &view->frames[id];
        if (folded[frame->function] && frame->parent != 0 && frame->parent < id)
            building->key_of[id] = building->key_of[frame->parent];
        building->graph->frame_class[id] = (uint16_t)(building->key_of[id] / KEY_SPREADS);
    }
    free(folded);
    return status;
}

int classes_choose(struct building *building)
{
    struct graph *graph = building->graph;
    struct change_list *changes = building->changes;
    graph->classes = calloc(CLASSES_MAX, sizeof *graph->classes);
    graph->class_of = calloc(graph->view->functions_count + 1, sizeof *graph->class_of);
    graph->frame_class = calloc(graph->view->frames_count + 1, sizeof *graph->frame_class);
    if (graph->classes == NULL || graph->class_of == NULL || graph->frame_class == NULL)
        return fail("out of memory");
    graph->classes_count = CLASSES_FIRST;
    int status = 0;
    for (size_t i = 0; i < changes->count && status == 0; i++) {
        struct change *change = &changes->items[i];
        status = (CHANGE_LOCK_KINDS >> change->kind & 1) != 0 ? name_locks(building, change)
                                                              : name_functions(building, change);
        if (status == 0 && change->kind == CHANGE_SPREAD)
            status = find_speedup(building, change);
    }
    if (status == 0)
        status = check_once(building);
    if (status == 0)
        status = choose_hot(building);
    if (status == 0)
        status = mark_frames(building);
    return status == 0 ? fold_frames(building) : status;
}
