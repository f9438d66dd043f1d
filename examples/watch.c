/*
 * A plugin for `fisql record --plugin`: prints calls with their arguments, results and times while
 * the program runs. $WATCH has the names of the functions, or patterns, with blanks between them.
 *
 *     cc -shared -fPIC -o watch.so watch.c
 *     WATCH='total discount' fisql record --values --plugin ./watch.so ./orders
 */
#include <fisql.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

/* When the thread's calls began, by depth. */
static __thread unsigned long long began_ns[DEPTH_MAX];

static void put_value(FILE *out, const struct fisql_call_value *value)
{
    switch (value->kind) {
    case FISQL_CALL_INTEGER:
        fprintf(out, "%lld", value->is.integer);
        break;
    case FISQL_CALL_UNSIGNED:
        fprintf(out, "%llu", (unsigned long long)value->is.integer);
        break;
    case FISQL_CALL_POINTER:
        fprintf(out, "%p", value->is.pointer);
        break;
    case FISQL_CALL_REAL:
        fprintf(out, "%g", value->is.real);
        break;
    case FISQL_CALL_TEXT:
        fprintf(out, "\"%s\"%s", value->is.text, value->cut ? "..." : "");
        break;
    default:
        fputc('?', out);
    }
}

/* data: the name by which we asked. */
static void print(const struct fisql_call *call, void *data)
{
    char line[1024] = "";
    FILE *out = fmemopen(line, sizeof line, "w");
    if (out == NULL)
        return;
    fprintf(out, "%u %*s%s", call->thread, 2 * (int)call->depth, "", (const char *)data);
    if (!call->ends && call->depth < DEPTH_MAX)
        began_ns[call->depth] = call->ns;
    if (!call->ends) {
        fputc('(', out);
        for (unsigned i = 0; i < call->arguments_count; i++) {
            fputs(i > 0 ? ", " : "", out);
            put_value(out, &call->arguments[i]);
        }
        fputc(')', out);
    } else {
        fputs(" ends", out);
        if (call->result != NULL) {
            fputs(" with ", out);
            put_value(out, call->result);
        }
        if (call->depth < DEPTH_MAX)
            fprintf(out, " after %.1f us", (double)(call->ns - began_ns[call->depth]) / 1e3);
    }
    fclose(out);
    fprintf(stderr, "%s\n", line); /* at once: other threads print, too */
}

void fisql_plugin(void);

void fisql_plugin(void)
{
    const char *names = getenv("WATCH");
    char *copy = strdup(names != NULL ? names : "main");
    for (char *name = strtok(copy, " "); name != NULL; name = strtok(NULL, " "))
        if (fisql_on_call(name, print, name) <= 0)
            fprintf(stderr, "watch: no function %s\n", name);
}
