/*
 * Addresses of processes to functions and sites, by where modules lay at the time: loads, unloads,
 * forks, what lies nowhere. The module is this test program itself; a log says where it lay.
 */
#include "loader/program/program.h"
#include "tests/unit/check.h"
#include "tests/unit/log_builder.h"

#include <stdlib.h>
#include <unistd.h>

static char path[512];
static struct log_builder built;
static struct log_index index_;
static struct program program;
static struct error failure;
static const struct symbols_options options = {.all_modules = true};

static void open_program(const char *what)
{
    log_write(&built, path);
    int status = log_index_read(&index_, path, NULL, NULL, NULL, &failure);
    if (status == 0)
        status = program_open(&program, &index_, &options, &failure);
    check(status == 0, "%s: opened%s%s", what, status == 0 ? "" : ": ",
          status == 0 ? "" : failure.text);
}

static void release(void)
{
    program_release(&program);
    log_index_release(&index_);
    built.bytes = 0;
}

/* A module's load or unload, of addresses [bias, bias + 16 MiB). */
static void add_module(uint64_t process, const char *name, const char *event, uint64_t tick,
                       uint64_t bias)
{
    char facts[600];
    int length =
        snprintf(facts, sizeof facts,
                 "module%c%s%cevent%c%s%ctick%c%llu%cbias%c%llx%cstart%c%llx%cend%c%llx", 0, name,
                 0, 0, event, 0, 0, (unsigned long long)tick, 0, 0, (unsigned long long)bias, 0, 0,
                 (unsigned long long)bias, 0, 0, (unsigned long long)bias + (16 << 20));
    struct fisql_chunk chunk = {
        .kind = FISQL_CHUNK_MODULES, .run_id = LOG_RUN, .process_key = process, .pid = 100};
    log_add(&built, chunk, facts, (size_t)length + 1);
}

static uint32_t function_at(uint32_t process, uint64_t address, uint64_t tick)
{
    uint32_t id = 0;
    check(program_function(&program, process, address, tick, &id, &failure) == 0, "a function");
    return id;
}

static uint32_t site_at(uint32_t process, uint64_t address, uint64_t tick)
{
    uint32_t id = 0;
    check(program_site(&program, process, address, tick, &id, &failure) == 0, "a site");
    return id;
}

/* The address in its file of this program's function `main`; 0 = not found. */
static uint64_t address_of_main(const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->functions_count; i++)
        if (strcmp(symbols->functions[i].name, "main") == 0)
            return symbols->functions[i].address;
    return 0;
}

static void test_loads(const char *self)
{
    add_module(1, self, "load", 10, 0x10000000);
    add_module(1, self, "unload", 50, 0x10000000);
    add_module(1, "/nowhere/other.so", "load", 60, 0x10000000);
    add_module(1, self, "load", 70, 0x40000000);
    open_program("loads and unloads");
    check_equal(2, program.modules_count, "a module that is loaded twice is one");
    uint64_t address = address_of_main(&program.modules[0].symbols);
    check(address > 0 && address < 16 << 20, "it has its symbols");
    uint32_t id = function_at(0, 0x10000000 + address, 20);
    const struct program_function *function = &program.functions[id - 1];
    check(function->symbol != NULL && strcmp(function->symbol->name, "main") == 0 &&
              function->module == 1 && function->called,
          "an address is its function");
    check_equal(id, function_at(0, 0x10000000 + address + 1, 20), "all of its code is it");
    check_equal(id, function_at(0, 0x40000000 + address, 80), "wherever it lies");
    check_equal(id, function_at(0, 0x10000000 + address, 5), "a load may be noted a bit late");
    uint32_t other = function_at(0, 0x10000000 + address, 65);
    check(other != id && program.functions[other - 1].module == 2 &&
              program.functions[other - 1].symbol == NULL &&
              program.functions[other - 1].address == address,
          "after the unload the address is the next module's");
    check_equal(other, function_at(0, 0x10000000 + address, 66), "unknown functions are one each");
    uint32_t nowhere = function_at(0, 0x90000000, 20);
    check(program.functions[nowhere - 1].module == 0 &&
              program.functions[nowhere - 1].address == 0x90000000,
          "what lies in no module is a function, too");
    check(site_at(0, 0x10000000 + address, 20) == site_at(0, 0x40000000 + address, 80) &&
              site_at(0, 0x10000000 + address, 20) != site_at(0, 0x10000000 + address, 65) &&
              site_at(0, 0x90000000, 20) == 3,
          "sites are told apart by module and address");
    release();
}

static void test_forks(const char *self)
{
    add_module(1, self, "load", 10, 0x10000000);
    add_module(1, self, "unload", 100, 0x10000000);
    log_add_facts(&built, FISQL_CHUNK_PROCESS, 1, "origin\0start");
    log_add_facts(&built, FISQL_CHUNK_PROCESS, 2,
                  "origin\0fork\0parent_process\0"
                  "1\0start_tick\0"
                  "50");
    log_add_facts(&built, FISQL_CHUNK_PROCESS, 3,
                  "origin\0exec\0parent_process\0"
                  "1\0start_tick\0"
                  "50");
    log_add_facts(&built, FISQL_CHUNK_PROCESS, 4,
                  "origin\0fork\0parent_process\0"
                  "2\0start_tick\0"
                  "60");
    open_program("forks");
    uint64_t address = 0x10000000 + address_of_main(&program.modules[0].symbols);
    uint32_t id = 0;
    for (uint32_t i = 0; i < index_.processes_count; i++)
        if (index_.processes[i].key == 1)
            id = function_at(i, address, 20);
    for (uint32_t i = 0; i < index_.processes_count; i++) {
        uint64_t key = index_.processes[i].key;
        if (key == 2 || key == 4)
            check_equal(id, function_at(i, address, 500),
                        "a forked child has the modules of the fork");
        if (key == 3)
            check(function_at(i, address, 500) != id, "an exec'd image has none of them");
    }
    release();
}

int main(void)
{
    const char *folder = getenv("TEST_TMP");
    char self[400] = "";
    snprintf(path, sizeof path, "%s/test_program.bin", folder != NULL ? folder : "/tmp");
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    test_loads(self);
    test_forks(self);
    unlink(path);
    return check_status();
}
