/* The options of `fisql record`: see record_options.h. */
#include "cli/record/record_options.h"

#include "cli/out/amount.h"
#include "log_format.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: fisql record [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Runs PROGRAM, built with `fisql cc`, and records every function call and every heap\n"
    "allocation in all its threads and child processes. Input, output, signals and exit status\n"
    "stay the program's own.\n"
    "\n"
    "  -o, --output FILE       the log to write (run.bin)\n"
    "  -q, --quiet             do not print what was written\n"
    "      --no-alloc          do not record allocations\n"
    "      --no-time           do not read the clock: structure and counts only\n"
    "      --depth N           log the outermost N levels of calls; count deeper ones\n"
    "      --min-duration T    count calls that call nothing and end within T (100ns, 2us, 1ms)\n"
    "                          instead of logging them: counts stay exact\n"
    "      --only PATTERN      record only functions whose name or file matches (*, ?, [])\n"
    "      --exclude PATTERN   do not record functions whose name or file matches\n"
    "                          (both can be repeated, but not mixed)\n"
    "      --start-off         start with recording off; SIGUSR2 or fisql_start() switches it\n"
    "      --ring SIZE         flight recorder: keep only the last SIZE bytes of each thread\n"
    "                          (512K, 4M), written at exit, crash, SIGUSR2 or fisql_dump()\n"
    "\n"
    "example: fisql record -o sort.bin ./sort numbers.txt\n";

enum {
    OPTION_NO_ALLOC = 256,
    OPTION_NO_TIME,
    OPTION_DEPTH,
    OPTION_MIN_DURATION,
    OPTION_ONLY,
    OPTION_EXCLUDE,
    OPTION_START_OFF,
    OPTION_RING
};

static const struct option options_known[] = {
    {"output", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"no-alloc", no_argument, NULL, OPTION_NO_ALLOC},
    {"no-time", no_argument, NULL, OPTION_NO_TIME},
    {"depth", required_argument, NULL, OPTION_DEPTH},
    {"min-duration", required_argument, NULL, OPTION_MIN_DURATION},
    {"only", required_argument, NULL, OPTION_ONLY},
    {"exclude", required_argument, NULL, OPTION_EXCLUDE},
    {"start-off", no_argument, NULL, OPTION_START_OFF},
    {"ring", required_argument, NULL, OPTION_RING},
    {NULL, 0, NULL, 0}};

static int wrong(const char *option, const char *value, const char *want)
{
    fprintf(stderr, "fisql: %s %s: wants %s\n", option, value, want);
    return -1;
}

static int add_pattern(struct record_options *options, bool only, const char *pattern)
{
    if (options->patterns_count > 0 && options->only != only) {
        fputs("fisql: --only and --exclude: use one or the other\n", stderr);
        return -1;
    }
    const char **grown =
        realloc(options->patterns, (options->patterns_count + 1) * sizeof *options->patterns);
    if (grown == NULL)
        return -1;
    options->patterns = grown;
    options->patterns[options->patterns_count++] = pattern;
    options->only = only;
    return 0;
}

static int set_option(struct record_options *options, int option, const char *value)
{
    int64_t number = 0;
    switch (option) {
    case 'o':
        options->log = value;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case OPTION_NO_ALLOC:
        options->no_alloc = true;
        return 0;
    case OPTION_NO_TIME:
        options->no_time = true;
        return 0;
    case OPTION_START_OFF:
        options->start_off = true;
        return 0;
    case OPTION_DEPTH:
        if (!amount_count(value, &number) || number == 0 || number > 1000000)
            return wrong("--depth", value, "a number from 1 to 1000000");
        options->depth = (uint32_t)number;
        return 0;
    case OPTION_MIN_DURATION:
        if (!amount_time(value, &number) || number == 0 || number > 3600000000000)
            return wrong("--min-duration", value,
                         "a time such as 100ns, 2us or 1ms, at most 3600s");
        options->min_duration_ns = (uint64_t)number;
        return 0;
    case OPTION_RING:
        if (!amount_size(value, &number) || number == 0 || number > 1 << 30)
            return wrong("--ring", value, "a size such as 512K or 4M, at most 1G");
        options->ring_chunks =
            (uint32_t)((number + FISQL_LIVE_CHUNK_BYTES - 1) / FISQL_LIVE_CHUNK_BYTES);
        return 0;
    case OPTION_ONLY:
    case OPTION_EXCLUDE:
        return add_pattern(options, option == OPTION_ONLY, value);
    default:
        fputs("fisql: see `fisql record --help`\n", stderr);
        return -1;
    }
}

int record_options_parse(struct record_options *options, int argc, char **argv)
{
    *options = (struct record_options){.log = "run.bin"};
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, "+o:qh", options_known, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return fflush(stdout) == 0 ? 0 : -1;
        }
        if (set_option(options, option, optarg) != 0)
            return -1;
    }
    if (optind >= argc) {
        fputs("fisql: record: no program given; see `fisql record --help`\n", stderr);
        return -1;
    }
    if (options->no_time && options->min_duration_ns != 0) {
        fputs("fisql: --min-duration needs the clock: leave out --no-time\n", stderr);
        return -1;
    }
    return optind;
}

void record_options_text(const struct record_options *options, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
#define ADD(option, format, ...)                                                                   \
    used += (size_t)snprintf(text + used, used < size ? size - used : 0, "%s" format ",",          \
                             fisql_option(FISQL_OPTION_##option), ##__VA_ARGS__)
    if (options->no_alloc)
        ADD(NO_ALLOC, "");
    if (options->no_time)
        ADD(NO_TIME, "");
    if (options->start_off)
        ADD(START_OFF, "");
    if (options->depth != 0)
        ADD(DEPTH, "%u", options->depth);
    if (options->min_duration_ns != 0)
        ADD(MIN_DURATION, "%llu", (unsigned long long)options->min_duration_ns);
    if (options->ring_chunks != 0)
        ADD(RING, "%u", options->ring_chunks);
    if (options->filter != NULL)
        ADD(FILTER, "");
#undef ADD
    if (used > 0 && used < size)
        text[used - 1] = 0;
}

void record_options_release(struct record_options *options)
{
    free(options->patterns);
    free(options->filter);
}
