/* fisql stack: the stack of a call, exact, recursion not folded (cli/show/show_stack.h). */
#include "cli/out/args.h"
#include "cli/commands.h"
#include "cli/run/database.h"
#include "cli/run/whole_calls.h"
#include "cli/show/show_stack.h"
#include "cli/out/say.h"

#include <stdlib.h>

static const char help[] =
    "usage: fisql stack CALL-ID [DB]\n"
    "\n"
    "Prints the stack of a call (DB: run.db): the call itself first, then its caller, and so on, "
    "with\n"
    "arguments and results (`fisql record --values`; of pointers the row of allocs that they "
    "point\n"
    "into), where each was called from, when it was entered and how long it took. Queries list "
    "such ids in columns like slowest_call.\n"
    "\n"
    "      --all                all calls of a deep stack (default: the first and last 100)\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "\n"
    "example: fisql stack 3\n";

struct request {
    enum name_style style;
    bool all;
    int64_t id;
    const char *path;
};

static int parse(struct request *request, int argc, char **argv)
{
    enum { ALL = 256, DEMANGLE };
    static const struct args_option known[] = {
        {"all", ALL, false}, {"demangle", DEMANGLE, true}, {NULL, 0, false}};
    struct args args = {.command = "stack", .help = help, .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        if (args.code == ALL)
            request->all = true;
        else if (!name_style_parse(args.value, &request->style))
            return args_wrong(&args, "short, full or no");
    }
    if (args.status != ARGS_GO_ON)
        return args.status;
    char *end = NULL;
    request->id = strtoll(args_word(&args, ""), &end, 10);
    if (*end != '\0' || request->id <= 0)
        return fail("stack: wants the id of a call, a number from 1 on; see `fisql stack --help`");
    request->path = args_word(&args, "run.db");
    return args_end(&args);
}

/* Reads what the database lacks of the call and those around it. A caller that is short itself has
 * few calls before the one that it makes. */
static bool has_stack(sqlite3 **database, const struct request *request)
{
    const int64_t before = 100000;
    int64_t from = request->id > before ? request->id - before : 1;
    return show_stack_is_whole(*database, request->id) ||
           whole_calls_open(database, request->path, "a stack", from, request->id);
}

int cmd_stack(int argc, char **argv)
{
    struct request request = {.style = NAMES_SHORT};
    int status = parse(&request, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    sqlite3 *database = database_open(request.path);
    status = 2;
    if (database != NULL && has_stack(&database, &request))
        status = show_stack(database, request.path, request.id, request.style, request.all, stdout);
    sqlite3_close(database);
    return status;
}
