/* Late results: see value_late.h. The file holds an id and a form for each; FORM_ABSENT: no row. */
#include "loader/values/value_late.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/sqlite/insert.h"

static int failed(const struct value_late *late, struct error *error)
{
    return error_set(error, "%s: a temporary file: %s", late->folder, strerror(errno));
}

static int open_file(struct value_late *late, struct error *error)
{
    char path[4096];
    int fd = open(late->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int length = snprintf(path, sizeof path, "%s/.fisql-XXXXXX", late->folder);
    if (fd < 0 && length > 0 && (size_t)length < sizeof path) {
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0)
            unlink(path);
    }
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
    rewind(from->file);
    while ((got = fread(buffer, 1, sizeof buffer, from->file)) > 0)
        if (fwrite(buffer, 1, got, into->file) != got)
            return failed(into, error);
    return ferror(from->file) ? failed(from, error) : 0;
}

/* Puts the statement's row right. */
static int write_one(sqlite3_stmt *put, sqlite3_stmt *take, uint64_t id,
                     const struct value_form *form, const char *text)
{
    sqlite3_stmt *statement = value_form_is_known(form) ? put : take;
    double real;
    memcpy(&real, &form->bits, sizeof real);
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)id);
    if (statement == put && form->type == FORM_REAL)
        sqlite3_bind_double(put, 2, real);
    else if (statement == put && form->type <= FORM_POINTER)
        sqlite3_bind_int64(put, 2, (sqlite3_int64)form->bits);
    else if (statement == put)
        sqlite3_bind_text(put, 2, text, (int)form->text_bytes, SQLITE_STATIC);
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    return result == SQLITE_DONE ? 0 : -1;
}

int value_late_write(struct value_late *late, sqlite3 *database, struct error *error)
{
    sqlite3_stmt *put = NULL, *take = NULL;
    uint64_t id;
    struct value_form form;
    char text[8192];
    if (late->file == NULL)
        return 0;
    rewind(late->file);
    int result =
        sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO call_values(id, value) VALUES(?, ?)",
                           -1, &put, NULL) == SQLITE_OK &&
                sqlite3_prepare_v2(database, "DELETE FROM call_values WHERE id = ?", -1, &take,
                                   NULL) == SQLITE_OK
            ? 0
            : -1;
    while (result == 0 && fread(&id, sizeof id, 1, late->file) == 1) {
        if (fread(&form, sizeof form, 1, late->file) != 1 || form.text_bytes > sizeof text ||
            fread(text, 1, form.text_bytes, late->file) != form.text_bytes) {
            result = failed(late, error);
            break;
        }
        result = write_one(put, take, id, &form, text);
        if (result != 0)
            error_set(error, "%s", insert_problem(database));
    }
    if (put == NULL || take == NULL)
        error_set(error, "%s", insert_problem(database));
    sqlite3_finalize(put);
    sqlite3_finalize(take);
    return result;
}

void value_late_release(struct value_late *late)
{
    if (late->file != NULL)
        fclose(late->file);
    late->file = NULL;
}
