/*
 * Prints what the loader's symbols say of a module: for tests, and as the benchmark of large ones.
 *
 *   symbols_dump [OPTION...] MODULE     a line for each function, tabs between:
 *                                       address size instrumented file:line name linkage-name id
 *     -b ID    build-id of the recording      -s DIR   symbols folder     -r DIR   sysroot
 *     -c DIR   cache folder                   -t N     threads            -p       pieces of code
 *     -l HEX   print file:line of this address (may be given several times) instead
 *     -C       cache small modules too
 *     -f       functions without a symbol, too
 *     -d       ask debuginfod
 *     -i       print copies linkage-name instead, where copies were inlined
 *     -q       print the summary alone: source, problem, functions, seconds, peak memory
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "debuginfo/symbols/symbols.h"

#define ADDRESSES_MAX 65536

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void say_asking(void *context, const char *path)
{
    (void)context;
    fprintf(stderr, "asking for %s\n", path);
}

static void print_function(const struct symbol_function *function)
{
    printf("%" PRIx64 "\t%" PRIu64 "\t%d\t%s:%u\t%s\t%s\t%016" PRIx64 "\n", function->address,
           function->size, function->instrumented, function->file != NULL ? function->file : "??",
           function->line, function->name,
           function->linkage_name != NULL ? function->linkage_name : function->name,
           function->stable_id);
}

static void print_lines(struct symbols *symbols, const uint64_t *addresses, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *file;
        uint32_t line;
        const struct symbol_range *range = symbols_range(symbols, addresses[i]);
        symbols_line(symbols, addresses[i], &file, &line);
        printf("%" PRIx64 "\t%s\t%s:%u\n", addresses[i],
               range != NULL ? symbols->functions[range->function].name : "??",
               file != NULL ? file : "??", line);
    }
}

static void print_pieces(const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->ranges_count; i++) {
        const struct symbol_range *range = &symbols->ranges[i];
        printf("%" PRIx64 "\t%" PRIx64 "\t%" PRIx64 "\t%s\n", range->start, range->end,
               symbols->functions[range->function].address,
               symbols->functions[range->function].name);
    }
}

static void print_copies(const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->functions_count; i++)
        if (symbols->functions[i].inlined_copies > 0)
            printf("%" PRIu32 "\t%s\n", symbols->functions[i].inlined_copies,
                   symbols->functions[i].linkage_name != NULL ? symbols->functions[i].linkage_name
                                                              : symbols->functions[i].name);
}

static void print_summary(const struct symbols *symbols, double seconds)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    size_t instrumented = 0;
    for (size_t i = 0; i < symbols->functions_count; i++)
        instrumented += symbols->functions[i].instrumented;
    printf("source\t%s\nproblem\t%s\nfunctions\t%zu\ninstrumented\t%zu\npieces\t%zu\ncached\t%d\n"
           "seconds\t%.3f\npeak_mib\t%ld\n",
           symbols->source, symbols->problem != NULL ? symbols->problem : "-",
           symbols->functions_count, instrumented, symbols->ranges_count, symbols->cached, seconds,
           usage.ru_maxrss / 1024);
}

int main(int count, char **arguments)
{
    static uint64_t addresses[ADDRESSES_MAX];
    size_t addresses_count = 0;
    struct symbols_options options = {.all_modules = true};
    const char *build_id = NULL;
    bool quiet = false, pieces = false, copies = false;
    for (int option; (option = getopt(count, arguments, "b:s:r:c:t:pl:qCfdi")) != -1;) {
        switch (option) {
        case 'b':
            build_id = optarg;
            break;
        case 's':
            options.symbols_dir = optarg;
            break;
        case 'r':
            options.sysroot = optarg;
            break;
        case 'c':
            options.cache_dir = optarg;
            break;
        case 'C':
            options.cache_all = true;
            break;
        case 't':
            options.threads = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 'p':
            pieces = true;
            break;
        case 'l':
            if (addresses_count < ADDRESSES_MAX)
                addresses[addresses_count++] = strtoull(optarg, NULL, 16);
            break;
        case 'd':
            options.asking = say_asking;
            break;
        case 'f':
            options.as_is = true;
            break;
        case 'i':
            copies = true;
            break;
        case 'q':
            quiet = true;
            break;
        default:
            return 2;
        }
    }
    if (optind != count - 1) {
        fprintf(stderr, "usage: symbols_dump [OPTION...] MODULE\n");
        return 2;
    }
    struct symbols symbols;
    struct error error = {.text = ""};
    double start = now_s();
    int status = 0;
    if (symbols_open(&symbols, arguments[optind], build_id, &options, &error) != 0) {
        fprintf(stderr, "symbols_dump: %s\n", error.text);
        status = 2;
    } else if (quiet) {
        print_summary(&symbols, now_s() - start);
    } else if (pieces) {
        print_pieces(&symbols);
    } else if (addresses_count > 0) {
        print_lines(&symbols, addresses, addresses_count);
    } else if (copies) {
        print_copies(&symbols);
    } else {
        for (size_t i = 0; i < symbols.functions_count; i++)
            print_function(&symbols.functions[i]);
    }
    symbols_release(&symbols);
    return status;
}
