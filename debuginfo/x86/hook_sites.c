/*
 * Calls of the hooks: see hook_sites.h. We look for calls at every byte (x86-64), as hook_calls.c
 * does, and follow the way back instruction by instruction.
 */
#include "debuginfo/x86/hook_sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "debuginfo/x86/hook_calls.h"
#include "debuginfo/x86/x86_code.h"

#define WAY_INSTRUCTIONS_MAX 200 /* from the exit hook to the return, over all branches */
#define WAY_BRANCHES_MAX 16

struct finder {
    struct hook_sites *sites;
    const struct elf_file *module;
    struct hook_calls enter, exit;
    struct hook_calls fails; /* __stack_chk_fail, which does not come back */
    struct error *error;
};

struct way {
    const struct finder *finder;
    uint64_t pending[WAY_BRANCHES_MAX];
    unsigned pending_count, steps;
};

static bool postpone(struct way *way, uint64_t address)
{
    if (way->pending_count == WAY_BRANCHES_MAX)
        return false;
    way->pending[way->pending_count++] = address;
    return true;
}

/* Follows x86-64 code to its return and puts branches aside. */
static bool way_x86(struct way *way, uint64_t address)
{
    const struct finder *finder = way->finder;
    while (way->steps++ < WAY_INSTRUCTIONS_MAX) {
        struct x86_instruction instruction = x86_read(finder->module, address);
        if (instruction.length == 0)
            return false;
        switch (instruction.flow) {
        case X86_RETURN:
            return true;
        case X86_CALL:
            return hook_calls_is_target(&finder->fails, instruction.target);
        case X86_CALL_WORD:
            return hook_calls_is_slot(&finder->fails, instruction.target);
        case X86_BRANCH:
            if (!postpone(way, instruction.target))
                return false;
            break;
        case X86_JUMP:
            address = instruction.target;
            continue;
        case X86_NEXT:
            break;
        default:
            return false;
        }
        address += instruction.length;
    }
    return false;
}

static uint64_t arm_target(uint64_t address, uint32_t word, unsigned from, unsigned bits)
{
    int64_t distance = (int64_t)((uint64_t)(word >> from) << (64 - bits)) >> (64 - bits);
    return address + (uint64_t)distance * 4;
}

static bool way_arm(struct way *way, uint64_t address)
{
    while (way->steps++ < WAY_INSTRUCTIONS_MAX) {
        const unsigned char *code = elf_file_at(way->finder->module, address, 4);
        uint32_t word;
        if (code == NULL)
            return false;
        memcpy(&word, code, 4);
        if (word == 0xd65f03c0u || word == 0xd65f0bffu ||
            word == 0xd65f0fffu) /* ret, retaa, retab */
            return true;
        if ((word & 0xfc000000u) == 0x94000000u) /* bl */
            return hook_calls_is_target(&way->finder->fails, arm_target(address, word, 0, 26));
        if ((word & 0xfc000000u) == 0x14000000u) { /* b */
            address = arm_target(address, word, 0, 26);
            continue;
        }
        bool conditional = (word & 0xff000010u) == 0x54000000u; /* b.cond */
        bool compare = (word & 0x7e000000u) == 0x34000000u;     /* cbz, cbnz */
        bool test = (word & 0x7e000000u) == 0x36000000u;        /* tbz, tbnz */
        if ((conditional || compare) && !postpone(way, arm_target(address, word, 5, 19)))
            return false;
        if (test && !postpone(way, arm_target(address, word, 5, 14)))
            return false;
        /* Other branches, exceptions: br, blr, svc, brk, ... */
        if (!conditional && !compare && !test && (word & 0x1c000000u) == 0x14000000u &&
            (word & 0xfffff01fu) != 0xd503201fu && (word & 0xfff00000u) != 0xd5300000u &&
            (word & 0xfff00000u) != 0xd5100000u)
            return false;
        address += 4;
    }
    return false;
}

/* Do all ways from here end in a return before anything is called? */
static bool leads_back(const struct finder *finder, uint64_t address)
{
    struct way way = {.finder = finder};
    uint64_t at = address;
    for (;;) {
        if (!(finder->module->machine == EM_X86_64 ? way_x86(&way, at) : way_arm(&way, at)))
            return false;
        if (way.pending_count == 0)
            return true;
        at = way.pending[--way.pending_count];
    }
}

static int add_site(struct finder *finder, uint64_t after, bool exit)
{
    struct hook_sites *sites = finder->sites;
    if (array_reserve(&sites->items, &sites->capacity, sites->count + 1, finder->error) != 0)
        return -1;
    sites->items[sites->count++] =
        (struct hook_site){after, exit, exit && leads_back(finder, after)};
    return 0;
}

static int find_x86(struct finder *finder, const struct elf_section *section)
{
    const unsigned char *code = section->data;
    for (uint64_t i = 0; i + 5 <= section->size_bytes; i++) {
        int32_t distance;
        bool word = code[i] == 0xff && code[i + 1] == 0x15 && i + 6 <= section->size_bytes;
        if (code[i] != 0xe8 && !word)
            continue;
        uint64_t after = section->address + i + (word ? 6 : 5);
        memcpy(&distance, code + i + (word ? 2 : 1), 4);
        uint64_t target = after + (uint64_t)(int64_t)distance;
        for (unsigned exit = 0; exit < 2; exit++) {
            const struct hook_calls *hooks = exit != 0 ? &finder->exit : &finder->enter;
            if ((word ? hook_calls_is_slot(hooks, target) : hook_calls_is_target(hooks, target)) &&
                add_site(finder, after, exit != 0) != 0)
                return -1;
        }
    }
    return 0;
}

static int find_arm(struct finder *finder, const struct elf_section *section)
{
    for (uint64_t i = 0; i + 4 <= section->size_bytes; i += 4) {
        uint32_t word;
        memcpy(&word, section->data + i, 4);
        if ((word & 0xfc000000u) != 0x94000000u)
            continue;
        uint64_t address = section->address + i, target = arm_target(address, word, 0, 26);
        bool exit = hook_calls_is_target(&finder->exit, target);
        if ((exit || hook_calls_is_target(&finder->enter, target)) &&
            add_site(finder, address + 4, exit) != 0)
            return -1;
    }
    return 0;
}

static int by_address(const void *left, const void *right)
{
    const struct hook_site *a = left, *b = right;
    return (a->after > b->after) - (a->after < b->after);
}

int hook_sites_find(struct hook_sites *sites, const struct elf_file *module,
                    const struct elf_file *names, struct error *error)
{
    struct finder finder = {.sites = sites, .module = module, .error = error};
    *sites = (struct hook_sites){0};
    int result = hook_calls_open(&finder.enter, HOOK_ENTER_NAME, module, names, error);
    if (result == 0)
        result = hook_calls_open(&finder.exit, HOOK_EXIT_NAME, module, names, error);
    if (result == 0)
        result = hook_calls_open(&finder.fails, "__stack_chk_fail", module, names, error);
    for (uint32_t i = 0; i < module->sections_count && result == 0; i++) {
        const struct elf_section *section = &module->sections[i];
        if ((section->flags & SHF_EXECINSTR) == 0 || section->data == NULL ||
            strncmp(section->name, ".plt", 4) == 0 ||
            section->size_bytes > UINT64_MAX - section->address)
            continue;
        if (module->machine == EM_X86_64)
            result = find_x86(&finder, section);
        else if (module->machine == EM_AARCH64)
            result = find_arm(&finder, section);
    }
    if (sites->count > 0)
        qsort(sites->items, sites->count, sizeof *sites->items, by_address);
    hook_calls_close(&finder.enter);
    hook_calls_close(&finder.exit);
    hook_calls_close(&finder.fails);
    return result;
}

void hook_sites_release(struct hook_sites *sites)
{
    free(sites->items);
    *sites = (struct hook_sites){0};
}

size_t hook_sites_from(const struct hook_sites *sites, uint64_t address)
{
    return sorted_from(sites->items, sites->count, after, address);
}
