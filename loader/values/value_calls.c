/* The values of calls: see value_calls.h. */
#include "loader/values/value_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "loader/values/value_errno.h"

void value_shared_release(struct value_shared *shared)
{
    value_types_release(&shared->types);
}

void value_calls_init(struct value_calls *calls, struct value_shared *shared)
{
    *calls = (struct value_calls){.shared = shared};
    calls->rows.late.folder = shared->folder;
}

static void function_free(struct value_function *function)
{
    if (function == NULL)
        return;
    for (unsigned i = 0; i < VALUE_POSITIONS; i++)
        value_counts_free(function->counts[i]);
    free(function->listed.ids);
    value_repeats_release(&function->repeats);
    free(function);
}

void value_calls_done(struct value_calls *calls)
{
    struct value_late late = calls->rows.late;
    calls->rows.late.file = NULL;
    pointer_names_release(&calls->names);
    value_rows_release(&calls->rows);
    calls->rows.late = late;
    free(calls->used);
    free(calls->open);
    free(calls->forms.bytes);
    free(calls->made.bytes);
    calls->used = NULL;
    calls->open = NULL;
    calls->used_capacity = calls->open_capacity = 0;
    calls->forms = calls->made = (struct value_buffer){.bytes = NULL};
}

void value_calls_release(struct value_calls *calls)
{
    value_calls_done(calls);
    for (size_t i = 0; i < calls->functions_capacity; i++)
        function_free(calls->functions[i]);
    free(calls->functions);
    result_flows_release(&calls->flows);
    value_late_release(&calls->rows.late);
    *calls = (struct value_calls){.innermost = 0};
}

void value_calls_forget_names(struct value_calls *calls)
{
    pointer_names_clear(&calls->names);
}

/* ---- functions ---- */

static int function_make(struct value_calls *calls, uint32_t id, struct value_function **out,
                         struct error *error)
{
    struct value_function *function = calloc(1, sizeof *function);
    if (function == NULL)
        return error_set(error, "out of memory");
    *out = function;
    function->id = id;
    if (value_types_of(&calls->shared->types, id, &function->parameters,
                       &function->parameters_count, error) != 0)
        return -1;
    for (size_t i = 0; i < function->parameters_count; i++)
        if (function->parameters[i].position < VALUE_POSITIONS) {
            function->types[function->parameters[i].position] = function->parameters[i].type;
            function->at_exit |= (uint32_t)function->parameters[i].at_exit
                                 << function->parameters[i].position;
        }
    function->types[VALUE_ERRNO] = value_errno.type;
    return 0;
}

static int function_of(struct value_calls *calls, uint32_t id, struct value_function **out,
                       struct error *error)
{
    if (array_reach(&calls->functions, &calls->functions_capacity, id, error) != 0)
        return -1;
    struct value_function **place = &calls->functions[id];
    if (*place == NULL && function_make(calls, id, place, error) != 0)
        return -1;
    *out = *place;
    if ((*out)->used)
        return 0;
    if (array_reserve(&calls->used, &calls->used_capacity, calls->used_count + 1, error) != 0)
        return -1;
    calls->used[calls->used_count++] = *out;
    (*out)->used = true;
    return 0;
}

/* Lists a call with a value, unless there are too many. */
static int list_call(struct value_calls *calls, struct listed_calls *listed, uint64_t call_id,
                     struct error *error)
{
    if (listed->too_many)
        return 0;
    if (listed->count == listed->capacity) {
        size_t more = listed->capacity < 16 ? 16 : listed->capacity;
        if (listed->count >= LISTED_MAX ||
            !value_room_take(&calls->shared->room, more * sizeof *listed->ids)) {
            value_room_give(&calls->shared->room, listed->capacity * sizeof *listed->ids);
            free(listed->ids);
            *listed = (struct listed_calls){.too_many = true};
            return 0;
        }
    }
    if (array_reserve(&listed->ids, &listed->capacity, listed->count + 1, error) != 0)
        return -1;
    listed->ids[listed->count++] = call_id;
    return 0;
}

/* ---- adding up ---- */

static int count_value(struct value_calls *calls, struct value_function *function,
                       const struct value_form *form, const struct valued_call *call,
                       struct error *error)
{
    struct value_counts **counts = &function->counts[form->position];
    if (*counts == NULL && (*counts = value_counts_new(
                                form->position > 0 && form->position < VALUE_ERRNO, error)) == NULL)
        return -1;
    return value_counts_add(*counts, form, call, &calls->shared->room, error);
}

static uint64_t form_hash(const struct value_form *form)
{
    uint64_t hash = (form->bits ^ (uint64_t)form->type << 56) * UINT64_C(0xd6e8feb86659fd93);
    return (hash ^ hash >> 32) | 1;
}

/* Of all arguments; 0 = one is not known. */
static uint64_t arguments_hash(const struct value_function *function,
                               const struct value_buffer *forms)
{
    uint64_t hash = UINT64_C(0x632be59bd9b4e019);
    unsigned last = 0;
    for (size_t at = 0; at < forms->used;) {
        const struct value_form *form = value_form_at(forms, at);
        if (!value_form_is_known(form) || form->type == FORM_CUT)
            return 0;
        hash = (hash ^ form_hash(form)) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
        last = form->position;
        at += value_form_bytes(form);
    }
    while (last + 1 < VALUE_ERRNO && (function->at_exit >> (last + 1) & 1) != 0)
        last++;
    bool more = last + 1 < VALUE_ERRNO && function->types[last + 1] != NULL;
    return more ? 0 : hash | 1;
}

static struct open_values *open_top(struct value_calls *calls)
{
    return calls->open_count > 0 ? &calls->open[calls->open_count - 1] : NULL;
}

/* The entry of the innermost open call; makes it if there is none. */
static int open_reach(struct value_calls *calls, uint64_t call_id, uint32_t function_id,
                      struct open_values **out, struct error *error)
{
    *out = open_top(calls);
    if (*out != NULL && (*out)->call_id == call_id)
        return 0;
    if (array_reserve(&calls->open, &calls->open_capacity, calls->open_count + 1, error) != 0)
        return -1;
    *out = &calls->open[calls->open_count++];
    **out = (struct open_values){.call_id = call_id,
                                 .function_id = function_id,
                                 .forms = calls->forms.used,
                                 .waiting_from = calls->flows.waiting_count};
    calls->innermost = call_id;
    return 0;
}

/* Lets a call's result wait for its caller's. */
static int give_result(struct value_calls *calls, uint32_t function, const struct value_form *form,
                       const struct valued_call *call, struct value_caller caller,
                       struct error *error)
{
    struct open_values *open;
    struct waiting_results result = {.function = function,
                                     .class = form->class,
                                     .calls = 1,
                                     .first_call = call->call_id,
                                     .last = form_hash(form)};
    if (!value_form_is_known(form))
        return 0;
    if (caller.function == 0) {
        size_t from = calls->flows.waiting_count;
        return result_flows_wait(&calls->flows, from, 0, &result, error) != 0
                   ? -1
                   : result_flows_settle(&calls->flows, from, 0, VALUE_CLASS_NONE, 0, error);
    }
    if (open_reach(calls, caller.call_id, caller.function, &open, error) != 0)
        return -1;
    return result_flows_wait(&calls->flows, open->waiting_from, caller.function, &result, error);
}

/* Adds up an ended call. result: NULL = it gave none. */
static int add_up(struct value_calls *calls, const struct open_values *open,
                  const struct valued_call *call, const struct value_form *result,
                  struct error *error)
{
    bool known = result != NULL && value_form_is_known(result);
    uint64_t hash = known ? form_hash(result) : 0;
    struct value_function *function = open->function;
    if (result_flows_settle(&calls->flows, open->waiting_from, open->function_id,
                            known ? (enum value_class)result->class : VALUE_CLASS_NONE, hash,
                            error) != 0)
        return -1;
    if (function == NULL)
        return 0;
    for (uint32_t at = 0; at < open->bytes;) {
        const struct value_form *form = value_form_at(&calls->forms, open->forms + at);
        if (count_value(calls, function, form, call, error) != 0)
            return -1;
        at += (uint32_t)value_form_bytes(form);
    }
    value_repeats_leave(&function->repeats, &open->repeats, call, hash);
    return 0;
}

/* The waiting call gets no result. */
static int settle(struct value_calls *calls, struct error *error)
{
    if (!calls->has_ended)
        return 0;
    calls->has_ended = false;
    return add_up(calls, &calls->ended, &calls->ended_call, NULL, error);
}

/* ---- events ---- */

void value_calls_begin(struct value_calls *calls, struct btree_part *part, uint64_t first_id,
                       value_open_call *open_call, void *context)
{
    calls->rows.open_call = open_call;
    calls->rows.context = context;
    value_calls_forget_names(calls);
    value_rows_begin(&calls->rows, part, first_id);
}

static int make_form(struct value_calls *calls, const struct value_function *function,
                     unsigned position, const struct value *value, struct value_moment moment,
                     struct error *error)
{
    const char *name = NULL;
    if (value->type == VALUE_POINTER &&
        pointer_names_find(&calls->names, &calls->shared->types, moment.process, value->bits,
                           moment.tick, &name, error) != 0)
        return -1;
    return value_form_add(&calls->made, value, position, function->types[position], name, error);
}

/* Makes the forms of an event's values. position: the first one's. What comes at the exit has no
 * value yet. */
static int make_forms(struct value_calls *calls, const struct value_function *function,
                      unsigned position, const unsigned char *values, uint32_t bytes,
                      struct value_moment moment, struct error *error)
{
    const unsigned char *end = values + bytes;
    struct value value;
    for (calls->made.used = 0; values < end && value_read(&values, end, &value);
         position = position == 0 ? VALUE_ERRNO : position + 1)
        if ((function->at_exit >> position & 1) == 0 &&
            make_form(calls, function, position, &value, moment, error) != 0)
            return -1;
    return 0;
}

int value_calls_enter(struct value_calls *calls, uint64_t call_id, uint32_t function,
                      const unsigned char *values, uint32_t bytes, struct value_moment moment,
                      struct error *error)
{
    struct value_function *of;
    struct open_values *open;
    if (settle(calls, error) != 0 || function_of(calls, function, &of, error) != 0 ||
        make_forms(calls, of, 1, values, bytes, moment, error) != 0 ||
        open_reach(calls, call_id, function, &open, error) != 0 ||
        list_call(calls, &of->listed, call_id, error) != 0)
        return -1;
    open->function = of;
    open->forms = calls->forms.used;
    open->bytes = (uint32_t)calls->made.used;
    uint64_t hash = bytes > 0 ? arguments_hash(of, &calls->made) : 0;
    if (hash != 0 && value_repeats_enter(&of->repeats, hash, call_id, &calls->shared->room,
                                         &open->repeats, error) != 0)
        return -1;
    of->repeats_sum.unknown += hash == 0 && bytes > 0;
    if (open->bytes == 0)
        return 0;
    return value_buffer_add(&calls->forms, calls->made.bytes, calls->made.used, error) != 0
               ? -1
               : value_rows_arguments(&calls->rows, call_id, calls->made.bytes, calls->made.used,
                                      error);
}

int value_calls_leave(struct value_calls *calls, const struct valued_call *call,
                      struct error *error)
{
    if (settle(calls, error) != 0)
        return -1;
    calls->ended = calls->open[--calls->open_count];
    calls->ended_call = *call;
    calls->has_ended = true;
    calls->forms.used = calls->ended.forms; /* they stay there until others come */
    const struct open_values *top = open_top(calls);
    calls->innermost = top != NULL ? top->call_id : 0;
    return 0;
}

int value_calls_exit(struct value_calls *calls, const struct valued_call *call,
                     const unsigned char *values, uint32_t bytes, struct value_moment moment,
                     struct error *error)
{
    const unsigned char *end = values + bytes;
    struct value_function *function = calls->ended.function;
    struct value position, value;
    if (!calls->has_ended || calls->ended_call.call_id != call->call_id || function == NULL)
        return 0; /* none of its arguments was recorded */
    for (calls->made.used = 0;
         value_read(&values, end, &position) && value_read(&values, end, &value);) {
        size_t at = calls->made.used;
        if (position.bits >= VALUE_ERRNO || (function->at_exit >> position.bits & 1) == 0)
            continue; /* an argument has that position */
        if (make_form(calls, function, (unsigned)position.bits, &value, moment, error) != 0 ||
            count_value(calls, function, value_form_at(&calls->made, at), call, error) != 0)
            return -1;
    }
    return value_rows_exit(&calls->rows, call->call_id, calls->made.bytes, calls->made.used, error);
}

int value_calls_result(struct value_calls *calls, const struct valued_call *call, uint32_t function,
                       struct value_caller caller, const unsigned char *values, uint32_t bytes,
                       struct value_moment moment, struct error *error)
{
    struct value_function *of;
    bool waits = calls->has_ended && calls->ended_call.call_id == call->call_id;
    if ((!waits && settle(calls, error) != 0) || function_of(calls, function, &of, error) != 0 ||
        make_forms(calls, of, 0, values, bytes, moment, error) != 0)
        return -1;
    const struct value_form *form = value_form_at(&calls->made, 0);
    bool listed = waits && calls->ended.function != NULL;
    of->has_results = true;
    calls->has_ended = false;
    if (waits && add_up(calls, &calls->ended, call, form, error) != 0)
        return -1;
    if ((!listed && list_call(calls, &of->listed, call->call_id, error) != 0) ||
        count_value(calls, of, form, call, error) != 0 ||
        give_result(calls, function, form, call, caller, error) != 0)
        return -1;
    size_t one = value_form_bytes(form);
    const struct value_form *failure =
        one < calls->made.used ? value_form_at(&calls->made, one) : NULL;
    if (failure != NULL && count_value(calls, of, failure, call, error) != 0)
        return -1;
    return value_rows_result(&calls->rows, call->call_id, form, failure, error);
}

int value_calls_end(struct value_calls *calls, struct error *error)
{
    if (settle(calls, error) != 0)
        return -1;
    for (size_t i = 0; i < calls->used_count; i++) {
        struct value_function *function = calls->used[i];
        value_repeats_fold(&function->repeats, &function->repeats_sum, &calls->shared->room);
        function->used = false;
    }
    calls->used_count = 0;
    calls->open_count = 0;
    calls->forms.used = 0;
    calls->innermost = 0;
    calls->flows.waiting_count = 0;
    return value_rows_finish(&calls->rows, error);
}

/* ---- merging ---- */

static int merge_listed(struct listed_calls *into, const struct listed_calls *from,
                        struct error *error)
{
    if (into->too_many || from->too_many || into->count + from->count > LISTED_MAX) {
        free(into->ids);
        *into = (struct listed_calls){.too_many = true};
        return 0;
    }
    if (from->count == 0)
        return 0;
    if (array_reserve(&into->ids, &into->capacity, into->count + from->count, error) != 0)
        return -1;
    memcpy(into->ids + into->count, from->ids, from->count * sizeof *from->ids);
    into->count += from->count;
    return 0;
}

static int merge_function(struct value_function *into, struct value_function *from,
                          struct error *error)
{
    into->has_results |= from->has_results;
    repeats_sum_merge(&into->repeats_sum, &from->repeats_sum);
    for (unsigned i = 0; i < VALUE_POSITIONS; i++) {
        struct value_counts *counts = from->counts[i];
        if (into->counts[i] == NULL) {
            into->counts[i] = counts;
            from->counts[i] = NULL;
        } else if (counts != NULL && value_counts_merge(into->counts[i], counts, error) != 0) {
            return -1;
        }
    }
    return merge_listed(&into->listed, &from->listed, error);
}

int value_calls_merge(struct value_calls *into, struct value_calls *from, struct error *error)
{
    for (size_t i = 0; i < from->functions_capacity; i++) {
        if (from->functions[i] == NULL)
            continue;
        if (array_reach(&into->functions, &into->functions_capacity, i, error) != 0)
            return -1;
        if (into->functions[i] == NULL)
            into->functions[i] = from->functions[i];
        else if (merge_function(into->functions[i], from->functions[i], error) != 0)
            return -1;
        else
            function_free(from->functions[i]);
        from->functions[i] = NULL;
    }
    return value_late_merge(&into->rows.late, &from->rows.late, error) != 0
               ? -1
               : result_flows_merge(&into->flows, &from->flows, error);
}
