/* Listing and explaining queries: see query_help.h. */
#include "cli/query/query_help.h"
#include "cli/out/output.h"
#include "cli/query/query_filter.h"
#include "cli/out/text.h"

#include <stdio.h>
#include <string.h>

/* The groups in the order of the manual; others follow, the user's own come last. */
static const char *const groups[] = {"Findings",
                                     "Time",
                                     "Inlining and call structure",
                                     "Coverage and threads",
                                     "Memory",
                                     "Arguments and results",
                                     "Locks",
                                     "Faults",
                                     "Errors",
                                     "Objects",
                                     "Trust",
                                     "Many runs"};
enum { GROUPS_COUNT = sizeof groups / sizeof groups[0] };

static size_t group_of(const struct query_file *query)
{
    for (size_t i = 0; i < GROUPS_COUNT && !query->own; i++) {
        if (query->group != NULL && strcmp(query->group, groups[i]) == 0)
            return i;
    }
    return query->own ? GROUPS_COUNT + 1 : GROUPS_COUNT;
}

static const char *group_title(size_t group)
{
    return group < GROUPS_COUNT ? groups[group] : group == GROUPS_COUNT ? "Other" : "Your own";
}

void query_help_list(const struct query_set *set, const char *command, const char *what)
{
    for (size_t group = 0; group <= GROUPS_COUNT + 1; group++) {
        bool headed = false;
        for (size_t i = 0; i < set->count; i++) {
            const struct query_file *query = &set->queries[i];
            if (group_of(query) != group)
                continue;
            if (!headed)
                printf("%s\n", group_title(group));
            headed = true;
            fputs("  ", stdout);
            text_put(stdout, query->name);
            printf("%*s", query->name[0] != '\0' ? 24 - (int)strlen(query->name) : 0, "");
            text_put(stdout, query->question != NULL ? query->question
                             : query->title != NULL  ? query->title
                                                     : "");
            putchar('\n');
        }
        if (headed)
            putchar('\n');
    }
    printf("`fisql %s NAME` runs one on %s, `fisql %s NAME --help` explains it.\n", command, what,
           command);
}

void query_help_names(const struct query_set *set)
{
    for (size_t group = 0; group <= GROUPS_COUNT + 1; group++) {
        for (size_t i = 0; i < set->count; i++) {
            if (group_of(&set->queries[i]) == group) {
                text_put(stdout, set->queries[i].name);
                putchar('\n');
            }
        }
    }
}

/* Prints a paragraph, broken at 78 columns, each line after `indent` spaces. */
static void print_paragraph(FILE *out, const char *text, int indent)
{
    int column = 0;
    for (const char *word = text; *word != '\0';) {
        size_t length = strcspn(word, " ");
        if (column + (int)length > 78 - indent && column > 0) {
            fputc('\n', out);
            column = 0;
        }
        if (column == 0)
            fprintf(out, "%*s", indent, "");
        else
            fputc(' ', out);
        char part[512];
        snprintf(part, sizeof part, "%.*s", (int)length, word);
        text_put(out, part);
        column += (int)length + 1;
        word += length;
        while (*word == ' ')
            word++;
    }
    fputc('\n', out);
}

static const char *unit_text(const struct query_part *part)
{
    return strcmp(part->unit, "-") == 0 ? "" : part->unit;
}

static void print_parts(FILE *out, const char *title, const struct query_part *parts, size_t count)
{
    if (count == 0)
        return;
    fprintf(out, "\n%s\n", title);
    for (size_t i = 0; i < count; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s%s", parts[i].name, parts[i].value != NULL ? " = " : "",
                 parts[i].value != NULL ? parts[i].value : "");
        fprintf(out, "  %-26s %-8s ", name, unit_text(&parts[i]));
        text_put(out, parts[i].text);
        fputc('\n', out);
    }
}

static void explain_text(FILE *out, const struct query_file *query, const char *command)
{
    text_put(out, query->name);
    fputs(": ", out);
    text_put(out, query->title != NULL ? query->title : "(no title)");
    fputc('\n', out);
    if (query->question != NULL)
        print_paragraph(out, query->question, 0);
    if (query->description != NULL) {
        fputc('\n', out);
        print_paragraph(out, query->description, 0);
    }
    if (query->advice != NULL) {
        fputs("\nWhat to do, and when not\n", out);
        print_paragraph(out, query->advice, 2);
    }
    print_parts(out, "Parameters (-p NAME=VALUE)", query->params, query->params_count);
    print_parts(out, "Columns", query->columns, query->columns_count);
    char filters[256];
    if (strcmp(command, "query") == 0 && query_filters_text(query, filters, sizeof filters) > 0)
        fprintf(out, "\nFilters\n  %s\n", filters);
    if (query->source != NULL) {
        fputs("\nMethod\n", out);
        print_paragraph(out, query->source, 2);
    }
    fprintf(out, "\nexample: fisql %s ", command);
    text_put(out, query->name);
    fputs(strcmp(command, "query") == 0 ? " run.db" : "", out);
    if (query->params_count > 0 && query->params[0].value != NULL)
        fprintf(out, " -p %s=%s", query->params[0].name, query->params[0].value);
    fputs(" --limit 10\n", out);
}

static void print_cell(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void explain_parts_markdown(FILE *out, const char *title, const struct query_part *parts,
                                   size_t count, bool values)
{
    if (count == 0)
        return;
    fprintf(out, "\n| %s |%s unit | meaning |\n| --- |%s --- | --- |\n", title,
            values ? " default |" : "", values ? " --- |" : "");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "| `%s` | ", parts[i].name);
        if (values) {
            print_cell(out, parts[i].value != NULL ? parts[i].value : "");
            fputs(" | ", out);
        }
        print_cell(out, unit_text(&parts[i]));
        fputs(" | ", out);
        print_cell(out, parts[i].text);
        fputs(" |\n", out);
    }
}

static void explain_markdown(FILE *out, const struct query_file *query, const char *command)
{
    fprintf(out, "### %s\n\n**%s** %s\n", query->name,
            query->question != NULL ? query->question : "",
            query->description != NULL ? query->description : "");
    if (query->advice != NULL)
        fprintf(out, "\n*What to do, and when not.* %s\n", query->advice);
    if (query->source != NULL)
        fprintf(out, "\n*Method.* %s.\n", query->source);
    explain_parts_markdown(out, "parameter", query->params, query->params_count, true);
    explain_parts_markdown(out, "column", query->columns, query->columns_count, false);
    char filters[256];
    if (strcmp(command, "query") == 0 && query_filters_text(query, filters, sizeof filters) > 0)
        fprintf(out, "\nFilters: `%s`\n", filters);
}

void query_help_explain(const struct query_file *query, const char *command, bool markdown,
                        FILE *out)
{
    if (markdown)
        explain_markdown(out, query, command);
    else
        explain_text(out, query, command);
}
