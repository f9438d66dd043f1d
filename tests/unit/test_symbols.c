/* The pure parts of the loader's symbols: names, paths, line tables. The rest is tested
 * on real programs, by tests/e2e/symbols.sh. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "debuginfo/names/demangle.h"
#include "debuginfo/dwarf/dwarf_lines.h"
#include "debuginfo/dwarf/dwarf_rows.h"
#include "debuginfo/symbols/symbol_trial.h"
#include "debuginfo/symbols/symbols.h"
#include "tests/unit/check.h"

static void test_names(void)
{
    char *name = demangle("_ZN4shop5StackIiLi4EE4pushEi");
    check_string("shop::Stack<int, 4>::push(int)", name, "a template is readable");
    free(name);
    check_string(NULL, demangle("main"), "a C name is not demangled");
    check_string(NULL, demangle("_Znonsense!"), "nonsense is not demangled");
    check_equal(5, demangle_base_length("parse.constprop.0"), "constprop is a clone");
    check_equal(5, demangle_base_length("parse.isra.0.cold"), "the first suffix counts");
    check_equal(5, demangle_base_length("parse.part.2.lto_priv.7"), "suffixes of link-time clones");
    check_equal(3, demangle_base_length("a.b"), "another dot is part of the name");
    check_equal('1', demangle_variant("_ZN3FooC1Ev"), "a complete constructor");
    check_equal('0', demangle_variant("_ZN3FooD0Ev"), "a deleting destructor");
    check_equal(0, demangle_variant("_ZN3Foo3runEv"), "a plain function has no variant");
}

static void check_ada(const char *expected, const char *linkage, const char *what)
{
    char *name = demangle_ada(linkage);
    check_string(expected, name, what);
    free(name);
}

static void test_other_languages(void)
{
    char *name = demangle("__shapes_MOD_area_of");
    check_string("shapes::area_of", name, "a Fortran module's procedure");
    free(name);
    check_string(NULL, demangle("__shapes_MOD_"), "no procedure");
    check_string(NULL, demangle("__MY_MOD_area"), "gfortran writes small letters");
    check_ada("shop.inner.buy", "shop__inner__buy", "an Ada package within a package");
    check_ada("shop.over", "shop__over__2", "an overload");
    check_ada("shop.item_2.\"+\"", "shop__item_2__Oadd__3", "an operator");
    check_ada("shop.buy.nested", "shop__buy__nested.4", "a nested procedure");
    check_ada("main_p", "_ada_main_p", "a main procedure");
    check_ada("shop.worker", "shop__workerTKB", "a task's body");
    check_ada(NULL, "shop__itemIP", "what the compiler makes has no name in the source");
    check_ada(NULL, "shop___elabb", "elaboration neither");
    check_ada(NULL, "shop__Onothing", "no operator");
    check_ada(NULL, "_ada_", "nothing");
#ifdef FISQL_LIBIBERTY
    static const struct {
        const char *linkage, *expected, *what;
    } names[] = {
        {"_D4main3fooFZv", "main.foo()", "a D function"},
        {"_D4shop4main__T5twiceTiZQjFNaNbNiNfiZi", "shop.main.twice!(int).twice(int)",
         "with back references"},
        {"_D1d__T1STiVii3ZQj__T8opBinaryVAyaa1_2bZQtMxFNaNbNiNfiZi",
         "d.S!(int, 3).S.opBinary!(\"+\").opBinary(int) const", "a D template's operator"},
        {"_D3std9algorithm8mutation__T15trustedMoveImplTAiZQvFNaNbNiNeNkMKQsZQv",
         "std.algorithm.mutation.trustedMoveImpl!(int[]).trustedMoveImpl(scope return ref int[])",
         "what libiberty reads in another order alone"},
        {"_D1d3NkMFNkMAaZv", "d.NkM(scope return char[])", "of an identifier nothing is exchanged"},
        {"_D1dFNkM", NULL, "a cut D name"},
        {"_D1d99999999999999999999NkM", NULL, "an identifier longer than the name"},
        {"_ZN4main3foo17h05af221e174051e9E", "main::foo", "a legacy Rust name, without its hash"},
        {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
         "3bar17h930b740aa94f1d3aE",
         "<Test + 'static as foo::Bar<Test>>::bar", "a legacy Rust method of a trait"},
        {"_RNvCs6xxl1lAjzDf_1a3foo", "a::foo", "a v0 Rust name, without the crate's hash"},
        {"_RINvMs_Cs6xxl1lAjzDf_1aINtB5_3GenTlfEE3runNCNvB5_4mains_0EB5_",
         "<a::Gen<(i32, f32)>>::run::<a::main::{closure#1}>", "a v0 method with a closure"},
        {"_RINvCs6xxl1lAjzDf_1a5gen_cKcf6_Kb1_Kan3_EB2_", "a::gen_c::<'\\u{f6}', true, -3>",
         "v0 constants"},
        {"_RNvCs6xxl1lAjzDf_1au9gre_6ka8i", "a::gr\u00f6\u00dfe", "a v0 name beyond ASCII"},
        {"_RNvCs6xxl1lAjzDf_1a", NULL, "a cut v0 name"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        name = demangle(names[i].linkage);
        check_string(names[i].expected, name, names[i].what);
        free(name);
    }
    /* HQgQi: an associative array of the type before to the type before */
    char bomb[400] = "_D1aFHiiHQeQg";
    for (size_t i = strlen(bomb); i + 8 < sizeof bomb; i += 5)
        memcpy(bomb + i, "HQgQiZv", 8);
    check_string(NULL, demangle(bomb), "a name that would grow without end");
#endif
}

static void test_paths(void)
{
    struct text_pool pool = {0};
    check_string("/home/me/src/a.c", dwarf_join_path(&pool, "/home/me", "src", "a.c", NULL),
                 "the compiler's folder comes first");
    check_string("/usr/include/a.h",
                 dwarf_join_path(&pool, "/home/me", "/usr/include", "a.h", NULL),
                 "an absolute folder replaces it");
    check_string("/a/c/d/x.c", dwarf_join_path(&pool, "/a/b", "../c/./d", "x.c", NULL),
                 "dots are resolved");
    check_string("/x.c", dwarf_join_path(&pool, "/", "../..", "x.c", NULL),
                 "nothing above the root");
    check_string("../src/x.c", dwarf_join_path(&pool, NULL, "../src", "x.c", NULL),
                 "a relative path stays relative");
    check(text_pool_add(&pool, "same", 4, NULL) == text_pool_add(&pool, "same!", 4, NULL),
          "a text is kept once");
    text_pool_release(&pool);
}

static void test_identity(void)
{
    uint64_t id = symbols_stable_id("/usr/lib/libx.so.1.2", "f", "/home/a/src/x.c");
    check(id == symbols_stable_id("/opt/libx.so.2", "f", "/build/b/src/x.c"),
          "an id is the same in another folder and version");
    check(id != symbols_stable_id("/usr/lib/libx.so.1.2", "g", "/home/a/src/x.c"),
          "another name is another id");
    check(id != symbols_stable_id("/usr/lib/libx.so.1.2", "f", "/home/a/other/x.c"),
          "another file is another id");
}

struct rows {
    struct dwarf_row items[8];
    size_t count;
};

static int take(void *context, const struct dwarf_row *row)
{
    struct rows *rows = context;
    if (rows->count < 8)
        rows->items[rows->count++] = *row;
    return 0;
}

/* A DWARF 5 table: length, version, sizes, header length, 1, 1, 1, line base -3, range 12, opcode
 * base 13, lengths of 12 opcodes; program: set_address 0x1000, advance_line 6, copy, special (+2
 * bytes, +1 line), advance_pc 3, end_sequence. */
static const unsigned char table[] = {
    50, 0, 0, 0, 5, 0, 8, 0, 18, 0, 0, 0, 1, 1, 1, 0xfd, 12, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1,
    /* program */
    0, 9, 2, 0x00, 0x10, 0, 0, 0, 0, 0, 0, 3, 6, 1, 13 + 24 + 4, 2, 3, 0, 1, 1,
    /* padding opcodes: copies after the end */
    1, 1, 1, 1};

static void test_rows(void)
{
    struct rows rows = {0};
    check_equal(0, dwarf_rows(table, sizeof table, 0, take, &rows), "a table is read");
    check(rows.count >= 3, "three rows and what follows");
    check_equal(0x1000, rows.items[0].address, "the first row's address");
    check_equal(7, rows.items[0].line, "the first row's line");
    check_equal(1, rows.items[0].file, "a sequence starts with file 1");
    check_equal(0x1002, rows.items[1].address, "a special opcode advances the address");
    check_equal(8, rows.items[1].line, "a special opcode advances the line");
    check_equal(0x1005, rows.items[2].address, "the end's address");
    check(rows.items[2].ends, "the end is told");
    for (size_t cut = 0; cut < sizeof table; cut++) {
        struct rows some = {0};
        dwarf_rows(table, cut, 0, take, &some);
        check(some.count == 0, "a table cut after %zu bytes gives no rows", cut);
    }
}

/* How often it was read, in memory that the processes which try it share; and how it goes. */
struct tried {
    int count, alarms;
    bool crashes;
};

static void read_tried(void *context)
{
    struct tried *tried = context;
    if (++tried->count <= tried->alarms)
        raise(SIGALRM);
    if (tried->crashes)
        abort();
}

static void test_trial(void)
{
    const struct dwarf_file none = {0};
    struct tried *tried =
        mmap(NULL, sizeof *tried, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!check(tried != MAP_FAILED, "memory to share"))
        return;
    check(symbol_trial(&none, read_tried, tried), "what is read is sound");
    check_equal(1, tried->count, "it is tried once");
    *tried = (struct tried){.alarms = 1};
    check(symbol_trial(&none, read_tried, tried),
          "stopped for long and gone on: it is tried again");
    check_equal(2, tried->count, "once");
    *tried = (struct tried){.alarms = 100};
    check(!symbol_trial(&none, read_tried, tried), "what never comes to an end is not sound");
    check_equal(3, tried->count, "after three tries");
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    *tried = (struct tried){.alarms = 100};
    check(!symbol_trial(&none, read_tried, tried), "nor where the thread blocks all signals");
    check_equal(3, tried->count, "after as many");
    sigprocmask(SIG_SETMASK, &before, NULL);
    *tried = (struct tried){.crashes = true};
    check(!symbol_trial(&none, read_tried, tried), "nor is what crashes");
    check_equal(1, tried->count, "after one");
    munmap(tried, sizeof *tried);
}

int main(void)
{
    test_trial();
    test_names();
    test_other_languages();
    test_paths();
    test_identity();
    test_rows();
    return check_status();
}
