/* fisql dump: prints a log as text. */
#include "cli/commands.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "loader/loader.h"

#include <getopt.h>
#include <stdio.h>

static const char help[] =
    "usage: fisql dump [RUN.bin]\n"
    "\n"
    "Prints a log (RUN.bin: run.bin) as text, as it stands in the file: a line for each chunk, "
    "then\n"
    "a line for each fact or event in it. Use it to see what a log holds, and in tests; the\n"
    "database of `fisql load` is easier to ask. +N is the ticks since the event before.\n"
    "\n"
    "Exit status: 0 done, 1 done but parts of the log are damaged, 2 not done.\n"
    "\n"
    "example: fisql dump run.bin | head\n";

int cmd_dump(int argc, char **argv)
{
    static const struct option known[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    struct error error = {.text = ""};
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        if (option != 'h') {
            return fail("see `fisql dump --help`");
        }
        fputs(help, stdout);
        return fflush(stdout) == 0 ? 0 : 2;
    }
    if (optind + 1 < argc)
        return fail("dump: %s: one argument too many; see `fisql dump --help`", argv[optind + 1]);
    FILE *out = text_stream(stdout);
    if (out == NULL)
        return fail("out of memory");
    int status = fisql_dump(optind < argc ? argv[optind] : "run.bin", out, &error);
    fclose(out); /* whether stdout was written well is looked at by main */
    return status == 2 ? fail("%s", error.text) : status;
}
