/* The list of tools, their arguments, and what surrounds an answer: see tool.h, tool_parts.h. */
#include "cli/mcp/tool.h"

#include "base/memory_text.h"
#include "base/must.h"
#include "base/shortage.h"
#include "cli/mcp/tool_parts.h"
#include "cli/out/clock.h"
#include "cli/out/json.h"
#include "cli/out/say.h"
#include "cli/run/database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which an agent may want them. */
static const struct tool *const tools[] = {&tool_digest, &tool_queries, &tool_query,  &tool_sql,
                                           &tool_tree,   &tool_call_of, &tool_source, &tool_runs,
                                           &tool_diff,   &tool_record};
enum { TOOLS_COUNT = sizeof tools / sizeof tools[0] };

enum {
    RESULT_BYTES = 64, /* around the text */
    NOTES_BYTES = 1500 /* for what was said, behind a text */
};

static const struct tool *find(const struct mcp_options *options, const char *name)
{
    for (size_t i = 0; i < TOOLS_COUNT; i++)
        if (strcmp(tools[i]->name, name) == 0)
            return tools[i]->records && !options->allow_record ? NULL : tools[i];
    return NULL;
}

bool tool_exists(const struct mcp_options *options, const char *name)
{
    return find(options, name) != NULL;
}

/* ---- descriptions ---- */

static void describe_parameter(const struct tool_parameter *parameter, struct json *json)
{
    static const char *const types[] = {"string",  "integer", "number",
                                        "boolean", "object",  "array"};
    json_key(json, parameter->name);
    json_open(json, '{');
    json_key(json, "type");
    json_text(json, types[parameter->type], SIZE_MAX);
    if (parameter->type == TOOL_LIST) {
        json_key(json, "items");
        json_raw(json, "{\"type\":\"string\"}");
    }
    if (parameter->words != NULL) {
        json_key(json, "enum");
        json_open(json, '[');
        for (const char *word = parameter->words; *word != '\0'; word += *word == '|') {
            char text[32];
            int length = (int)strcspn(word, "|");
            snprintf(text, sizeof text, "%.*s", length, word);
            json_text(json, text, SIZE_MAX);
            word += length;
        }
        json_close(json, ']');
    }
    json_key(json, "description");
    json_text(json, parameter->what, SIZE_MAX);
    json_close(json, '}');
}

static void describe_parameters(const struct tool *tool, struct json *json)
{
    json_open(json, '{');
    json_key(json, "type");
    json_text(json, "object", SIZE_MAX);
    json_key(json, "properties");
    json_open(json, '{');
    for (const struct tool_parameter *at = tool->parameters; at->name != NULL; at++)
        describe_parameter(at, json);
    json_close(json, '}');
    json_key(json, "required");
    json_open(json, '[');
    for (const struct tool_parameter *at = tool->parameters; at->name != NULL; at++)
        if (at->required)
            json_text(json, at->name, SIZE_MAX);
    json_close(json, ']');
    json_key(json, "additionalProperties");
    json_raw(json, "false");
    json_close(json, '}');
}

bool tool_describe(const struct mcp_options *options, size_t number, FILE *out)
{
    for (size_t i = 0; i < TOOLS_COUNT; i++) {
        const struct tool *tool = tools[i];
        if ((tool->records && !options->allow_record) || number-- > 0)
            continue;
        struct json json = {.out = out};
        json_open(&json, '{');
        json_key(&json, "name");
        json_text(&json, tool->name, SIZE_MAX);
        json_key(&json, "title");
        json_text(&json, tool->title, SIZE_MAX);
        json_key(&json, "description");
        json_text(&json, tool->what, SIZE_MAX);
        json_key(&json, "inputSchema");
        describe_parameters(tool, &json);
        json_key(&json, "annotations");
        json_raw(&json, tool->records ? "{\"readOnlyHint\":false,\"destructiveHint\":true,"
                                        "\"idempotentHint\":false,\"openWorldHint\":true}"
                                      : "{\"readOnlyHint\":true,\"openWorldHint\":false}");
        json_close(&json, '}');
        return true;
    }
    return false;
}

/* ---- arguments ---- */

static const struct json_value *value_of(const struct tool_call *call, const char *name)
{
    const struct tool_parameter *parameters = call->tool->parameters;
    size_t i = 0;
    while (parameters[i].name != NULL && strcmp(parameters[i].name, name) != 0)
        i++;
    must(parameters[i].name != NULL);
    return &call->values[i];
}

const char *tool_text(const struct tool_call *call, const char *name)
{
    return value_of(call, name)->text;
}

int64_t tool_integer(const struct tool_call *call, const char *name, int64_t otherwise)
{
    const char *text = tool_text(call, name);
    return text != NULL ? strtoll(text, NULL, 10) : otherwise;
}

double tool_number(const struct tool_call *call, const char *name, double otherwise)
{
    const char *text = tool_text(call, name);
    return text != NULL ? strtod(text, NULL) : otherwise;
}

bool tool_flag(const struct tool_call *call, const char *name)
{
    return tool_integer(call, name, 0) != 0;
}

long tool_limit(const struct tool_call *call, long otherwise)
{
    const long most = 100000;
    int64_t limit = tool_integer(call, "limit", otherwise);
    return limit < 0 ? 0 : limit > most ? most : (long)limit;
}

/* Is the text one of the words? */
static bool is_word(const char *words, const char *text)
{
    size_t length = strlen(text);
    for (; words != NULL && *words != '\0'; words += *words == '|') {
        size_t word = strcspn(words, "|");
        if (word == length && strncmp(words, text, word) == 0)
            return true;
        words += word;
    }
    return words == NULL;
}

/* Is the value of the parameter's type? Says if not. */
static int check_value(const struct tool_parameter *parameter, const struct json_value *value)
{
    static const char *const wants[] = {"a string",      "an integer", "a number",
                                        "true or false", "an object",  "a list of strings"};
    enum tool_type type = parameter->type;
    bool fits =
        (type == TOOL_TEXT && value->type == JSON_TEXT) ||
        (type == TOOL_INTEGER && value->type == JSON_INTEGER) ||
        (type == TOOL_NUMBER && (value->type == JSON_INTEGER || value->type == JSON_REAL)) ||
        (type == TOOL_BOOLEAN && value->type == JSON_BOOLEAN) ||
        (type == TOOL_OBJECT && value->type == JSON_OBJECT) ||
        (type == TOOL_LIST && value->type == JSON_ARRAY);
    if (!fits)
        return fail("%s: wants %s", parameter->name, wants[type]);
    return is_word(parameter->words, value->text)
               ? 0
               : fail("%s: %s: wants one of %s", parameter->name, value->text, parameter->words);
}

static int fail_unknown(const struct tool *tool, const char *key)
{
    const char *names[TOOL_PARAMETERS_MAX];
    size_t count = 0;
    for (const struct tool_parameter *at = tool->parameters; at->name != NULL; at++)
        names[count++] = at->name;
    const char *nearest = nearest_name(key, names, count);
    if (nearest != NULL)
        return fail("%s has no argument %s; did you mean %s?", tool->name, key, nearest);
    fail("%s has no argument %s", tool->name, key);
    if (count > 0)
        say_list("its arguments are", names, count);
    return 2;
}

/* Takes an argument; null counts as not given. */
static int take_argument(struct tool_call *call, const char *key, struct json_value *value)
{
    const struct tool_parameter *parameters = call->tool->parameters;
    for (size_t i = 0; parameters[i].name != NULL; i++) {
        must(i < TOOL_PARAMETERS_MAX);
        if (strcmp(parameters[i].name, key) != 0)
            continue;
        if (value->type == JSON_NULL || call->values[i].type != JSON_ABSENT)
            return 0;
        if (check_value(&parameters[i], value) != 0)
            return 2;
        call->values[i] = *value;
        *value = (struct json_value){.type = JSON_ABSENT};
        return 0;
    }
    return fail_unknown(call->tool, key);
}

static int take_arguments(struct tool_call *call, const char *arguments)
{
    struct json_value value;
    char *key;
    int status = 0;
    json_reader_begin(call->reader, arguments != NULL ? arguments : "{}");
    while (json_reader_next(call->reader, &key, &value)) {
        if (status == 0)
            status = take_argument(call, key, &value);
        free(key);
        json_value_release(&value);
    }
    if (status == 0 && call->reader->failed)
        status = fail("out of memory");
    const struct tool_parameter *parameters = call->tool->parameters;
    for (size_t i = 0; status == 0 && parameters[i].name != NULL; i++)
        if (parameters[i].required && call->values[i].type == JSON_ABSENT)
            status = fail("%s: is missing: %s", parameters[i].name, parameters[i].what);
    return status;
}

/* ---- a call ---- */

/* Forgets what was said of the calls before. */
static void begin_anew(struct json_reader *reader)
{
    reader->failed = false;
    database_forget();
    shortage_forget();
}

static int run(struct tool_call *call, const char *arguments, size_t bytes_max)
{
    int status = take_arguments(call, arguments);
    if (status == 0)
        status = answer_open(&call->answer, bytes_max - NOTES_BYTES, &call->watch);
    if (status == 0)
        status = call->tool->run(call);
    ask_watch_end(&call->watch);
    if (call->answer.stream != NULL && answer_close(&call->answer) != 0)
        status = 2;
    if (call->watch.end == ASK_LATE || call->watch.end == ASK_STOPPED)
        status = 2;
    else if (status == 0 && (database_status(0) != 0 || shortage_noted() != 0))
        status = fail("the answer may not be right: %s",
                      strerror(shortage_noted() != 0 ? shortage_noted() : EIO));
    return status;
}

/* Writes the text of the result, cut to some bytes. */
static void put_text(FILE *out, const char *text, size_t size, const char *notes, bool wrong,
                     size_t bytes_max)
{
    char *whole = NULL;
    size_t whole_size = 0;
    FILE *joined = memory_text_open(&whole, &whole_size);
    if (joined != NULL) {
        fwrite(text, 1, size, joined);
        if (notes[0] != '\0')
            fprintf(joined, "\nNotes:\n%s", notes);
        if (fclose(joined) != 0)
            whole_size = 0;
    }
    const char *kept = whole_size > 0 || size == 0 ? whole : "out of memory";
    fputs("\"content\":[{\"type\":\"text\",\"text\":", out);
    json_string(out, kept != NULL ? kept : "",
                kept != NULL ? answer_fits(kept, strlen(kept), bytes_max) : 0);
    fprintf(out, "}],\"isError\":%s", wrong ? "true" : "false");
    free(whole);
}

/* Why it failed: the watch's reason comes alone, for what failed only followed from it. */
static void put_failure(const struct tool_call *call, size_t bytes_max, FILE *out)
{
    if (call->watch.end == ASK_LATE) {
        char text[200];
        snprintf(text, sizeof text,
                 "stopped after %.3g s, the limit of a request's time: ask for less, or by a "
                 "smaller table\n",
                 (double)call->options->time_ns / 1e9);
        put_text(out, text, strlen(text), "", true, bytes_max);
        return;
    }
    put_text(out, call->said_text, call->said_size, "", true, bytes_max);
}

static void release(struct tool_call *call)
{
    for (size_t i = 0; i < TOOL_PARAMETERS_MAX; i++)
        json_value_release(&call->values[i]);
    answer_release(&call->answer);
    sqlite3_close(call->database);
    free(call->said_text);
}

bool tool_run(const struct mcp_options *options, struct json_reader *reader, const char *name,
              const char *arguments, const int *stop, size_t bytes_max, FILE *out)
{
    struct tool_call call = {.options = options,
                             .tool = find(options, name),
                             .reader = reader,
                             .deadline_ns = clock_ns() + options->time_ns,
                             .stop = stop};
    size_t text_max = bytes_max - RESULT_BYTES;
    must(call.tool != NULL);
    begin_anew(reader);
    call.watch = (struct ask_watch){.time_ns = options->time_ns, .stop = stop};
    ask_watch_begin(&call.watch, NULL);
    call.said = memory_text_open(&call.said_text, &call.said_size);
    if (call.said == NULL) {
        put_text(out, "out of memory", strlen("out of memory"), "", true, text_max);
        return false;
    }
    FILE *before = say_to(call.said);
    int status = run(&call, arguments, text_max);
    say_to(before);
    bool said = fclose(call.said) == 0;
    bool stopped = __atomic_load_n(stop, __ATOMIC_ACQUIRE) != 0;
    if (status != 0 || !said)
        put_failure(&call, text_max, out);
    else
        put_text(out, call.answer.text, call.answer.size, call.notes_given ? "" : call.said_text,
                 false, text_max);
    release(&call);
    return stopped;
}
