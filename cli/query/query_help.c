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
static void print_paragraph(const char *text, int indent)
{
    int column = 0;
    for (const char *word = text; *word != '\0';) {
        size_t length = strcspn(word, " ");
        if (column + (int)length > 78 - indent && column > 0) {
            putchar('\n');
            column = 0;
        }
        if (column == 0)
            printf("%*s", indent, "");
        else
            putchar(' ');
        char part[512];
        snprintf(part, sizeof part, "%.*s", (int)length, word);
        text_put(stdout, part);
        column += (int)length + 1;
        word += length;
        while (*word == ' ')
            word++;
    }
    putchar('\n');
}

static const char *unit_text(const struct query_part *part)
{
    return strcmp(part->unit, "-") == 0 ? "" : part->unit;
}

static void print_parts(const char *title, const struct query_part *parts, size_t count)
{
    if (count == 0)
        return;
    printf("\n%s\n", title);
    for (size_t i = 0; i < count; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s%s%s", parts[i].name, parts[i].value != NULL ? " = " : "",
                 parts[i].value != NULL ? parts[i].value : "");
        printf("  %-26s %-8s ", name, unit_text(&parts[i]));
        text_put(stdout, parts[i].text);
        putchar('\n');
    }
}

static void explain_text(const struct query_file *query, const char *command)
{
    text_put(stdout, query->name);
    fputs(": ", stdout);
    text_put(stdout, query->title != NULL ? query->title : "(no title)");
    putchar('\n');
    if (query->question != NULL)
        print_paragraph(query->question, 0);
    if (query->description != NULL) {
        putchar('\n');
        print_paragraph(query->description, 0);
    }
    if (query->advice != NULL) {
        puts("\nWhat to do, and when not");
        print_paragraph(query->advice, 2);
    }
    print_parts("Parameters (-p NAME=VALUE)", query->params, query->params_count);
    print_parts("Columns", query->columns, query->columns_count);
    char filters[256];
    if (strcmp(command, "query") == 0 && query_filters_text(query, filters, sizeof filters) > 0)
        printf("\nFilters\n  %s\n", filters);
    if (query->source != NULL) {
        puts("\nMethod");
        print_paragraph(query->source, 2);
    }
    printf("\nexample: fisql %s ", command);
    text_put(stdout, query->name);
    fputs(strcmp(command, "query") == 0 ? " run.db" : "", stdout);
    if (query->params_count > 0 && query->params[0].value != NULL)
        printf(" -p %s=%s", query->params[0].name, query->params[0].value);
    puts(" --limit 10");
}

static void print_cell(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|')
            putchar('\\');
        putchar(*text);
    }
}

static void explain_parts_markdown(const char *title, const struct query_part *parts, size_t count,
                                   bool values)
{
    if (count == 0)
        return;
    printf("\n| %s |%s unit | meaning |\n| --- |%s --- | --- |\n", title,
           values ? " default |" : "", values ? " --- |" : "");
    for (size_t i = 0; i < count; i++) {
        printf("| `%s` | ", parts[i].name);
        if (values) {
            print_cell(parts[i].value != NULL ? parts[i].value : "");
            fputs(" | ", stdout);
        }
        print_cell(unit_text(&parts[i]));
        fputs(" | ", stdout);
        print_cell(parts[i].text);
        puts(" |");
    }
}

static void explain_markdown(const struct query_file *query, const char *command)
{
    printf("### %s\n\n**%s** %s\n", query->name, query->question != NULL ? query->question : "",
           query->description != NULL ? query->description : "");
    if (query->advice != NULL)
        printf("\n*What to do, and when not.* %s\n", query->advice);
    if (query->source != NULL)
        printf("\n*Method.* %s.\n", query->source);
    explain_parts_markdown("parameter", query->params, query->params_count, true);
    explain_parts_markdown("column", query->columns, query->columns_count, false);
    char filters[256];
    if (strcmp(command, "query") == 0 && query_filters_text(query, filters, sizeof filters) > 0)
        printf("\nFilters: `%s`\n", filters);
}

void query_help_explain(const struct query_file *query, const char *command, bool markdown)
{
    if (markdown)
        explain_markdown(query, command);
    else
        explain_text(query, command);
}
