/* fisql schema: what the tables of a run's database are, by subject, and what a table's columns mean
 * (cli/run/schema_help.h). */
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/out/say.h"
#include "cli/out/terminal.h"
#include "cli/run/schema_help.h"

static const char help[] =
    "usage: fisql schema [NAME]\n"
    "\n"
    "Prints what the tables and views of a run's database are, those first that most questions\n"
    "need; or of one of them, NAME, the definition, with what each column means.\n"
    "\n"
    "      --names         print only the names\n"
    "\n"
    "Exit status: 0 done, 2 there is no such table.\n"
    "\n"
    "examples: fisql schema\n"
    "          fisql schema calls\n";

static int fail_unknown(const char *wanted)
{
    static char names[SCHEMA_NAMES_MAX][SCHEMA_NAME_BYTES];
    const char *list[SCHEMA_NAMES_MAX];
    size_t count = schema_help_names(names);
    for (size_t i = 0; i < count; i++)
        list[i] = names[i];
    const char *nearest = nearest_name(wanted, list, count);
    return nearest != NULL ? fail("schema: %s: no such table; did you mean %s?", wanted, nearest)
                           : fail("schema: %s: no such table; `fisql schema` lists them", wanted);
}

static void print_names(void)
{
    static char names[SCHEMA_NAMES_MAX][SCHEMA_NAME_BYTES];
    size_t count = schema_help_names(names);
    for (size_t i = 0; i < count; i++)
        puts(names[i]);
}

static void print_all(void)
{
    int columns = terminal_columns();
    schema_help_all(columns > 0 ? columns : 100, stdout);
    puts("\nfisql schema NAME prints what the columns of one mean.");
}

int cmd_schema(int argc, char **argv)
{
    enum { NAMES = 1 };
    static const struct args_option known[] = {{"names", NAMES, false}, {NULL, 0, false}};
    struct args args = {.command = "schema", .help = help, .options = known};
    bool names = false;
    args_begin(&args, argc, argv);
    while (args_next(&args))
        names |= args.code == NAMES;
    const char *wanted = args_word(&args, NULL);
    int status = args_end(&args);
    if (status != ARGS_GO_ON)
        return status;
    if (wanted != NULL)
        return schema_help_one(wanted, stdout) ? 0 : fail_unknown(wanted);
    if (names)
        print_names();
    else
        print_all();
    return 0;
}
