/*
 * The module map: which executables and shared libraries are loaded where. We refresh it when a
 * function first appears outside every known module, and after dlclose; each change goes to the
 * log. We do not interpose dlopen: the dynamic linker looks at its caller to find RUNPATH and
 * namespace, and that caller must stay the program.
 *
 * The map is an immutable array that we replace as a whole, so hooks read it without a lock. We
 * never free old maps, which are small: a hook may still read one.
 */
#include "collector/core/modules.h"

#include "collector/core/facts.h"
#include "collector/core/feature.h"
#include "collector/core/counted.h"
#include "collector/core/filter.h"
#include "collector/core/lock.h"
#include "collector/core/module_names.h"
#include "collector/process/process.h"
#include "collector/core/quiet.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define MODULES_MAX 4096u

struct module_map *modules_map;
static uint32_t refresh_lock;

bool modules_known(uint64_t address)
{
    return fisql_is_point(address) || /* no address */
           module_of(address) != NULL;
}

bool modules_same(uint64_t address, uint64_t other)
{
    const struct module *module = module_of(address);
    return module != NULL && other >= module->start && other < module->end;
}

struct refresh {
    struct module_map *map;
    const struct module_map *old;
    struct facts facts;
    unsigned char buffer[16384];
    char path[4096], full[4096]; /* not on the stack, which may be small */
    bool again;                  /* only call filter_module(), ... */
    modules_each_function *each; /* ... or this, for the known modules */
    void *context;
    bool changed;
};

/* The map changes: its first change begins an epoch. */
static void refresh_changes(struct refresh *refresh)
{
    if (!refresh->changed)
        __atomic_fetch_add(&clock_epoch, 1, __ATOMIC_ACQ_REL);
    refresh->changed = true;
}

static bool map_has(const struct module_map *map, const struct module *module)
{
    for (uint32_t i = 0; map != NULL && i < map->count; i++)
        if (memcmp(&map->modules[i], module, sizeof *module) == 0)
            return true;
    return false;
}

/* The build-id note in the module's memory, as hexadecimal; "" if it has none. */
static void build_id(const struct dl_phdr_info *info, char *text, size_t size)
{
    text[0] = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_NOTE)
            continue;
        const unsigned char *at = (const unsigned char *)(info->dlpi_addr + header->p_vaddr);
        const unsigned char *end = at + header->p_memsz;
        while ((size_t)(end - at) >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const void *)at;
            const unsigned char *name = at + sizeof *note;
            size_t name_bytes = (note->n_namesz + 3u) & ~3u, bytes = (note->n_descsz + 3u) & ~3u;
            if ((size_t)(end - name) < name_bytes + bytes)
                break;
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
                memcmp(name, "GNU", 4) == 0 && note->n_descsz * 2 < size) {
                for (size_t k = 0; k < note->n_descsz; k++) {
                    text[2 * k] = "0123456789abcdef"[name[4 + k] >> 4];
                    text[2 * k + 1] = "0123456789abcdef"[name[4 + k] & 15];
                }
                text[2 * note->n_descsz] = 0;
                return;
            }
            at = name + name_bytes + bytes;
        }
    }
}

/* ---- does a module call the hooks? ---- */

/* A module's symbols and relocations, from its dynamic section. */
struct dynamic {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *gnu_hash, *hash;
    const ElfW(Rela) * relocations, *calls; /* `calls`: of the procedure linkage table */
    uint64_t relocations_bytes, calls_bytes;
    uint64_t relative; /* the number of relocations, at the start, without a symbol */
};

/* The highest symbol number in these relocations, or `highest`. */
static uint32_t highest_symbol(const ElfW(Rela) * relocation, uint64_t bytes, uint32_t highest)
{
    for (uint64_t i = 0; relocation != NULL && i < bytes / sizeof *relocation; i++)
        if (ELF64_R_SYM(relocation[i].r_info) > highest)
            highest = (uint32_t)ELF64_R_SYM(relocation[i].r_info);
    return highest;
}

/* The number of symbols, or of those before the ones that the module defines. */
static uint32_t symbols_count(const struct dynamic *dynamic)
{
    const uint32_t *gnu_hash = dynamic->gnu_hash;
    if (dynamic->hash != NULL)
        return dynamic->hash[1];
    if (gnu_hash == NULL)
        return 0;
    /* In a table with a GNU hash undefined symbols come first: its second word is their number. If
     * nothing is defined (programs, above all on aarch64), linkers write 1 there. */
    const uint32_t *buckets = gnu_hash + 4 + gnu_hash[2] * (sizeof(ElfW(Addr)) / sizeof *gnu_hash);
    for (uint32_t i = 0; i < gnu_hash[0]; i++)
        if (buckets[i] != 0)
            return gnu_hash[1];
    uint64_t relative = dynamic->relative * sizeof *dynamic->relocations;
    uint32_t highest = highest_symbol(dynamic->calls, dynamic->calls_bytes, 0);
    if (dynamic->relocations != NULL && relative < dynamic->relocations_bytes)
        highest = highest_symbol(dynamic->relocations + dynamic->relative,
                                 dynamic->relocations_bytes - relative, highest);
    return highest + 1;
}

/* glibc relocates these addresses in place; musl does not. */
static const void *in_module(const struct dl_phdr_info *info, uint64_t address)
{
    return (const void *)(address < info->dlpi_addr ? address + info->dlpi_addr : address);
}

static struct dynamic dynamic_read(const struct dl_phdr_info *info, const ElfW(Dyn) * entry)
{
    struct dynamic dynamic = {.symbols = NULL};
    for (; entry->d_tag != DT_NULL; entry++) {
        uint64_t value = entry->d_un.d_val;
        if (entry->d_tag == DT_SYMTAB)
            dynamic.symbols = in_module(info, value);
        else if (entry->d_tag == DT_STRTAB)
            dynamic.names = in_module(info, value);
        else if (entry->d_tag == DT_GNU_HASH)
            dynamic.gnu_hash = in_module(info, value);
        else if (entry->d_tag == DT_HASH)
            dynamic.hash = in_module(info, value);
        else if (entry->d_tag == DT_RELA)
            dynamic.relocations = in_module(info, value);
        else if (entry->d_tag == DT_RELASZ)
            dynamic.relocations_bytes = value;
        else if (entry->d_tag == DT_RELACOUNT)
            dynamic.relative = value;
        else if (entry->d_tag == DT_JMPREL)
            dynamic.calls = in_module(info, value);
        else if (entry->d_tag == DT_PLTRELSZ)
            dynamic.calls_bytes = value;
    }
    return dynamic;
}

/* Does the module call a function of this name that another one defines? */
static bool calls_out(const struct dl_phdr_info *info, const ElfW(Dyn) * section, const char *name)
{
    const struct dynamic dynamic = dynamic_read(info, section);
    if (dynamic.symbols == NULL || dynamic.names == NULL)
        return false;
    uint32_t count = symbols_count(&dynamic);
    for (uint32_t i = 0; i < count; i++)
        if (dynamic.symbols[i].st_shndx == SHN_UNDEF &&
            strcmp(dynamic.names + dynamic.symbols[i].st_name, name) == 0)
            return true;
    return false;
}

static bool calls_hooks(const struct dl_phdr_info *info, const ElfW(Dyn) * section)
{
    return calls_out(info, section, "__cyg_profile_func_enter");
}

/* The kernel's, or this library in a process that it was brought into: it has no file. musl gives the
 * kernel's no name. */
static bool is_vdso(const struct dl_phdr_info *info)
{
    uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso != 0 && (uint64_t)(uintptr_t)info->dlpi_phdr - vdso < 4096)
        return true;
    if (process.orders != NULL && info->dlpi_name != NULL &&
        strncmp(info->dlpi_name, FISQL_ATTACH_PATH, sizeof FISQL_ATTACH_PATH - 1) == 0)
        return true;
    return info->dlpi_name != NULL && strncmp(info->dlpi_name, "linux-vdso", 10) == 0;
}

/* ---- the map ---- */

/* The executable has no name, or several in musl. */
static bool is_executable(const struct dl_phdr_info *info)
{
    return info->dlpi_name == NULL || info->dlpi_name[0] == 0 ||
           (uint64_t)(uintptr_t)info->dlpi_phdr == getauxval(AT_PHDR);
}

static void path_read(struct refresh *refresh, const struct dl_phdr_info *info)
{
    char *path = refresh->path;
    size_t path_size = sizeof refresh->path;
    path[0] = 0;
    if (!is_executable(info)) {
        strncpy(path, info->dlpi_name, path_size - 1);
        path[path_size - 1] = 0;
    } else {
        ssize_t length = readlink("/proc/self/exe", path, path_size - 1);
        path[length > 0 ? length : 0] = 0;
    }
    if (path[0] != 0 && path[0] != '/') {
        if (realpath(path, refresh->full) != NULL)
            strcpy(path, refresh->full);
    }
}

/* Writes the facts of a module that was loaded or unloaded: id "" = no build-id. */
static void put_facts(struct refresh *refresh, const struct module *module, const char *path,
                      const char *event, const char *id)
{
    struct facts *facts = &refresh->facts;
    if (facts->used_bytes > facts->size_bytes - strlen(path) - 512) {
        facts_write(facts);
        facts_begin(facts, refresh->buffer, sizeof refresh->buffer, FISQL_CHUNK_MODULES, 0, 0);
    }
    facts_text(facts, FISQL_FACT_MODULES_MODULE, path);
    facts_text(facts, FISQL_FACT_MODULES_EVENT, event);
    facts_number(facts, FISQL_FACT_MODULES_TICK, clock_read(process.clock));
    if (id[0] != 0)
        facts_text(facts, FISQL_FACT_MODULES_BUILD_ID, id);
    facts_hex(facts, FISQL_FACT_MODULES_BIAS, module->bias);
    facts_hex(facts, FISQL_FACT_MODULES_START, module->start);
    facts_hex(facts, FISQL_FACT_MODULES_END, module->end);
}

static void put_module(struct refresh *refresh, const struct dl_phdr_info *info,
                       const struct module *module, bool module_calls_hooks)
{
    char id[129];
    const char *path = refresh->path;
    path_read(refresh, info);
    build_id(info, id, sizeof id);
    put_facts(refresh, module, path, FISQL_MODULE_LOAD, id);
    module_names_add(path, module->bias, module->start, module->end);
    filter_module(path, module->bias, module->start, module->end);
    counted_module(path, module->bias, module->start, module->end);
    FEATURES_CALL(module)
    (&(const struct feature_module){path, id, module->bias, module->start, module->end,
                                    module_calls_hooks, is_executable(info)});
}

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    struct refresh *refresh = context;
    (void)size;
    struct module module = {info->dlpi_addr, UINT64_MAX, 0};
    bool again = refresh->again;
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_DYNAMIC)
            dynamic = (const void *)start;
        if (header->p_type == PT_LOAD && (header->p_flags & (PF_R | PF_W)) == PF_R && !again)
            FEATURES_CALL(constants)(start, start + header->p_memsz);
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
            continue;
        if (start < module.start)
            module.start = start;
        if (start + header->p_memsz > module.end)
            module.end = start + header->p_memsz;
    }
    if (again && module.end != 0 && !is_vdso(info) && map_has(refresh->old, &module)) {
        path_read(refresh, info);
        if (refresh->each != NULL)
            refresh->each(&(const struct feature_module){refresh->path, "", module.bias,
                                                         module.start, module.end, false,
                                                         is_executable(info)},
                          refresh->context);
        else
            filter_module(refresh->path, module.bias, module.start, module.end);
    }
    if (again || module.end == 0 || is_vdso(info) || refresh->map->count == MODULES_MAX)
        return 0;
    refresh->map->modules[refresh->map->count++] = module;
    if (!map_has(refresh->old, &module)) {
        refresh_changes(refresh);
        put_module(refresh, info, &module, dynamic != NULL && calls_hooks(info, dynamic));
    }
    return 0;
}

static void put_unloaded(struct refresh *refresh)
{
    for (uint32_t i = 0; refresh->old != NULL && i < refresh->old->count; i++) {
        const struct module *module = &refresh->old->modules[i];
        if (map_has(refresh->map, module))
            continue;
        refresh_changes(refresh);
        put_facts(refresh, module, "", FISQL_MODULE_UNLOAD, "");
        FEATURES_CALL(module_gone)(module->start, module->end);
    }
}

void modules_refresh(void)
{
    if (silent())
        return;
    size_t map_bytes = sizeof(struct module_map) + MODULES_MAX * sizeof(struct module);
    void *memory = mmap(NULL, map_bytes + sizeof(struct refresh), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return;
    lock_acquire(&refresh_lock);
    struct refresh *refresh = (void *)((unsigned char *)memory + map_bytes);
    refresh->map = memory;
    refresh->old = modules_map;
    facts_begin(&refresh->facts, refresh->buffer, sizeof refresh->buffer, FISQL_CHUNK_MODULES, 0,
                0);
    collector_inside++;
    dl_iterate_phdr(visit, refresh);
    collector_inside--;
    put_unloaded(refresh);
    bool changed = refresh->changed;
    if (changed) {
        if (refresh->facts.used_bytes > sizeof(struct fisql_chunk))
            facts_write(&refresh->facts);
        /* Unmap what the map does not use. */
        size_t used = sizeof(struct module_map) + refresh->map->count * sizeof(struct module);
        used = (used + 4095) & ~(size_t)4095;
        __atomic_store_n(&modules_map, refresh->map, __ATOMIC_RELEASE);
        munmap((unsigned char *)memory + used, map_bytes + sizeof(struct refresh) - used);
    } else {
        munmap(memory, map_bytes + sizeof(struct refresh));
    }
    lock_release(&refresh_lock);
}

void modules_learn(uint64_t function)
{
    struct quiet quiet;
    if (modules_known(function))
        return;
    quiet_begin(&quiet);
    modules_refresh();
    quiet_end(&quiet);
}

/* Visits the modules of the map again. text: another filter's, NULL = each() is called instead. */
static void visit_again(const char *text, uint64_t size_bytes, modules_each_function *each,
                        void *context)
{
    struct refresh *refresh = mmap(NULL, sizeof *refresh, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (refresh == MAP_FAILED)
        return;
    lock_acquire(&refresh_lock);
    refresh->again = true;
    refresh->each = each;
    refresh->context = context;
    refresh->old = modules_map;
    if (text != NULL)
        filter_text(text, size_bytes);
    collector_inside++;
    dl_iterate_phdr(visit, refresh);
    collector_inside--;
    lock_release(&refresh_lock);
    munmap(refresh, sizeof *refresh);
}

void modules_filter(const char *text, uint64_t size_bytes)
{
    visit_again(text, size_bytes, NULL, NULL);
}

void modules_each(modules_each_function *each, void *context)
{
    visit_again(NULL, 0, each, context);
}

void modules_forked(void)
{
    lock_forked(&refresh_lock);
}

/* ---- does any module call the hooks or use macros of fisql_trace.h? ---- */

static int uses_hooks(struct dl_phdr_info *info, size_t size, void *context)
{
    bool *found = context;
    const ElfW(Dyn) *dynamic = NULL;
    uint64_t own = (uint64_t)(uintptr_t)uses_hooks;
    bool ours = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_DYNAMIC)
            dynamic = (const void *)start;
        if (header->p_type == PT_LOAD && own >= start && own < start + header->p_memsz)
            ours = true;
    }
    if (ours) {
        /* libfisql.a in the program itself; we are not looking for the shared library. */
        *found = is_executable(info);
        return *found;
    }
    *found = dynamic != NULL && !is_vdso(info) &&
             (calls_hooks(info, dynamic) || calls_out(info, dynamic, "fisql_trace_levels"));
    return *found;
}

bool modules_instrumented(void)
{
    bool found = false;
#ifdef FISQL_STATIC
    /* We are in it. glibc 2.41 does not list the program yet at its first allocation. */
    return true;
#endif
    collector_inside++;
    dl_iterate_phdr(uses_hooks, &found);
    collector_inside--;
    return found;
}
