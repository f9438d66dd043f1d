/* fisql export: writes the run for another viewer. export.h lists the formats. The file gets its
 * name when it is whole. */
#include "cli/commands.h"
#include "cli/out/args.h"
#include "cli/run/cut_view.h"
#include "cli/export/export.h"
#include "cli/out/out_file.h"
#include "cli/out/say.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct format {
    const char *word;
    int (*write)(const struct export *export);
    bool binary, calls;
    const char *what;
} formats[] = {
#define FORMAT(word, function, binary, calls, what) {word, function, binary, calls, what},
    EXPORT_FORMATS(FORMAT)
#undef FORMAT
};
enum { FORMATS_COUNT = sizeof formats / sizeof formats[0] };

static const char help_head[] = "usage: fisql export --format FORMAT [OPTION...] [DB]\n"
                                "\n"
                                "Writes a run (DB: run.db) for another viewer. Formats:\n"
                                "\n";
static const char help_tail[] =
    "\n"
    "  -o, --output FILE        the file (standard output)\n"
    "      --by MEASURE         " MEASURE_HELP "\n"
    "      --weight WEIGHT      what folded stacks count: time (ns), calls or bytes (time)\n"
    "      --nodes N            functions in dot and mermaid, those with the most time (50)\n"
    "      --demangle STYLE     short names, full ones, or no: as the linker knows them (short)\n"
    "\n"
    "Write only part of the run (default: all of it):\n"
    "\n" CUT_HELP "\n"
    "perfetto, chrome and speedscope show single calls with their times as measured. The others "
    "add\n"
    "up: times of the whole run leave out the hooks' cost, those of a part do not.\n"
    "Most viewers of JSON cannot take more than some 500 MB: write less.\n"
    "\n"
    "examples: fisql export --format perfetto -o run.pftrace\n"
    "          fisql export --format folded -o run.folded\n"
    "          fisql export --format speedscope --function main --until 2s -o main.json\n";

struct options {
    const struct format *format;
    struct export export;
    struct call_cut cut;
    enum name_style style;
    bool style_given;
    const char *output, *path;
};

static void print_help(void)
{
    fputs(help_head, stdout);
    for (int i = 0; i < FORMATS_COUNT; i++)
        printf("  %-12s %s\n", formats[i].word, formats[i].what);
    fputs(help_tail, stdout);
}

static int set_format(struct options *options, const char *word)
{
    const char *names[FORMATS_COUNT];
    for (int i = 0; i < FORMATS_COUNT; i++) {
        names[i] = formats[i].word;
        if (strcmp(word, formats[i].word) == 0)
            options->format = &formats[i];
    }
    if (options->format != NULL)
        return 0;
    const char *nearest = nearest_name(word, names, FORMATS_COUNT);
    if (nearest != NULL)
        fail("--format %s: no such format; did you mean %s?", word, nearest);
    else
        fail("--format %s: no such format", word);
    say_list("the formats are", names, FORMATS_COUNT);
    return 2;
}

static int set_weight(struct options *options, const struct args *args)
{
    static const char *const words[] = {"time", "calls", "bytes"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(args->value, words[i]) == 0) {
            options->export.weight = (enum export_weight)i;
            return 0;
        }
    }
    return args_wrong(args, "time, calls or bytes");
}

enum { FORMAT = 256, BY, WEIGHT, NODES, DEMANGLE };

static int set_option(struct options *options, const struct args *args)
{
    char *end;
    switch (args->code) {
    case FORMAT:
        return set_format(options, args->value);
    case BY:
        return measure_parse(args->value, &options->export.measure)
                   ? 0
                   : args_wrong(args, MEASURE_WORDS);
    case WEIGHT:
        return set_weight(options, args);
    case NODES:
        options->export.nodes_max = strtol(args->value, &end, 10);
        return *end == '\0' && options->export.nodes_max > 0
                   ? 0
                   : args_wrong(args, "a number from 1 on");
    case DEMANGLE:
        options->style_given = true;
        return name_style_parse(args->value, &options->style)
                   ? 0
                   : args_wrong(args, "short, full or no");
    case 'o':
        options->output = args->value;
        return 0;
    default:
        return call_cut_option(&options->cut, args);
    }
}

static void say_no_format(void)
{
    const char *names[FORMATS_COUNT];
    for (int i = 0; i < FORMATS_COUNT; i++)
        names[i] = formats[i].word;
    fail("export: wants --format FORMAT");
    say_list("the formats are", names, FORMATS_COUNT);
}

static int parse(struct options *options, int argc, char **argv)
{
    static const struct args_option known[] = {{"format", FORMAT, true},
                                               {"by", BY, true},
                                               {"weight", WEIGHT, true},
                                               {"nodes", NODES, true},
                                               {"demangle", DEMANGLE, true},
                                               {"output", 'o', true},
                                               CUT_LONG_OPTIONS,
                                               {NULL, 0, false}};
    struct args args = {.command = "export", .options = known};
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        if (args.code == 'h') {
            print_help();
            return 0;
        }
        if (set_option(options, &args) != 0)
            return 2;
    }
    options->path = args_word(&args, "run.db");
    int status = args_end(&args);
    if (status == ARGS_GO_ON && options->format == NULL) {
        say_no_format();
        return 2;
    }
    return status;
}

static int write_export(struct options *options)
{
    struct out_file out;
    if (options->output == NULL && options->format->binary && isatty(STDOUT_FILENO))
        return fail("export: %s is binary: give a file with -o", options->format->word);
    errno = 0;
    if (out_file_open(&out, options->output, &options->path, 1) != 0)
        return 2;
    options->export.out = out.stream;
    return out_file_close(&out, options->format->write(&options->export));
}

int cmd_export(int argc, char **argv)
{
    struct options options = {.cut = {.until_ns = INT64_MAX, .timed = true},
                              .export = {.nodes_max = 50}};
    struct cut_view view;
    int status = parse(&options, argc, argv);
    if (status != ARGS_GO_ON)
        return status;
    if (!options.style_given &&
        (options.format->write == export_dot || options.format->write == export_mermaid))
        options.style = NAMES_SHORT;
    bool calls = options.format->calls || call_cut_any(&options.cut);
    status = cut_view_open(&view, options.path, calls ? "this export" : NULL, &options.cut,
                           options.style, options.export.measure);
    if (status == 0) {
        options.export.view = &view.run;
        options.export.cut = &options.cut;
        options.export.wanted = view.wanted;
        options.export.values = &view.values;
        status = write_export(&options);
    }
    cut_view_close(&view);
    return status;
}
