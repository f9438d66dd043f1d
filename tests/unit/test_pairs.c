/* Pairs: the same two addresses mean the same pair until a module is unloaded, and never that of
 * another time again. */
#include "loader/calls/pairs.h"
#include "tests/unit/check.h"

#define ROUNDS 300u
#define PLUGIN 0x40100u
#define SITE 0x10010u

/* Round i loads one of two libraries at the same place, at tick 100 i, and unloads it at tick
 * 100 i + 60: the first one in rounds 0 to 99 and 200 to 299, the other one between. */
static bool is_other(uint32_t round)
{
    return round / 100 % 2 == 1;
}

static void make_modules(struct log_module modules[ROUNDS])
{
    static char one[] = "/nonexistent/one.so", other[] = "/nonexistent/other.so";
    for (uint32_t i = 0; i < ROUNDS; i++)
        modules[ROUNDS - 1 - i] = (struct log_module){.path = is_other(i) ? other : one,
                                                      .start = 0x40000,
                                                      .end = 0x50000,
                                                      .load_tick = 100 * i,
                                                      .unload_tick = 100 * i + 60};
}

static void reloaded(struct pairs *pairs, struct program *program)
{
    struct error error;
    uint32_t first = 0, again = 0, index = 0, wrong = 0, module_of[2] = {0, 0};
    bool failed = false;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        failed |= pairs_find(pairs, program, PLUGIN, SITE, 100 * i + 10, &first, &error) != 0;
        failed |= pairs_find(pairs, program, PLUGIN, SITE, 100 * i + 59, &again, &error) != 0;
        wrong += first != again || first != i;
        uint32_t function = pairs->items[first].function;
        uint32_t module = program->functions[function - 1].module;
        if (module_of[is_other(i)] == 0)
            module_of[is_other(i)] = module;
        wrong += module_of[is_other(i)] != module;
    }
    check(!failed, "300 loads of two libraries at one place are resolved");
    check_equal(0, wrong, "each time has its pair, and that is of the library of its time");
    check(module_of[0] != module_of[1] && module_of[0] != 0, "which are two modules");
    pairs_find(pairs, program, PLUGIN, SITE, 60, &index, &error);
    check_equal(1, index, "at the tick of an unload the next time has begun");
    check_equal(2, program->functions_count, "with a function each");
}

static void different(struct pairs *pairs, struct program *program)
{
    struct error error;
    uint32_t a = 0, b = 0, c = 0;
    uint64_t high = UINT64_C(1) << 63;
    pairs_find(pairs, program, PLUGIN, SITE, 0, &a, &error);
    pairs_find(pairs, program, PLUGIN, SITE + 1, 0, &b, &error);
    pairs_find(pairs, program, PLUGIN, SITE | high, 0, &c, &error);
    check(a != b && b != c && a != c, "a pair differs by any bit of its site");
    pairs_find(pairs, program, PLUGIN | high, SITE, 0, &b, &error);
    check(a != b && b != c, "and of its function");
    check(pairs->items[a].function_address == PLUGIN && pairs->items[a].site_address == SITE,
          "and keeps the addresses");
}

static void begun_again(struct pairs *pairs, struct program *program, const struct log_index *index)
{
    struct error error;
    uint32_t pair = 7;
    pairs->items[0].open = 3;
    pairs->items[0].inherited = 2;
    pairs_begin_thread(pairs);
    check(pairs->items[0].open == 0 && pairs->items[0].inherited == 0,
          "a thread begins without open calls");
    check_equal(0, pairs_begin_process(pairs, index, 1, &error), "another process begins");
    pairs_find(pairs, program, PLUGIN, SITE, 100 * ROUNDS, &pair, &error);
    check_equal(0, pair, "with other pairs, numbered from 0");
    check_equal(0, pairs->unloads_count, "and other unloads");
    check_equal(0, program->functions[pairs->items[pair].function - 1].module, "in no module");
}

int main(void)
{
    static struct log_module modules[ROUNDS];
    static struct log_process processes[2];
    struct log_index index = {
        .modules = modules, .modules_count = ROUNDS, .processes = processes, .processes_count = 2};
    struct symbols_options options = {.threads = 1};
    struct program program;
    struct pairs pairs;
    struct error error = {.text = ""};
    make_modules(modules);
    pairs_init(&pairs);
    pairs_release(&pairs);
    check(program_open(&program, &index, &options, &error) == 0, "a program of two modules %s",
          error.text);
    check_equal(0, pairs_begin_process(&pairs, &index, 0, &error), "the process begins");
    reloaded(&pairs, &program);
    different(&pairs, &program);
    begun_again(&pairs, &program, &index);
    pairs_release(&pairs);
    pairs_release(&pairs);
    program_release(&program);
    return check_status();
}
