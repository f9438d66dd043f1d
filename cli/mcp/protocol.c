/* The methods of the protocol: see protocol.h. Where two revisions differ, `modern` is the newest
 * one, 2026-07-28: a request names it in _meta. */
#include "cli/mcp/protocol.h"

#include "base/memory_text.h"
#include "base/must.h"
#include "cli/mcp/resources.h"
#include "cli/mcp/tool.h"
#include "cli/out/json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MODERN_VERSION "2026-07-28"
/* Those that begin with `initialize`, the newest first. What we have is alike in both. */
static const char *const legacy_versions[] = {"2025-11-25", "2025-06-18"};

enum {
    LEGACY_RESOURCE_NOT_FOUND = -32002,
    PAGE_END_BYTES = 120, /* behind a page of a list */
    RESULT_END_BYTES = 2  /* }} */
};

static const char server_info[] =
    "{\"name\":\"fisql\",\"title\":\"fisql\",\"version\":\"" FISQL_VERSION "\"}";

static const char instructions[] =
    "fisql has recorded every function call and heap allocation of a native program into a SQLite "
    "database. Begin with the tool digest: it says what matters, and which query shows more. The "
    "tool queries lists the canned queries and gives the manual of one; query runs it; sql asks "
    "what no query answers. source shows where in a function time and memory go, call one call "
    "with its stack, diff two runs. Times are nanoseconds without the cost of recording, unless "
    "a unit is given. Answers are bounded and say what they leave out. Where a text names an "
    "option "
    "of the command line such as --all-code, the tool has the argument all_code, if any.";

/* A request that is being answered. */
struct exchange {
    struct protocol *protocol;
    const struct rpc_message *request;
    const int *stop;
    bool modern, stopped;
    FILE *out; /* the line, into text */
    char *text;
    size_t size;
};

/* ---- errors ---- */

static void put_error(FILE *out, const char *id, int code, const char *problem, const char *data)
{
    fputs("{\"jsonrpc\":\"2.0\",", out);
    if (id[0] != '\0')
        fprintf(out, "\"id\":%s,", id);
    fprintf(out, "\"error\":{\"code\":%d,\"message\":", code);
    json_string(out, problem, strlen(problem));
    if (data != NULL)
        fprintf(out, ",\"data\":%s", data);
    fputs("}}", out);
}

__attribute__((format(printf, 3, 4))) static void refuse(struct exchange *exchange, int code,
                                                         const char *format, ...)
{
    char problem[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    put_error(exchange->out, exchange->request->id, code, problem, NULL);
}

void protocol_wrong(const struct rpc_message *message, char **line, size_t *size)
{
    FILE *out = memory_text_open(line, size);
    if (out == NULL)
        return;
    put_error(out, message->id, message->code, message->problem, NULL);
    if (fclose(out) != 0) {
        free(*line);
        *line = NULL;
    }
}

/* ---- results ---- */

static void begin_result(struct exchange *exchange)
{
    fprintf(exchange->out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{", exchange->request->id);
    if (exchange->modern)
        fprintf(exchange->out,
                "\"resultType\":\"complete\","
                "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":%s},",
                server_info);
}

/* The bytes that the line may still have, before the end of the result. */
static size_t room(struct exchange *exchange)
{
    size_t most = exchange->protocol->options->answer_bytes;
    if (fflush(exchange->out) != 0)
        return 0; /* the close fails, too */
    must(exchange->size + RESULT_END_BYTES <= most);
    return most - exchange->size - RESULT_END_BYTES;
}

/* How long a client may keep a result: nothing of it depends on a run. */
static void put_caching(struct exchange *exchange)
{
    if (exchange->modern)
        fputs(",\"ttlMs\":60000,\"cacheScope\":\"private\"", exchange->out);
}

static void end_result(struct exchange *exchange)
{
    fputs("}}", exchange->out);
}

/* The member of the request's params; release it. */
static enum json_type parameter(struct exchange *exchange, const char *name,
                                struct json_value *value)
{
    *value = (struct json_value){.type = JSON_ABSENT};
    return exchange->request->params.type == JSON_OBJECT
               ? json_reader_find(&exchange->protocol->reader, exchange->request->params.text, name,
                                  value)
               : JSON_ABSENT;
}

/* ---- beginning ---- */

static void initialize(struct exchange *exchange)
{
    struct json_value wanted;
    const char *version = legacy_versions[0];
    if (parameter(exchange, "protocolVersion", &wanted) != JSON_TEXT) {
        refuse(exchange, RPC_INVALID_PARAMS, "initialize: protocolVersion has to be a string");
    } else {
        for (size_t i = 0; i < sizeof legacy_versions / sizeof legacy_versions[0]; i++)
            if (strcmp(legacy_versions[i], wanted.text) == 0)
                version = legacy_versions[i];
        begin_result(exchange);
        fprintf(exchange->out,
                "\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{},\"resources\":{}},"
                "\"serverInfo\":%s,\"instructions\":",
                version, server_info);
        json_string(exchange->out, instructions, strlen(instructions));
        end_result(exchange);
        exchange->protocol->initialized = true;
    }
    json_value_release(&wanted);
}

static void ping(struct exchange *exchange)
{
    begin_result(exchange);
    end_result(exchange);
}

static void discover(struct exchange *exchange)
{
    begin_result(exchange);
    fputs("\"supportedVersions\":[\"" MODERN_VERSION
          "\"],\"capabilities\":{\"tools\":{},\"resources\":{}},\"instructions\":",
          exchange->out);
    json_string(exchange->out, instructions, strlen(instructions));
    put_caching(exchange);
    end_result(exchange);
}

/* There is nothing to be told of: the subscription is confirmed for no kind of notification, and
 * ends. */
static void listen(struct exchange *exchange)
{
    const char *id = exchange->request->id;
    fprintf(exchange->out,
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\","
            "\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s},"
            "\"notifications\":{}}}\n"
            "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"resultType\":\"complete\","
            "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":%s}}}",
            id, id, id);
}

/* ---- lists ---- */

/* Writes the item of a number; false behind the last one. */
typedef bool (*put_item)(const void *context, size_t number, FILE *out);

static bool put_tool(const void *context, size_t number, FILE *out)
{
    return tool_describe(context, number, out);
}

static bool put_resource(const void *context, size_t number, FILE *out)
{
    return resource_describe(context, number, out);
}

static bool put_template(const void *context, size_t number, FILE *out)
{
    (void)context;
    return resource_template_describe(number, out);
}

/* The number that the cursor names; false if it is none of ours. */
static bool read_cursor(struct exchange *exchange, size_t *first)
{
    struct json_value cursor;
    enum json_type type = parameter(exchange, "cursor", &cursor);
    bool sound = type == JSON_ABSENT || type == JSON_NULL ||
                 (type == JSON_TEXT && cursor.length > 0 && cursor.length < 8 &&
                  strspn(cursor.text, "0123456789") == cursor.length);
    *first = type == JSON_TEXT && sound ? strtoul(cursor.text, NULL, 10) : 0;
    json_value_release(&cursor);
    return sound;
}

/* Answers with a page: as many items as there is room for. */
static void list(struct exchange *exchange, const char *key, put_item put, const void *context)
{
    size_t number = 0;
    bool more = true, any = false;
    if (!read_cursor(exchange, &number)) {
        refuse(exchange, RPC_INVALID_PARAMS, "cursor: is none that this server gave");
        return;
    }
    begin_result(exchange);
    fprintf(exchange->out, "\"%s\":[", key);
    while (more) {
        char *item = NULL;
        size_t size = 0;
        FILE *out = memory_text_open(&item, &size);
        more = out != NULL && put(context, number, out);
        bool sound = out != NULL && fclose(out) == 0;
        bool fits = more && sound && size + PAGE_END_BYTES <= room(exchange);
        if (fits)
            fprintf(exchange->out, "%s%s", any ? "," : "", item);
        any = any || fits;
        number += fits;
        free(item);
        if (!fits)
            break;
    }
    fputs("]", exchange->out);
    if (more)
        fprintf(exchange->out, ",\"nextCursor\":\"%zu\"", number);
    put_caching(exchange);
    end_result(exchange);
}

static void list_tools(struct exchange *exchange)
{
    list(exchange, "tools", put_tool, exchange->protocol->options);
}

static void list_templates(struct exchange *exchange)
{
    list(exchange, "resourceTemplates", put_template, NULL);
}

static void list_resources(struct exchange *exchange)
{
    struct query_set set = {0};
    if (query_set_load(&set) == 0)
        list(exchange, "resources", put_resource, &set);
    else
        refuse(exchange, RPC_INTERNAL_ERROR, "out of memory");
    query_set_release(&set);
}

/* ---- what is asked for ---- */

static void read_resource(struct exchange *exchange)
{
    struct json_value uri;
    struct query_set set = {0};
    char *contents = NULL;
    size_t size = 0;
    bool named = parameter(exchange, "uri", &uri) == JSON_TEXT;
    bool loaded = named && query_set_load(&set) == 0;
    FILE *out = loaded ? memory_text_open(&contents, &size) : NULL;
    bool found = false;
    if (out != NULL) {
        const size_t envelope = 1000; /* what begins the result, the id in it, and what ends it */
        found = resource_read(&set, uri.text, exchange->protocol->options->answer_bytes - envelope,
                              out);
        found = fclose(out) == 0 && found;
    }
    if (!named) {
        refuse(exchange, RPC_INVALID_PARAMS, "resources/read: uri has to be a string");
    } else if (out == NULL) {
        refuse(exchange, RPC_INTERNAL_ERROR, "out of memory");
    } else if (!found) {
        refuse(exchange, exchange->modern ? RPC_INVALID_PARAMS : LEGACY_RESOURCE_NOT_FOUND,
               "Resource not found: %.200s", uri.text);
    } else {
        begin_result(exchange);
        fwrite(contents, 1, size, exchange->out);
        put_caching(exchange);
        end_result(exchange);
    }
    free(contents);
    query_set_release(&set);
    json_value_release(&uri);
}

static void call_tool(struct exchange *exchange)
{
    struct protocol *protocol = exchange->protocol;
    struct json_value name, arguments;
    enum json_type given;
    parameter(exchange, "name", &name);
    given = parameter(exchange, "arguments", &arguments);
    if (name.type != JSON_TEXT) {
        refuse(exchange, RPC_INVALID_PARAMS, "tools/call: name has to be a string");
    } else if (given != JSON_OBJECT && given != JSON_ABSENT && given != JSON_NULL) {
        refuse(exchange, RPC_INVALID_PARAMS, "tools/call: arguments has to be an object");
    } else if (!tool_exists(protocol->options, name.text)) {
        refuse(exchange, RPC_INVALID_PARAMS, "Unknown tool: %.100s", name.text);
    } else {
        begin_result(exchange);
        exchange->stopped = tool_run(protocol->options, &protocol->reader, name.text,
                                     given == JSON_OBJECT ? arguments.text : NULL, exchange->stop,
                                     room(exchange), exchange->out);
        end_result(exchange);
    }
    json_value_release(&name);
    json_value_release(&arguments);
}

/* ---- methods ---- */

enum { LEGACY = 1, MODERN = 2 };

static const struct {
    const char *name;
    int revisions;
    void (*answer)(struct exchange *exchange);
} methods[] = {{"ping", LEGACY, ping},
               {"server/discover", MODERN, discover},
               {"subscriptions/listen", MODERN, listen},
               {"tools/list", LEGACY | MODERN, list_tools},
               {"tools/call", LEGACY | MODERN, call_tool},
               {"resources/list", LEGACY | MODERN, list_resources},
               {"resources/templates/list", LEGACY | MODERN, list_templates},
               {"resources/read", LEGACY | MODERN, read_resource}};

static void refuse_version(struct exchange *exchange, const char *wanted)
{
    char *data = NULL;
    size_t size = 0;
    FILE *out = memory_text_open(&data, &size);
    if (out != NULL) {
        fputs("{\"supported\":[\"" MODERN_VERSION "\"],\"requested\":", out);
        json_string(out, wanted, strnlen(wanted, 100));
        fputs("}", out);
    }
    put_error(exchange->out, exchange->request->id, RPC_UNSUPPORTED_VERSION,
              "Unsupported protocol version", out != NULL && fclose(out) == 0 ? data : NULL);
    free(data);
}

/* Which revision is the request of? False after answering that it is of none. */
static bool find_revision(struct exchange *exchange)
{
    struct json_reader *reader = &exchange->protocol->reader;
    struct json_value meta, version, abilities;
    parameter(exchange, "_meta", &meta);
    enum json_type named = json_reader_find(reader, meta.text != NULL ? meta.text : "{}",
                                            "io.modelcontextprotocol/protocolVersion", &version);
    enum json_type has = json_reader_find(reader, meta.text != NULL ? meta.text : "{}",
                                          "io.modelcontextprotocol/clientCapabilities", &abilities);
    bool sound = false;
    if (named == JSON_ABSENT && !exchange->protocol->initialized &&
        strcmp(exchange->request->method, "ping") != 0)
        refuse(exchange, RPC_INVALID_PARAMS,
               "the request lacks _meta with io.modelcontextprotocol/protocolVersion "
               "(revision " MODERN_VERSION "), and no initialize came before it (%s)",
               legacy_versions[0]);
    else if (named != JSON_ABSENT && named != JSON_TEXT)
        refuse(exchange, RPC_INVALID_PARAMS,
               "io.modelcontextprotocol/protocolVersion has to be a string");
    else if (named == JSON_TEXT && strcmp(version.text, MODERN_VERSION) != 0)
        refuse_version(exchange, version.text);
    else if (named == JSON_TEXT && has != JSON_OBJECT)
        refuse(exchange, RPC_INVALID_PARAMS,
               "the request's _meta lacks io.modelcontextprotocol/clientCapabilities, an object");
    else
        sound = true;
    exchange->modern = named == JSON_TEXT;
    json_value_release(&meta);
    json_value_release(&version);
    json_value_release(&abilities);
    return sound;
}

static void answer(struct exchange *exchange)
{
    const char *method = exchange->request->method;
    if (strcmp(method, "initialize") == 0) {
        initialize(exchange);
        return;
    }
    if (!find_revision(exchange))
        return;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(methods[i].name, method) == 0 &&
            (methods[i].revisions & (exchange->modern ? MODERN : LEGACY)) != 0) {
            methods[i].answer(exchange);
            return;
        }
    refuse(exchange, RPC_METHOD_NOT_FOUND, "Method not found: %.100s", method);
}

void protocol_answer(struct protocol *protocol, const struct rpc_message *request, const int *stop,
                     char **line, size_t *size)
{
    struct exchange exchange = {.protocol = protocol, .request = request, .stop = stop};
    *line = NULL;
    protocol->reader.failed = false;
    exchange.out = memory_text_open(&exchange.text, &exchange.size);
    if (exchange.out == NULL)
        return;
    answer(&exchange);
    bool sound = fclose(exchange.out) == 0;
    if (!sound || exchange.stopped) {
        free(exchange.text);
        return;
    }
    must(exchange.size <= protocol->options->answer_bytes);
    *line = exchange.text;
    *size = exchange.size;
}
