/*
 * Decodes line tables: see dwarf_rows.h. The header (DWARF 5, 6.2.4; sizes in bytes, O is 4, or 8
 * if the length begins with 0xffffffff), before the program that makes the rows:
 *
 *   length O (+4), version 2, [since 5: address size 1, segment size 1], header length O,
 *   minimum instruction length 1, [since 4: operations per instruction 1], default is_stmt 1,
 *   line base 1 (signed), line range 1, opcode base 1, lengths of the standard opcodes, ...
 */
#include "debuginfo/dwarf/dwarf_rows.h"

#include "debuginfo/dwarf/dwarf_api.h"
#include "debuginfo/dwarf/dwarf_cursor.h"

struct program {
    unsigned minimum_bytes, line_range, opcode_base;
    int line_base;
    unsigned char lengths[256]; /* argument counts of the standard opcodes */
};

/* Reads the header. Leaves the cursor at the program, with the table's end. */
static bool read_header(struct dwarf_cursor *cursor, struct program *program)
{
    unsigned offset_bytes;
    if (!dwarf_take_length(cursor, &offset_bytes))
        return false;
    uint64_t version = dwarf_take(cursor, 2);
    if (version < 2 || version > 5)
        return false;
    if (version == 5)
        dwarf_take(cursor, 2);
    uint64_t header = dwarf_take(cursor, offset_bytes);
    if (cursor->failed || header > (uint64_t)(cursor->end - cursor->at))
        return false;
    const unsigned char *start = cursor->at + header;
    program->minimum_bytes = (unsigned)dwarf_take(cursor, 1);
    if (version >= 4)
        dwarf_take(cursor, 1);
    dwarf_take(cursor, 1);
    program->line_base = (signed char)dwarf_take(cursor, 1);
    program->line_range = (unsigned)dwarf_take(cursor, 1);
    program->opcode_base = (unsigned)dwarf_take(cursor, 1);
    if (program->line_range == 0 || program->opcode_base == 0)
        return false;
    for (unsigned i = 1; i < program->opcode_base; i++)
        program->lengths[i] = (unsigned char)dwarf_take(cursor, 1);
    cursor->at = start;
    return !cursor->failed;
}

static const struct dwarf_row first_row = {.file = 1, .line = 1};

/* An extended opcode: its length, its code, its arguments. */
static int extended(struct dwarf_cursor *cursor, struct dwarf_row *row, dwarf_row_visit *visit,
                    void *context)
{
    uint64_t length = dwarf_take_unsigned(cursor);
    if (cursor->failed || length == 0 || length > (uint64_t)(cursor->end - cursor->at)) {
        cursor->failed = true;
        return 0;
    }
    const unsigned char *next = cursor->at + length;
    uint64_t code = dwarf_take(cursor, 1);
    int result = 0;
    if (code == DW_LNE_end_sequence) {
        row->ends = true;
        result = visit(context, row);
        *row = first_row;
    } else if (code == DW_LNE_set_address && length <= 9) {
        row->address = dwarf_take(cursor, (unsigned)length - 1);
    }
    cursor->at = next;
    return result;
}

static int standard(struct dwarf_cursor *cursor, const struct program *program, unsigned code,
                    struct dwarf_row *row, dwarf_row_visit *visit, void *context)
{
    switch (code) {
    case DW_LNS_copy:
        return visit(context, row);
    case DW_LNS_advance_pc:
        row->address += dwarf_take_unsigned(cursor) * program->minimum_bytes;
        return 0;
    case DW_LNS_advance_line:
        row->line = (uint32_t)((uint64_t)row->line + (uint64_t)dwarf_take_signed(cursor));
        return 0;
    case DW_LNS_set_file:
        row->file = dwarf_take_unsigned(cursor);
        return 0;
    case DW_LNS_const_add_pc:
        row->address +=
            (uint64_t)((255 - program->opcode_base) / program->line_range) * program->minimum_bytes;
        return 0;
    case DW_LNS_fixed_advance_pc:
        row->address += dwarf_take(cursor, 2);
        return 0;
    default:
        for (unsigned i = 0; i < program->lengths[code]; i++)
            dwarf_take_unsigned(cursor);
        return 0;
    }
}

int dwarf_rows(const unsigned char *section, uint64_t size_bytes, uint64_t offset,
               dwarf_row_visit *visit, void *context)
{
    struct program program;
    struct dwarf_row row = first_row;
    int result = 0;
    if (section == NULL || offset >= size_bytes)
        return 0;
    struct dwarf_cursor cursor = {section + offset, section + size_bytes, false};
    if (!read_header(&cursor, &program))
        return 0;
    while (cursor.at < cursor.end && !cursor.failed && result == 0) {
        unsigned code = (unsigned)dwarf_take(&cursor, 1);
        if (code >= program.opcode_base) {
            unsigned special = code - program.opcode_base;
            row.address += (uint64_t)(special / program.line_range) * program.minimum_bytes;
            row.line += (uint32_t)(program.line_base + (int)(special % program.line_range));
            result = visit(context, &row);
        } else if (code == 0) {
            result = extended(&cursor, &row, visit, context);
        } else {
            result = standard(&cursor, &program, code, &row, visit, context);
        }
    }
    return result;
}
