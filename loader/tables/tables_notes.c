/* The tables of fisql_note() and of the macros of fisql_trace.h: notes, their values, and
 * pauses. */
#include "loader/tables/tables_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/log/log_points.h"
#include "loader/values/value_form.h"
#include "base/memory_text.h"

/* A macro's arguments as in the source, one after another; or names, a line each. */
struct names {
    const char *at; /* NULL = no more, or not known */
    bool lines;
};

static struct names names_of(const struct log_point *point)
{
    return (struct names){.at = point != NULL ? point->values : NULL,
                          .lines = point != NULL && fisql_point_is_plain(point->kind)};
}

/* The end of a text or character in quotes. */
static const char *quoted_end(const char *at)
{
    char quote = *at++;
    while (*at != 0 && *at != quote)
        at += *at == '\\' && at[1] != 0 ? 2 : 1;
    return *at != 0 ? at + 1 : at;
}

/* The first such character outside of parentheses, or the end. */
static const char *stop_end(const char *at, char stop)
{
    uint32_t depth = 0;
    while (*at != 0 && (*at != stop || depth > 0)) {
        depth += *at == '(';
        depth -= *at == ')' && depth > 0;
        at = *at == '"' || *at == '\'' ? quoted_end(at) : at + 1;
    }
    return at;
}

/* A text that is marked as wide has the name of what is marked. */
static void drop_mark(const char **name, size_t *length)
{
    static const char mark[] = "FISQL_WIDE(";
    const size_t bytes = sizeof mark - 1;
    if (*length <= bytes || strncmp(*name, mark, bytes) != 0 ||
        stop_end(*name + bytes, ')') != *name + *length - 1)
        return;
    *name += bytes;
    *length -= bytes + 1;
}

/* The next argument: a comma outside of parentheses ends one. False: there is none. */
static bool names_next(struct names *names, const char **name, size_t *length)
{
    if (names->at == NULL)
        return false;
    if (names->lines) {
        *name = names->at;
        *length = strcspn(*name, "\n");
        names->at = (*name)[*length] != 0 ? *name + *length + 1 : NULL;
        return true;
    }
    const char *at = names->at + strspn(names->at, " \t\n");
    *name = at;
    at = stop_end(at, ',');
    *length = (size_t)(at - *name);
    names->at = *at == ',' ? at + 1 : NULL;
    drop_mark(name, length);
    return true;
}

struct note_writer {
    struct insert notes, values, pauses;
    int64_t id;
    struct value_buffer forms;
    struct error *error;
};

static void print_form(FILE *out, const struct value_form *form)
{
    double real;
    switch (form->type) {
    case FORM_INTEGER:
        fprintf(out, "%" PRId64, (int64_t)form->bits);
        break;
    case FORM_POINTER:
        fprintf(out, form->bits == 0 ? "NULL" : "0x%" PRIx64, form->bits);
        break;
    case FORM_REAL:
        memcpy(&real, &form->bits, sizeof real);
        fprintf(out, "%.17g", real);
        break;
    case FORM_TEXT:
    case FORM_CUT:
        fprintf(out, "\"%.*s\"", (int)form->text_bytes, form->text);
        break;
    case FORM_WORDS:
        fprintf(out, "%.*s", (int)form->text_bytes, form->text);
        break;
    default:
        fputs("?", out);
        break;
    }
}

static struct column column_form(const char *name, const struct value_form *form)
{
    double real;
    if (form->type == FORM_INTEGER || form->type == FORM_POINTER)
        return column_int(name, (int64_t)form->bits);
    if (form->type == FORM_REAL) {
        memcpy(&real, &form->bits, sizeof real);
        return column_real(name, real);
    }
    return value_form_is_known(form) ? column_bytes(name, form->text, form->text_bytes)
                                     : column_null(name);
}

/* The values' rows, and their text in the note's line. */
static int write_values(struct note_writer *writer, const struct decode_record *note, FILE *line)
{
    const unsigned char *at = (const unsigned char *)note->text, *end = at + note->bytes;
    const struct log_point *point = note->point;
    struct names names = names_of(point);
    const char *name, *between = "";
    size_t length;
    struct value value;
    if (point != NULL && point->label != NULL) {
        if (!names.lines) /* the label is the macro's first argument */
            names_next(&names, &name, &length);
        fputs(point->label, line);
        between = ": ";
    }
    for (int position = 1; at < end && value_read(&at, end, &value); position++) {
        writer->forms.used = 0;
        if (value_form_add(&writer->forms, &value, (unsigned)position, NULL, NULL, writer->error) !=
            0)
            return -1;
        const struct value_form *form = value_form_at(&writer->forms, 0);
        bool named = names_next(&names, &name, &length);
        insert_row(&writer->values, column_int("note_id", writer->id),
                   column_int("position", position),
                   named ? column_bytes("name", name, length) : column_null("name"),
                   column_form("value", form));
        fputs(between, line);
        if (named)
            fprintf(line, "%.*s = ", (int)length, name);
        print_form(line, form);
        between = ", ";
    }
    return 0;
}

/* A message is one text: the line. */
static void print_message(const struct decode_record *note, FILE *line)
{
    const unsigned char *at = (const unsigned char *)note->text, *end = at + note->bytes;
    struct value value;
    while (at < end && value_read(&at, end, &value)) {
        if (value.type == VALUE_TEXT || value.type == VALUE_TEXT_CUT)
            fwrite(value.data, 1, strnlen((const char *)value.data, value.bytes), line);
        if (value.type == VALUE_TEXT_CUT)
            fputs("\\...", line);
    }
}

static void insert_note(struct note_writer *writer, uint32_t thread,
                        const struct decode_record *note, const char *text, const char *kind)
{
    const struct log_point *point = note->point;
    insert_row(&writer->notes, column_int("id", writer->id), column_int("thread_id", thread),
               column_id("call_id", note->call_id), column_count("ns", note->ns),
               column_text("text", text), column_text("kind", kind),
               column_id("level", point != NULL ? point->level : 0),
               column_text("label", point != NULL ? point->label : NULL),
               column_text("file", point != NULL && point->file[0] != 0 ? point->file : NULL),
               column_id("line", point != NULL ? point->line : 0));
}

/* The column notes.kind. */
static const char *kind_name(const struct log_point *point)
{
    switch (point != NULL ? point->kind : FISQL_POINT_KINDS_COUNT) {
    case FISQL_POINT_VALUE:
    case FISQL_POINT_COUNTER:
        return "value";
    case FISQL_POINT_RESULT:
        return "result";
    case FISQL_POINT_MESSAGE:
        return "message";
    default:
        return "checkpoint";
    }
}

static int write_trace_note(struct note_writer *writer, uint32_t thread,
                            const struct decode_record *note)
{
    const char *kind = kind_name(note->point);
    char *text = NULL;
    size_t size = 0;
    FILE *line = memory_text_open(&text, &size);
    if (line == NULL)
        return error_set(writer->error, "out of memory");
    int result = 0;
    if (note->point != NULL && note->point->kind == FISQL_POINT_MESSAGE)
        print_message(note, line);
    else
        result = write_values(writer, note, line);
    if (fclose(line) != 0 && result == 0)
        result = error_set(writer->error, "out of memory");
    if (result == 0)
        insert_note(writer, thread, note, text, kind);
    free(text);
    return result;
}

static void insert_pause(struct insert *insert, uint32_t thread, const struct decode_record *pause)
{
    insert_row(insert, column_int("thread_id", thread), column_count("call_id", pause->call_id),
               column_int("frame_id", pause->frame), column_count("start_ns", pause->ns),
               column_count("paused_ns", pause->paused_ns));
}

int tables_write_notes(const struct tables *tables, sqlite3 *database, struct error *error)
{
    struct note_writer writer = {.error = error};
    struct table_records records =
        table_records(tables, 1u << DECODE_NOTE | 1u << DECODE_CHECKPOINT | 1u << DECODE_PAUSE);
    int result = 0;
    insert_begin(&writer.notes, database, "notes");
    insert_begin(&writer.values, database, "note_values");
    insert_begin(&writer.pauses, database, "pauses");
    while (result == 0 && table_records_next(&records)) {
        const struct decode_record *record = records.record;
        if (record->kind == DECODE_PAUSE) {
            insert_pause(&writer.pauses, records.thread_id, record);
            continue;
        }
        writer.id++;
        if (record->kind == DECODE_NOTE)
            insert_note(&writer, records.thread_id, record, record->text, "note");
        else
            result = write_trace_note(&writer, records.thread_id, record);
    }
    free(writer.forms.bytes);
    result = insert_end_after(&writer.notes, result, error);
    result = insert_end_after(&writer.values, result, error);
    return insert_end_after(&writer.pauses, result, error);
}
