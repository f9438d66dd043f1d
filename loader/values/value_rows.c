/*
 * The rows of values: see value_rows.h. A record is the header's length, NULL as the id, the
 * value's serial type, and the value.
 */
#include "loader/values/value_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/sqlite/sqlite_record.h"
#include "loader/values/value_errno.h"

#define TEXT_ONE_BYTE RECORD_TEXT_MAX /* longer ones have a serial type of two bytes or three */
#define RECORD_HEAD_MAX 5

void value_rows_release(struct value_rows *rows)
{
    free(rows->slots);
    free(rows->waiting.bytes);
    free(rows->other.bytes);
    free(rows->places);
    value_late_release(&rows->late);
    *rows = (struct value_rows){.part = NULL};
}

void value_rows_begin(struct value_rows *rows, struct btree_part *part, uint64_t first_id)
{
    rows->part = part;
    rows->start_id = first_id;
    rows->waiting.used = rows->other.used = 0;
    rows->places_count = 0; /* the slots are empty: finish leaves them so */
}

/* ---- records ---- */

static int append(struct value_rows *rows, uint64_t id, const void *record, size_t bytes,
                  struct btree_place *place, struct error *error)
{
    return btree_append(rows->part, (int64_t)id, record, (uint32_t)bytes, 0, place, error);
}

static int append_number(struct value_rows *rows, uint64_t id, const struct value_form *form,
                         struct error *error)
{
    struct record record;
    double real;
    record_begin(&record, 2);
    record_null(&record);
    if (form->type == FORM_REAL) {
        memcpy(&real, &form->bits, sizeof real);
        record_double(&record, real);
    } else {
        record_int(&record, (int64_t)form->bits);
    }
    return append(rows, id, record_data(&record), record_bytes(&record), NULL, error);
}

static int append_text(struct value_rows *rows, uint64_t id, const struct value_form *form,
                       struct error *error)
{
    unsigned char record[RECORD_HEAD_MAX + 4096 + 64];
    uint32_t type = 13 + 2 * form->text_bytes, head = 2;
    if (form->text_bytes > sizeof record - RECORD_HEAD_MAX)
        return error_set(error, "a value of %u bytes", form->text_bytes);
    record[1] = 0;
    if (type >= 1u << 14)
        record[head++] = (unsigned char)(type >> 14 | 0x80);
    if (type >= 1u << 7)
        record[head++] = (unsigned char)(type >> 7 | 0x80);
    record[head++] = type & 0x7f;
    record[0] = (unsigned char)head;
    memcpy(record + head, form->text, form->text_bytes);
    return append(rows, id, record, head + form->text_bytes, NULL, error);
}

static int append_form(struct value_rows *rows, uint64_t id, const struct value_form *form,
                       struct error *error)
{
    if (!value_form_is_known(form))
        return 0;
    return form->type <= FORM_REAL ? append_number(rows, id, form, error)
                                   : append_text(rows, id, form, error);
}

/* A row with room for an unknown result. */
static int append_place(struct value_rows *rows, uint64_t call_id, struct error *error)
{
    struct record record;
    if (array_reserve(&rows->places, &rows->places_capacity, rows->places_count + 1, error) != 0)
        return -1;
    struct value_place *place = &rows->places[rows->places_count++];
    place->call_id = call_id;
    record_begin(&record, 2);
    record_null(&record);
    record_int_full(&record, 0);
    return append(rows, call_id * 32, record_data(&record), record_bytes(&record), &place->place,
                  error);
}

/* ---- late results ---- */

/* Calls entered after this one get no result: drops their rows. */
static int drop_places(struct value_rows *rows, uint64_t call_id, struct error *error)
{
    while (rows->places_count > 0 && rows->places[rows->places_count - 1].call_id > call_id) {
        uint64_t id = rows->places[--rows->places_count].call_id * 32;
        if (value_late_add(&rows->late, id, NULL, error) != 0)
            return -1;
    }
    return 0;
}

/* The serial type and 8 bytes: any number fits. */
static int patch(struct value_rows *rows, const struct btree_place *place,
                 const struct value_form *form, struct error *error)
{
    unsigned char value[9];
    value[0] = form->type == FORM_REAL ? 7 : 6;
    record_put_int(value + 1, (int64_t)form->bits);
    return btree_patch(rows->part, place, 2, value, sizeof value, error);
}

static int put_late(struct value_rows *rows, uint64_t call_id, const struct value_form *form,
                    struct error *error)
{
    if (drop_places(rows, call_id, error) != 0)
        return -1;
    bool has_row =
        rows->places_count > 0 && rows->places[rows->places_count - 1].call_id == call_id;
    const struct value_place *place = has_row ? &rows->places[--rows->places_count] : NULL;
    if (has_row && form->type <= FORM_REAL)
        return patch(rows, &place->place, form, error);
    if (!has_row && !value_form_is_known(form))
        return 0;
    return value_late_add(&rows->late, call_id * 32, form, error);
}

/* ---- the window ---- */

/* Appends the arguments and the values at the exit, in the order of positions. */
static int append_arguments(struct value_rows *rows, uint64_t call_id,
                            const struct value_slot *slot, struct error *error)
{
    uint32_t at = 0, exit_at = 0;
    while (at < slot->arguments_bytes || exit_at < slot->exit_bytes) {
        const struct value_form *form =
            value_form_at(&rows->waiting,
                          at < slot->arguments_bytes ? slot->arguments + at : slot->exit + exit_at);
        uint32_t *passed = at < slot->arguments_bytes ? &at : &exit_at;
        if (at < slot->arguments_bytes && exit_at < slot->exit_bytes) {
            const struct value_form *other = value_form_at(&rows->waiting, slot->exit + exit_at);
            if (other->position < form->position) {
                form = other;
                passed = &exit_at;
            }
        }
        if (append_form(rows, call_id * 32 + form->position, form, error) != 0)
            return -1;
        *passed += (uint32_t)value_form_bytes(form);
    }
    return 0;
}

static int write_slot(struct value_rows *rows, uint64_t call_id, bool wants_place,
                      struct error *error)
{
    struct value_slot *slot = &rows->slots[call_id % VALUE_WINDOW];
    uint32_t failure = slot->result_bytes;
    if (slot->result_bytes != 0) {
        const struct value_form *form = value_form_at(&rows->waiting, slot->result);
        failure = (uint32_t)value_form_bytes(form);
        if (append_form(rows, call_id * 32, form, error) != 0)
            return -1;
    } else if (wants_place && append_place(rows, call_id, error) != 0) {
        return -1;
    }
    if (append_arguments(rows, call_id, slot, error) != 0)
        return -1;
    if (failure < slot->result_bytes &&
        append_form(rows, call_id * 32 + VALUE_ERRNO,
                    value_form_at(&rows->waiting, slot->result + failure), error) != 0)
        return -1;
    *slot = (struct value_slot){0};
    return 0;
}

static int move_forms(struct value_rows *rows, uint32_t *at, uint32_t bytes, struct error *error)
{
    size_t to = rows->other.used;
    if (bytes > 0 && value_buffer_add(&rows->other, rows->waiting.bytes + *at, bytes, error) != 0)
        return -1;
    *at = (uint32_t)to;
    return 0;
}

/* Moves the window to end_id, and the remaining forms together. */
static int move_window(struct value_rows *rows, uint64_t end_id, struct error *error)
{
    uint64_t limit = rows->start_id + VALUE_WINDOW;
    for (uint64_t id = end_id; id < limit; id++) {
        struct value_slot *slot = &rows->slots[id % VALUE_WINDOW];
        if (move_forms(rows, &slot->arguments, slot->arguments_bytes, error) != 0 ||
            move_forms(rows, &slot->exit, slot->exit_bytes, error) != 0 ||
            move_forms(rows, &slot->result, slot->result_bytes, error) != 0)
            return -1;
    }
    struct value_buffer spent = rows->waiting;
    rows->waiting = rows->other;
    spent.used = 0;
    rows->other = spent;
    rows->start_id = end_id;
    return 0;
}

/* Writes the rows of all calls before end_id. */
static int flush(struct value_rows *rows, uint64_t end_id, struct error *error)
{
    uint64_t limit = rows->start_id + VALUE_WINDOW;
    bool results = false;
    uint64_t open = rows->open_call(rows->context, rows->start_id, &results);
    for (uint64_t id = rows->start_id; id < end_id; id++) {
        bool is_open = id == open;
        if (id < limit) {
            if (write_slot(rows, id, is_open && results, error) != 0)
                return -1;
        } else if (is_open && results) { /* it has no known argument */
            if (append_place(rows, id, error) != 0)
                return -1;
        }
        if (is_open)
            open = rows->open_call(rows->context, id + 1, &results);
        if (id >= limit) { /* only open calls matter there */
            if (open == 0 || open >= end_id)
                break;
            id = open - 1;
        }
    }
    return move_window(rows, end_id, error);
}

/* Makes the window hold the call. */
static int reach(struct value_rows *rows, uint64_t call_id, struct error *error)
{
    if (rows->slots == NULL && (rows->slots = calloc(VALUE_WINDOW, sizeof *rows->slots)) == NULL)
        return error_set(error, "out of memory");
    return call_id - rows->start_id < VALUE_WINDOW ? 0
                                                   : flush(rows, call_id - VALUE_WINDOW / 2, error);
}

int value_rows_arguments(struct value_rows *rows, uint64_t call_id, const void *forms, size_t bytes,
                         struct error *error)
{
    if (rows->part == NULL || call_id < rows->start_id)
        return 0;
    if (reach(rows, call_id, error) != 0)
        return -1;
    struct value_slot *slot = &rows->slots[call_id % VALUE_WINDOW];
    slot->arguments = (uint32_t)rows->waiting.used;
    slot->arguments_bytes = (uint32_t)bytes;
    return value_buffer_add(&rows->waiting, forms, bytes, error);
}

int value_rows_exit(struct value_rows *rows, uint64_t call_id, const void *forms, size_t bytes,
                    struct error *error)
{
    if (rows->part == NULL || bytes == 0)
        return 0;
    if (call_id >= rows->start_id) {
        if (reach(rows, call_id, error) != 0)
            return -1;
        struct value_slot *slot = &rows->slots[call_id % VALUE_WINDOW];
        slot->exit = (uint32_t)rows->waiting.used;
        slot->exit_bytes = (uint32_t)bytes;
        return value_buffer_add(&rows->waiting, forms, bytes, error);
    }
    const unsigned char *end = (const unsigned char *)forms + bytes;
    for (const unsigned char *at = forms; at < end;) {
        const struct value_form *form = (const struct value_form *)(const void *)at;
        if (value_form_is_known(form) &&
            value_late_add(&rows->late, call_id * 32 + form->position, form, error) != 0)
            return -1;
        at += value_form_bytes(form);
    }
    return 0;
}

int value_rows_result(struct value_rows *rows, uint64_t call_id, const struct value_form *form,
                      const struct value_form *failure, struct error *error)
{
    if (rows->part == NULL)
        return 0;
    if (call_id < rows->start_id) {
        if (failure != NULL && value_form_is_known(failure) &&
            value_late_add(&rows->late, call_id * 32 + VALUE_ERRNO, failure, error) != 0)
            return -1;
        return put_late(rows, call_id, form, error);
    }
    if (reach(rows, call_id, error) != 0)
        return -1;
    struct value_slot *slot = &rows->slots[call_id % VALUE_WINDOW];
    slot->result = (uint32_t)rows->waiting.used;
    slot->result_bytes = (uint32_t)value_form_bytes(form);
    if (value_buffer_add(&rows->waiting, form, value_form_bytes(form), error) != 0)
        return -1;
    if (failure == NULL)
        return 0;
    slot->result_bytes += (uint32_t)value_form_bytes(failure);
    return value_buffer_add(&rows->waiting, failure, value_form_bytes(failure), error);
}

int value_rows_finish(struct value_rows *rows, struct error *error)
{
    if (rows->part == NULL || rows->waiting.used == 0)
        return rows->part == NULL ? 0 : drop_places(rows, 0, error);
    for (uint64_t id = rows->start_id; id < rows->start_id + VALUE_WINDOW; id++)
        if (write_slot(rows, id, false, error) != 0)
            return -1;
    return drop_places(rows, 0, error);
}
