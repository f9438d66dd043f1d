/* Writing rows: see output.h. Memory holds a whole table: its widths are known only at the end. */
#include "cli/out/output.h"

#include "base/array.h"
#include "base/memory_text.h"
#include "cli/out/fit.h"
#include "cli/out/json.h"
#include "cli/out/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void output_doubtful_time(double ns, double doubt_ns, char *text, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    char digit[40];
    int unit = 0;
    if (fabs(ns) >= doubt_ns) {
        output_time(ns, text, size);
        return;
    }
    snprintf(digit, sizeof digit, "%.0e", ns);
    double rounded = strtod(digit, NULL);
    for (; fabs(rounded) >= 1e3 && unit < 3; unit++)
        rounded /= 1e3;
    snprintf(text, size, "~%.0f %s", rounded, units[unit]);
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

/* ---- rows ---- */

static int columns_count(const struct output_source *source)
{
    int count = sqlite3_column_count(source->statement);
    return source->columns_max > 0 && source->columns_max < count ? source->columns_max : count;
}

/* The statement's column to write as the i-th. A stack that would be left out takes the last place,
 * because it distinguishes rows of one function. */
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
    struct output_bounds *bounds = source->bounds;
    bool full = *rows == source->limit || (bounds != NULL && bounds->full);
    if (full && !source->count_all)
        return SQLITE_DONE;
    if (bounds != NULL)
        bounds->full = full;
    int result;
    while ((result = sqlite3_step(source->statement)) == SQLITE_ROW) {
        if (source->keep != NULL && !source->keep(source->context, source->statement))
            continue;
        ++*rows;
        if (!full)
            break;
    }
    return result;
}

static bool is_named(const struct output_source *source, int column)
{
    enum text_kind kind = source->columns[column].kind;
    return (kind == TEXT_FUNCTION || kind == TEXT_STACK) &&
           sqlite3_column_type(source->statement, column) == SQLITE_TEXT;
}

/* The cell's text, rewritten, with its length: it may hold NULs. Caller frees; NULL without
 * memory. */
static char *text_of(const struct output_source *source, int column, size_t *length)
{
    const char *text = (const char *)sqlite3_column_text(source->statement, column);
    int bytes = sqlite3_column_bytes(source->statement, column);
    bool rewritten = source->rewrite != NULL && is_named(source, column);
    *length = 0;
    if (text == NULL)
        return strdup("");
    char *copy = rewritten ? source->rewrite(source->context, text) : malloc((size_t)bytes + 1);
    if (copy != NULL && rewritten) {
        *length = strlen(copy);
    } else if (copy != NULL) {
        memcpy(copy, text, (size_t)bytes);
        copy[bytes] = '\0';
        *length = (size_t)bytes;
    }
    return copy;
}

/* Has the column one with the full names beside it? */
static bool has_full(const struct output_source *source, int column)
{
    return source->full != NULL && source->columns[column].kind == TEXT_FUNCTION;
}

enum { FULL_NAME_MAX = 300 };

static void full_column(const struct output_source *source, int column, char *name)
{
    snprintf(name, FULL_NAME_MAX, "full_%s", source->columns[column].name);
}

/* The full name of the function that the cell names, NULL if it names none. Caller frees. */
static char *full_of(const struct output_source *source, int column)
{
    const char *text = (const char *)sqlite3_column_text(source->statement, column);
    return text != NULL && is_named(source, column) ? source->full(source->context, text) : NULL;
}

/* The text as people see it. */
static char *shown_of(const struct output_source *source, int column)
{
    size_t length;
    char *plain = text_of(source, column, &length);
    char *text = plain != NULL ? text_shown(plain, length) : NULL;
    free(plain);
    return text;
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

/* What is left after the hooks' cost is taken out has an error of that cost's size: digits that
 * would be noise are not shown. */
static void time_a_call(double ns, double doubt_ns, char *text, size_t size)
{
    if (fabs(ns) < doubt_ns)
        snprintf(text, size, "~%.0f ns", ns);
    else
        output_time(fabs(ns) < 1e3 ? round(ns) : ns, text, size);
}

static void time_summed(const struct output_source *source, int column, double ns, char *text,
                        size_t size)
{
    double doubt_ns = source->sum_doubt_ns != NULL
                          ? source->sum_doubt_ns(source->context, source->statement, column)
                          : 0;
    output_doubtful_time(ns, doubt_ns, text, size);
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
            time_summed(source, column, value, text, sizeof text);
        else if (unit == UNIT_NS_A_CALL)
            time_a_call(value, source->doubt_ns, text, sizeof text);
        else if (unit == UNIT_BYTES)
            output_bytes(value, text, sizeof text);
        else if (unit == UNIT_PERCENT)
            snprintf(text, sizeof text, "%.1f%%", value);
        else if (sqlite3_column_type(statement, column) == SQLITE_FLOAT)
            /* 0.00 would mean that it cannot happen */
            snprintf(text, sizeof text, fabs(value) >= 0.005 || value == 0 ? "%.2f" : "%.1e",
                     value);
        else
            snprintf(text, sizeof text, "%lld", (long long)sqlite3_column_int64(statement, column));
        return strdup(text);
    }
    if (sqlite3_column_type(statement, column) == SQLITE_NULL)
        return strdup("-");
    char *text = shown_of(source, column);
    if (text == NULL || source->cell_width_max <= 0)
        return text;
    char *cut = shorten(text, source->columns[column].kind, source->cell_width_max);
    free(text);
    return cut;
}

/* ---- JSON and CSV ---- */

/* Cuts the text to cell_width_max columns, one of them an ellipsis; returns its length. */
static size_t json_cut(const struct output_source *source, char *text, size_t length)
{
    size_t kept = text_fits(text, source->cell_width_max - 1);
    if (length <= (size_t)source->cell_width_max || kept + 3 > length)
        return length;
    memcpy(text + kept, "\xe2\x80\xa6", 3);
    if (source->bounds != NULL)
        source->bounds->cells_shortened++;
    return kept + 3;
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
        size_t length;
        char *text = text_of(source, column, &length);
        if (text != NULL && source->cell_width_max > 0)
            length = json_cut(source, text, length);
        json_string(out, text, text != NULL ? length : 0);
        free(text);
    }
}

static void json_full(FILE *out, const struct output_source *source, int column)
{
    char name[FULL_NAME_MAX], *text = full_of(source, column);
    full_column(source, column, name);
    fputs(", ", out);
    json_string(out, name, strlen(name));
    fputs(": ", out);
    size_t length = text != NULL ? strlen(text) : 0;
    if (text != NULL && source->cell_width_max > 0)
        length = json_cut(source, text, length);
    if (text != NULL)
        json_string(out, text, length);
    else
        fputs("null", out);
    free(text);
}

static void json_row(FILE *out, const struct output_source *source)
{
    int count = columns_count(source);
    for (int i = 0; i < count; i++) {
        fputs(i == 0 ? " {" : ", ", out);
        json_string(out, source->columns[i].name, strlen(source->columns[i].name));
        fputs(": ", out);
        json_cell(out, source, i);
        if (has_full(source, i))
            json_full(out, source, i);
    }
    fputs("}", out);
}

/* What the text takes of the bounds. */
static size_t bytes_of(const struct output_bounds *bounds, const char *text, size_t size)
{
    return bounds->in_string ? json_string_bytes(text, size) - strlen("\"\"") : size;
}

/* Writes the row if it is within the bounds, of which *used bytes are used. Returns SQLITE_ROW, or
 * SQLITE_NOMEM. */
static int json_row_within(FILE *out, const struct output_source *source, const char *separator,
                           size_t *used)
{
    static const char last[] = "\n]\n";
    struct output_bounds *bounds = source->bounds;
    char *text = NULL;
    size_t size = 0;
    FILE *row = memory_text_open(&text, &size);
    long shortened = bounds->cells_shortened;
    if (row == NULL)
        return SQLITE_NOMEM;
    fputs(separator, row);
    json_row(row, source);
    int result = fclose(row) == 0 ? SQLITE_ROW : SQLITE_NOMEM;
    size_t bytes = result == SQLITE_ROW ? bytes_of(bounds, text, size) : 0;
    size_t end_bytes = bytes_of(bounds, last, strlen(last));
    if (result == SQLITE_ROW && *used + bytes + end_bytes <= bounds->bytes_max) {
        fwrite(text, 1, size, out);
        *used += bytes;
        bounds->rows_written++;
    } else {
        bounds->full = true;
        bounds->cells_shortened = shortened;
    }
    free(text);
    return result;
}

static int write_json(FILE *out, const struct output_source *source, long *rows)
{
    const char *separator = "[\n";
    bool any = false;
    size_t used = 0;
    int result;
    while ((result = next_row(source, rows)) == SQLITE_ROW) {
        if (source->bounds == NULL) {
            fputs(separator, out);
            json_row(out, source);
            any = true;
        } else if (json_row_within(out, source, separator, &used) != SQLITE_ROW) {
            result = SQLITE_NOMEM;
            break;
        } else {
            any = used > 0;
        }
        separator = any ? ",\n" : separator;
    }
    fputs(any ? "\n]\n" : "[]\n", out);
    return result;
}

static void csv_text(FILE *out, const char *text, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length; i++)
        quoted |= text[i] == ',' || text[i] == '"' || text[i] == '\r' || text[i] == '\n';
    if (!quoted) {
        fwrite(text, 1, length, out);
        return;
    }
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            fputc('"', out);
        fputc(text[i], out);
    }
    fputc('"', out);
}

/* Writes a cell: as people see it on a terminal, else the exact bytes. */
static void csv_cell(FILE *out, const struct output_source *source, int column, bool terminal)
{
    size_t length = 0;
    char *text = terminal ? shown_of(source, column) : text_of(source, column, &length);
    if (text != NULL)
        csv_text(out, text, terminal ? strlen(text) : length);
    free(text);
}

/* A text that ends with a NUL. */
static void csv_plain(FILE *out, const char *text, bool terminal)
{
    char *shown = terminal ? text_shown(text, strlen(text)) : NULL;
    csv_text(out, shown != NULL ? shown : text, strlen(shown != NULL ? shown : text));
    free(shown);
}

static void csv_full(FILE *out, const struct output_source *source, int column, bool terminal)
{
    char *text = full_of(source, column);
    fputc(',', out);
    if (text != NULL)
        csv_plain(out, text, terminal);
    free(text);
}

static int write_csv(FILE *out, const struct output_source *source, long *rows)
{
    int count = columns_count(source), result;
    bool terminal = isatty(fileno(out)) == 1;
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", out);
        csv_plain(out, source->columns[i].name, terminal);
        if (has_full(source, i)) {
            char name[FULL_NAME_MAX];
            full_column(source, i, name);
            fputc(',', out);
            csv_plain(out, name, terminal);
        }
    }
    fputs("\r\n", out);
    while ((result = next_row(source, rows)) == SQLITE_ROW) {
        for (int i = 0; i < count; i++) {
            fputs(i > 0 ? "," : "", out);
            if (sqlite3_column_type(source->statement, i) == SQLITE_FLOAT)
                put_real(out, sqlite3_column_double(source->statement, i));
            else if (sqlite3_column_type(source->statement, i) != SQLITE_NULL)
                csv_cell(out, source, i, terminal);
            if (has_full(source, i))
                csv_full(out, source, i, terminal);
        }
        fputs("\r\n", out);
    }
    return result;
}

/* ---- tables ---- */

enum { WIDTH_MAX = 2000 }; /* columns to line up by; longer cells stick out */

struct table_column {
    int source; /* the statement's column */
    bool right; /* numbers */
    bool left_out;
    int width;
};

struct table {
    char **cells;
    struct table_column *shown;
    size_t used, room;
    int columns;
};

static char **table_cell(const struct table *table, size_t row, int column)
{
    return &table->cells[row * (size_t)table->columns + (size_t)column];
}

static size_t table_rows(const struct table *table)
{
    return table->used / (size_t)table->columns;
}

static void widen(struct table_column *column, const char *cell)
{
    int width = cell != NULL ? text_width(cell) : 0;
    width = width < WIDTH_MAX ? width : WIDTH_MAX;
    if (width > column->width)
        column->width = width;
}

static bool table_add(struct table *table, char *cell)
{
    if (array_reserve(&table->cells, &table->room, table->used + 1, NULL) != 0) {
        free(cell);
        return false;
    }
    widen(&table->shown[table->used % (size_t)table->columns], cell);
    table->cells[table->used++] = cell;
    return cell != NULL;
}

static void table_line(FILE *out, const struct table *table, size_t row, bool markdown)
{
    int pad_before = 0; /* by how much the cell before was too narrow: nothing trails a line */
    if (markdown)
        fputs("| ", out);
    for (int i = 0, written = 0; i < table->columns; i++) {
        const struct table_column *column = &table->shown[i];
        if (column->left_out)
            continue;
        const char *cell = *table_cell(table, row, i);
        int width = text_width(cell), pad = column->width > width ? column->width - width : 0;
        fprintf(out, "%*s", pad_before, "");
        fputs(written++ == 0 ? "" : markdown ? " | " : "  ", out);
        fprintf(out, "%*s", column->right ? pad : 0, "");
        fputs(cell, out);
        pad_before = column->right ? 0 : pad;
    }
    if (markdown)
        fprintf(out, "%*s |", pad_before, "");
    fputc('\n', out);
}

static void table_rule(FILE *out, const struct table *table, bool markdown)
{
    if (markdown)
        fputs("|", out);
    for (int i = 0, written = 0; i < table->columns; i++) {
        if (table->shown[i].left_out)
            continue;
        fputs(written++ > 0 && !markdown ? "  " : "", out);
        for (int k = 0; k < table->shown[i].width + (markdown ? 1 : 0); k++)
            fputc('-', out);
        if (markdown)
            fputs(table->shown[i].right ? ":|" : "-|", out);
    }
    fputc('\n', out);
}

static void table_release(struct table *table)
{
    for (size_t i = 0; i < table->used; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table->shown);
}

/* Shortens the column's cells; returns whether there was memory. */
static bool shorten_column(struct table *table, int i, enum text_kind kind, int width_max)
{
    table->shown[i].width = 0;
    for (size_t row = 0; row < table_rows(table); row++) {
        char **cell = table_cell(table, row, i);
        char *cut = shorten(*cell, kind, width_max);
        if (cut == NULL)
            return false;
        free(*cell);
        *cell = cut;
        widen(&table->shown[i], cut);
    }
    return true;
}

/* Leaves out columns and shortens cells until the table is narrow enough. */
static bool table_fit(struct table *table, const struct output_source *source, int *left_out)
{
    struct fit_column *fits = calloc((size_t)table->columns, sizeof *fits);
    bool sound = fits != NULL;
    for (int i = 0; sound && i < table->columns; i++) {
        const struct output_column *column = &source->columns[table->shown[i].source];
        fits[i] = (struct fit_column){.width = table->shown[i].width,
                                      .head_width = text_width(*table_cell(table, 0, i)),
                                      .cuttable = !table->shown[i].right,
                                      .kind = column->kind,
                                      .priority = column->priority};
    }
    if (sound)
        *left_out = fit_columns(fits, table->columns, source->width_max);
    for (int i = 0; sound && i < table->columns; i++) {
        table->shown[i].left_out = fits[i].shown_width == 0;
        if (fits[i].shown_width > 0 && fits[i].shown_width < table->shown[i].width)
            sound = shorten_column(table, i, fits[i].kind, fits[i].shown_width);
    }
    free(fits);
    return sound;
}

/* Says in a line, as wide as the table may be, which columns are left out: as many as fit. */
static void say_left_out(FILE *out, const struct table *table, int count, int width_max)
{
    static const char head[] = "Left out: ", end[] = "; --wide keeps all.";
    enum { MORE_WIDTH = sizeof " and 99 more" - 1 };
    int used = (int)(strlen(head) + strlen(end)), listed = 0;
    fprintf(out, "\n%s", head);
    for (int i = 0; i < table->columns; i++) {
        const char *name = *table_cell(table, 0, i);
        int width = text_width(name) + (listed > 0 ? 2 : 0);
        if (!table->shown[i].left_out)
            continue;
        if (used + width + (listed + 1 < count ? MORE_WIDTH : 0) > width_max)
            break;
        fprintf(out, "%s%s", listed++ > 0 ? ", " : "", name);
        used += width;
    }
    if (listed < count)
        fprintf(out, listed > 0 ? " and %d more" : "%d columns", count - listed);
    fprintf(out, "%s\n", end);
}

/* Adds the text, NULL being a lack of memory. */
static bool add_text(struct table *table, char *text, bool markdown)
{
    char *cell = markdown && text != NULL ? text_markdown(text) : text;
    if (cell != text)
        free(text);
    return table_add(table, cell);
}

static int write_table(FILE *out, bool markdown, const struct output_source *source, long *rows)
{
    int count = columns_count(source), result = SQLITE_NOMEM, left_out = 0;
    struct table table = {.columns = count, .shown = calloc((size_t)count, sizeof *table.shown)};
    bool sound = table.shown != NULL;
    for (int i = 0; sound && i < count; i++) {
        table.shown[i].source = column_shown(source, i);
        const char *name = source->columns[table.shown[i].source].name;
        sound = add_text(&table, text_shown(name, strlen(name)), markdown);
    }
    while (sound && (result = next_row(source, rows)) == SQLITE_ROW) {
        for (int i = 0; sound && i < count; i++) {
            table.shown[i].right |= is_number(source->statement, table.shown[i].source);
            sound = add_text(&table, cell_text(source, table.shown[i].source), markdown);
        }
    }
    if (sound && source->width_max > 0 && !markdown)
        sound = table_fit(&table, source, &left_out);
    if (!sound)
        result = SQLITE_NOMEM;
    for (size_t row = 0; result == SQLITE_DONE && row < table_rows(&table); row++) {
        table_line(out, &table, row, markdown);
        if (row == 0)
            table_rule(out, &table, markdown);
    }
    if (result == SQLITE_DONE && left_out > 0 && source->say_left_out)
        say_left_out(out, &table, left_out, source->width_max);
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
