/* fisql digest: what matters of a run, on one screen. */
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/query/digest.h"
#include "cli/run/database.h"

static const char help[] =
    "usage: fisql digest [DB]\n"
    "\n"
    "Says on one screen what matters of a run (DB: run.db): where processor time goes, where\n"
    "threads wait, what is allocated and not freed, errors and losses, how much code was never\n"
    "called; then at most five findings, worst first, with a guess at what each would save and "
    "the\n"
    "command that shows more. `fisql query DB` says the same.\n"
    "\n"
    "Exit status: 0 done, 1 done but the recording is not complete, 2 could not be done.\n"
    "\n"
    "example: fisql digest run.db\n";

int cmd_digest(int argc, char **argv)
{
    const char *path = "run.db";
    int status = args_file_alone("digest", help, argc, argv, &path);
    return status != ARGS_GO_ON ? status : digest_of_file(path);
}
