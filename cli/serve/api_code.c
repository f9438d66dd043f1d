/*
 * The machine code of a function, by objdump where binutils are installed, with the calls that its
 * sites made. The module has to be the one that was recorded: its build-id says so. objdump reads
 * it in a process of its own, with limits of time and memory: we read no module here.
 */
#if __has_include(<microhttpd.h>)
#include "cli/serve/api.h"
#include "cli/serve/child.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* api_code.sql */
extern const char api_code_sql_function[], api_code_sql_sites[];

enum { SECONDS = 20, ID_HEAD_DIGITS = 32, ID_DIGITS_MAX = 160, PATH_BYTES = 4096 };
#define CODE_BYTES_MAX (INT64_C(1) << 20)

/* What is asked for. */
struct code {
    char path[PATH_BYTES], build_id[ID_DIGITS_MAX];
    int64_t address, size;
};

static void copy_text(char *to, size_t size, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    snprintf(to, size, "%s", text != NULL ? text : "");
}

/* Writes the function's row. Returns whether there is one. */
static bool write_function(struct quick *quick, int64_t function, struct code *code)
{
    struct json *json = &quick->answer.json;
    sqlite3_stmt *row = quick_prepare(quick, api_code_sql_function);
    if (row != NULL)
        sqlite3_bind_int64(row, 1, function);
    bool found = quick_row(quick, row);
    if (found) {
        for (int i = 0; i < sqlite3_column_count(row); i++) {
            json_key(json, sqlite3_column_name(row, i));
            json_column(json, row, i, PATH_BYTES);
        }
        code->address = sqlite3_column_int64(row, 2);
        code->size = sqlite3_column_int64(row, 3);
        copy_text(code->path, sizeof code->path, row, 4);
        copy_text(code->build_id, sizeof code->build_id, row, 5);
    }
    sqlite3_finalize(row);
    return found;
}

/* ---- the module ---- */

/* The build-id in what objdump prints of its section: lines of an address and up to four groups of
 * digits, two spaces, and the same as text. The note's head has 16 bytes. */
static void read_build_id(const char *printed, char *id, size_t size)
{
    size_t digits = 0, used = 0;
    for (const char *line = printed; line != NULL; line = strchr(line + 1, '\n')) {
        const char *at = line[0] == '\n' ? line + 1 : line;
        if (*at != ' ')
            continue;
        at += 1 + strcspn(at + 1, " \n"); /* behind the address */
        for (; *at == ' ' && isxdigit((unsigned char)at[1]); at += strspn(at, "0123456789abcdef"))
            for (at++; isxdigit((unsigned char)*at); at++)
                if (digits++ >= ID_HEAD_DIGITS && used + 1 < size)
                    id[used++] = *at;
    }
    id[used] = '\0';
}

/* Why the module is not the recorded one; NULL: it is. */
static const char *check_module(struct request *request, const struct code *code)
{
    char objdump[] = "objdump", bytes[] = "-s", only[] = "-j", note[] = ".note.gnu.build-id";
    char *argv[] = {objdump, bytes, only, note, (char *)(uintptr_t)code->path, NULL};
    char id[ID_DIGITS_MAX] = "";
    const char *problem;
    char *printed = child_collect(request, objdump, argv, SECONDS, &problem);
    if (printed == NULL)
        return problem;
    read_build_id(printed, id, sizeof id);
    free(printed);
    return strcmp(id, code->build_id) == 0
               ? NULL
               : "the file is another one than was recorded: its build-id differs";
}

static char *disassemble(struct request *request, const struct code *code, const char **problem)
{
    char objdump[] = "objdump", what[] = "-dlC", bare[] = "--no-show-raw-insn";
    char start[64], stop[64];
    char *argv[] = {objdump, what, bare, start, stop, (char *)(uintptr_t)code->path, NULL};
    snprintf(start, sizeof start, "--start-address=0x%llx", (unsigned long long)code->address);
    snprintf(stop, sizeof stop, "--stop-address=0x%llx",
             (unsigned long long)(code->address + code->size));
    return child_collect(request, objdump, argv, SECONDS, problem);
}

/* Its disassembly, which the caller frees. NULL: *problem says why. */
static char *code_text(struct request *request, const struct code *code, const char **problem)
{
    *problem = NULL;
    if (code->path[0] != '/')
        *problem = "it is not known which file has its code";
    else if (code->build_id[0] == '\0')
        *problem = "its module has no build-id, so none can say whether it is the recorded one";
    else if (code->size <= 0 || code->size > CODE_BYTES_MAX || code->address < 0 ||
             code->address > INT64_MAX - code->size)
        *problem = "where its code lies is not known";
    else
        *problem = check_module(request, code);
    return *problem == NULL ? disassemble(request, code, problem) : NULL;
}

static void write_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_text(json, text, SIZE_MAX);
}

enum MHD_Result api_code(struct request *request)
{
    struct quick quick;
    struct code code = {.path = ""};
    int64_t function;
    const char *problem;
    if (!request_integer(request, "function", 1, INT64_MAX, 0, &function) || function == 0)
        return reply_problem(request->connection, MHD_HTTP_BAD_REQUEST, "function: wants its id");
    if (!quick_begin(&quick, request))
        return quick_end(&quick);
    json_open(&quick.answer.json, '{');
    bool found = write_function(&quick, function, &code);
    if (found) {
        sqlite3_stmt *sites = quick_prepare(&quick, api_code_sql_sites);
        if (sites != NULL)
            sqlite3_bind_int64(sites, 1, function);
        quick_rows(&quick, "sites", sites);
        quick_release(&quick); /* objdump may take seconds */
        char *text = code_text(request, &code, &problem);
        write_text(&quick.answer.json, "problem", problem);
        write_text(&quick.answer.json, "text", text);
        free(text);
    }
    json_close(&quick.answer.json, '}');
    if (found || quick.problem != NULL)
        return quick_end(&quick);
    quick_drop(&quick);
    return reply_problem(request->connection, MHD_HTTP_NOT_FOUND, "there is no such function");
}
#else
extern const int api_code_is_not_built_in; /* ISO C forbids an empty file */
#endif
