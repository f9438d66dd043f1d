/* Scopes of fisql_trace.h in running programs: see live_points.h. */
#include "live/live_points.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "loader/log/facts.h"
#include "loader/log/log_reader.h"
#include "debuginfo/names/short_name.h"

#define POINTS_MAX (1u << 20) /* more are not read */
#define FACTS_BYTES_MAX (1u << 20)
#define ANCESTORS_MAX 100

struct live_points {
    char *log;
    uint64_t run_id;
    uint64_t offset; /* in the log: read up to there */
    ino_t inode;     /* of that log: another one may have replaced it (record --rotate) */
    struct log_points points;
    char **short_names; /* by a point's index, as they are asked for; NULL = none was */
    size_t short_names_room;
    struct intern processes; /* (0, process_key) */
    uint64_t *parents;       /* process_key by a process's index; 0 = it was not forked */
    size_t parents_room;
};

struct live_points *live_points_open(const char *log, uint64_t run_id)
{
    struct live_points *points = calloc(1, sizeof *points);
    if (points == NULL)
        return NULL;
    points->run_id = run_id;
    points->log = log != NULL ? strdup(log) : NULL;
    if (log == NULL || points->log != NULL)
        return points;
    free(points);
    return NULL;
}

void live_points_close(struct live_points *points)
{
    if (points == NULL)
        return;
    for (size_t i = 0; i < points->short_names_room; i++)
        free(points->short_names[i]);
    free(points->short_names);
    log_points_release(&points->points);
    intern_release(&points->processes);
    free(points->parents);
    free(points->log);
    free(points);
}

/* Where a process was forked from. */
static int take_process(struct live_points *points, struct facts *facts, uint32_t process,
                        struct error *error)
{
    const char *key, *value;
    uint64_t parent = 0;
    bool forked = false;
    while (facts_next(facts, &key, &value)) {
        enum fisql_fact fact = fact_find(FISQL_CHUNK_PROCESS, key);
        if (fact == FISQL_FACT_PROCESS_PARENT_PROCESS)
            fact_hexadecimal(value, &parent);
        else if (fact == FISQL_FACT_PROCESS_ORIGIN)
            forked = strcmp(value, FISQL_ORIGIN_FORK) == 0;
    }
    if (array_reach(&points->parents, &points->parents_room, process, error) != 0)
        return -1;
    if (forked)
        points->parents[process] = parent;
    return 0;
}

static bool is_told_here(const struct live_points *points, const struct fisql_chunk *head)
{
    return (head->kind == FISQL_CHUNK_POINTS || head->kind == FISQL_CHUNK_PROCESS) &&
           head->length <= FACTS_BYTES_MAX && points->points.count < POINTS_MAX;
}

static int take_chunk(struct live_points *points, const struct fisql_chunk *chunk,
                      struct error *error)
{
    uint32_t process;
    struct facts facts = facts_begin(chunk + 1, chunk->length - sizeof *chunk);
    if (intern_add(&points->processes, 0, chunk->process_key, &process, error) != 0)
        return -1;
    return chunk->kind == FISQL_CHUNK_POINTS
               ? log_points_take(&points->points, &facts, process, error)
               : take_process(points, &facts, process, error);
}

/* Reads on as far as the log is sound and memory lasts: points behind that have no names. */
static void log_read(struct live_points *points)
{
    struct log_reader reader;
    struct error error;
    struct fisql_chunk head;
    if (points->log == NULL || log_reader_open(&reader, points->log, &error) != 0)
        return;
    const struct log_window *window = &reader.window;
    struct fisql_chunk *chunk = malloc(FACTS_BYTES_MAX);
    int result = chunk != NULL ? 0 : -1;
    struct stat status;
    if (fstat(window->fd, &status) == 0 && status.st_ino != points->inode) {
        points->inode = status.st_ino;
        points->offset = 0;
    }
    for (uint64_t offset = points->offset; result == 0; offset += head.length) {
        points->offset = offset;
        if (offset >= window->size_bytes ||
            pread(window->fd, &head, sizeof head, (off_t)offset) != (ssize_t)sizeof head ||
            !log_chunk_is_sane(&head) || head.run_id != points->run_id ||
            head.length > window->size_bytes - offset)
            break;
        if (!is_told_here(points, &head))
            continue;
        /* We read the header twice: it must still be the same. */
        if (pread(window->fd, chunk, head.length, (off_t)offset) == (ssize_t)head.length &&
            memcmp(chunk, &head, sizeof head) == 0 && log_chunk_is_sound(chunk))
            result = take_chunk(points, chunk, &error);
    }
    free(chunk);
    log_reader_close(&reader);
}

/* Makes it at the first question. The whole name if it has no parameters, as in C, or without
 * memory. */
static const char *short_name_of(struct live_points *points, uint32_t index)
{
    const char *name = points->points.items[index].function;
    struct error error;
    if (strchr(name, '(') == NULL ||
        array_reach(&points->short_names, &points->short_names_room, index, &error) != 0)
        return name;
    if (points->short_names[index] == NULL)
        points->short_names[index] = short_name(name, false);
    return points->short_names[index] != NULL ? points->short_names[index] : name;
}

static bool find_read(struct live_points *points, uint64_t process_key, uint64_t function,
                      struct live_point *found)
{
    for (int step = 0; step < ANCESTORS_MAX && process_key != 0; step++) {
        uint32_t process = intern_find(&points->processes, 0, process_key);
        if (process == INTERN_NONE)
            return false;
        uint32_t index = log_points_find(&points->points, process, (uint32_t)function);
        if (index != INTERN_NONE) {
            const struct log_point *point = &points->points.items[index];
            if (point->function == NULL || point->file == NULL)
                return false; /* there was no memory */
            *found = (struct live_point){point, short_name_of(points, index)};
            return true;
        }
        process_key = process < points->parents_room ? points->parents[process] : 0;
    }
    return false;
}

bool live_points_find(struct live_points *points, uint64_t process_key, uint64_t function,
                      struct live_point *found)
{
    if (find_read(points, process_key, function, found))
        return true;
    log_read(points); /* a process describes a point before it uses it */
    return find_read(points, process_key, function, found);
}

uint64_t live_points_parent(struct live_points *points, uint64_t process_key)
{
    uint32_t process = intern_find(&points->processes, 0, process_key);
    if (process == INTERN_NONE || process >= points->parents_room) {
        log_read(points);
        process = intern_find(&points->processes, 0, process_key);
    }
    return process != INTERN_NONE && process < points->parents_room ? points->parents[process] : 0;
}
