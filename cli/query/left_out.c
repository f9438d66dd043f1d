/* Rows that rules and thresholds leave out: see left_out.h. */
#include "cli/query/left_out.h"

#include "base/memory_text.h"
#include "cli/out/say.h"

#include <stdlib.h>
#include <string.h>

enum {
    STEPS_A_TICK = 1000,
    TICKS_MAX = 40000, /* of counting a query's rows: less than half a second */
    SETTING_MAX = 64,
};

/* Rows that cannot be counted: the query fails, or the budget is used up. */
#define NOT_COUNTED (-1)

/* A rule of the line `hides`, or a threshold. */
struct rule {
    char setting[SETTING_MAX]; /* that switches it off */
    const char *why;           /* of a rule, with its length; NULL: a threshold */
    int why_length;
    long more; /* rows without it; NOT_COUNTED if that is not known */
};

struct counting {
    struct query_request request;
    const struct query_file *query;
    sqlite3 *database;
    sqlite3_stmt *statement; /* the query's, prepared once */
    int ticks;               /* of the budget, used */
    long rows;               /* with all rules */
    struct rule rules[QUERY_PARTS_MAX];
    size_t rules_count;
};

static int tick(void *context)
{
    int *ticks = context;
    return ++*ticks > TICKS_MAX;
}

/* The number of all rows, whatever the limit, with the settings of so many rules. */
static long count_rows(struct counting *counting, const struct rule *rules, size_t count)
{
    struct query_request all = counting->request;
    long rows = 0;
    if (counting->ticks > TICKS_MAX || all.settings_count + count > QUERY_SETTINGS_MAX)
        return NOT_COUNTED;
    FILE *nowhere = fopen("/dev/null", "w");
    if (nowhere == NULL)
        return NOT_COUNTED;
    for (size_t i = 0; i < count; i++)
        all.settings[all.settings_count++] = rules[i].setting;
    all.limit = -1;
    all.format = OUTPUT_CSV;
    all.may_stop = true;
    sqlite3_progress_handler(counting->database, STEPS_A_TICK, tick, &counting->ticks);
    int status = query_run_again(&all, counting->database, counting->query, counting->statement,
                                 nowhere, &rows);
    sqlite3_progress_handler(counting->database, 0, NULL, NULL);
    (void)fclose(nowhere); /* nothing of it is kept */
    return status == 0 ? rows : NOT_COUNTED;
}

/* ---- which rules there are ---- */

/* One more rule, unless the request sets its parameter. */
static struct rule *add_rule(struct counting *counting, const char *setting, size_t length)
{
    const struct query_request *request = &counting->request;
    size_t name_length = strcspn(setting, "=") + 1;
    if (counting->rules_count == QUERY_PARTS_MAX || length >= SETTING_MAX)
        return NULL;
    for (size_t i = 0; i < request->settings_count; i++)
        if (strncmp(request->settings[i], setting, name_length) == 0)
            return NULL;
    struct rule *rule = &counting->rules[counting->rules_count++];
    *rule = (struct rule){.more = NOT_COUNTED};
    memcpy(rule->setting, setting, length);
    return rule;
}

/* The line "NAME=VALUE: why; NAME=VALUE: why". */
static void add_hides(struct counting *counting)
{
    for (const char *text = counting->query->hides; text != NULL && *text != '\0';) {
        const char *end = strstr(text, "; ");
        size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
        const char *why = memmem(text, length, ": ", 2);
        struct rule *rule = why != NULL ? add_rule(counting, text, (size_t)(why - text)) : NULL;
        if (rule != NULL) {
            rule->why = why + 2;
            rule->why_length = (int)(text + length - rule->why);
        }
        text += length + (end != NULL ? 2 : 0);
    }
}

/* The value with which a parameter leaves nothing out; NULL if it is no threshold, or its default
 * lets everything through: a least number of 1 of what is counted. */
static const char *loosest(const struct query_part *param)
{
    if (param->value == NULL || param->unit == NULL)
        return NULL;
    bool share = strcmp(param->unit, "%") == 0, counts = !share && strcmp(param->unit, "-") != 0;
    if (strncmp(param->name, "min_", 4) == 0)
        return strtod(param->value, NULL) > (counts ? 1 : 0) ? "0" : NULL;
    if (strncmp(param->name, "max_", 4) == 0)
        return share ? "100" : "1000000000";
    return NULL;
}

static void add_thresholds(struct counting *counting)
{
    const struct query_file *query = counting->query;
    for (size_t i = 0; i < query->params_count; i++) {
        char setting[SETTING_MAX];
        const char *value = loosest(&query->params[i]);
        if (value == NULL)
            continue;
        int name_length = snprintf(setting, sizeof setting, "%s=", query->params[i].name);
        bool has_reason = query->hides != NULL && strstr(query->hides, setting) != NULL;
        if (has_reason || (size_t)name_length >= sizeof setting)
            continue;
        int length = snprintf(setting, sizeof setting, "%s=%s", query->params[i].name, value);
        add_rule(counting, setting, (size_t)length);
    }
}

/* ---- what is said ---- */

static void say_rules(const struct counting *counting)
{
    for (size_t i = 0; i < counting->rules_count; i++) {
        const struct rule *rule = &counting->rules[i];
        if (rule->why != NULL && rule->more > 0)
            note("%s: %ld %s left out, because %.*s: -p %s shows them", counting->query->name,
                 rule->more, rule->more == 1 ? "row is" : "rows are", rule->why_length, rule->why,
                 rule->setting);
    }
}

/* Writes "12 below min_size: -p min_size=0" for each. Returns how many there are. */
static size_t write_thresholds(const struct counting *counting, FILE *out)
{
    size_t written = 0;
    for (size_t i = 0; i < counting->rules_count; i++) {
        const struct rule *rule = &counting->rules[i];
        if (rule->why != NULL || rule->more <= 0)
            continue;
        fprintf(out, "%s%ld %s %.*s: -p %s", written++ > 0 ? "; " : "", rule->more,
                rule->setting[1] == 'i' ? "below" : "above", (int)strcspn(rule->setting, "="),
                rule->setting, rule->setting);
    }
    return written;
}

/* Writes the settings of all rules, or of those that are not counted. Returns how many there are. */
static size_t write_settings(const struct counting *counting, bool all, FILE *out)
{
    size_t written = 0;
    for (size_t i = 0; i < counting->rules_count; i++) {
        const struct rule *rule = &counting->rules[i];
        if (all || rule->more == NOT_COUNTED)
            fprintf(out, "%s-p %s", written++ > 0 ? " " : "", rule->setting);
    }
    return written;
}

enum said { THRESHOLDS, ALL_RULES, NOT_COUNTED_RULES };

/* A line with the texts of many rules. */
static void say_line(const struct counting *counting, enum said said, long rows)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_text_open(&text, &size);
    if (out == NULL)
        return;
    size_t written = said == THRESHOLDS ? write_thresholds(counting, out)
                                        : write_settings(counting, said == ALL_RULES, out);
    const char *name = counting->query->name;
    if (fclose(out) != 0)
        note("%s: out of memory: rows are left out, and it cannot be said which", name);
    else if (written == 0)
        ; /* nothing to say */
    else if (said == THRESHOLDS)
        note("%s: left out: %s", name, text);
    else if (said == ALL_RULES)
        note("%s: %ld %s left out, each by several thresholds: %s", name, rows,
             rows == 1 ? "row is" : "rows are", text);
    else
        note("%s: more may be left out, which would take long to count: %s", name, text);
    free(text);
}

/* Counts with each rule, and says what was left out. */
static void count_and_say(struct counting *counting)
{
    long alone = 0;
    bool counted = true;
    counting->rows = count_rows(counting, NULL, 0);
    for (size_t i = 0; i < counting->rules_count; i++) {
        struct rule *rule = &counting->rules[i];
        long all = counting->rows != NOT_COUNTED ? count_rows(counting, rule, 1) : NOT_COUNTED;
        rule->more = all == NOT_COUNTED     ? NOT_COUNTED
                     : all > counting->rows ? all - counting->rows
                                            : 0;
        alone += rule->more > 0 ? rule->more : 0;
        counted &= rule->more != NOT_COUNTED;
    }
    say_rules(counting);
    say_line(counting, THRESHOLDS, 0);
    say_line(counting, NOT_COUNTED_RULES, 0);
    if (!counted || counting->rules_count < 2)
        return;
    /* A row that one rule alone hides is counted with this one; the others are hidden by several. */
    long all = count_rows(counting, counting->rules, counting->rules_count);
    if (all > counting->rows + alone)
        say_line(counting, ALL_RULES, all - counting->rows - alone);
}

void left_out_say(const struct query_request *request, const struct query_file *query,
                  sqlite3 *database)
{
    struct counting counting = {.request = *request, .query = query, .database = database};
    add_hides(&counting);
    add_thresholds(&counting);
    if (counting.rules_count == 0)
        return;
    counting.statement = query_prepare_again(request, database, query);
    if (counting.statement != NULL)
        count_and_say(&counting);
    (void)query_done(database, query, counting.statement); /* says what is wrong */
}
