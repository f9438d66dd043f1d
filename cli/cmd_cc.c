/*
 * fisql cc: runs a compiler with the flags that instrument functions. It takes the place of the
 * compiler in any build: make CC="fisql cc gcc".
 *
 * The flags go right behind the compiler's name, so flags of the build that come later win (a file
 * compiled with -fno-instrument-functions stays as it is). Compiler calls that compile nothing
 * (--version, -print-search-dirs, ...) are passed on as they came. gnatmake and gprbuild, which
 * build Ada programs, get the compiler's options behind -cargs and the linker's behind -largs.
 */
#include "cli/out/interrupts.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/installed.h"
#include "base/parts.h"
#include "cli/cc/clang_stages.h"
#include "cli/cc/cxx_link.h"
#include "cli/cc/system_headers.h"
#include "cli/out/args.h"
#include "cli/out/say.h"

int cmd_cc(int argc, char **argv);

static const char help[] =
    "usage: fisql cc [OPTION...] COMPILER [ARGUMENT...]\n"
    "\n"
    "Runs COMPILER (gcc, g++, clang, clang++, cc, ..., gfortran, gdc, gnatmake, gprbuild, gccgo)\n"
    "with -finstrument-functions, and with -g if the arguments have none, so that fisql can record "
    "what\n"
    "it compiles. Functions of system headers (std::vector, ...) are not instrumented: their "
    "callers\n"
    "get their time and allocations.\n"
    "\n"
    "      --system-headers          instrument functions of system headers, too\n"
    "      --static-runtime          link the collector into the program, which then also records\n"
    "                                without fisql record, into the file that the environment\n"
    "                                variable FISQL_LOG names; implied by -static,\n"
    "                                -static-pie and compilers for musl\n"
    "      --after-inlining          instrument what is left after inlining (clang only): fewer\n"
    "                                hooks, but calls that were inlined are not recorded\n"
    "      --no-inline               inline only functions that are declared always_inline. With\n"
    "                                clang, record --values misses the arguments of inlined\n"
    "                                copies without it. Counts stay the same\n"
    "      --sleds                   no hooks, but room at each function's start: the program runs "
    "at\n"
    "                                full speed, and fisql record patches it\n"
    "      --exclude-function=LIST   do not instrument functions whose name contains one of the\n"
    "                                words of LIST, separated by commas (gcc only)\n"
    "      --exclude-file=LIST       the same for file names (gcc only)\n"
    "\n"
    "examples: fisql cc gcc -O2 -o sort sort.c\n"
    "          make CC=\"fisql cc gcc\" CXX=\"fisql cc g++\"\n"
    "          cmake -DCMAKE_C_COMPILER=fisql \"-DCMAKE_C_COMPILER_ARG1=cc gcc\" ...\n";

struct plan {
    bool static_runtime, after_inlining, system_headers, no_inline, sleds;
    const char *exclude_function, *exclude_file; /* borrowed from argv */
    /* what the compiler's arguments say */
    bool compiles, links, shared, partial, is_static, has_debug;
    bool in_stages; /* by clang, without functions of system headers */
    bool ada;       /* the compiler is gnatmake or gprbuild */
};

struct words {
    const char **items;
    size_t count, room;
};

static void add(struct words *words, const char *word)
{
    struct error error;
    if (array_reach(&words->items, &words->room, words->count + 1, &error) != 0) { /* and a NULL */
        fail("cc: %s", error.text);
        exit(2);
    }
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
}

static bool one_of(const char *word, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* Options whose value is the next argument: that argument is no input. */
static const char *const valued[] = {
    "-o",          "-x",       "-include",   "-imacros", "-isystem",  "-iquote",   "-I",
    "-L",          "-l",       "-D",         "-U",       "-T",        "-MF",       "-MT",
    "-MQ",         "-Xlinker", "-idirafter", "-u",       "-z",        "-e",        "-Xclang",
    "-Xassembler", "-target",  "--param",    "-arch",    "-isysroot", "--sysroot", NULL};
static const char *const ada_sections[] = {"-cargs", "-bargs", "-largs", "-margs", "-gargs", NULL};
static const char *const no_link[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};
/* -Wl,-Bstatic is none of them: it chooses among libraries, the program stays a dynamic one. */
static const char *const static_link[] = {"-static", "--static", "-static-pie", "--static-pie",
                                          NULL};

/* The name may have a target before it and a version behind it. */
static bool is_ada_builder(const char *compiler)
{
    const char *name = last_part(compiler);
    return strstr(name, "gnatmake") != NULL || strstr(name, "gprbuild") != NULL;
}

/* glibc has empty hooks, so that programs link and run without fisql. musl has none: the program
 * must have the collector itself. Compilers for musl are called so, or are the usual ones of a
 * system that has musl, for which we were built. */
static bool lacks_empty_hooks(const char *compiler)
{
#ifdef __GLIBC__
    return strstr(last_part(compiler), "musl") != NULL;
#else
    (void)compiler;
    return true;
#endif
}

/* Reads the next word of a response file in place, as gcc does: words end at white space that is
 * neither quoted nor escaped. Returns NULL at the end. */
static char *response_word(char **text)
{
    char *at = *text + strspn(*text, " \t\r\n\f\v"), *out = at, *word = at;
    char quote = 0;
    if (*at == 0)
        return NULL;
    for (; *at != 0 && (quote != 0 || strchr(" \t\r\n\f\v", *at) == NULL); at++) {
        if (*at == '\\' && at[1] != 0)
            *out++ = *++at;
        else if (quote != 0 && *at == quote)
            quote = 0;
        else if (quote == 0 && (*at == '\'' || *at == '"'))
            quote = *at;
        else
            *out++ = *at;
    }
    *text = *at != 0 ? at + 1 : at;
    *out = 0;
    return word;
}

/* Adds the arguments as the compiler sees them: @FILE is replaced by the words in that file. */
static void add_expanded(struct words *words, const char *argument, int level)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = argument[0] == '@' && level < 8 ? fopen(argument + 1, "re") : NULL;
    if (file == NULL || getdelim(&text, &size, 0, file) < 0) {
        add(words, argument);
    } else {
        char *rest = text; /* lives until exec */
        for (char *word; (word = response_word(&rest)) != NULL;)
            add_expanded(words, word, level + 1);
    }
    if (file != NULL)
        fclose(file);
}

/* Reads the compiler's name and arguments; `words` gets them as the compiler sees them. */
static void look_at(struct plan *plan, char **arguments, struct words *words)
{
    bool inputs = false, link = true, linker = !plan->ada; /* is it the linker's -static? */
    add(words, *arguments++);
    for (; *arguments != NULL; arguments++)
        add_expanded(words, *arguments, 0);
    for (const char **word = words->items + 1; *word != NULL; word++) {
        if (one_of(*word, valued) && word[1] != NULL) {
            word++;
            continue;
        }
        if (one_of(*word, no_link))
            link = false;
        else if (strcmp(*word, "-shared") == 0)
            plan->shared = true;
        else if (strcmp(*word, "-r") == 0)
            plan->shared = plan->partial = true;
        else if (plan->ada && one_of(*word, ada_sections))
            linker = strcmp(*word, "-largs") == 0;
        else if (linker && one_of(*word, static_link))
            plan->is_static = true;
        else if (starts_with(*word, "-g"))
            plan->has_debug = true;
        if ((*word)[0] != '-' || strcmp(*word, "-") == 0 || (plan->ada && starts_with(*word, "-P")))
            inputs = true;
    }
    plan->compiles = inputs;
    plan->links = inputs && link;
}

/* The folder that holds libfisql.a: beside the program, or where make install puts it. */
static bool runtime_find(char *folder, size_t size)
{
    bool found = installed_find("libfisql.a", folder, size);
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        *slash = 0;
    return found;
}

/* Is the compiler clang, and what does it call itself? We ask the compiler, because names say
 * little (cc, c++). */
static bool is_clang(const char *compiler, char *version, size_t size)
{
    char command[PATH_MAX + 64], line[256];
    version[0] = 0;
    if (strpbrk(compiler, "'\\") != NULL)
        return strstr(compiler, "clang") != NULL;
    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", compiler);
    FILE *answer = popen(command, "r");
    bool clang = false;
    while (answer != NULL && fgets(line, sizeof line, answer) != NULL) {
        if (!clang && strstr(line, "clang") != NULL)
            snprintf(version, size, "%s", line);
        clang |= strstr(line, "clang") != NULL;
    }
    if (answer != NULL)
        pclose(answer);
    return clang;
}

static void add_joined(struct words *words, const char *option, const char *value)
{
    size_t size = strlen(option) + strlen(value) + 1;
    char *word = malloc(size); /* lives until exec */
    if (word != NULL)
        snprintf(word, size, "%s%s", option, value);
    add(words, word != NULL ? word : option);
} /* NOLINT(clang-analyzer-unix.Malloc) */

/* A jump takes five nops of x86-64, one of aarch64. */
static int add_sled_flags(struct words *words, const struct plan *plan, bool aarch64)
{
    if (plan->after_inlining || plan->system_headers || plan->no_inline ||
        plan->exclude_function != NULL || plan->exclude_file != NULL)
        return fail("cc: --sleds: leave out the options that say which functions get hooks");
    add(words, aarch64 ? "-fpatchable-function-entry=1" : "-fpatchable-function-entry=5");
    if (!plan->has_debug)
        add(words, "-g");
    return 0;
}

/* Adds the flags to `words`. `all` has all words of the command, for the compiler's search list. */
static int add_compile_flags(struct words *words, struct plan *plan, const struct words *all)
{
    const char *compiler = words->items[0];
    static struct compiler_facts facts; /* what it holds lives until exec */
    if (!plan->ada)                     /* a builder of Ada programs has no headers to ask for */
        compiler_ask(&facts, all->items, all->count);
    if (plan->sleds)
        return add_sled_flags(words, plan, facts.aarch64);
    if (plan->after_inlining && plan->no_inline)
        return fail("cc: --after-inlining, --no-inline: use one or the other");
    if (plan->after_inlining && !facts.clang)
        return fail("cc: --after-inlining: %s does not have it: use clang", compiler);
    if ((plan->exclude_function || plan->exclude_file) && facts.clang)
        return fail("cc: --exclude-function, --exclude-file: %s does not have them: use gcc, or "
                    "`fisql record --exclude`",
                    compiler);
    add(words,
        plan->after_inlining ? "-finstrument-functions-after-inlining" : "-finstrument-functions");
    if (plan->no_inline)
        add(words, "-fno-inline");
    if (plan->exclude_function)
        add_joined(words, "-finstrument-functions-exclude-function-list=", plan->exclude_function);
    if (plan->exclude_file)
        add_joined(words, "-finstrument-functions-exclude-file-list=", plan->exclude_file);
    const char *folders = plan->system_headers || !facts.gcc || facts.clang
                              ? NULL
                              : system_headers_list(&facts, all->items + 1, all->count - 1);
    if (folders != NULL)
        add_joined(words, "-finstrument-functions-exclude-file-list=", folders);
    plan->in_stages = facts.clang && !plan->system_headers;
    if (!plan->has_debug)
        add(words, "-g");
    return 0;
}

/* May the link miss members of the C++ library (cli/cc/cxx_link.h)? A source that comes from
 * standard input can be read only once. */
static bool may_miss_members(const struct words *words)
{
    static const char *const without[] = {"-stdlib=libc++", "-", NULL};
    char version[256];
    for (size_t i = 1; i < words->count; i++)
        if (one_of(words->items[i], without))
            return false;
    return is_clang(words->items[0], version, sizeof version) && cxx_link_needed(version);
}

/* The linker (--wrap) gives us the program's calls of these, and gives us the real functions by
 * other names. In every program that the collector is linked into: */
static const char wrapped[] =
    "longjmp _longjmp siglongjmp dlclose _Fork clone syscall prctl abort __assert_fail "
    "__stack_chk_fail sigaction signal sigaltstack";
static const char wrapped_exec[] =
    "execve execv execvp execvpe execl execlp execle fexecve execveat posix_spawn "
    "posix_spawnp system popen setuid seteuid setreuid setresuid chroot";
static const char wrapped_demand[] = "__longjmp_chk";
/* With --sleds: patched functions have frames that nobody should see (collector/patch/patch_backtrace.c).
 * In a static program backtrace() calls the other one. */
static const char wrapped_sleds[] = "_Unwind_Backtrace";
static const char wrapped_backtrace[] = "backtrace";
static const char wrapped_cxx[] = "__cxa_throw __cxa_rethrow __cxa_begin_catch "
                                  "_ZN9__gnu_cxx27__verbose_terminate_handlerEv";
/* In static programs, which have no dynamic linker to prefer ours; then operators new and
 * delete: */
static const char wrapped_alloc[] =
    "malloc calloc realloc free memalign aligned_alloc posix_memalign valloc pvalloc";
static const char wrapped_operators[] =
    "_Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t "
    "_ZnamSt11align_val_t _ZnwmSt11align_val_tRKSt9nothrow_t "
    "_ZnamSt11align_val_tRKSt9nothrow_t _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvRKSt9nothrow_t "
    "_ZdaPvRKSt9nothrow_t _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t "
    "_ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t _ZdlPvSt11align_val_tRKSt9nothrow_t "
    "_ZdaPvSt11align_val_tRKSt9nothrow_t";

/* gcc's runtime libraries (gthr-posix.h) refer to these weakly, and call them if the program has
 * __pthread_key_create. The collector brings that one in, so a static program needs the others,
 * too: gfortran's input and output called pthread_mutex_trylock at address 0. */
static const char gthreads[] =
    "pthread_once pthread_getspecific pthread_setspecific pthread_create pthread_join "
    "pthread_equal pthread_self pthread_detach pthread_cancel sched_yield "
    "pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_unlock "
    "pthread_mutex_init pthread_mutex_destroy pthread_cond_init pthread_cond_broadcast "
    "pthread_cond_signal pthread_cond_wait pthread_cond_timedwait pthread_cond_destroy "
    "pthread_key_create pthread_key_delete pthread_mutexattr_init pthread_mutexattr_settype "
    "pthread_mutexattr_destroy pthread_rwlock_rdlock pthread_rwlock_tryrdlock "
    "pthread_rwlock_wrlock pthread_rwlock_trywrlock pthread_rwlock_unlock";

/* Adds the option with each of the names, which are separated by blanks. */
static void add_each(struct words *words, const char *option, const char *names)
{
    char name[64];
    for (size_t length; *names != '\0'; names += length + (names[length] != '\0')) {
        length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        add_joined(words, option, name);
    }
}

/* With `undefined` the linker takes the real ones out of a static library: our references to them
 * are weak, because not every program has them. */
static void add_wrapped(struct words *words, const char *names, bool undefined)
{
    add_each(words, "-Wl,--wrap=", names);
    if (undefined)
        add_each(words, "-Wl,--undefined=", names);
}

/* Does the compiler link the C++ library? We read what it says it would run. */
static bool links_cxx(const struct words *words)
{
    int answer[2];
    if (pipe(answer) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        struct words question = {0};
        for (size_t i = 0; i < words->count; i++)
            add(&question, words->items[i]);
        add(&question, "-###");
        dup2(answer[1], STDOUT_FILENO);
        dup2(answer[1], STDERR_FILENO);
        execvp(question.items[0], (char *const *)(uintptr_t)question.items);
        _exit(127);
    }
    close(answer[1]);
    char *line = NULL;
    size_t size = 0;
    bool cxx = false;
    FILE *lines = fdopen(answer[0], "r");
    while (lines != NULL && getline(&line, &size, lines) >= 0)
        cxx |= strstr(line, "-lstdc++") != NULL || strstr(line, "-lc++") != NULL ||
               strstr(line, "libstdc++.a") != NULL || strstr(line, "libc++.a") != NULL;
    free(line);
    if (lines != NULL)
        fclose(lines);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return cxx;
}

/* Links the whole collector in, and wraps the functions whose calls it must see. */
static int add_runtime(struct words *words, const struct plan *plan)
{
    char folder[PATH_MAX + 32];
    if (!runtime_find(folder, sizeof folder))
        return fail("cc: libfisql.a: not found beside fisql nor in %s/lib/fisql: run make, or make "
                    "install",
                    FISQL_PREFIX);
    bool cxx = !plan->is_static || (!plan->ada && links_cxx(words));
    add_wrapped(words, wrapped, plan->is_static);
    add_wrapped(words, wrapped_exec, false);
    add_wrapped(words, wrapped_demand, false);
    if (cxx)
        add_wrapped(words, wrapped_cxx, plan->is_static);
    if (plan->sleds)
        add_wrapped(words, wrapped_sleds, plan->is_static);
    if (plan->sleds && !plan->is_static)
        add_wrapped(words, wrapped_backtrace, false);
    if (plan->is_static) {
        add_wrapped(words, wrapped_alloc, false);
        if (cxx)
            add_wrapped(words, wrapped_operators, true);
        add_each(words, "-Wl,--undefined=", gthreads);
        add(words, "-Wl,-z,muldefs"); /* functions that we have instead of libc, such as _exit */
    }
    add(words, "-Wl,--whole-archive");
    add_joined(words, folder, plan->is_static ? "/libfisql_static.a" : "/libfisql.a");
    add(words, "-Wl,--no-whole-archive");
    if (plan->is_static)
        add_joined(words, folder, "/libfisql_demand.a");
    else /* so that a preloaded collector sees it; glibc's hook of that name does it, too */
        add(words, "-Wl,--export-dynamic-symbol=__cyg_profile_func_enter");
    add(words, "-lpthread");
    add(words, "-ldl");
    return 0;
}

static int add_link_flags(struct words *words, const struct plan *plan)
{
    if (plan->ada)
        add(words, "-largs");
    add(words, "-Wl,--build-id"); /* ties recordings to this very binary */
    if (!plan->shared && (plan->static_runtime || plan->is_static))
        return add_runtime(words, plan);
    return 0;
}

/* Reads our own options, up to the compiler's name. *compiler becomes its index. */
static int parse(struct plan *plan, int argc, char **argv, int *compiler)
{
    enum {
        STATIC_RUNTIME = 256,
        AFTER_INLINING,
        SYSTEM_HEADERS,
        NO_INLINE,
        SLEDS,
        EXCLUDE_FUNCTION,
        EXCLUDE_FILE
    };
    static const struct args_option known[] = {{"static-runtime", STATIC_RUNTIME, false},
                                               {"after-inlining", AFTER_INLINING, false},
                                               {"system-headers", SYSTEM_HEADERS, false},
                                               {"exclude-function", EXCLUDE_FUNCTION, true},
                                               {"exclude-file", EXCLUDE_FILE, true},
                                               {"no-inline", NO_INLINE, false},
                                               {"sleds", SLEDS, false},
                                               {NULL, 0, false}};
    struct args args = {.command = "cc", .help = help, .options = known, .program_follows = true};
    args_begin(&args, argc, argv);
    while (args_next(&args)) {
        switch (args.code) {
        case STATIC_RUNTIME:
            plan->static_runtime = true;
            break;
        case AFTER_INLINING:
            plan->after_inlining = true;
            break;
        case SYSTEM_HEADERS:
            plan->system_headers = true;
            break;
        case NO_INLINE:
            plan->no_inline = true;
            break;
        case SLEDS:
            plan->sleds = true;
            break;
        case EXCLUDE_FUNCTION:
            plan->exclude_function = args.value;
            break;
        case EXCLUDE_FILE:
            plan->exclude_file = args.value;
            break;
        }
    }
    *compiler = args.at;
    if (args.status == ARGS_GO_ON && args_words(&args) == 0)
        return fail("cc: no compiler given; see `fisql cc --help`");
    return args.status;
}

int cmd_cc(int argc, char **argv)
{
    struct plan plan = {0};
    static struct words words, all; /* live until exec */
    int compiler = 0, status = parse(&plan, argc, argv, &compiler);
    if (status != ARGS_GO_ON)
        return status;
    plan.ada = is_ada_builder(argv[compiler]);
    plan.static_runtime |= lacks_empty_hooks(argv[compiler]);
    look_at(&plan, argv + compiler, &all);
    add(&words, argv[compiler]);
    if (plan.ada && plan.compiles)
        add(&words, "-cargs");
    if (plan.compiles && add_compile_flags(&words, &plan, &all) != 0)
        return 2;
    if (plan.ada && plan.links && add_link_flags(&words, &plan) != 0)
        return 2;
    if (plan.ada && plan.compiles)
        add(&words, "-margs");
    for (int i = compiler + 1; i < argc; i++)
        add(&words, argv[i]);
    if (!plan.ada && plan.links && add_link_flags(&words, &plan) != 0)
        return 2;
    bool ran = false;
    if (plan.in_stages)
        status = clang_stages(words.items, words.count, &ran);
    if (ran || (plan.in_stages && status > 0))
        return status;
    if (plan.links && !plan.ada && !plan.partial && may_miss_members(&words))
        return cxx_link(words.items, words.count, plan.shared);
    interrupts_child();
    execvp(words.items[0], (char *const *)(uintptr_t)words.items);
    return fail("cc: %s: cannot be run: %s", argv[compiler], strerror(errno));
}
