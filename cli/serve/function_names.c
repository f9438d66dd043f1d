/* Names of functions: see function_names.h. */
#if __has_include(<microhttpd.h>)
#include "cli/serve/function_names.h"

/* function_names.sql */
extern const char function_names_sql_one[];

enum { NAME_BYTES = 1000 };

void function_names_write(struct quick *quick, const char *key, const struct intern *functions)
{
    struct json *json = &quick->answer.json;
    sqlite3_stmt *name = quick_prepare(quick, function_names_sql_one);
    json_key(json, key);
    json_open(json, '[');
    for (uint32_t i = 0; name != NULL && i < functions->count; i++) {
        sqlite3_bind_int64(name, 1, (int64_t)functions->keys[i].a);
        if (quick_row(quick, name)) {
            json_open(json, '[');
            json_column(json, name, 0, SIZE_MAX);
            json_column(json, name, 1, NAME_BYTES);
            json_column(json, name, 2, 0);
            json_close(json, ']');
        }
        sqlite3_reset(name);
    }
    json_close(json, ']');
    sqlite3_finalize(name);
}
#else
extern const int function_names_is_not_built_in; /* ISO C forbids an empty file */
#endif
