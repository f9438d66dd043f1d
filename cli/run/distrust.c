/* Databases that somebody else may have made: see distrust.h. */
#include "cli/run/distrust.h"

#include "base/beside.h"
#include "cli/out/say.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The pragmas that fisql and queries of users need. Those that set something are safe, but for
 * somebody else's statement, which may not take more memory than it is given. */
enum pragma_value { NO_VALUE, NAMES, SETS }; /* a table's name, a setting */

static const struct {
    const char *name;
    enum pragma_value value;
} pragmas[] = {
    {"application_id", NO_VALUE}, {"user_version", NO_VALUE},    {"schema_version", NO_VALUE},
    {"page_count", NO_VALUE},     {"page_size", NO_VALUE},       {"freelist_count", NO_VALUE},
    {"encoding", NO_VALUE},       {"database_list", NO_VALUE},   {"collation_list", NO_VALUE},
    {"function_list", NO_VALUE},  {"compile_options", NO_VALUE}, {"table_info", NAMES},
    {"table_xinfo", NAMES},       {"table_list", NAMES},         {"index_list", NAMES},
    {"index_info", NAMES},        {"index_xinfo", NAMES},        {"foreign_key_list", NAMES},
    {"integrity_check", NAMES},   {"quick_check", NAMES},        {"cache_size", SETS},
    {"temp_store", SETS},         {"synchronous", SETS}};

static bool is_pragma_allowed(enum distrust_use use, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof pragmas / sizeof pragmas[0]; i++)
        if (strcasecmp(pragmas[i].name, name) == 0)
            return value == NULL || pragmas[i].value == NAMES ||
                   (pragmas[i].value == SETS && use != DISTRUST_ASK);
    return false;
}

static bool is_function_allowed(const char *name)
{
    return strcasecmp(name, "load_extension") != 0 && strcasecmp(name, "fts3_tokenizer") != 0;
}

/* Allows changes of the temporary schema, and of the file's own tables if the use says so. SQLite
 * also asks to change its schema's table when it declares its own table-valued functions, such as
 * json_each(): it changes nothing then, and DBCONFIG_DEFENSIVE refuses such changes by the file's
 * SQL. */
static bool is_change_allowed(enum distrust_use use, int action, const char *table,
                              const char *schema)
{
    if (action == SQLITE_UPDATE && strcmp(table, "sqlite_master") == 0)
        return true;
    if (use == DISTRUST_ASK)
        return false;
    if (schema == NULL || strcmp(schema, "temp") == 0)
        return schema != NULL;
    if (use == DISTRUST_ADD_VIEWS)
        return strcmp(table, "sqlite_master") == 0;
    return use == DISTRUST_CHANGE_ROWS && strcmp(schema, "main") == 0 &&
           strncasecmp(table, "sqlite_", 7) != 0;
}

static int authorize(void *context, int action, const char *first, const char *second,
                     const char *schema, const char *inside)
{
    enum distrust_use use = *(const enum distrust_use *)context;
    bool allowed = false;
    (void)inside;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        allowed = true;
        break;
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_DROP_TEMP_VIEW:
        allowed = use != DISTRUST_ASK;
        break;
    case SQLITE_FUNCTION:
        allowed = is_function_allowed(second);
        break;
    case SQLITE_PRAGMA:
        allowed = is_pragma_allowed(use, first, second);
        break;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        allowed = is_change_allowed(use, action, first, schema);
        break;
    case SQLITE_REINDEX: /* fills a new index */
        allowed = use != DISTRUST_ASK && schema != NULL && strcmp(schema, "temp") == 0;
        break;
    case SQLITE_CREATE_VIEW:
        allowed = use == DISTRUST_ADD_VIEWS;
        break;
    }
    return allowed ? SQLITE_OK : SQLITE_DENY;
}

static void set_authorizer(sqlite3 *database, enum distrust_use use)
{
    static enum distrust_use uses[] = {DISTRUST_READ, DISTRUST_CHANGE_ROWS, DISTRUST_ADD_VIEWS,
                                       DISTRUST_ASK};
    sqlite3_set_authorizer(database, authorize, &uses[use]);
}

void distrust_change(sqlite3 *database, enum distrust_use use)
{
    set_authorizer(database, use);
}

void distrust(sqlite3 *database, enum distrust_use use)
{
    const int value_bytes_max = 64 << 20;
    if (database == NULL) /* no memory to open it */
        return;
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, value_bytes_max);
    set_authorizer(database, use);
}

int distrust_attach(sqlite3 *database, const char *path, const char *schema)
{
    sqlite3_stmt *statement = NULL;
    sqlite3_set_authorizer(database, NULL, NULL);
    int result = sqlite3_prepare_v2(database, "ATTACH ?1 AS ?2", -1, &statement, NULL);
    if (result == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, schema, -1, SQLITE_STATIC);
        sqlite3_step(statement);
    }
    result = sqlite3_finalize(statement);
    set_authorizer(database, DISTRUST_READ);
    return result;
}

int distrust_make(sqlite3 *database, const char *own_sql, enum distrust_use use)
{
    sqlite3_set_authorizer(database, NULL, NULL);
    int result = sqlite3_exec(database, own_sql, NULL, NULL, NULL);
    set_authorizer(database, use);
    return result;
}

/* SQLite writes these words itself, however the statement was written. */
static const char strange_sql[] =
    "SELECT name FROM main.sqlite_schema WHERE sql IS NOT NULL AND sql NOT GLOB 'CREATE TABLE *'"
    " AND sql NOT GLOB 'CREATE INDEX *' AND sql NOT GLOB 'CREATE UNIQUE INDEX *'"
    " AND sql NOT GLOB 'CREATE VIEW *' AND sql NOT GLOB 'CREATE TRIGGER *' LIMIT 1";

bool distrust_schema(sqlite3 *database, const char *path)
{
    sqlite3_stmt *strange = NULL;
    int result = sqlite3_prepare_v2(database, strange_sql, -1, &strange, NULL);
    bool found = result == SQLITE_OK && sqlite3_step(strange) == SQLITE_ROW;
    if (found) {
        const char *name = (const char *)sqlite3_column_text(strange, 0);
        fail(
            "%s: has a virtual table, %.100s: fisql opens none, for they run code on what the file "
            "holds: remove it with sqlite3 if it is yours",
            path, name != NULL ? name : "without a name");
    }
    result = sqlite3_finalize(strange);
    if (result != SQLITE_OK && !found)
        fail("%s: its schema cannot be read: %s", path, sqlite3_errmsg(database));
    return result == SQLITE_OK && !found;
}

bool distrust_beside(const char *path, bool undoes)
{
    struct beside beside;
    beside_look(path, &beside);
    switch (beside.kind) {
    case BESIDE_NOTHING:
        return true;
    case BESIDE_JOURNAL:
        if (undoes)
            return true;
        fail("%s: cannot be read while %s lies beside it, the journal of a change that goes on or "
             "was "
             "cut off: wait for it, or undo it with `sqlite3 %s .tables`; if nobody changed the "
             "database, remove the journal",
             path, beside.path, path);
        return false;
    case BESIDE_OTHERS:
        fail("%s: is not opened while %s lies beside it, a journal that names another file, which "
             "SQLite "
             "would remove: remove the journal, and see who can write in this folder",
             path, beside.path);
        return false;
    case BESIDE_WAL:
        fail("%s: is not opened while %s lies beside it, which SQLite would take for changes, "
             "though the "
             "database is not in WAL mode: remove that file",
             path, beside.path);
        return false;
    case BESIDE_NO_FILE:
        fail("%s: is not opened while %s lies beside it, which is no regular file: remove it", path,
             beside.path);
        return false;
    }
    return false;
}

int distrust_execute(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = NULL;
    int result = sqlite3_prepare_v2(database, sql, -1, &statement, &rest);
    while (result == SQLITE_OK && isspace((unsigned char)*rest))
        rest++;
    if (result == SQLITE_OK && *rest != '\0')
        result = SQLITE_MISUSE;
    if (result == SQLITE_OK)
        while ((result = sqlite3_step(statement)) == SQLITE_ROW)
            continue;
    sqlite3_finalize(statement);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}
