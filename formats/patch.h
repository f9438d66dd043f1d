/*
 * A plan for patching a module: where calls enter its functions, and the stubs to which the first
 * instructions of these functions move. `fisql record` makes it from the module's file
 * (debuginfo/patch/); the collector copies the stubs into memory, relocates them and writes a jump
 * at each entry (collector/patch/). It is read by position, so all offsets count from its start:
 *
 *     struct fisql_patch | entries, by address | links | references, by place |
 *     fixups, by place | texts | code
 *
 * Addresses are those in the module's file, without bias. The collector checks a plan before it
 * uses it (fisql_patch_is_sound()): a wrong one costs its own module alone.
 *
 * The collector puts an *area* into memory for each module, within reach of 32-bit displacements:
 *
 *     16 bytes of words: [0] the address of the collector's code for entries; [1] the same for functions
 *     that call nothing and are soon over (x86_is_leaf())
 *     code: `code_bytes` of the plan, relocated
 *
 * The code is a row of stubs, each FISQL_PATCH_ALIGN aligned:
 *
 *     -16  function's address      8 bytes, written by the collector
 *      -8  its call site           8 bytes, written by the collector
 *       0  call *[area word 0, 1]  6 bytes
 *       6  jmp *-16(%rsp)          4 bytes   to what that call has decided: to the next line, or to
 *                                            the call site, which calls what follows here
 *      10  the moved instructions, then a jump behind those in the function
 *
 * Where only two bytes can be replaced, because the function is shorter than the jump, or is jumped
 * into behind them, they become a short jump to the jump, its *hop*. A hop lies behind the jump of
 * another function, the *donor*, whose moved instructions leave room for both, and which is patched
 * first. If the donor is left out, its jump leads past the hooks to its moved instructions.
 *
 * Constants that moved instructions need lie behind the last jump, 8-byte aligned.
 *
 * A *link* is a function of another module that this one calls through a word that the dynamic
 * linker fills, its *slot*. We leave the slots alone: the linker fills them when it likes, and what
 * else is read there is the function's address, which must stay what it is. Instead the
 * *references*, which are the instructions that only call what they find, are led to a word of our
 * own. It has the address of the link's stub, which goes on through the slot:
 *
 *     -24  the stub's own address  8 bytes, written by the collector: what references read
 *     -16  the function's address, -8 its call site, 0 and 6 as above
 *      10  jmp *slot
 *
 * On aarch64 an entry is a nop that the compiler left there (a sled), and the jump takes its four
 * bytes. A stub has
 *
 *     -16  function's address      8 bytes, written by the collector
 *      -8  the collector's code for entries   8 bytes, written by the collector
 *       0  adr x17, 0; ldr x16, -8; br x16
 *      12  b behind the nop        for calls that are not recorded, and from call sites
 */
#ifndef FISQL_FORMATS_PATCH_H
#define FISQL_FORMATS_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FISQL_PATCH_MAGIC "fisqlpt4"
/* A section of programs that hold the collector themselves (collector/patch/patch_x86_64.S). */
#define FISQL_PATCH_NOTE ".note.fisql"
#define FISQL_PATCH_ALIGN 16u
#define FISQL_PATCH_JUMP 5u /* bytes of the jump at an entry */
#define FISQL_PATCH_SHORT_JUMP 2u
#define FISQL_PATCH_HEAD 16u /* words before the code, and data before each stub */
#define FISQL_PATCH_LINK_HEAD 24u
#define FISQL_PATCH_MOVED 10u /* where the moved instructions begin in a stub */
#define FISQL_PATCH_ENTRIES_MAX (1u << 22)
#define FISQL_PATCH_LEAF_BYTES 1024u /* a short leaf function has no more */

struct fisql_patch {
    char magic[8];
    uint64_t bytes; /* of the whole plan */
    uint32_t entries_count, fixups_count;
    uint64_t entries, fixups, code; /* offsets */
    uint64_t code_bytes;
    uint32_t links_count, references_count;
    uint64_t links, references, texts; /* offsets */
    uint64_t texts_bytes;              /* the last is a 0, if there are any */
    /* What the entries need of code and fixups lies first. */
    uint64_t entries_code_bytes;
    uint32_t entries_fixups_count, reserved;
    /* what 32-bit displacements of the code lead to, and all of the module's code, lies from low to
     * high: the area must be within reach. The code may be several segments with gaps between */
    uint64_t low, high;
};

/* The stub calls with the return address that the call had in the function, which lies behind it
 * there: do not use it where the processor keeps return addresses, too (CET's shadow stack). */
#define FISQL_PATCH_CALLS 1u
/* The function begins four bytes before the entry (aarch64: with a bti). */
#define FISQL_PATCH_BEHIND 2u
/* The function's description begins four bytes behind the entry (aarch64, gcc before 13). */
#define FISQL_PATCH_BEFORE 4u

/* A function's entry. */
struct fisql_patch_entry {
    uint64_t address;
    uint32_t stub;                    /* offset in the code */
    uint8_t before[FISQL_PATCH_JUMP]; /* the bytes that the jump replaces */
    uint8_t flags;                    /* FISQL_PATCH_CALLS, ... */
    int8_t hop; /* where its hop lies, from the end of the short jump; 0 = it has none */
    uint8_t under[FISQL_PATCH_JUMP]; /* the bytes of the donor that the hop replaces */
};
_Static_assert(sizeof(struct fisql_patch_entry) == 24, "entries have no bytes that nobody sets");

/* How many bytes of the function are replaced at its start. */
static inline uint32_t fisql_patch_taken(const struct fisql_patch_entry *entry)
{
    return entry->hop != 0 ? FISQL_PATCH_SHORT_JUMP : FISQL_PATCH_JUMP;
}

/* Where the jump to its stub lies. */
static inline uint64_t fisql_patch_jump(const struct fisql_patch_entry *entry)
{
    return entry->hop != 0 ? entry->address + FISQL_PATCH_SHORT_JUMP + (uint64_t)(int64_t)entry->hop
                           : entry->address;
}

/* Can a call return into the bytes that are replaced? Then the whole call lies among them: one by a
 * register or through memory, of up to four bytes. Answers yes rather than no. */
static inline bool fisql_patch_returns_inside(const struct fisql_patch_entry *entry)
{
    if ((entry->flags & FISQL_PATCH_CALLS) == 0)
        return false;
    for (uint32_t i = 0; i + 2 < fisql_patch_taken(entry); i++)
        if (entry->before[i] == 0xff && (entry->before[i + 1] >> 3 & 7) == 2)
            return true;
    return false;
}

/* The entry of a hop's donor, by its index; `count` if there is none. */
static inline uint32_t fisql_patch_donor(const struct fisql_patch_entry *entries, uint32_t count,
                                         uint32_t index)
{
    uint64_t donor = fisql_patch_jump(&entries[index]) - FISQL_PATCH_JUMP;
    bool before = donor < entries[index].address;
    uint32_t i = index;
    while (entries[i].address != donor) {
        if (before ? i == 0 || entries[i].address < donor
                   : i + 1 == count || entries[i].address > donor)
            return count;
        i = before ? i - 1 : i + 1;
    }
    return entries[i].hop == 0 ? i : count;
}

/* May the entry be replaced in a process that runs, as far as open calls go: returns no call into
 * the bytes, nor into those of the donor that its hop replaces? */
static inline bool fisql_patch_fits_running(const struct fisql_patch_entry *entries, uint32_t count,
                                            uint32_t index)
{
    if (fisql_patch_returns_inside(&entries[index]))
        return false;
    uint32_t donor = entries[index].hop != 0 ? fisql_patch_donor(entries, count, index) : count;
    return donor == count || (entries[donor].flags & FISQL_PATCH_CALLS) == 0;
}

/* It is not wanted: the collector passes over it. */
#define FISQL_PATCH_UNWANTED 1u
/* Code takes the function's address out of the slot, to do more with it than a call. */
#define FISQL_PATCH_TAKEN 2u
/* The function's address in the stub of a link that leads to the collector itself (dlsym). */
#define FISQL_PATCH_FINDS 1u

struct fisql_patch_link {
    uint64_t slot;
    uint32_t stub;          /* offset in the code */
    uint32_t name, version; /* offsets in the texts; the version may be "" */
    uint32_t flags;
};

/* The place lies in the code of the stubs: the instruction is a moved one. */
#define FISQL_PATCH_IN_STUB 1u

/* Four bytes of an instruction, at its end: the distance to a slot. */
struct fisql_patch_reference {
    uint64_t place;
    uint32_t link, flags;
    int32_t before, reserved; /* what is there */
};

enum fisql_patch_fixup_kind {
    /* 4 bytes: target - (address of the place + 4) - trailing */
    FISQL_PATCH_RELATIVE = 1,
    /* 8 bytes: target + bias */
    FISQL_PATCH_ABSOLUTE = 2,
    /* 4 bytes, an aarch64 instruction: its lowest 26 bits get a quarter of the target's distance */
    FISQL_PATCH_BRANCH = 3
};
#define FISQL_PATCH_BRANCH_MASK 0x3ffffffu

struct fisql_patch_fixup {
    uint32_t place; /* offset in the code */
    uint16_t kind;
    uint16_t trailing; /* bytes of the instruction behind the place */
    uint64_t target;
};

/* Why a function is not hooked: CODE(name, text). The texts are shown in the database. */
#define FISQL_PATCH_REASONS(REASON)                                                                \
    REASON(START, "the program's start: it has no caller")                                         \
    REASON(SHORT, "too short for a jump")                                                          \
    REASON(ENTERED, "jumped into where the jump would lie")                                        \
    REASON(UNMOVABLE, "its first instructions cannot be moved")                                    \
    REASON(UNREADABLE, "its first instructions cannot be decoded")                                 \
    REASON(POPS, "it takes arguments off the stack as it returns")                                 \
    REASON(UNWINDS, "part of the unwinder: it reads its own return address")                       \
    REASON(CALLER, "it jumps to one that asks who calls it (dlopen, dlsym)")                       \
    REASON(PART, "a part of another function")                                                     \
    REASON(NO_FRAME, "hand-written: no unwind information")                                        \
    REASON(FAR, "its first instructions refer to an address out of reach")                         \
    REASON(RETURN, "it uses its return address")                                                   \
    REASON(NO_SLED, "compiled without room for a jump (fisql cc --sleds)")
enum fisql_patch_reason {
    FISQL_PATCH_HOOKED,
#define FISQL_PATCH_REASON_CODE(name, text) FISQL_PATCH_##name,
    FISQL_PATCH_REASONS(FISQL_PATCH_REASON_CODE)
#undef FISQL_PATCH_REASON_CODE
        FISQL_PATCH_REASONS_COUNT
};

static inline const struct fisql_patch_entry *fisql_patch_entries(const struct fisql_patch *plan)
{
    return (const struct fisql_patch_entry *)((const char *)plan + plan->entries);
}

/* Where the function of an entry begins. */
static inline uint64_t fisql_patch_function(const struct fisql_patch_entry *entry)
{
    if ((entry->flags & FISQL_PATCH_BEFORE) != 0)
        return entry->address + 4;
    return entry->address - ((entry->flags & FISQL_PATCH_BEHIND) != 0 ? 4 : 0);
}

static inline const struct fisql_patch_fixup *fisql_patch_fixups(const struct fisql_patch *plan)
{
    return (const struct fisql_patch_fixup *)((const char *)plan + plan->fixups);
}

static inline const unsigned char *fisql_patch_code(const struct fisql_patch *plan)
{
    return (const unsigned char *)plan + plan->code;
}

static inline struct fisql_patch_link *fisql_patch_links(const struct fisql_patch *plan)
{
    return (struct fisql_patch_link *)((uintptr_t)plan + plan->links);
}

static inline const struct fisql_patch_reference *
fisql_patch_references(const struct fisql_patch *plan)
{
    return (const struct fisql_patch_reference *)((const char *)plan + plan->references);
}

static inline const char *fisql_patch_text(const struct fisql_patch *plan, uint32_t offset)
{
    return (const char *)plan + plan->texts + offset;
}

static inline bool fisql_patch_part_fits(const struct fisql_patch *plan, uint64_t offset,
                                         uint64_t bytes)
{
    return offset >= sizeof *plan && offset % 8 == 0 && offset <= plan->bytes &&
           bytes <= plan->bytes - offset;
}

static inline bool fisql_patch_stub_fits(const struct fisql_patch *plan, uint32_t stub,
                                         uint32_t head)
{
    return stub % FISQL_PATCH_ALIGN == 0 && stub >= head && stub <= plan->code_bytes &&
           plan->code_bytes - stub >= FISQL_PATCH_MOVED + FISQL_PATCH_JUMP;
}

static inline bool fisql_patch_links_are_sound(const struct fisql_patch *plan, uint64_t start,
                                               uint64_t end)
{
    if (!fisql_patch_part_fits(plan, plan->links,
                               plan->links_count * sizeof(struct fisql_patch_link)) ||
        !fisql_patch_part_fits(plan, plan->references,
                               plan->references_count * sizeof(struct fisql_patch_reference)) ||
        !fisql_patch_part_fits(plan, plan->texts, plan->texts_bytes) ||
        (plan->texts_bytes > 0 &&
         fisql_patch_text(plan, (uint32_t)(plan->texts_bytes - 1))[0] != 0) ||
        plan->texts_bytes > UINT32_MAX || plan->entries_code_bytes > plan->code_bytes ||
        plan->entries_fixups_count > plan->fixups_count)
        return false;
    const struct fisql_patch_link *links = fisql_patch_links(plan);
    for (uint32_t i = 0; i < plan->links_count; i++)
        if (!fisql_patch_stub_fits(plan, links[i].stub, FISQL_PATCH_LINK_HEAD) ||
            links[i].name >= plan->texts_bytes || links[i].version >= plan->texts_bytes)
            return false;
    const struct fisql_patch_reference *references = fisql_patch_references(plan);
    for (uint32_t i = 0; i < plan->references_count; i++) {
        const struct fisql_patch_reference *reference = &references[i];
        bool in_stub = (reference->flags & FISQL_PATCH_IN_STUB) != 0;
        uint64_t from = in_stub ? 0 : start, to = in_stub ? plan->code_bytes : end;
        if (reference->link >= plan->links_count || reference->place < from || to - from < 4 ||
            reference->place > to - 4)
            return false;
    }
    return true;
}

/* Is the plan, of which `bytes` bytes are there, one for a module with code at [start, end)
 * (addresses in its file)? Every entry lies there, apart from the next by a jump's bytes; every
 * stub and fixup lies in the code. Reads the whole of it but the code. */
static inline bool fisql_patch_is_sound(const struct fisql_patch *plan, uint64_t bytes,
                                        uint64_t start, uint64_t end)
{
    if (bytes < sizeof *plan || plan->bytes != bytes ||
        __builtin_memcmp(plan->magic, FISQL_PATCH_MAGIC, sizeof plan->magic) != 0 ||
        plan->entries_count + (uint64_t)plan->links_count == 0 ||
        plan->entries_count > FISQL_PATCH_ENTRIES_MAX ||
        !fisql_patch_part_fits(plan, plan->entries,
                               plan->entries_count * sizeof(struct fisql_patch_entry)) ||
        !fisql_patch_part_fits(plan, plan->fixups,
                               plan->fixups_count * sizeof(struct fisql_patch_fixup)) ||
        !fisql_patch_part_fits(plan, plan->code, plan->code_bytes) ||
        plan->code_bytes > UINT32_MAX || plan->low > plan->high ||
        !fisql_patch_links_are_sound(plan, start, end))
        return false;
    const struct fisql_patch_entry *entries = fisql_patch_entries(plan);
    for (uint32_t i = 0; i < plan->entries_count; i++) {
        const struct fisql_patch_entry *entry = &entries[i];
        uint64_t next = i + 1 < plan->entries_count ? entries[i + 1].address : end;
        if (entry->address < start || entry->address >= end || next > end ||
            next < entry->address || next - entry->address < fisql_patch_taken(entry) ||
            (entry->hop != 0 &&
             fisql_patch_donor(entries, plan->entries_count, i) == plan->entries_count) ||
            !fisql_patch_stub_fits(plan, entry->stub, FISQL_PATCH_HEAD))
            return false;
    }
    const struct fisql_patch_fixup *fixups = fisql_patch_fixups(plan);
    for (uint32_t i = 0; i < plan->fixups_count; i++) {
        uint32_t width = fixups[i].kind == FISQL_PATCH_ABSOLUTE ? 8 : 4;
        if (fixups[i].kind < FISQL_PATCH_RELATIVE || fixups[i].kind > FISQL_PATCH_BRANCH ||
            plan->code_bytes < width || fixups[i].place > plan->code_bytes - width)
            return false;
    }
    return true;
}

#endif
