/*
 * The tables of objects: what all threads said of them (fisql.h), ordered by object and time, and
 * judged.
 *
 * A program reports a reference after it changed the count. So a preempted thread may report late,
 * even behind the object's end. The counts show that: the references before the first report, plus
 * those taken, less those given back, make those held at the end. A report that balances them is
 * late, not wrong. If a new object had the memory by then, the report is among the next life's, and
 * take_back() moves it.
 */
#include "loader/tables/tables_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/log/log_index.h"

struct said {
    const struct decode_record *what;
    uint32_t process, thread; /* ids */
    size_t number;            /* of the run: keeps the order at one time */
    const char *problem;
    int64_t before; /* object_references.id, 0 = none */
};

/* An object's life. */
struct life {
    struct said *first;
    size_t count;
    int64_t held, untold; /* `untold`: of those held, the ones before the first report */
    int64_t refs, unrefs;
    struct said *gone; /* NULL = it lives */
    int64_t gone_id;
    int64_t first_diary, last_diary; /* ids, here and below; 0 = none */
    int64_t first_ref, last_ref, last_taken;
};

struct writer {
    struct insert objects, diaries, references;
    int64_t object_id, diary_id, reference_id;
};

static const char *const names[] = {
#define NAME(constant, number, name, holds) [number] = name,
    FISQL_OBJECT_KINDS(NAME)
#undef NAME
};

static bool is_reference(const struct said *said)
{
    uint32_t kind = said->what->object.kind;
    return kind == FISQL_OBJECT_REF || kind == FISQL_OBJECT_UNREF || kind == FISQL_OBJECT_GONE;
}

static bool same_object(const struct said *a, const struct said *b)
{
    return a->process == b->process && a->what->object.address == b->what->object.address;
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int in_order(const void *left, const void *right)
{
    const struct said *a = left, *b = right;
    int order = compare(a->process, b->process);
    order = order != 0 ? order : compare(a->what->object.address, b->what->object.address);
    order = order != 0 ? order : compare(a->what->ns, b->what->ns);
    return order != 0 ? order : compare(a->number, b->number);
}

/* All reports, in order. The caller frees *out, even after an error. */
static int gather(const struct tables *tables, struct said **out, size_t *count,
                  struct error *error)
{
    const struct log_index *index = tables->index;
    struct table_records records = table_records(tables, 1u << DECODE_OBJECT);
    size_t capacity = 0;
    while (table_records_next(&records)) {
        if (array_reserve(out, &capacity, *count + 1, error) != 0)
            return -1;
        uint32_t process = index->threads[records.cursor.thread].process;
        (*out)[*count] = (struct said){.what = records.record,
                                       .process = index->processes[process].id,
                                       .thread = records.thread_id,
                                       .number = *count};
        ++*count;
    }
    if (*count > 0)
        qsort(*out, *count, sizeof **out, in_order);
    return 0;
}

/* ---- lives ---- */

#define UNTOLD_MAX ((int64_t)1 << 40) /* a hostile log has more */

/* The references before the first report; fewer if a later report that found none shows that the
 * first was late. */
static void judge_untold(struct life *life, const struct said *said)
{
    int64_t count = said->what->object.number;
    if (life->refs + life->unrefs == 0 && count > 0) {
        life->untold = count < UNTOLD_MAX ? count : UNTOLD_MAX;
        life->held = life->untold;
    } else if (said->what->object.kind == FISQL_OBJECT_REF && count <= 0 && life->held > 0) {
        int64_t less = life->held < life->untold ? life->held : life->untold;
        life->held -= less;
        life->untold -= less;
    }
}

/* A reference taken or given back behind the end, or given back where there was none. */
static void judge_change(struct life *life, struct said *said)
{
    bool taken = said->what->object.kind == FISQL_OBJECT_REF;
    if (!taken && said->what->object.number <= 0)
        said->problem = "given back too often";
    else if (life->gone != NULL && (taken ? life->held >= 0 : life->held <= 0))
        said->problem = taken ? "ref after gone" : "unref after gone";
    if (said->problem == NULL)
        life->held += taken ? 1 : -1;
    else
        said->before = life->gone != NULL ? life->gone_id : life->last_ref;
    life->refs += taken;
    life->unrefs += !taken;
}

static void judge_gone(struct life *life, struct said *said, int64_t id)
{
    if (life->gone != NULL) {
        said->problem = "gone twice";
        said->before = life->gone_id;
        return;
    }
    life->gone = said;
    life->gone_id = id;
}

/* Judges a life. Its rows begin with these ids. */
static void life_judge(struct life *life, int64_t diary_id, int64_t reference_id)
{
    for (size_t i = 0; i < life->count; i++) {
        struct said *said = &life->first[i];
        if (!is_reference(said)) {
            life->last_diary = diary_id++;
            life->first_diary = life->first_diary != 0 ? life->first_diary : life->last_diary;
            continue;
        }
        if (said->what->object.kind == FISQL_OBJECT_GONE) {
            judge_gone(life, said, reference_id);
        } else {
            judge_untold(life, said);
            judge_change(life, said);
            if (said->what->object.kind == FISQL_OBJECT_REF)
                life->last_taken = reference_id;
        }
        life->last_ref = reference_id++;
        life->first_ref = life->first_ref != 0 ? life->first_ref : life->last_ref;
    }
    if (life->gone != NULL && life->held > 0) {
        life->gone->problem = "gone while held";
        life->gone->before = life->last_taken;
    }
    if (life->gone != NULL || life->held < 0)
        life->held = 0;
}

/* The life that begins here. Diary entries between an object's end and the next one's first
 * reference belong to the next one. */
static struct life life_of(struct said *first, const struct said *end)
{
    struct life life = {.first = first};
    size_t next = 0; /* behind the last reference */
    bool gone = false;
    for (struct said *at = first; at < end && same_object(first, at); at++) {
        bool begins = at->what->object.kind == FISQL_OBJECT_REF && at->what->object.number <= 0;
        life.count++;
        if (!is_reference(at))
            continue;
        if (gone && begins) {
            life.count = next;
            break;
        }
        gone |= at->what->object.kind == FISQL_OBJECT_GONE;
        next = life.count;
    }
    return life;
}

/* The number of changes of this kind that found this count. */
static int64_t changes(const struct said *first, size_t count, uint32_t kind, int64_t number)
{
    int64_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += first[i].what->object.kind == kind && first[i].what->object.number == number;
    return found;
}

/* A change has a pair that undoes it: a reference taken that found n, and one given back that found
 * n + 1. Does this life lack the change for its pair, and does the next life have it without a
 * pair? */
static bool is_lacking(const struct life *life, const struct life *next, const struct said *said)
{
    bool taken = said->what->object.kind == FISQL_OBJECT_REF;
    uint32_t other = taken ? FISQL_OBJECT_UNREF : FISQL_OBJECT_REF;
    int64_t number = said->what->object.number;
    if (number < (taken ? 1 : 2) || number > UNTOLD_MAX)
        return false;
    int64_t pair = taken ? number + 1 : number - 1;
    return changes(life->first, life->count, said->what->object.kind, number) <
               changes(life->first, life->count, other, pair) &&
           changes(next->first, next->count, said->what->object.kind, number) >
               changes(next->first, next->count, other, pair);
}

#define LATE_MAX 64u /* we search so many reports of the next life */

/* Moves changes back to a life that were reported after the next life began at the same address:
 * behind its end, where they are excused. */
static void take_back(struct life *life, const struct said *end)
{
    bool gone = false;
    for (size_t i = 0; i < life->count; i++)
        gone |= life->first[i].what->object.kind == FISQL_OBJECT_GONE;
    struct said *from = life->first + life->count;
    if (!gone || from == end || !same_object(life->first, from))
        return;
    struct life next = life_of(from, end);
    for (size_t i = 1; i < next.count && i < LATE_MAX; i++) {
        struct said said = next.first[i];
        if ((said.what->object.kind != FISQL_OBJECT_REF &&
             said.what->object.kind != FISQL_OBJECT_UNREF) ||
            !is_lacking(life, &next, &said))
            continue;
        memmove(next.first + 1, next.first, i * sizeof said);
        next.first[0] = said;
        next.first++;
        next.count--;
        life->count++;
        i--;
    }
}

/* ---- rows ---- */

static void insert_diary(struct insert *insert, int64_t object, const struct said *said)
{
    const struct decode_record *what = said->what;
    insert_row(
        insert, column_int("object_id", object), column_text("kind", names[what->object.kind]),
        what->object.kind == FISQL_OBJECT_KEEP_NUMBER ? column_int("state", what->object.number)
                                                      : column_text("state", what->text),
        COLUMNS_RECORD(said->thread, what));
}

static void insert_reference(struct insert *insert, int64_t object, const struct said *said)
{
    const struct decode_record *what = said->what;
    insert_row(insert, column_int("object_id", object),
               column_text("kind", names[what->object.kind]),
               column_int_if("count", what->object.kind != FISQL_OBJECT_GONE, what->object.number),
               COLUMNS_RECORD(said->thread, what), column_text("problem", said->problem),
               column_id("before_id", (uint64_t)said->before));
}

static void life_write(struct writer *writer, struct life *life)
{
    struct insert *objects = &writer->objects;
    const struct said *last = &life->first[life->count - 1];
    int64_t object = ++writer->object_id;
    life_judge(life, writer->diary_id + 1, writer->reference_id + 1);
    insert_row(
        objects, column_int("process_id", life->first->process),
        column_int("address", (int64_t)life->first->what->object.address),
        column_count("first_ns", life->first->what->ns), column_count("last_ns", last->what->ns),
        life->gone != NULL ? column_count("gone_ns", life->gone->what->ns) : column_null("gone_ns"),
        column_int("refs", life->refs), column_int("unrefs", life->unrefs),
        column_int("held", life->held), column_id("first_diary_id", (uint64_t)life->first_diary),
        column_id("last_diary_id", (uint64_t)life->last_diary),
        column_id("first_ref_id", (uint64_t)life->first_ref),
        column_id("last_ref_id", (uint64_t)life->last_ref));
    for (size_t i = 0; i < life->count; i++) {
        if (is_reference(&life->first[i])) {
            insert_reference(&writer->references, object, &life->first[i]);
            writer->reference_id++;
        } else {
            insert_diary(&writer->diaries, object, &life->first[i]);
            writer->diary_id++;
        }
    }
}

int tables_write_objects(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct writer writer = {.object_id = 0};
    struct said *said = NULL;
    size_t count = 0;
    if (gather(tables, &said, &count, error) != 0) {
        free(said);
        return -1;
    }
    insert_begin(&writer.objects, database, "objects");
    insert_begin(&writer.diaries, database, "diaries");
    insert_begin(&writer.references, database, "object_references");
    for (size_t i = 0; i < count;) {
        struct life life = life_of(&said[i], said + count);
        take_back(&life, said + count);
        i += life.count;
        life_write(&writer, &life);
    }
    free(said);
    int result = insert_end(&writer.objects, error);
    result = insert_end_after(&writer.diaries, result, error);
    return insert_end_after(&writer.references, result, error);
}
