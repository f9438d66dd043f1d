/* Writing rows: see output.h. A table is held in memory, for its widths are known only at the end.
 */
#include "cli/output.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

bool output_format_parse(const char *name, enum output_format *format)
{
    static const char *const names[] = {"table", "csv", "json", "markdown"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            *format = (enum output_format)i;
            return true;
        }
    return false;
}

void output_time(double ns, char *text, size_t size)
{
    double magnitude = fabs(ns);
    if (magnitude < 1e3)
        snprintf(text, size, ns == floor(ns) ? "%.0f ns" : "%.1f ns", ns);
    else if (magnitude < 1e6)
        snprintf(text, size, "%.2f us", ns / 1e3);
    else if (magnitude < 1e9)
        snprintf(text, size, "%.2f ms", ns / 1e6);
    else
        snprintf(text, size, "%.3f s", ns / 1e9);
}

void output_bytes(double bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    while (fabs(bytes) >= 1024 && unit < 4) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, size, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

/* ---- UTF-8 ---- */

int utf8_length(const unsigned char *at)
{
    if (at[0] < 0x80)
        return 1;
    if (at[0] >= 0xc2 && at[0] < 0xe0)
        return (at[1] & 0xc0) == 0x80 ? 2 : 0;
    if (at[0] >= 0xe0 && at[0] < 0xf0) {
        bool sound = (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80;
        bool overlong = at[0] == 0xe0 && at[1] < 0xa0;
        bool surrogate = at[0] == 0xed && at[1] >= 0xa0;
        return sound && !overlong && !surrogate ? 3 : 0;
    }
    if (at[0] >= 0xf0 && at[0] < 0xf5) {
        bool sound = (at[1] & 0xc0) == 0x80 && (at[2] & 0xc0) == 0x80 && (at[3] & 0xc0) == 0x80;
        bool wrong = (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90);
        return sound && !wrong ? 4 : 0;
    }
    return 0;
}

/* The text with control characters and unsound bytes as \xNN. Caller frees; NULL without memory. */
static char *escaped(const char *text)
{
    char *copy = malloc(strlen(text) * 4 + 1);
    char *to = copy;
    if (copy == NULL)
        return NULL;
    for (const unsigned char *at = (const unsigned char *)text; *at != 0;) {
        int length = utf8_length(at);
        bool control = *at < 0x20 || *at == 0x7f || (length == 2 && at[0] == 0xc2 && at[1] < 0xa0);
        if (length == 0 || control) {
            for (int i = 0; i < (length == 0 ? 1 : length); i++)
                to += sprintf(to, "\\x%02x", at[i]);
        } else {
            memcpy(to, at, (size_t)length);
            to += length;
        }
        at += length == 0 ? 1 : length;
    }
    *to = 0;
    return copy;
}

void output_escaped(FILE *out, const char *text)
{
    char *copy = escaped(text);
    if (copy != NULL)
        fputs(copy, out);
    free(copy);
}

/* Columns that the text takes on a terminal. */
static int display_width(const char *text)
{
    int width = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at != 0;) {
        int length = utf8_length(at);
        wchar_t character = *at;
        if (length == 2)
            character = (wchar_t)((at[0] & 0x1f) << 6 | (at[1] & 0x3f));
        else if (length == 3)
            character = (wchar_t)((at[0] & 0x0f) << 12 | (at[1] & 0x3f) << 6 | (at[2] & 0x3f));
        else if (length == 4)
            character = (wchar_t)((at[0] & 7) << 18 | (at[1] & 0x3f) << 12 | (at[2] & 0x3f) << 6 |
                                  (at[3] & 0x3f));
        int columns = length > 1 ? wcwidth(character) : 1;
        width += columns >= 0 ? columns : 1;
        at += length == 0 ? 1 : length;
    }
    return width;
}

/* ---- rows ---- */

static int columns_count(const struct output_source *source)
{
    int count = sqlite3_column_count(source->statement);
    return source->columns_max > 0 && source->columns_max < count ? source->columns_max : count;
}

/* The statement's column that is written as the i-th: a stack among those left out takes the last
 * place, for it is what tells rows of one function apart. */
static int column_shown(const struct output_source *source, int i)
{
    int count = sqlite3_column_count(source->statement), shown = columns_count(source);
    for (int k = shown; i == shown - 1 && k < count; k++) {
        if (strcmp(source->columns[k].name, "stack") == 0)
            return k;
    }
    return i;
}

/* Steps to the next row that is to be written. Returns SQLITE_ROW, SQLITE_DONE or an error. */
static int next_row(const struct output_source *source, long *rows)
{
    if (*rows == source->limit && !source->count_all)
        return SQLITE_DONE;
    int result;
    while ((result = sqlite3_step(source->statement)) == SQLITE_ROW) {
        if (source->keep != NULL && !source->keep(source->context, source->statement))
            continue;
        ++*rows;
        if (source->limit < 0 || *rows <= source->limit)
            break;
    }
    return result;
}

/* The text of a cell, rewritten. Caller frees; NULL without memory. */
static char *text_of(const struct output_source *source, int column)
{
    const char *text = (const char *)sqlite3_column_text(source->statement, column);
    if (text == NULL)
        text = "";
    bool is_text = sqlite3_column_type(source->statement, column) == SQLITE_TEXT;
    return is_text && source->rewrite != NULL ? source->rewrite(source->context, text)
                                              : strdup(text);
}

/* The shortest decimal that reads back as the same number. */
static void put_real(FILE *out, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

/* ---- cells of tables ---- */

static bool is_number(sqlite3_stmt *statement, int column)
{
    int type = sqlite3_column_type(statement, column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

/* Cuts escaped text to so many columns, one of them an ellipsis. A path and a stack keep their end,
 * which says more. The text has room for four bytes more. */
static void cut(char *text, int width_max)
{
    if (width_max <= 0 || display_width(text) <= width_max)
        return;
    size_t length = strlen(text);
    if (text[0] == '/' || strstr(text, " > ") != NULL) {
        const char *kept = text;
        while (display_width(kept) > width_max - 1) {
            do
                kept++;
            while (((unsigned char)*kept & 0xc0) == 0x80);
        }
        const char *whole = strstr(kept, text[0] == '/' ? "/" : " > ");
        if (whole != NULL)
            kept = whole;
        memmove(text + 3, kept, strlen(kept) + 1);
        memcpy(text, "\xe2\x80\xa6", 3);
        return;
    }
    while (length > 0 && (display_width(text) > width_max - 1)) {
        do
            length--;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80);
        text[length] = '\0';
    }
    memcpy(text + length, "\xe2\x80\xa6", 4);
}

/* The cell as people read it. Caller frees; NULL without memory. */
static char *cell_text(const struct output_source *source, int column)
{
    sqlite3_stmt *statement = source->statement;
    if (is_number(statement, column)) {
        char text[64];
        double value = sqlite3_column_double(statement, column);
        enum output_unit unit = source->columns[column].unit;
        if (unit == UNIT_NS)
            output_time(value, text, sizeof text);
        else if (unit == UNIT_BYTES)
            output_bytes(value, text, sizeof text);
        else if (unit == UNIT_PERCENT)
            snprintf(text, sizeof text, "%.1f%%", value);
        else if (sqlite3_column_type(statement, column) == SQLITE_FLOAT)
            snprintf(text, sizeof text, "%.2f", value);
        else
            snprintf(text, sizeof text, "%lld", (long long)sqlite3_column_int64(statement, column));
        return strdup(text);
    }
    if (sqlite3_column_type(statement, column) == SQLITE_NULL)
        return strdup("-");
    char *plain = text_of(source, column);
    char *text = plain != NULL ? escaped(plain) : NULL;
    free(plain);
    if (text != NULL && source->cell_width_max > 0) {
        char *roomy = realloc(text, strlen(text) + 4); /* for the ellipsis */
        if (roomy == NULL) {
            free(text);
            return NULL;
        }
        text = roomy;
        cut(text, source->cell_width_max);
    }
    return text;
}

/* ---- JSON and CSV ---- */

static void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != 0;) {
        int length = utf8_length(at);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(out, "\\u%04x", *at);
        else
            fwrite(at, 1, (size_t)length, out);
        at += length == 0 ? 1 : length;
    }
    fputc('"', out);
}

static void json_cell(FILE *out, const struct output_source *source, int column)
{
    sqlite3_stmt *statement = source->statement;
    double value = sqlite3_column_double(statement, column);
    int type = sqlite3_column_type(statement, column);
    if (type == SQLITE_INTEGER) {
        fprintf(out, "%lld", (long long)sqlite3_column_int64(statement, column));
    } else if (type == SQLITE_FLOAT && isfinite(value)) {
        put_real(out, value);
    } else if (type == SQLITE_NULL || type == SQLITE_FLOAT) {
        fputs("null", out);
    } else {
        char *text = text_of(source, column);
        json_string(out, text != NULL ? text : "");
        free(text);
    }
}

static int write_json(FILE *out, const struct output_source *source, long *rows)
{
    int count = columns_count(source), result;
    const char *separator = "[\n";
    while ((result = next_row(source, rows)) == SQLITE_ROW) {
        fputs(separator, out);
        for (int i = 0; i < count; i++) {
            fputs(i == 0 ? " {" : ", ", out);
            json_string(out, source->columns[i].name);
            fputs(": ", out);
            json_cell(out, source, i);
        }
        fputs("}", out);
        separator = ",\n";
    }
    fputs(*rows > 0 ? "\n]\n" : "[]\n", out);
    return result;
}

static void csv_text(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != 0; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static int write_csv(FILE *out, const struct output_source *source, long *rows)
{
    int count = columns_count(source), result;
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", out);
        csv_text(out, source->columns[i].name);
    }
    fputs("\r\n", out);
    while ((result = next_row(source, rows)) == SQLITE_ROW) {
        for (int i = 0; i < count; i++) {
            fputs(i > 0 ? "," : "", out);
            if (sqlite3_column_type(source->statement, i) == SQLITE_FLOAT) {
                put_real(out, sqlite3_column_double(source->statement, i));
            } else if (sqlite3_column_type(source->statement, i) != SQLITE_NULL) {
                char *text = text_of(source, i);
                csv_text(out, text != NULL ? text : "");
                free(text);
            }
        }
        fputs("\r\n", out);
    }
    return result;
}

struct table {
    char **cells;
    bool *right; /* by column: numbers */
    int *width;
    size_t used, room;
    int columns;
};

static bool table_add(struct table *table, char *cell)
{
    if (table->used == table->room) {
        size_t room = table->room * 2 + 256;
        char **grown = realloc(table->cells, room * sizeof *grown);
        if (grown == NULL) {
            free(cell);
            return false;
        }
        table->cells = grown;
        table->room = room;
    }
    int column = (int)(table->used % (size_t)table->columns);
    int width = cell != NULL ? display_width(cell) : 0;
    if (width > table->width[column])
        table->width[column] = width;
    table->cells[table->used++] = cell;
    return cell != NULL;
}

static void table_line(FILE *out, const struct table *table, size_t row, bool markdown)
{
    if (markdown)
        fputs("| ", out);
    for (int i = 0; i < table->columns; i++) {
        const char *cell = table->cells[row * (size_t)table->columns + (size_t)i];
        int pad = table->width[i] - display_width(cell);
        bool last = i == table->columns - 1;
        if (table->right[i])
            fprintf(out, "%*s", pad, "");
        for (const char *at = cell; *at != 0; at++) {
            if (markdown && *at == '|')
                fputc('\\', out);
            fputc(*at, out);
        }
        if (!table->right[i] && (!last || markdown))
            fprintf(out, "%*s", pad, "");
        fputs(markdown ? (last ? " |" : " | ") : (last ? "" : "  "), out);
    }
    fputc('\n', out);
}

static void table_rule(FILE *out, const struct table *table, bool markdown)
{
    if (markdown)
        fputs("|", out);
    for (int i = 0; i < table->columns; i++) {
        for (int k = 0; k < table->width[i] + (markdown ? 1 : 0); k++)
            fputc('-', out);
        if (markdown)
            fputs(table->right[i] ? ":|" : "-|", out);
        else
            fputs(i == table->columns - 1 ? "" : "  ", out);
    }
    fputc('\n', out);
}

static void table_release(struct table *table)
{
    for (size_t i = 0; i < table->used; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table->right);
    free(table->width);
}

static int write_table(FILE *out, bool markdown, const struct output_source *source, long *rows)
{
    int count = columns_count(source), result = SQLITE_NOMEM;
    struct table table = {.columns = count,
                          .right = calloc((size_t)count, sizeof *table.right),
                          .width = calloc((size_t)count, sizeof *table.width)};
    bool sound = table.right != NULL && table.width != NULL;
    for (int i = 0; sound && i < count; i++)
        sound = table_add(&table, escaped(source->columns[column_shown(source, i)].name));
    while (sound && (result = next_row(source, rows)) == SQLITE_ROW) {
        for (int i = 0; sound && i < count; i++) {
            int column = column_shown(source, i);
            table.right[i] |= is_number(source->statement, column);
            sound = table_add(&table, cell_text(source, column));
        }
    }
    if (!sound)
        result = SQLITE_NOMEM;
    for (size_t row = 0; result == SQLITE_DONE && row < table.used / (size_t)count; row++) {
        table_line(out, &table, row, markdown);
        if (row == 0)
            table_rule(out, &table, markdown);
    }
    table_release(&table);
    return result;
}

int output_rows(FILE *out, enum output_format format, const struct output_source *source,
                long *rows)
{
    *rows = 0;
    switch (format) {
    case OUTPUT_JSON:
        return write_json(out, source, rows);
    case OUTPUT_CSV:
        return write_csv(out, source, rows);
    default:
        return write_table(out, format == OUTPUT_MARKDOWN, source, rows);
    }
}
