/* See patch_lookup.h. Hash tables of symbols: the GNU ABI's (DT_GNU_HASH) or System V's (DT_HASH). */
#include "collector/patch/patch_lookup.h"

#ifdef FISQL_LINKS
#include "collector/core/digits.h"
#include "collector/core/feature.h"
#include "collector/core/modules.h"
#include "collector/patch/patch_area.h"
#include "collector/process/process.h"
#include "formats/patch_modules.h"

#include <string.h>
#include <sys/mman.h>

#define VERSION_MASK 0x7fffu
#define VERSION_HIDDEN 0x8000u
#define NAME_MAX_BYTES 2048u

/* ---- the loaded modules ---- */

/* glibc relocates these addresses in place; musl does not. */
static const void *in_module(uint64_t bias, uint64_t address)
{
    return (const void *)(uintptr_t)(address < bias ? address + bias : address);
}

static void read_dynamic(struct linked *module, const ElfW(Dyn) * entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        const void *at = in_module(module->bias, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            module->symbols = at;
            break;
        case DT_STRTAB:
            module->names = at;
            break;
        case DT_GNU_HASH:
            module->gnu_hash = at;
            break;
        case DT_HASH:
            module->hash = at;
            break;
        case DT_VERSYM:
            module->versions = at;
            break;
        case DT_VERDEF:
            module->definitions = at;
            break;
        default:
            break;
        }
    }
}

static int take_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct linked_modules *all = context;
    const ElfW(Dyn) *dynamic = NULL;
    (void)size;
    if (all->count == LINKED_MODULES_MAX)
        return 1;
    struct linked *module = &all->modules[all->count];
    *module = (struct linked){.path = info->dlpi_name != NULL ? info->dlpi_name : "",
                              .bias = info->dlpi_addr,
                              .start = UINT64_MAX};
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + segment->p_vaddr, end = start + segment->p_memsz;
        if (segment->p_type == PT_DYNAMIC)
            dynamic = (const void *)(uintptr_t)start;
        if (segment->p_type != PT_LOAD)
            continue;
        module->start = start < module->start ? start : module->start;
        module->end = end > module->end ? end : module->end;
    }
    const char *name = fisql_patch_name(module->path);
    if (dynamic == NULL || strncmp(name, "linux-vdso", 10) == 0 ||
        strncmp(name, "libfisql", 8) == 0)
        return 0;
    read_dynamic(module, dynamic);
    if (module->symbols != NULL && module->names != NULL)
        all->count++;
    return 0;
}

static void mark_recorded(const struct feature_module *module, void *context)
{
    struct linked_modules *all = context;
    for (uint32_t i = 0; module->calls_hooks && i < all->count; i++)
        if (all->modules[i].start < module->end && module->start < all->modules[i].end)
            all->modules[i].recorded = true;
}

/* ---- symbols ---- */

/* Is the definition, which has this number in its module, of the version that is asked for? */
static bool version_fits(const struct linked *module, uint32_t index, const char *version)
{
    if (module->versions == NULL)
        return true;
    uint16_t number = module->versions[index];
    if (version[0] == 0)
        return (number & VERSION_HIDDEN) == 0;
    number &= VERSION_MASK;
    const unsigned char *at = module->definitions;
    if (number <= VER_NDX_GLOBAL || at == NULL)
        return true;
    for (;;) {
        ElfW(Verdef) definition;
        memcpy(&definition, at, sizeof definition);
        if ((definition.vd_ndx & VERSION_MASK) == number) {
            ElfW(Verdaux) name;
            memcpy(&name, at + definition.vd_aux, sizeof name);
            return strcmp(module->names + name.vda_name, version) == 0;
        }
        if (definition.vd_next == 0)
            return false;
        at += definition.vd_next;
    }
}

static bool is_it(const struct linked *module, uint32_t index, const char *name,
                  const char *version)
{
    const ElfW(Sym) *symbol = &module->symbols[index];
    unsigned type = ELF64_ST_TYPE(symbol->st_info), binding = ELF64_ST_BIND(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 && binding != STB_LOCAL &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
           strcmp(module->names + symbol->st_name, name) == 0 &&
           version_fits(module, index, version);
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (const unsigned char *at = (const unsigned char *)name; *at != 0; at++)
        hash = hash * 33 + *at;
    return hash;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 0;
    for (const unsigned char *at = (const unsigned char *)name; *at != 0; at++) {
        hash = (hash << 4) + *at;
        hash = (hash ^ ((hash & 0xf0000000u) >> 24)) & 0x0fffffffu;
    }
    return hash;
}

/* The number of the definition, 0 = there is none. */
static uint32_t find_gnu(const struct linked *module, const char *name, const char *version)
{
    const uint32_t *table = module->gnu_hash;
    uint32_t buckets_count = table[0], first = table[1], words = table[2], shift = table[3];
    const uint64_t *bloom = (const uint64_t *)(const void *)(table + 4);
    const uint32_t *buckets = (const uint32_t *)(const void *)(bloom + words);
    const uint32_t *chain = buckets + buckets_count;
    uint32_t hash = gnu_hash_of(name);
    if (buckets_count == 0 || words == 0)
        return 0;
    uint64_t bits = (uint64_t)1 << hash % 64 | (uint64_t)1 << (hash >> shift) % 64;
    uint32_t index = buckets[hash % buckets_count];
    if ((bloom[hash / 64 % words] & bits) != bits || index < first)
        return 0;
    for (;; index++) {
        uint32_t found = chain[index - first];
        if ((found | 1) == (hash | 1) && is_it(module, index, name, version))
            return index;
        if ((found & 1) != 0)
            return 0;
    }
}

static uint32_t find_plain(const struct linked *module, const char *name, const char *version)
{
    const uint32_t *table = module->hash;
    if (table[0] == 0)
        return 0;
    uint32_t index = table[2 + hash_of(name) % table[0]];
    while (index != 0 && !is_it(module, index, name, version))
        index = table[2 + table[0] + index];
    return index;
}

const ElfW(Sym) *
    patch_lookup_in(const struct linked *module, const char *name, const char *version)
{
    uint32_t index = module->gnu_hash != NULL ? find_gnu(module, name, version)
                     : module->hash != NULL   ? find_plain(module, name, version)
                                              : 0;
    return index != 0 ? &module->symbols[index] : NULL;
}

uint64_t patch_lookup(const struct linked_modules *all, const char *name, const char *version)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const struct linked *module = &all->modules[i];
        const ElfW(Sym) *symbol = patch_lookup_in(module, name, version);
        if (symbol == NULL)
            continue;
        uint64_t address = module->bias + symbol->st_value;
        return patch_lookup_is_recorded(module, address) ? 0 : address;
    }
    return 0;
}

bool patch_lookup_is_recorded(const struct linked *module, uint64_t address)
{
    return module->recorded || patch_area_of(address) != NULL;
}

struct linked_modules *patch_lookup_open(void)
{
    struct linked_modules *all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    dl_iterate_phdr(take_module, all);
    modules_each(mark_recorded, all);
    return all;
}

void patch_lookup_close(struct linked_modules *all)
{
    munmap(all, sizeof *all);
}

/* ---- what the log says ---- */

static void begin(struct patch_names *names)
{
    facts_begin(&names->facts, names->buffer, sizeof names->buffer, FISQL_CHUNK_MODULES, 0, 0);
    facts_text(&names->facts, FISQL_FACT_MODULES_MODULE, names->module->path);
    facts_text(&names->facts, FISQL_FACT_MODULES_EVENT, FISQL_MODULE_LINK);
    names->any = true;
}

void patch_names_put(struct patch_names *names, uint64_t function, const char *name, bool taken)
{
    char text[NAME_MAX_BYTES + DIGITS_BYTES + 2], digits[DIGITS_BYTES];
    if (strlen(name) > NAME_MAX_BYTES)
        return;
    if (names->any && names->facts.size_bytes - names->facts.used_bytes < sizeof text + 32)
        patch_names_end(names);
    if (!names->any)
        begin(names);
    strcpy(text, digits_put(digits, function - names->module->bias, 16, 1));
    strcat(text, " ");
    strcat(text, name);
    facts_text(&names->facts, FISQL_FACT_MODULES_LINKED, text);
    if (taken)
        facts_number(&names->facts, FISQL_FACT_MODULES_TAKEN, 1);
}

void patch_names_end(struct patch_names *names)
{
    if (names->any)
        facts_write(&names->facts);
    names->any = false;
}
#endif
