/*
 * Call frame information: see call_frames.h.
 *
 * Both sections are lists of entries: length 4 (0xffffffff: and 8), id 4 (or 8), the rest. A CIE
 * holds what many functions share. An FDE describes one function: its start, its size, the program
 * that makes its rows. An FDE's id leads to its CIE: backwards in .eh_frame (0 = is a CIE), by its
 * offset in .debug_frame (all ones = is a CIE). We run a program each time a row is asked for.
 */
#include "debuginfo/dwarf/call_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/must.h"
#include "base/sorted.h"
#include "debuginfo/dwarf/dwarf_cursor.h"

#define ENTRIES_MAX ((size_t)1 << 24)
#define REMEMBERED_MAX 16
#define PLAIN_PLACE ((uint64_t)1 << 63) /* .debug_frame comes behind .eh_frame */

struct call_frame_entry {
    uint64_t start, end; /* of the code */
    const struct elf_section *eh;
    const struct dwarf_section *plain;  /* one of the two sections */
    uint64_t cie, program, program_end; /* offsets in it */
};

/* The section in use. */
struct section {
    const unsigned char *data;
    uint64_t size_bytes, address;
    bool eh;
};

struct cie {
    uint64_t code_factor;
    int64_t data_factor;
    uint64_t return_register;
    unsigned char pointers; /* the form of addresses: DW_EH_PE_ */
    bool augmented;
    uint64_t program, program_end;
};

/* ---- entries ---- */

/* Enters the entry at `offset`: gives a cursor over what follows its length, its id and where that
 * is. False at the end. */
static bool enter(const struct section *section, uint64_t offset, struct dwarf_cursor *cursor,
                  uint64_t *id, uint64_t *id_at, unsigned *word)
{
    if (offset >= section->size_bytes)
        return false;
    *cursor =
        (struct dwarf_cursor){section->data + offset, section->data + section->size_bytes, false};
    if (!dwarf_take_length(cursor, word) || cursor->at == cursor->end)
        return false;
    *id_at = (uint64_t)(cursor->at - section->data);
    *id = dwarf_take(cursor, section->eh ? 4 : *word);
    return !cursor->failed;
}

/* A pointer in one of the forms of .eh_frame. */
static bool take_pointer(const struct section *section, struct dwarf_cursor *cursor,
                         unsigned char form, uint64_t *value)
{
    /* By DW_EH_PE_absptr, udata2, udata4, udata8, sdata2, sdata4, sdata8. */
    static const unsigned char sizes[16] = {8, 0, 2, 4, 8, [0x0a] = 2, 4, 8};
    uint64_t here = section->address + (uint64_t)(cursor->at - section->data);
    unsigned size = sizes[form & 0x0f];
    if (size == 0)
        return false;
    *value =
        (form & 0x08) != 0 ? (uint64_t)dwarf_take_fixed(cursor, size) : dwarf_take(cursor, size);
    if ((form & 0x70) == 0x10) /* DW_EH_PE_pcrel */
        *value += here;
    return !cursor->failed && ((form & 0x70) == 0 || (form & 0x70) == 0x10) && (form & 0x80) == 0;
}

/* The augmentation: "" or "z" and letters, each of which has data. */
static bool read_augmentation(const struct section *section, struct dwarf_cursor *cursor,
                              const char *letters, struct cie *cie)
{
    uint64_t length = dwarf_take_unsigned(cursor), ignored;
    if (length > (uint64_t)(cursor->end - cursor->at))
        return false;
    const unsigned char *after = cursor->at + length;
    for (const char *letter = letters + 1; *letter != 0; letter++) {
        unsigned char form;
        switch (*letter) {
        case 'R':
            cie->pointers = (unsigned char)dwarf_take(cursor, 1);
            break;
        case 'L':
            dwarf_take(cursor, 1);
            break;
        case 'P':
            form = (unsigned char)dwarf_take(cursor, 1);
            if (!take_pointer(section, cursor, form & 0x7f, &ignored))
                return false;
            break;
        case 'S': /* a signal's frame */
        case 'B': /* aarch64: signed with the other key */
        case 'G':
            break;
        default:
            return false;
        }
    }
    cursor->at = after;
    return !cursor->failed;
}

static bool read_cie(const struct section *section, uint64_t offset, struct cie *cie)
{
    struct dwarf_cursor cursor;
    uint64_t id, id_at;
    unsigned word;
    if (!enter(section, offset, &cursor, &id, &id_at, &word) ||
        (section->eh ? id != 0 : id != (word == 8 ? UINT64_MAX : UINT32_MAX)))
        return false;
    *cie = (struct cie){0};
    uint64_t version = dwarf_take(&cursor, 1);
    const char *letters = (const char *)cursor.at;
    const unsigned char *nul = memchr(cursor.at, 0, (size_t)(cursor.end - cursor.at));
    if (nul == NULL || (version != 1 && version != 3 && version != 4) ||
        (letters[0] != 0 && letters[0] != 'z'))
        return false;
    cursor.at = nul + 1;
    if (version == 4 && (dwarf_take(&cursor, 1) != 8 || dwarf_take(&cursor, 1) != 0))
        return false;
    cie->code_factor = dwarf_take_unsigned(&cursor);
    cie->data_factor = dwarf_take_signed(&cursor);
    cie->return_register = version == 1 ? dwarf_take(&cursor, 1) : dwarf_take_unsigned(&cursor);
    cie->augmented = letters[0] == 'z';
    if (cie->augmented && !read_augmentation(section, &cursor, letters, cie))
        return false;
    cie->program = (uint64_t)(cursor.at - section->data);
    cie->program_end = (uint64_t)(cursor.end - section->data);
    return !cursor.failed && cie->return_register < CALL_FRAME_REGISTERS;
}

/* Reads an FDE after its id. */
static bool read_fde(const struct section *section, struct dwarf_cursor *cursor,
                     const struct cie *cie, struct call_frame_entry *entry)
{
    uint64_t bytes;
    unsigned char form = section->eh ? cie->pointers : 0;
    if (!take_pointer(section, cursor, form, &entry->start) ||
        !take_pointer(section, cursor, form & 0x0f, &bytes) || bytes > UINT64_MAX - entry->start)
        return false;
    entry->end = entry->start + bytes;
    if (cie->augmented)
        dwarf_take_bytes(cursor, dwarf_take_unsigned(cursor));
    entry->program = (uint64_t)(cursor->at - section->data);
    entry->program_end = (uint64_t)(cursor->end - section->data);
    return !cursor->failed && entry->end > entry->start;
}

static struct section section_of(const struct call_frame_entry *entry)
{
    if (entry->eh != NULL)
        return (struct section){entry->eh->data, entry->eh->size_bytes, entry->eh->address, true};
    return (struct section){entry->plain->data, entry->plain->size_bytes, 0, false};
}

static int list_entries(struct call_frames *frames, const struct elf_section *eh,
                        const struct dwarf_section *plain, struct error *error)
{
    struct call_frame_entry entry = {.eh = eh, .plain = plain};
    struct section section = section_of(&entry);
    struct dwarf_cursor cursor;
    struct cie cie;
    uint64_t id, id_at, known = UINT64_MAX;
    unsigned word;
    for (uint64_t at = 0; enter(&section, at, &cursor, &id, &id_at, &word);
         at = (uint64_t)(cursor.end - section.data)) {
        uint64_t end = (uint64_t)(cursor.end - section.data);
        if (section.eh ? id == 0 : id == (word == 8 ? UINT64_MAX : UINT32_MAX))
            continue;
        entry.cie = section.eh ? id_at - id : id;
        if ((entry.cie != known || known == UINT64_MAX) && !read_cie(&section, entry.cie, &cie)) {
            known = UINT64_MAX; /* another damaged FDE may name the same CIE */
            continue;
        }
        known = entry.cie;
        if (!read_fde(&section, &cursor, &cie, &entry) ||
            !elf_file_is_code(frames->module, entry.start)) {
            cursor.end = section.data + end;
            continue;
        }
        if (frames->count >= ENTRIES_MAX)
            break;
        if (array_add(&frames->entries, &frames->count, &frames->capacity, entry, error) != 0)
            return -1;
    }
    return 0;
}

static int by_start(const void *left, const void *right)
{
    const struct call_frame_entry *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->eh == NULL) - (b->eh == NULL); /* .eh_frame's last: the search finds it first */
}

/* Finds .eh_frame by its table for searches, to which a program header leads: version 1, forms of
 * the pointer and of the table, the pointer. The list ends with an empty entry. */
static int find_eh_frame(struct call_frames *frames, struct error *error)
{
    const struct elf_file *module = frames->module;
    for (uint16_t i = 0; i < module->segments_count; i++) {
        Elf64_Phdr segment = elf_file_segment(module, i);
        const unsigned char *table = elf_file_at(module, segment.p_vaddr, 12);
        if (segment.p_type != PT_GNU_EH_FRAME || table == NULL || table[0] != 1)
            continue;
        struct section section = {table, 12, segment.p_vaddr, true};
        struct dwarf_cursor cursor = {table + 4, table + 12, false};
        uint64_t address;
        if (!take_pointer(&section, &cursor, table[1], &address))
            continue;
        for (uint16_t k = 0; k < module->segments_count; k++) {
            Elf64_Phdr holder = elf_file_segment(module, k);
            uint64_t inside = address - holder.p_vaddr;
            if (holder.p_type != PT_LOAD || address < holder.p_vaddr || inside >= holder.p_filesz)
                continue;
            frames->found = calloc(1, sizeof *frames->found);
            if (frames->found == NULL)
                return error_set(error, "out of memory");
            *frames->found = (struct elf_section){
                .name = ".eh_frame",
                .address = address,
                .size_bytes = holder.p_filesz - inside,
                .data = elf_file_at(module, address, holder.p_filesz - inside)};
            return 0;
        }
    }
    return 0;
}

/* The .debug_frame of the module itself. */
static int find_own(struct call_frames *frames, struct error *error)
{
    const struct elf_section *section = elf_file_section(frames->module, ".debug_frame");
    if (section == NULL || section->data == NULL || (section->flags & SHF_COMPRESSED) != 0)
        return 0;
    frames->own = calloc(1, sizeof *frames->own);
    if (frames->own == NULL)
        return error_set(error, "out of memory");
    frames->own->data = section->data;
    frames->own->size_bytes = section->size_bytes;
    return 0;
}

int call_frames_open(struct call_frames *frames, const struct elf_file *module,
                     const struct dwarf_file *debug, struct error *error)
{
    *frames = (struct call_frames){.module = module};
    const struct elf_section *eh = elf_file_section(module, ".eh_frame");
    if (eh == NULL && module->sections_count == 0) {
        if (find_eh_frame(frames, error) != 0)
            return -1;
        eh = frames->found;
    }
    if (debug == NULL && find_own(frames, error) != 0)
        return -1;
    const struct dwarf_section *plain =
        debug != NULL ? dwarf_file_section(debug, ".debug_frame") : frames->own;
    if (eh != NULL && eh->data != NULL && list_entries(frames, eh, NULL, error) != 0)
        return -1;
    if (plain != NULL && list_entries(frames, NULL, plain, error) != 0)
        return -1;
    array_sort(frames->entries, frames->count, by_start);
    return 0;
}

void call_frames_close(struct call_frames *frames)
{
    free(frames->entries);
    free(frames->found);
    free(frames->own);
    *frames = (struct call_frames){0};
}

struct call_frame_range call_frames_range(const struct call_frames *frames, size_t index)
{
    must(index < frames->count);
    const struct call_frame_entry *entry = &frames->entries[index];
    return (struct call_frame_range){entry->start, entry->end,
                                     entry->program | (entry->eh != NULL ? 0 : PLAIN_PLACE)};
}

/* Does the description have the byte of the rule that saves the register? Else it does not save it. */
static bool may_save(const struct call_frame_entry *entry, const struct section *section,
                     unsigned number)
{
    return memchr(section->data + entry->program, DW_CFA_offset | (int)number,
                  entry->program_end - entry->program) != NULL;
}

/* ---- rows ---- */

struct machine {
    const struct section *section;
    const struct cie *cie;
    struct call_frame now, initial;
    bool cfa_known;
    uint64_t at, wanted; /* the address of the row in the making, and of the instruction */
    struct call_frame remembered[REMEMBERED_MAX];
    bool remembered_known[REMEMBERED_MAX];
    unsigned depth;
};

static void save(struct machine *machine, uint64_t number, enum call_frame_saved how,
                 int64_t offset)
{
    if (number < CALL_FRAME_REGISTERS) {
        machine->now.saved[number].how = how;
        machine->now.saved[number].offset = offset;
    }
}

static void restore(struct machine *machine, uint64_t number)
{
    if (number < CALL_FRAME_REGISTERS)
        machine->now.saved[number] = machine->initial.saved[number];
}

static int64_t factored(const struct machine *machine, uint64_t number)
{
    return (int64_t)(number * (uint64_t)machine->cie->data_factor);
}

static void advance(struct machine *machine, uint64_t steps)
{
    machine->at += steps * machine->cie->code_factor;
}

static void set_cfa(struct machine *machine, uint64_t number, int64_t offset)
{
    machine->cfa_known = number < CALL_FRAME_REGISTERS;
    machine->now.cfa_register = (uint16_t)(number < CALL_FRAME_REGISTERS ? number : 0);
    machine->now.cfa_offset = offset;
}

/* DW_CFA_remember_state, DW_CFA_restore_state (`back`). */
static bool remember(struct machine *machine, bool back)
{
    if (back ? machine->depth == 0 : machine->depth == REMEMBERED_MAX)
        return false;
    if (back) {
        machine->depth--;
        machine->now = machine->remembered[machine->depth];
        machine->cfa_known = machine->remembered_known[machine->depth];
    } else {
        machine->remembered[machine->depth] = machine->now;
        machine->remembered_known[machine->depth++] = machine->cfa_known;
    }
    return true;
}

/* Runs rules that name a register and perhaps an offset or a block. */
static bool run_rule(struct machine *machine, struct dwarf_cursor *cursor, unsigned code)
{
    uint64_t number = dwarf_take_unsigned(cursor);
    switch (code) {
    case DW_CFA_offset_extended:
        save(machine, number, CALL_FRAME_AT, factored(machine, dwarf_take_unsigned(cursor)));
        return true;
    case DW_CFA_offset_extended_sf:
        save(machine, number, CALL_FRAME_AT,
             factored(machine, (uint64_t)dwarf_take_signed(cursor)));
        return true;
    case DW_CFA_restore_extended:
        restore(machine, number);
        return true;
    case DW_CFA_undefined:
        save(machine, number, CALL_FRAME_UNSAID, 0);
        return true;
    case DW_CFA_same_value:
        save(machine, number, CALL_FRAME_SAME, 0);
        return true;
    case DW_CFA_register:
    case DW_CFA_val_offset:
        dwarf_take_unsigned(cursor);
        break;
    case DW_CFA_val_offset_sf:
        dwarf_take_signed(cursor);
        break;
    case DW_CFA_expression:
    case DW_CFA_val_expression:
        dwarf_take_bytes(cursor, dwarf_take_unsigned(cursor));
        break;
    default:
        return false;
    }
    save(machine, number, CALL_FRAME_ELSE, 0);
    return true;
}

static bool run_cfa(struct machine *machine, struct dwarf_cursor *cursor, unsigned code)
{
    uint64_t number;
    switch (code) {
    case DW_CFA_def_cfa:
        number = dwarf_take_unsigned(cursor);
        set_cfa(machine, number, (int64_t)dwarf_take_unsigned(cursor));
        return true;
    case DW_CFA_def_cfa_sf:
        number = dwarf_take_unsigned(cursor);
        set_cfa(machine, number, factored(machine, (uint64_t)dwarf_take_signed(cursor)));
        return true;
    case DW_CFA_def_cfa_register:
        set_cfa(machine, dwarf_take_unsigned(cursor), machine->now.cfa_offset);
        return true;
    case DW_CFA_def_cfa_offset:
        machine->now.cfa_offset = (int64_t)dwarf_take_unsigned(cursor);
        return true;
    case DW_CFA_def_cfa_offset_sf:
        machine->now.cfa_offset = factored(machine, (uint64_t)dwarf_take_signed(cursor));
        return true;
    case DW_CFA_def_cfa_expression:
        dwarf_take_bytes(cursor, dwarf_take_unsigned(cursor));
        machine->cfa_known = false;
        return true;
    default:
        return run_rule(machine, cursor, code);
    }
}

static bool run_one(struct machine *machine, struct dwarf_cursor *cursor)
{
    unsigned code = (unsigned)dwarf_take(cursor, 1), low = code & 0x3f;
    switch (code & 0xc0) {
    case DW_CFA_advance_loc:
        advance(machine, low);
        return true;
    case DW_CFA_offset:
        save(machine, low, CALL_FRAME_AT, factored(machine, dwarf_take_unsigned(cursor)));
        return true;
    case DW_CFA_restore:
        restore(machine, low);
        return true;
    default:
        break;
    }
    switch (code) {
    case DW_CFA_nop:
        return true;
    case 0x2d: /* DW_CFA_AARCH64_negate_ra_state: the return address is signed from here on */
        return true;
    case DW_CFA_GNU_args_size:
        dwarf_take_unsigned(cursor);
        return true;
    case DW_CFA_set_loc:
        return take_pointer(machine->section, cursor,
                            machine->section->eh ? machine->cie->pointers : 0, &machine->at);
    case DW_CFA_advance_loc1:
    case DW_CFA_advance_loc2:
    case DW_CFA_advance_loc4: /* consecutive codes, of 1, 2 and 4 bytes */
        advance(machine, dwarf_take(cursor, 1u << (code - DW_CFA_advance_loc1)));
        return true;
    case DW_CFA_remember_state:
    case DW_CFA_restore_state:
        return remember(machine, code == DW_CFA_restore_state);
    default:
        return run_cfa(machine, cursor, code);
    }
}

/* Runs a program up to the row of the wanted instruction: what goes on to a later row changes
 * nothing but `at`. */
static bool run(struct machine *machine, uint64_t from, uint64_t to)
{
    struct dwarf_cursor cursor = {machine->section->data + from, machine->section->data + to,
                                  false};
    while (cursor.at < cursor.end && machine->at <= machine->wanted)
        if (!run_one(machine, &cursor) || cursor.failed)
            return false;
    return true;
}

/* A machine at the first row of a description; NULL without memory or if it is damaged. */
static struct machine *machine_at(const struct section *section, const struct cie *cie,
                                  const struct call_frame_entry *entry)
{
    struct machine *machine = malloc(sizeof *machine); /* most of it is `remembered` */
    if (machine == NULL)
        return NULL;
    machine->section = section;
    machine->cie = cie;
    machine->now = (struct call_frame){0};
    machine->initial = (struct call_frame){0};
    machine->cfa_known = false;
    machine->depth = 0;
    machine->at = entry->start;
    machine->wanted = UINT64_MAX;
    if (!run(machine, cie->program, cie->program_end)) {
        free(machine);
        return NULL;
    }
    machine->initial = machine->now;
    machine->at = entry->start;
    return machine;
}

bool call_frames_save_both(const struct call_frames *frames, size_t index, unsigned one,
                           unsigned other)
{
    must(index < frames->count && one < CALL_FRAME_REGISTERS && other < CALL_FRAME_REGISTERS);
    const struct call_frame_entry *entry = &frames->entries[index];
    const struct section section = section_of(entry);
    struct cie cie;
    if (!may_save(entry, &section, one) || !may_save(entry, &section, other) ||
        !read_cie(&section, entry->cie, &cie))
        return false;
    struct machine *machine = machine_at(&section, &cie, entry);
    if (machine == NULL)
        return false;
    struct dwarf_cursor cursor = {section.data + entry->program, section.data + entry->program_end,
                                  false};
    bool both = false;
    while (!both && cursor.at < cursor.end && run_one(machine, &cursor) && !cursor.failed)
        both = machine->now.saved[one].how == CALL_FRAME_AT &&
               machine->now.saved[other].how == CALL_FRAME_AT;
    free(machine);
    return both;
}

bool call_frames_at(const struct call_frames *frames, uint64_t address, struct call_frame *frame)
{
    size_t next = sorted_after(frames->entries, frames->count, start, address);
    struct cie cie;
    if (next == 0 || address >= frames->entries[next - 1].end)
        return false;
    const struct call_frame_entry *entry = &frames->entries[next - 1];
    const struct section section = section_of(entry);
    if (!read_cie(&section, entry->cie, &cie))
        return false;
    struct machine *machine = machine_at(&section, &cie, entry);
    if (machine == NULL)
        return false;
    machine->wanted = address;
    bool known = run(machine, entry->program, entry->program_end) && machine->cfa_known;
    *frame = machine->now;
    frame->return_register = (uint16_t)cie.return_register;
    free(machine);
    return known;
}
