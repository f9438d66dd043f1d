/* Late results: see value_late.h. The file holds an id and a form for each; FORM_ABSENT: no row. */
#include "loader/values/value_late.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/temporary_file.h"
#include "loader/sqlite/insert.h"

static int failed(const struct value_late *late, struct error *error)
{
    return error_set(error, "%s: a temporary file: %s", late->folder, strerror(errno));
}

static int open_file(struct value_late *late, struct error *error)
{
    int fd = temporary_file_open(late->folder);
    if (fd < 0)
        return failed(late, error);
    late->file = fdopen(fd, "w+");
    if (late->file != NULL)
        return 0;
    close(fd);
    return failed(late, error);
}

int value_late_add(struct value_late *late, uint64_t id, const struct value_form *form,
                   struct error *error)
{
    static const struct value_form none = {.type = FORM_ABSENT};
    if (form == NULL)
        form = &none;
    if (late->file == NULL && open_file(late, error) != 0)
        return -1;
    if (fwrite(&id, sizeof id, 1, late->file) != 1 ||
        fwrite(form, sizeof *form, 1, late->file) != 1 ||
        fwrite(form->text, 1, form->text_bytes, late->file) != form->text_bytes)
        return failed(late, error);
    return 0;
}

/* All additions are in the file then, or this fails: rewind() would forget the error. */
static int begin_reading(struct value_late *late, struct error *error)
{
    if (fflush(late->file) != 0 || fseeko(late->file, 0, SEEK_SET) != 0)
        return failed(late, error);
    return 0;
}

int value_late_merge(struct value_late *into, struct value_late *from, struct error *error)
{
    char buffer[16384];
    size_t got;
    if (from->file == NULL)
        return 0;
    if (into->file == NULL) {
        into->file = from->file;
        from->file = NULL;
        return 0;
    }
    if (begin_reading(from, error) != 0)
        return -1;
    while ((got = fread(buffer, 1, sizeof buffer, from->file)) > 0)
        if (fwrite(buffer, 1, got, into->file) != got)
            return failed(into, error);
    return ferror(from->file) ? failed(from, error) : 0;
}

static int bind_form(sqlite3_stmt *put, const struct value_form *form, const char *text)
{
    double real;
    memcpy(&real, &form->bits, sizeof real);
    if (form->type == FORM_REAL)
        return sqlite3_bind_double(put, 2, real);
    if (form->type <= FORM_POINTER)
        return sqlite3_bind_int64(put, 2, (sqlite3_int64)form->bits);
    return sqlite3_bind_text(put, 2, text, (int)form->text_bytes, SQLITE_STATIC);
}

/* Corrects a row. */
static int write_one(sqlite3_stmt *put, sqlite3_stmt *take, uint64_t id,
                     const struct value_form *form, const char *text)
{
    sqlite3_stmt *statement = value_form_is_known(form) ? put : take;
    if (sqlite3_bind_int64(statement, 1, (sqlite3_int64)id) != SQLITE_OK ||
        (statement == put && bind_form(put, form, text) != SQLITE_OK) ||
        sqlite3_step(statement) != SQLITE_DONE)
        return -1;
    return sqlite3_reset(statement) == SQLITE_OK ? 0 : -1;
}

/* Reads the next form and its text. */
static int read_form(struct value_late *late, struct value_form *form, char **text, size_t *room,
                     struct error *error)
{
    if (fread(form, sizeof *form, 1, late->file) != 1)
        return failed(late, error);
    if (array_reserve(text, room, (size_t)form->text_bytes + 1, error) != 0)
        return -1;
    return fread(*text, 1, form->text_bytes, late->file) == form->text_bytes ? 0
                                                                             : failed(late, error);
}

int value_late_write(struct value_late *late, sqlite3 *database, struct error *error)
{
    sqlite3_stmt *put = NULL, *take = NULL;
    uint64_t id;
    struct value_form form;
    char *text = NULL; /* the name of a pointer's target may be long */
    size_t text_room = 0;
    if (late->file == NULL)
        return 0;
    if (begin_reading(late, error) != 0)
        return -1;
    int result =
        sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO call_values(id, value) VALUES(?, ?)",
                           -1, &put, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(database, "DELETE FROM call_values WHERE id = ?", -1, &take,
                                   NULL) == SQLITE_OK
            ? 0
            : -1;
    while (result == 0 && fread(&id, sizeof id, 1, late->file) == 1) {
        result = read_form(late, &form, &text, &text_room, error);
        if (result != 0)
            break;
        result = write_one(put, take, id, &form, text);
        if (result != 0)
            error_set(error, "%s", insert_problem(database));
    }
    if (put == NULL || take == NULL)
        error_set(error, "%s", insert_problem(database));
    else if (result == 0 && ferror(late->file))
        result = failed(late, error);
    sqlite3_finalize(put);
    sqlite3_finalize(take);
    free(text);
    return result;
}

void value_late_release(struct value_late *late)
{
    if (late->file != NULL)
        fclose(late->file);
    late->file = NULL;
}
