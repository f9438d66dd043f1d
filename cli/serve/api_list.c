/* The list as a page of documentation: see api_list.h. */
#include "cli/serve/api_list.h"

#include <stdbool.h>
#include <string.h>

struct line {
    const char *name, *method, *path;
    bool asks;
    const char *parameters, *what;
};

#define LINE(name, method, path, asks, parameters, what)                                           \
    {#name, method, path, asks, parameters, what},
static const struct line lines[] = {SERVE_API(LINE)};
#undef LINE

static void print_parameters(const char *parameters, bool asks, FILE *out)
{
    if (parameters[0] == '\0' && !asks)
        return;
    fputs("| parameter | what |\n| --- | --- |\n", out);
    if (asks)
        fputs("| `db=N` | the database, a number of /api/databases (0) |\n", out);
    for (const char *at = parameters; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        const char *gap = strstr(at, "  ");
        fprintf(out, "| `%.*s` | %.*s |\n", (int)(gap - at), at, (int)(at + length - gap - 2),
                gap + 2);
        at += length + (at[length] != '\0');
    }
    fputc('\n', out);
}

/* Columns of at most 130 letters. */
static void print_wrapped(const char *text, FILE *out)
{
    size_t column = 0;
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (column > 0 && column + 1 + length > 130) {
            fputc('\n', out);
            column = 0;
        }
        column += (size_t)fprintf(out, "%s%.*s", column > 0 ? " " : "", (int)length, at);
        at += length + (at[length] != '\0');
    }
    fputs("\n\n", out);
}

void api_print(FILE *out)
{
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct line *line = &lines[i];
        size_t length = strlen(line->path);
        const char *follows = line->path[length - 1] != '/'      ? ""
                              : strcmp(line->name, "query") == 0 ? "NAME"
                                                                 : "ID";
        fprintf(out, "## %s %s%s\n\n", line->method, line->path, follows);
        print_wrapped(line->what, out);
        print_parameters(line->parameters, line->asks, out);
    }
}
