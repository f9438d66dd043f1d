/*
 * Values as libfisql-values.so writes them: recipes from an area made by hand, looked up by address, and
 * a made-up register file turned into the bytes of an event. What is read in memory: texts, strings,
 * references, and addresses that cannot be read.
 */
#include "collector/core/modules.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"
#include "collector/values/values_exit.h"
#include "collector/values/values_hook.h"
#include "collector/values/values_late.h"
#include "tests/unit/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- what the parts stand on ---- */

uint32_t silence;

struct process process;

void *quiet_symbol(const char *name)
{
    (void)name;
    return NULL;
}

void stack_ask(struct stack_bounds *bounds)
{
    if (bounds->low == 0)
        *bounds = (struct stack_bounds){1, 0};
}

THREAD_LOCAL struct values_patched *values_patched;
THREAD_LOCAL uint64_t values_patched_stack;

void values_keep(uint64_t stack)
{
    values_frame(stack)->vectors_kept = 1; /* the test has put into the frame what they hold */
}

static bool module_known = true;

struct kept_calls *results_kept(void)
{
    return NULL;
}

bool modules_known(uint64_t address)
{
    (void)address;
    return module_known;
}

static enum late_answer late_answer = LATE_NOBODY;

enum late_answer values_late_look(uint64_t address)
{
    (void)address;
    return late_answer;
}

/* ---- an area ---- */

#define START 0x500000u
#define END 0x600000u
#define BIAS 0x400000u
#define FUNCTION 0x101000u
#define PATH "/usr/bin/made-up"

static struct {
    struct fisql_recipes head;
    struct fisql_recipe_module module;
    struct fisql_recipe_hook hooks[40];
    struct fisql_recipe_value values[40];
    char path[24];
} area;

static uint64_t hook_address(uint32_t index)
{
    return FUNCTION + 0x10 + 0x20 * index;
}

/* An area in which hook i has the value i, and the last hook all of them. */
static void area_make(const struct fisql_recipe_value *values, uint32_t count)
{
    area.head =
        (struct fisql_recipes){FISQL_RECIPES_MAGIC, FISQL_RECIPES_VERSION, 1, 20, sizeof area};
    area.module = (struct fisql_recipe_module){offsetof(__typeof__(area), path),   strlen(PATH),
                                               offsetof(__typeof__(area), hooks),  count + 1,
                                               offsetof(__typeof__(area), values), count};
    strcpy(area.path, PATH);
    memcpy(area.values, values, count * sizeof *values);
    for (uint32_t i = 0; i <= count; i++)
        area.hooks[i] = (struct fisql_recipe_hook){hook_address(i),
                                                   FUNCTION,
                                                   i < count ? i : 0,
                                                   (uint16_t)(i < count ? 1 : count),
                                                   0,
                                                   0,
                                                   0,
                                                   0};
    int file = memfd_create("recipes", 0);
    check(write(file, &area, sizeof area) == (ssize_t)sizeof area, "the area is written");
    check(recipes_prepare(), "there is room for recipes");
    check(recipes_add(mmap(NULL, sizeof area, PROT_READ, MAP_PRIVATE, file, 0), sizeof area),
          "and taken");
    close(file);
    check(recipes_module(PATH, BIAS, START, END), "its module has recipes");
}

/* ---- a hook call ---- */

static struct {
    struct values_frame frame;
    uint64_t stack[32];
} call;
static uint16_t units[600];
static struct thread_log *log_made;

static uint64_t stack_of_call(void)
{
    return (uint64_t)(uintptr_t)call.stack;
}

/* The bytes that hook `index` writes, as hexadecimal. */
static const char *written(uint32_t index)
{
    static char text[2200];
    uint64_t address = hook_address(index) + BIAS;
    call.frame.hook_return = address;
    memset(units, 0xee, sizeof units);
    uint32_t count =
        values_arguments(log_made, units, recipe_word(address), FUNCTION + BIAS, stack_of_call());
    uint32_t code = units[0] >> 1, bytes = code - FISQL_CODE_ARGUMENTS;
    text[0] = 0;
    if (count == 0)
        return "none";
    if (code >= FISQL_CODE_ARGUMENTS_SHORT) {
        snprintf(text, sizeof text, "%02x", code - FISQL_CODE_ARGUMENTS_SHORT);
        return count == 1 ? text : "too many units";
    }
    if (count != 1 + (bytes + 1) / 2)
        return "wrong number of units";
    for (uint32_t i = 0; i < bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", ((unsigned char *)(units + 1))[i]);
    return text;
}

static void check_value(const char *what, const char *expected, uint32_t index)
{
    const char *found = written(index);
    check(strcmp(expected, found) == 0, "%s: %s, not %s", what, expected, found);
}

/* ---- tests ---- */

#define REGISTER(kind, bytes)                                                                      \
    {                                                                                              \
        .where = FISQL_WHERE_REGISTER, .what = FISQL_WHAT_##kind, .size = bytes, .base = 3         \
    }
#define IN_MEMORY(kind, bytes)                                                                     \
    {                                                                                              \
        .where = FISQL_WHERE_MEMORY, .what = FISQL_WHAT_##kind, .size = bytes, .base = 12,         \
        .anywhere = 1                                                                              \
    }

static const struct fisql_recipe_value cases[] = {
    /* 0 */ REGISTER(SIGNED, 4),
    REGISTER(SIGNED, 1),
    REGISTER(UNSIGNED, 8),
    REGISTER(POINTER, 8),
    /* 4 */
    {.where = FISQL_WHERE_MEMORY,
     .what = FISQL_WHAT_SIGNED,
     .size = 4,
     .base = VALUES_STACK_POINTER,
     .offset = 8},
    /* 5 */
    {.where = FISQL_WHERE_SUM, .what = FISQL_WHAT_SIGNED, .size = 8, .base = 3, .offset = -5},
    /* 6 */ {.where = FISQL_WHERE_CONSTANT, .what = FISQL_WHAT_SIGNED, .size = 4, .constant = 300},
    /* 7 */ {.where = FISQL_WHERE_ABSENT, .what = FISQL_WHAT_SIGNED, .size = 4},
    /* 8 */ {.where = FISQL_WHERE_VECTOR, .what = FISQL_WHAT_FLOAT, .size = 8, .base = 1},
    /* 9 */ REGISTER(TEXT, 8),
    IN_MEMORY(SIGNED, 4),
    IN_MEMORY(TEXT, 8),
    /* 12 */
    {.where = FISQL_WHERE_REGISTER, .what = FISQL_WHAT_SIGNED, .size = 2, .base = 12, .through = 1},
    /* 13 */ {.where = FISQL_WHERE_REGISTER, .what = FISQL_WHAT_STRING, .size = 32, .base = 12},
    /* 14 */
    {.where = FISQL_WHERE_PIECES, .what = FISQL_WHAT_BYTES, .size = 12, .base = 2, .constant = 15},
    /* 15 */ {.where = FISQL_WHERE_REGISTER, .what = FISQL_WHAT_BYTES, .size = 8, .base = 3},
    /* 16 */
    {.where = FISQL_WHERE_CONSTANT, .what = FISQL_WHAT_BYTES, .size = 4, .constant = 0x04030201},
    /* 17 */ {.where = FISQL_WHERE_REGISTER, .what = FISQL_WHAT_VIEW, .size = 16, .base = 12},
    /* 18 */
    {.where = FISQL_WHERE_MEMORY,
     .what = FISQL_WHAT_STRING_CXX1,
     .size = 24,
     .base = 12,
     .anywhere = 1,
     .object = 1},
    /* 19 */
    {.where = FISQL_WHERE_ADDRESS, .what = FISQL_WHAT_POINTER, .size = 8, .constant = 0x101000},
};

static void test_numbers(void)
{
    uint64_t *ebx = &call.frame.general[3];
    call.frame.general[VALUES_STACK_POINTER] = stack_of_call();
    *ebx = 0xffffffff00000007u;
    check_value("an int is 4 bytes of its register", "27", 0);
    *ebx = (uint64_t)-33;
    check_value("-33 takes 2 bytes", "a1dfff", 0);
    *ebx = 100000;
    check_value("100,000 takes 4", "a2a0860100", 0);
    *ebx = 0xff;
    check_value("a signed char of 0xff is -1", "1f", 1);
    *ebx = UINT64_MAX;
    check_value("the largest unsigned", "a4ffffffffffffffff", 2);
    *ebx = INT64_MAX;
    check_value("the largest signed", "a3ffffffffffffff7f", 2);
    *ebx = 0x123456789abc;
    check_value("a pointer of 48 bits", "a5bc9a78563412", 3);
    *ebx = (uint64_t)1 << 50;
    check_value("a longer one", "a60000000000000400", 3);
    *ebx = 0;
    check_value("NULL", "a7", 3);
    call.stack[1] = 0xffffffff00000009u;
    check_value("on the stack", "29", 4);
    *ebx = 0;
    check_value("a register and an offset", "1b", 5);
    check_value("a constant", "a12c01", 6);
    check_value("what is not known there", "b0", 7);
    check_value("an address in the module",
                "a50010500000"
                "00",
                19);
    memcpy(call.frame.vector[1], (const unsigned char[]){1, 2, 3, 4, 5, 6, 7, 8}, 8);
    check_value("a double in a vector register", "a90102030405060708", 8);
    *ebx = 0x0807060504030201;
    check_value("a struct in pieces", "ac0c010203040506070801020304", 14);
}

/* Two pages, the second of which cannot be read. */
static char *page_end(void)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + 4096, 4096);
    return pages + 4096;
}

static void test_memory(void)
{
    uint64_t *rbx = &call.frame.general[3], *r12 = &call.frame.general[12];
    char *end = page_end(), *text;
    strcpy(end - 4, "abc");
    *rbx = (uint64_t)(uintptr_t)(end - 4);
    check_value("a text that ends with its page", "c3616263", 9);
    memcpy(end - 4, "abcd", 4);
    check_value("one that goes on where nothing is", "b1", 9);
    *rbx = 0;
    check_value("no text", "a7", 9);
    *rbx = 0x10;
    check_value("an address in the first page", "b1", 9);
    *rbx = (uint64_t)(uintptr_t)(text = strdup("twenty bytes of text and more"));
    check_value("a longer one is cut", "ae14007477656e7479206279746573206f662074657874", 9);
    *r12 = (uint64_t)(uintptr_t)(end - 4);
    check_value("4 bytes at a page's end", "a261626364", 10);
    *r12 = (uint64_t)(uintptr_t)(end - 3);
    check_value("a byte beyond it", "b1", 10);
    *r12 = (uint64_t)(uintptr_t)&text;
    check_value("a pointer to a pointer", "ae14007477656e7479206279746573206f662074657874", 11);
    const int16_t number = -2;
    *r12 = (uint64_t)(uintptr_t)&number;
    check_value("a reference", "1e", 12);
    *r12 = 8;
    check_value("one to nowhere", "b1", 12);
    const struct {
        const char *start;
        uint64_t bytes;
    } string = {text, 3};
    *r12 = (uint64_t)(uintptr_t)&string;
    check_value("a std::string", "c3747765", 13);
    const struct {
        uint64_t bytes;
        const char *start;
    } view = {0, NULL};
    *r12 = (uint64_t)(uintptr_t)&view;
    check_value("an empty std::string_view of nothing", "c0", 17);
    const unsigned char small[24] = {2 << 1, 'h', 'i'};
    *r12 = (uint64_t)(uintptr_t)small;
    check_value("a short string of libc++", "c26869", 18);
    free(text);
}

static void test_all(void)
{
    uint32_t all = sizeof cases / sizeof cases[0];
    call.frame.general[3] = 0;
    call.frame.general[12] = 8;
    check_value("all values of a call",
                "202020a7291ba12c01b0a90102030405060708a7b1b1b1b1"
                "ac0c000000000000000001020304ac080000000000000000ac0401020304b1b1a500105000"
                "0000",
                all);
}

static void test_lookup(void)
{
    uint64_t address = hook_address(0) + BIAS;
    uint64_t word = recipe_word(address);
    check(recipe_of(word & ~RECIPE_VOLATILE, address, FUNCTION + BIAS) != NULL, "a hook is found");
    check(recipe_of(word, address, FUNCTION + BIAS + 1) == NULL, "not for another function");
    check(recipe_of(word, address + 1, FUNCTION + BIAS) == NULL, "nor at another address");
    check(recipe_word(address + 1) == 0, "where no hook is there is no recipe");
    module_known = false;
    uint64_t later = 0x700010;
    check(recipe_word(later) == 0 && recipe_cache[later / 8 % RECIPE_PLACES].address != later,
          "that is not kept where the module is not known yet");
    module_known = true;
    check(recipe_word(later) == 0 && recipe_cache[later / 8 % RECIPE_PLACES].address == later,
          "but where it is");
    check(!recipes_module("/other", 0, START, END), "another module at its place has none");
    check(recipe_word(address) == 0, "and what was known is forgotten");
    check(recipes_module(PATH, BIAS, START, END) && recipe_word(address) != 0,
          "until it comes back");
}

int main(void)
{
    process.pid = (uint32_t)getpid();
    log_made = calloc(1, sizeof *log_made);
    area_make(cases, sizeof cases / sizeof cases[0]);
    test_numbers();
    test_memory(); /* by process_vm_readv() */
    read_setup();
    test_memory(); /* directly, and as probe() tells */
    test_all();
    test_lookup();
    free(log_made);
    return check_status();
}
