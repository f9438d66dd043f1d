/*
 * Patching a module: see patch_module.h. Stubs are written before they can run; the module's text is
 * writable only while the jumps are written, and stays executable meanwhile, because other threads
 * may run there.
 */
#include "collector/patch/patch_module.h"

#include "collector/core/file.h"
#include "collector/core/filter_passes.h"
#include "collector/core/live_area.h"
#include "collector/patch/patch_area.h"
#include "collector/patch/patch_code.h"
#include "collector/patch/patch_hook.h"
#include "collector/patch/patch_kept.h"
#include "collector/patch/patch_shown.h"
#include "collector/process/process.h"
#include "formats/patch_areas.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef FISQL_PATCHES
#define AREAS_MAX FISQL_PATCH_AREAS_MAX
#define MOVED_MAX 18u /* bytes: instructions that begin in a jump's bytes */

static struct patch_area *areas; /* mapped when the first is needed: most processes need none */
static uint32_t areas_used;      /* atomic; 0 without areas */

/* ---- where stubs lie ---- */

static unsigned char *map_at(uint64_t address, uint64_t bytes)
{
    void *wanted = (void *)(uintptr_t)address;
    void *memory = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (memory != wanted) {
        munmap(memory, bytes);
        return NULL;
    }
    return memory;
}

/* Maps memory from which all of [low, high) can be reached: below it, where nothing grows; else
 * above it, as far away as possible, because the program's break may grow there. NULL: there is no
 * room. */
static unsigned char *map_near(uint64_t low, uint64_t high, uint64_t bytes)
{
    uint64_t step = (bytes + ((uint64_t)1 << 20)) & ~(uint64_t)(PATCH_PAGE - 1);
    if (high - low > PATCH_REACH - bytes)
        return NULL;
    low &= ~(uint64_t)(PATCH_PAGE - 1);
    for (uint64_t at = low - bytes; at < low && at >= 65536 && high - at < PATCH_REACH;
         at -= step) {
        unsigned char *memory = map_at(at, bytes);
        if (memory != NULL)
            return memory;
        if (at < step)
            break;
    }
    uint64_t top = (low + PATCH_REACH - bytes) & ~(uint64_t)(PATCH_PAGE - 1);
    for (uint64_t at = top; at >= high; at -= step) {
        unsigned char *memory = map_at(at, bytes);
        if (memory != NULL)
            return memory;
    }
    return NULL;
}

/* ---- what stubs hold ---- */

/* Completes an aarch64 branch; false if the target is out of its reach. */
static bool branch_to(unsigned char *place, uint64_t target)
{
    int64_t words = (int64_t)(target - (uint64_t)(uintptr_t)place) / 4;
    int64_t limit = (FISQL_PATCH_BRANCH_MASK + 1) / 2;
    uint32_t instruction;
    if (words < -limit || words >= limit)
        return false;
    memcpy(&instruction, place, sizeof instruction);
    instruction |= (uint32_t)words & FISQL_PATCH_BRANCH_MASK;
    memcpy(place, &instruction, sizeof instruction);
    return true;
}

static bool relocate(unsigned char *code, const struct fisql_patch *plan, uint64_t bias)
{
    const struct fisql_patch_fixup *fixups = fisql_patch_fixups(plan);
    for (uint32_t i = 0; i < plan->fixups_count; i++) {
        const struct fisql_patch_fixup *fixup = &fixups[i];
        unsigned char *place = code + fixup->place;
        uint64_t target = fixup->target + bias;
        if (fixup->kind == FISQL_PATCH_ABSOLUTE) {
            memcpy(place, &target, sizeof target);
            continue;
        }
        if (fixup->kind == FISQL_PATCH_BRANCH) {
            if (!branch_to(place, target))
                return false;
            continue;
        }
        int64_t distance = (int64_t)(target - (uint64_t)(uintptr_t)place - 4 - fixup->trailing);
        int32_t displacement = (int32_t)distance;
        if (displacement != distance)
            return false;
        memcpy(place, &displacement, sizeof displacement);
    }
    return true;
}

/* Which call site does not matter, but few functions should share one. On aarch64 it is the
 * collector's code for entries, which chooses a site. */
uint64_t patch_led_to(uint64_t function)
{
#ifdef __aarch64__
    (void)function;
    return (uint64_t)(uintptr_t)patch_entered;
#else
    uint64_t hash = function * 0x9e3779b97f4a7c15u >> 32;
    uint64_t others = PATCH_SITES - PATCH_SITES_KEPT - PATCH_SITES_TIMED;
    uint64_t index = PATCH_SITES_TIMED + hash % others;
#if PATCH_SITES_KEPT > 0
    if (patch_values_wanted(function))
        index = PATCH_SITES_TIMED + others + hash % PATCH_SITES_KEPT;
#endif
    return (uint64_t)(uintptr_t)patch_sites + index * PATCH_SITE_BYTES;
#endif
}

#ifdef __aarch64__
struct patch_hooks patch_choose_hooks(void)
{
    uint64_t entered = (uint64_t)(uintptr_t)patch_entered;
    return (struct patch_hooks){entered, entered};
}
#else
struct patch_hooks patch_choose_hooks(void)
{
    static const struct {
        void (*entered)(void), (*entered_leaf)(void), (*returned)(void);
    } hooks[] = {
        [CLOCK_COUNTER] = {patch_entered, patch_entered, patch_returned},
        [CLOCK_SYSTEM] = {patch_enter_again, patch_enter_again, patch_returned_slowly},
        [CLOCK_SWITCHED_OFF] = {patch_entered_untimed, PATCH_LEAF(patch_entered_untimed),
                                patch_returned_untimed},
        [CLOCK_SAMPLED] = {patch_entered_sampled, PATCH_LEAF(patch_entered_sampled),
                           patch_returned_sampled},
    };
    patch_returned_by_clock =
        process.options.min_ticks != 0 ? patch_returned_slowly : hooks[process.clock].returned;
    return (struct patch_hooks){(uint64_t)(uintptr_t)hooks[process.clock].entered,
                                (uint64_t)(uintptr_t)hooks[process.clock].entered_leaf};
}
#endif

static void stubs_point(unsigned char *code, const struct fisql_patch *plan, uint64_t bias)
{
    const struct fisql_patch_entry *entries = fisql_patch_entries(plan);
    for (uint32_t i = 0; i < plan->entries_count; i++) {
        uint64_t function = fisql_patch_function(&entries[i]) + bias;
        uint64_t words[2] = {function, patch_led_to(function)};
        memcpy(code + entries[i].stub - sizeof words, words, sizeof words);
    }
}

/* Makes the stubs. NULL, or why it cannot be done. */
static const char *area_make(struct patch_area *area, const struct fisql_patch *plan, uint64_t bias)
{
    struct patch_hooks hooks = patch_choose_hooks();
    area->bytes =
        (FISQL_PATCH_HEAD + plan->code_bytes + PATCH_PAGE - 1) & ~(uint64_t)(PATCH_PAGE - 1);
    area->memory = map_near(plan->low + bias, plan->high + bias, area->bytes);
    if (area->memory == NULL)
        return "there is no room for stubs within reach of its code";
    memcpy(area->memory, &hooks, sizeof hooks);
    unsigned char *code = area->memory + FISQL_PATCH_HEAD;
    memcpy(code, fisql_patch_code(plan), plan->code_bytes);
    bool fits = relocate(code, plan, bias);
    stubs_point(code, plan, bias);
    patch_code_changed(code, plan->code_bytes);
    if (fits && mprotect(area->memory, area->bytes, PROT_READ | PROT_EXEC) == 0)
        return NULL;
    munmap(area->memory, area->bytes);
    area->memory = NULL;
    return fits ? "the system lets no new code run (SELinux, PaX, prctl)"
                : "what fisql record says of it does not fit it";
}

/* ---- the jumps ---- */

static bool entry_is(const struct fisql_patch_entry *entry, uint64_t bias)
{
    return memcmp((const void *)(uintptr_t)(entry->address + bias), entry->before,
                  fisql_patch_taken(entry)) == 0;
}

static bool can_move(const struct fisql_patch_entry *entry)
{
    return (entry->flags & FISQL_PATCH_CALLS) == 0 || !patch_code_returns_kept();
}

static const uint64_t *left_out;
static uint64_t left_out_count;

void patch_module_leave_out(const uint64_t *addresses, uint64_t count)
{
    left_out = addresses;
    left_out_count = count;
}

/* May a thread be about to go on in these bytes? */
static bool is_left_out(uint64_t start, uint64_t bytes)
{
    for (uint64_t i = 0; i < left_out_count; i++)
        if (left_out[i] > start && left_out[i] < start + bytes)
            return true;
    return false;
}

/* Patching among running threads. What begins where a hop will lie is part of its donor. */
static bool may_change(const struct patch_area *area, const struct fisql_patch_entry *entry)
{
    const struct fisql_patch_entry *entries = fisql_patch_entries(area->plan);
    uint64_t bias = area->bias, hop = fisql_patch_jump(entry) + bias;
    return fisql_patch_fits_running(entries, area->plan->entries_count,
                                    (uint32_t)(entry - entries)) &&
           !is_left_out(entry->address + bias, fisql_patch_taken(entry)) &&
           (entry->hop == 0 || !is_left_out(hop - 1, FISQL_PATCH_JUMP + 1));
}

uint32_t patch_module_left(const struct patch_area *area, uint32_t *from, uint64_t *functions,
                           uint32_t room)
{
    const struct fisql_patch_entry *entries = fisql_patch_entries(area->plan);
    uint32_t count = 0;
    for (; *from < area->plan->entries_count && count < room; ++*from)
        if (!may_change(area, &entries[*from]))
            functions[count++] = fisql_patch_function(&entries[*from]);
    return count;
}

static bool wanted(const struct patch_area *area, const struct fisql_patch_entry *entry)
{
    if (!can_move(entry))
        return false;
    if (process.orders != NULL && !may_change(area, entry))
        return false;
    return process.filtered == 0 || filter_passes(fisql_patch_function(entry) + area->bias);
}

/* In a process that we will leave, code is written through /proc/self/mem: the mapping's protection
 * never changes, which would take it to pieces. -1 = it is written in place. */
static int own_memory = -1;

static bool code_open(void *page, uint64_t bytes)
{
    return own_memory >= 0 || mprotect(page, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
}

static void code_close(void *page, uint64_t bytes)
{
    if (own_memory < 0)
        mprotect(page, bytes, PROT_READ | PROT_EXEC);
}

static bool code_put(uint64_t at, const unsigned char *code, size_t bytes)
{
    if (own_memory >= 0)
        return pwrite(own_memory, code, bytes, (off_t)at) == (ssize_t)bytes;
    memcpy((void *)(uintptr_t)at, code, bytes);
    return true;
}

static bool jump_write(const struct fisql_patch_entry *entry, const struct patch_area *area)
{
    unsigned char jump[PATCH_JUMP];
    uint64_t at = fisql_patch_jump(entry) + area->bias;
    uint64_t stub = (uint64_t)(uintptr_t)area->memory + FISQL_PATCH_HEAD + entry->stub;
    patch_code_jump(jump, at, stub);
    return code_put(at, jump, sizeof jump);
}

static bool jump_is_there(const struct fisql_patch_entry *entry, const struct patch_area *area)
{
    unsigned char jump[PATCH_JUMP];
    uint64_t at = fisql_patch_jump(entry) + area->bias;
    uint64_t stub = (uint64_t)(uintptr_t)area->memory + FISQL_PATCH_HEAD + entry->stub;
    patch_code_jump(jump, at, stub);
    return memcmp((const void *)(uintptr_t)at, jump, PATCH_JUMP) == 0;
}

/* Writes the jumps of entries [from, to), which lie in one run of pages. Returns how many; -1 = the
 * pages cannot be written. */
static int64_t run_write(const struct patch_area *area, uint32_t from, uint32_t to)
{
    const struct fisql_patch_entry *entries = fisql_patch_entries(area->plan);
    uint64_t low = (entries[from].address + area->bias) & ~(uint64_t)(PATCH_PAGE - 1);
    uint64_t high = (entries[to - 1].address + area->bias + FISQL_PATCH_JUMP + PATCH_PAGE - 1) &
                    ~(uint64_t)(PATCH_PAGE - 1);
    int64_t written = 0;
    if (patch_shown_is_off()) {
        for (uint32_t i = from; i < to; i++)
            written += entries[i].hop == 0 && wanted(area, &entries[i]);
        return written;
    }
    if (!code_open((void *)(uintptr_t)low, high - low))
        return -1;
    for (uint32_t i = from; i < to; i++)
        if (entries[i].hop == 0 && wanted(area, &entries[i]) && entry_is(&entries[i], area->bias))
            written += jump_write(&entries[i], area);
    patch_code_changed((unsigned char *)(uintptr_t)low, high - low);
    code_close((void *)(uintptr_t)low, high - low);
    return written;
}

/* Leads a donor that is left out past its hooks, to its moved instructions. */
static bool pass_write(const struct fisql_patch_entry *donor, const struct patch_area *area)
{
    unsigned char jump[PATCH_JUMP];
    uint64_t at = donor->address + area->bias;
    uint64_t stub = (uint64_t)(uintptr_t)area->memory + FISQL_PATCH_HEAD + donor->stub;
    patch_code_jump(jump, at, stub + FISQL_PATCH_MOVED);
    return code_put(at, jump, sizeof jump);
}

/* Patches a function by its hop. The donor's moved instructions are not run in place any more. */
static bool hop_write(const struct patch_area *area, uint32_t index)
{
    const struct fisql_patch_entry *entries = fisql_patch_entries(area->plan),
                                   *entry = &entries[index];
    const struct fisql_patch_entry *donor =
        &entries[fisql_patch_donor(entries, area->plan->entries_count, index)];
    bool jumps = jump_is_there(donor, area);
    bool passes =
        !jumps && process.orders == NULL && can_move(donor) && entry_is(donor, area->bias);
    if (!wanted(area, entry) || !entry_is(entry, area->bias) || (!jumps && !passes))
        return false;
    if (patch_shown_is_off())
        return true;
    uint64_t low = entry->address < donor->address ? entry->address : donor->address;
    uint64_t high = entry->address < donor->address ? donor->address : entry->address;
    void *page = (void *)(uintptr_t)((low + area->bias) & ~(uint64_t)(PATCH_PAGE - 1));
    uint64_t bytes = high + area->bias + 2 * FISQL_PATCH_JUMP - (uint64_t)(uintptr_t)page;
    if (!code_open(page, bytes))
        return false;
    unsigned char hop[FISQL_PATCH_SHORT_JUMP] = {0xeb, (unsigned char)entry->hop};
    bool written = (!passes || pass_write(donor, area)) && jump_write(entry, area) &&
                   code_put(entry->address + area->bias, hop, sizeof hop);
    code_close(page, bytes);
    return written;
}

static uint64_t page_of(uint64_t address)
{
    return address / PATCH_PAGE;
}

static const char *jumps_write(const struct patch_area *area, uint32_t *patched)
{
    const struct fisql_patch_entry *entries = fisql_patch_entries(area->plan);
    uint32_t count = area->plan->entries_count;
    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count; to++)
            if (page_of(entries[to].address) >
                page_of(entries[to - 1].address + FISQL_PATCH_JUMP - 1) + 1)
                break;
        int64_t written = run_write(area, from, to);
        if (written < 0)
            return *patched == 0 ? "its code cannot be made writable (SELinux, PaX, seccomp)"
                                 : NULL;
        *patched += (uint32_t)written;
    }
    for (uint32_t i = 0; i < count; i++)
        *patched += entries[i].hop != 0 && hop_write(area, i);
    return NULL;
}

/* ---- one function ---- */

bool patch_empty_function(uint64_t address, void (*instead)(void))
{
    unsigned char *code = (unsigned char *)(uintptr_t)address;
    uint64_t page = address & ~(uint64_t)(PATCH_PAGE - 1), bytes = PATCH_PAGE;
    uint64_t stub_bytes = PATCH_PAGE;
    if (!patch_code_is_empty(code))
        return false;
    unsigned char *stub = map_near(address, address + FISQL_PATCH_JUMP, stub_bytes);
    if (stub == NULL)
        return false;
    patch_code_far_jump(stub, (uint64_t)(uintptr_t)instead);
    if (mprotect(stub, stub_bytes, PROT_READ | PROT_EXEC) != 0 ||
        mprotect((void *)(uintptr_t)page, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        munmap(stub, stub_bytes);
        return false;
    }
    patch_code_changed(stub, PATCH_FAR_JUMP);
    patch_code_jump(code, address, (uint64_t)(uintptr_t)stub);
    patch_code_changed(code, FISQL_PATCH_JUMP);
    mprotect((void *)(uintptr_t)page, bytes, PROT_READ | PROT_EXEC);
    return true;
}

void patch_own_function_empty(uint64_t address)
{
    void *page = (void *)(uintptr_t)(address & ~(uint64_t)(PATCH_PAGE - 1));
    if (mprotect(page, PATCH_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    patch_code_return((unsigned char *)(uintptr_t)address);
    patch_code_changed((unsigned char *)(uintptr_t)address, FISQL_PATCH_JUMP);
    mprotect(page, PATCH_PAGE, PROT_READ | PROT_EXEC);
}

/* ---- the whole ---- */

static struct patch_area *area_free(void)
{
    if (areas == NULL) {
        void *memory = mmap(NULL, AREAS_MAX * sizeof *areas, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return NULL;
        areas = memory;
    }
    for (uint32_t i = 0; i < AREAS_MAX; i++)
        if (areas[i].start == 0) {
            if (i >= areas_used)
                __atomic_store_n(&areas_used, i + 1, __ATOMIC_RELEASE);
            return &areas[i];
        }
    return NULL;
}

const char *patch_module_prepare(const struct fisql_live_part *part,
                                 const struct feature_module *module, struct patch_area **made)
{
    const struct fisql_patch *plan = live_area_part(part->offset, part->bytes, false);
    struct patch_area *area = area_free();
    *made = NULL;
    if (plan == NULL || !fisql_patch_is_sound(plan, part->bytes, module->start - module->bias,
                                              module->end - module->bias))
        return "what fisql record says of it cannot be read";
    if (area == NULL)
        return "there are too many modules, or no memory";
    *area = (struct patch_area){.plan = plan, .bias = module->bias};
    const char *problem = area_make(area, plan, module->bias);
    if (problem != NULL)
        return problem;
    area->end = module->end;
    __atomic_store_n(&area->start, module->start, __ATOMIC_RELEASE);
    patch_shown_put((uint32_t)(area - areas), area, part);
    *made = area;
    return NULL;
}

const char *patch_module_write(const struct patch_area *area, uint32_t *patched)
{
    *patched = 0;
    if (process.orders != NULL)
        own_memory = file_open("/proc/self/mem", O_RDWR);
    const char *problem = jumps_write(area, patched);
    if (own_memory >= 0)
        close(own_memory);
    own_memory = -1;
    return problem;
}

const char *patch_module(const struct fisql_live_part *part, const struct feature_module *module,
                         uint32_t *patched)
{
    struct patch_area *area;
    const char *problem = patch_module_prepare(part, module, &area);
    *patched = 0;
    return problem != NULL ? problem : patch_module_write(area, patched);
}

struct patch_area *patch_area_of(uint64_t address)
{
    uint32_t used = __atomic_load_n(&areas_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++)
        if (areas[i].start != 0 && address >= areas[i].start && address < areas[i].end)
            return &areas[i];
    return NULL;
}

uint32_t patch_module_list(struct fisql_attach_area *list, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < areas_used && count < room; i++) {
        const struct patch_area *area = &areas[i];
        if (area->start != 0)
            list[count++] = (struct fisql_attach_area){area->start,
                                                       area->end,
                                                       (uint64_t)(uintptr_t)area->memory,
                                                       area->bytes,
                                                       (uint64_t)(uintptr_t)area->plan,
                                                       area->plan->bytes,
                                                       area->bias};
    }
    return count;
}

void patch_module_hide(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < areas_used; i++)
        if (areas[i].start != 0 && areas[i].start < end && start < areas[i].end)
            patch_shown_gone(i);
}

void patch_module_gone(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < areas_used; i++) {
        struct patch_area *area = &areas[i];
        if (area->start == 0 || area->start >= end || start >= area->end)
            continue;
        patch_shown_gone(i);
        munmap(area->memory, area->bytes);
        area->start = 0;
    }
}

/* The entry whose stub the offset lies in, or NULL. */
static const struct fisql_patch_entry *stub_entry(const struct fisql_patch *plan, uint64_t offset)
{
    const struct fisql_patch_entry *entries = fisql_patch_entries(plan), *best = NULL;
    for (uint32_t i = 0; i < plan->entries_count; i++)
        if (entries[i].stub <= offset && (best == NULL || best->stub < entries[i].stub))
            best = &entries[i];
    return best;
}

uint64_t patch_module_place(uint64_t address)
{
    uint32_t used = __atomic_load_n(&areas_used, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < used; i++) {
        const struct patch_area *area = &areas[i];
        uint64_t code = (uint64_t)(uintptr_t)area->memory + FISQL_PATCH_HEAD;
        if (area->start == 0 || address - code >= area->plan->code_bytes)
            continue;
        const struct fisql_patch_entry *entry = stub_entry(area->plan, address - code);
        if (entry == NULL)
            return address;
        uint64_t moved = code + entry->stub + FISQL_PATCH_MOVED;
        uint64_t within = address > moved ? address - moved : 0;
        return fisql_patch_function(entry) + area->bias + (within < MOVED_MAX ? within : MOVED_MAX);
    }
    return address;
}
#else
uint64_t patch_module_place(uint64_t address)
{
    return address;
}
#endif
