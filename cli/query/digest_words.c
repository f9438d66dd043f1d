/* How the digest says names, amounts and commands: see digest_parts.h. */
#include "cli/query/digest_parts.h"

#include "cli/out/output.h"
#include "cli/out/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 48 };

void digest_put_name(FILE *out, const char *name)
{
    const char *known = name != NULL ? name : "?";
    char *shown = text_shown(known, strlen(known));
    if (shown != NULL && text_width(shown) > NAME_WIDTH)
        fprintf(out, "%.*s…", (int)text_fits(shown, NAME_WIDTH - 1), shown);
    else
        fputs(shown != NULL ? shown : "?", out);
    free(shown);
}

void digest_put_time(FILE *out, double ns)
{
    char text[64];
    output_time(ns, text, sizeof text);
    fputs(text, out);
}

void digest_put_bytes(FILE *out, double bytes)
{
    char text[64];
    output_bytes(bytes, text, sizeof text);
    fputs(text, out);
}

void digest_put_title(FILE *out, const char *title)
{
    fprintf(out, "%-*s", DIGEST_TITLE_WIDTH, title);
}

/* Puts a path as one word for a shell. */
static void put_word(FILE *out, const char *path)
{
    bool plain = path[strcspn(path, " '\"\\$`&|;<>()*?[]#~\t\n!{}")] == '\0';
    fputs(plain ? "" : "'", out);
    for (const char *at = path; *at != '\0';) {
        char part[PATH_MAX];
        size_t length = strcspn(at, "'");
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        text_put(out, part);
        at += length;
        if (*at == '\'') {
            fputs("'\\''", out);
            at++;
        }
    }
    fputs(plain ? "" : "'", out);
}

void digest_put_command(const struct digest *digest, const char *query)
{
    fprintf(digest->out, "fisql query %s", query);
    if (strcmp(digest->path, "run.db") == 0)
        return;
    fputc(' ', digest->out);
    put_word(digest->out, digest->path);
}
