/* A thread's records: all but calls and locks, of all kinds in one list in the log's order. */
#include "loader/calls/decode_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void decode_want_open(struct decoder *decoder)
{
    const struct call_stack *stack = &decoder->stack;
    uint32_t depth = stack->depth;
    while (decoder->window.kept != NULL && depth > stack->inherited &&
           row_window_want(&decoder->window, stack->items[depth - 1].head.call_id))
        depth--;
}

struct decode_record *decode_record(struct decoder *decoder, enum decode_kind kind,
                                    const void *text, size_t bytes, struct error *error)
{
    struct decode_records *records = &decoder->out->records;
    const struct open_call *call = call_stack_own_top(&decoder->stack);
    char *copy = NULL;
    if (array_reserve(&records->items, &records->capacity, records->count + 1, error) != 0)
        return NULL;
    if (text != NULL) {
        copy = malloc(bytes + 1);
        if (copy == NULL) {
            error_set(error, "out of memory");
            return NULL;
        }
        memcpy(copy, text, bytes);
        copy[bytes] = 0;
    }
    struct decode_record *record = &records->items[records->count++];
    *record = (struct decode_record){.kind = kind,
                                     .frame = call != NULL ? call->head.frame_id : 0,
                                     .bytes = (uint32_t)bytes,
                                     .call_id = call != NULL ? call->head.call_id : 0,
                                     .ns = decoder->clock.now_ns,
                                     .text = copy};
    records->kinds |= 1u << kind;
    if (call != NULL)
        decode_want_open(decoder);
    return record;
}

void decode_records_release(struct decode_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        free(records->items[i].text);
    free(records->items);
}

const struct decode_record *record_cursor_next(struct record_cursor *cursor)
{
    for (; cursor->thread < cursor->threads_count; cursor->thread++, cursor->next = 0) {
        const struct decode_records *records = &cursor->threads[cursor->thread].records;
        while ((records->kinds & cursor->kinds) != 0 && cursor->next < records->count) {
            const struct decode_record *record = &records->items[cursor->next++];
            if ((cursor->kinds >> record->kind & 1) != 0)
                return record;
        }
    }
    return NULL;
}
