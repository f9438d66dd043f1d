/* fisql serve: databases in the browser. The server is cli/serve. */
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/out/say.h"
#include "cli/serve/api_list.h"
#include "cli/serve/server.h"
#include "page/page.h"

#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: fisql serve [OPTION...] [DB | LOG ...]\n"
    "\n"
    "Opens databases (run.db) in the browser, whole: a timeline of all calls, down to each with "
    "its\n"
    "arguments; what `fisql report` shows; the canned queries with their parameters as a form; a\n"
    "console for SQL. Prints the address first: it has a token, without which nobody is answered.\n"
    "\n"
    "      --port N          listen on this port (one that is free)\n"
    "      --listen ADDRESS  listen on this address of the machine, or on a UNIX socket,\n"
    "                        unix:PATH (127.0.0.1, which this machine alone can reach)\n"
    "      --open            open the address in the browser, $BROWSER or xdg-open's\n"
    "      --idle TIME       end when nobody asked for so long: 90s, 10m, 1h\n"
    "      --api             print what the server answers other tools, as docs/api.md\n"
    "\n"
    "The databases are only read. They may be replaced while they are served, by `fisql load`. A "
    "log\n"
    "(run.bin) is loaded first, and again and again while the program is being recorded, as\n"
    "`fisql load --follow` does.\n"
    "\n"
    "Exit status: 0 done, 2 could not be done.\n"
    "\n"
    "example: fisql serve run.db --idle 1s\n";

enum { OPTION_PORT = 256, OPTION_LISTEN, OPTION_OPEN, OPTION_IDLE, OPTION_API };
enum { BASES_MAX = 64 };

static const struct args_option known[] = {
    {"port", OPTION_PORT, true}, {"listen", OPTION_LISTEN, true}, {"open", OPTION_OPEN, false},
    {"idle", OPTION_IDLE, true}, {"api", OPTION_API, false},      {NULL, 0, false}};

/* 90s, 10m, 1h to milliseconds. */
static bool parse_idle(const char *text, int64_t *ms)
{
    char *end;
    long long number = strtoll(text, &end, 10);
    int64_t unit = strcmp(end, "s") == 0   ? 1000
                   : strcmp(end, "m") == 0 ? 60000
                   : strcmp(end, "h") == 0 ? 3600000
                                           : 0;
    if (end == text || unit == 0 || number < 1 || number > 1000000)
        return false;
    *ms = number * unit;
    return true;
}

static bool parse_port(const char *text, int *port)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < 1 || number > 65535)
        return false;
    *port = (int)number;
    return true;
}

static int set_option(struct server_options *options, bool *api, const struct args *args)
{
    switch (args->code) {
    case OPTION_PORT:
        return parse_port(args->value, &options->port) ? 0 : args_wrong(args, "a port, 1 to 65535");
    case OPTION_LISTEN:
        options->listen = args->value;
        return 0;
    case OPTION_OPEN:
        options->open = true;
        return 0;
    case OPTION_IDLE:
        return parse_idle(args->value, &options->idle_ms)
                   ? 0
                   : args_wrong(args, "a time such as 90s, 10m or 1h");
    default:
        *api = true;
        return 0;
    }
}

int cmd_serve(int argc, char **argv)
{
    const char *paths[BASES_MAX] = {"run.db"};
    struct server_options options = {.paths = paths, .paths_count = 1, .listen = "127.0.0.1"};
    struct args args = {.command = "serve", .help = usage, .options = known};
    bool api = false;
    args_begin(&args, argc, argv);
    while (args_next(&args))
        if (set_option(&options, &api, &args) != 0)
            return 2;
    for (int i = 0; args.status == ARGS_GO_ON && args_words(&args) > 0; i++) {
        if (i == BASES_MAX)
            return fail("serve: serves at most %d databases", BASES_MAX);
        paths[i] = args_word(&args, NULL);
        options.paths_count = i + 1;
    }
    int status = args_end(&args);
    if (status != ARGS_GO_ON)
        return status;
    if (api) {
        api_print(stdout);
        return 0;
    }
    if (serve_page_script[0] == '\0')
        return fail("serve: the page is missing: this fisql was built without npm, which brings "
                    "the page's libraries: install npm (apt-get install npm), then run `make` "
                    "again in fisql's source");
    return server_run(&options);
}
