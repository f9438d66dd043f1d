/* fisql dump: prints a log as text. */
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/out/output.h"
#include "cli/out/say.h"
#include "cli/out/text.h"
#include "loader/loader.h"

#include <stdio.h>

static const char help[] =
    "usage: fisql dump [RUN.bin]\n"
    "\n"
    "Prints a log (RUN.bin: run.bin) as text, in the file's order: a line for each chunk, "
    "then\n"
    "a line for each fact or event in it. Use it to see what a log holds, and in tests; the\n"
    "database of `fisql load` is easier to ask. +N is the ticks since the event before.\n"
    "\n"
    "Exit status: 0 done, 1 done but parts of the log are damaged, 2 not done.\n"
    "\n"
    "example: fisql dump run.bin | head\n";

int cmd_dump(int argc, char **argv)
{
    struct error error = {.text = ""};
    const char *path = "run.bin";
    int status = args_file_alone("dump", help, argc, argv, &path);
    if (status != ARGS_GO_ON)
        return status;
    FILE *out = text_stream(stdout);
    if (out == NULL)
        return fail("out of memory");
    status = fisql_dump(path, out, &error);
    fclose(out); /* main checks whether stdout was written well */
    return status == 2 ? fail("%s", error.text) : status;
}
