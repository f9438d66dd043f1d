/* One message of JSON-RPC: see rpc_message.h. */
#include "cli/mcp/rpc_message.h"

#include "cli/out/json.h"

#include <stdlib.h>
#include <string.h>

bool rpc_id(const struct json_value *value, char id[RPC_ID_BYTES + 1])
{
    id[0] = '\0';
    if (value->type == JSON_INTEGER && value->length <= RPC_ID_BYTES) {
        memcpy(id, value->text, value->length + 1);
        return true;
    }
    if (value->type != JSON_TEXT || value->length > RPC_ID_BYTES ||
        json_string_bytes(value->text, value->length) > RPC_ID_BYTES)
        return false;
    FILE *out = fmemopen(id, RPC_ID_BYTES + 1, "w");
    if (out == NULL)
        return false;
    json_string(out, value->text, value->length);
    return fclose(out) == 0;
}

static void wrong(struct rpc_message *message, int code, const char *problem)
{
    message->kind = RPC_WRONG;
    message->code = code;
    message->problem = problem;
}

/* The first byte that is no space. */
static char first_byte(const char *line)
{
    return line[strspn(line, " \t\r\n")];
}

/* Reads the members of an object. */
static void read_members(struct json_reader *reader, const char *line, struct rpc_message *message)
{
    struct json_value version, id, method, other;
    json_reader_find(reader, line, "jsonrpc", &version);
    json_reader_find(reader, line, "id", &id);
    json_reader_find(reader, line, "method", &method);
    json_reader_find(reader, line, "params", &message->params);
    bool has_id = id.type != JSON_ABSENT, id_sound = rpc_id(&id, message->id);
    bool answers = json_reader_find(reader, line, "result", &other) != JSON_ABSENT;
    json_value_release(&other);
    answers = answers || json_reader_find(reader, line, "error", &other) != JSON_ABSENT;
    json_value_release(&other);
    message->kind = has_id ? RPC_REQUEST : RPC_NOTIFICATION;
    if (reader->failed)
        wrong(message, RPC_INTERNAL_ERROR, "out of memory");
    else if (version.type != JSON_TEXT || strcmp(version.text, "2.0") != 0)
        wrong(message, RPC_INVALID_REQUEST, "jsonrpc has to be \"2.0\"");
    else if (method.type == JSON_ABSENT && answers)
        message->kind = RPC_RESPONSE;
    else if (has_id && !id_sound)
        wrong(message, RPC_INVALID_REQUEST,
              "id has to be an integer of 64 bits or a string of at most 250 bytes");
    else if (method.type != JSON_TEXT)
        wrong(message, RPC_INVALID_REQUEST, "method has to be a string");
    else if (message->params.type != JSON_OBJECT && message->params.type != JSON_ABSENT)
        wrong(message, RPC_INVALID_PARAMS, "params has to be an object");
    if (message->kind == RPC_REQUEST || message->kind == RPC_NOTIFICATION) {
        message->method = method.text;
        method.text = NULL;
    }
    json_value_release(&version);
    json_value_release(&id);
    json_value_release(&method);
}

void rpc_read(struct json_reader *reader, const char *line, size_t length,
              struct rpc_message *message)
{
    *message = (struct rpc_message){.kind = RPC_WRONG};
    reader->failed = false;
    if (!json_reader_valid(reader, line, length)) {
        if (reader->failed)
            wrong(message, RPC_INTERNAL_ERROR, "out of memory");
        else
            wrong(message, RPC_PARSE_ERROR, "the line is no JSON in UTF-8");
    } else if (first_byte(line) == '[') {
        wrong(message, RPC_INVALID_REQUEST, "batches are not part of the protocol");
    } else if (first_byte(line) != '{') {
        wrong(message, RPC_INVALID_REQUEST, "a message has to be an object");
    } else {
        read_members(reader, line, message);
    }
}

void rpc_release(struct rpc_message *message)
{
    free(message->method);
    json_value_release(&message->params);
    *message = (struct rpc_message){.kind = RPC_WRONG};
}
