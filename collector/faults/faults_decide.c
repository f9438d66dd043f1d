/* Rules, their conditions and counts: see faults_decide.h. */
#include "collector/faults/faults_decide.h"

#include "collector/core/event.h"
#include "collector/faults/faults.h"
#include "collector/faults/faults_after.h"
#include "collector/faults/faults_throw.h"
#include "collector/core/live_area.h"
#include "collector/core/module_names.h"
#include "collector/core/reserve.h"
#include "collector/values/values_capture.h"

#include <errno.h>
#include <string.h>

#define FUNCTION_PLACES 4096u
#define TEXT_MAX 500u

static struct fisql_faults *head;
static struct fisql_fault_rule *rules;
static struct fisql_fault_counts *counts; /* the process's */
static bool counts_shared;                /* more processes than places */
/* As `reached`, with the counts of the processes that this one was forked from. */
static uint64_t counted[FISQL_FAULT_RULES_MAX];
static THREAD_LOCAL uint32_t counted_here[FISQL_FAULT_RULES_MAX];
static uint64_t alloc_rules[FISQL_KINDS_MAX];
static uint64_t call_rules[64];
static uint64_t with_arguments, with_stack; /* rules with such conditions */

static uint64_t own_start, own_end;

/* The rules whose `in` condition a function meets. */
struct function_place {
    uint64_t function, rules;
};

/* Exists when the area does. */
static struct tables {
    struct fault_hook hook_places[FAULT_HOOK_PLACES];
    struct function_place function_places[FUNCTION_PLACES];
} * tables;
static struct reserve tables_memory;
static bool no_memory;

/* ---- the area ---- */

static const void *at_offset(uint64_t offset)
{
    return (const unsigned char *)head + offset;
}

const char *fault_text(uint64_t offset)
{
    return at_offset(offset);
}

/* By rule: where the module of the class that it throws is loaded. */
static struct class_place {
    uint64_t bias;
    uint32_t loaded; /* atomic */
} class_places[FISQL_FAULT_RULES_MAX];

static const struct fisql_fault_class *class_of(const struct fisql_fault_rule *rule)
{
    return rule->class != 0 ? at_offset(rule->class) : NULL;
}

bool fault_thrown_of(const struct fisql_fault_rule *rule, struct fault_thrown *thrown)
{
    const struct class_place *place = &class_places[rule - rules];
    bool loaded = __atomic_load_n(&place->loaded, __ATOMIC_ACQUIRE) != 0;
    *thrown = (struct fault_thrown){fault_text(rule->text), class_of(rule), place->bias};
    return thrown->class == NULL || loaded;
}

const struct fisql_fault_rule *fault_rule_at(uint32_t number)
{
    return &rules[number];
}

uint32_t fault_rule_number(const struct fisql_fault_rule *rule)
{
    return (uint32_t)(rule - rules);
}

static bool within(uint64_t offset, uint64_t count, uint64_t size)
{
    return offset % 8 == 0 && offset <= head->bytes && count <= (head->bytes - offset) / size;
}

static const struct fisql_fault_module *entries(void)
{
    return at_offset(head->modules_at);
}

static bool sound(uint64_t size_bytes)
{
    if (size_bytes < sizeof *head || head->magic != FISQL_FAULTS_MAGIC ||
        head->version != FISQL_FAULTS_VERSION || head->bytes > size_bytes ||
        head->rules > FISQL_FAULT_RULES_MAX ||
        !within(head->rules_at, head->rules, sizeof(struct fisql_fault_rule)) ||
        !within(head->modules_at, head->modules, sizeof(struct fisql_fault_module)) ||
        !within(head->values_at, head->values_count, sizeof(struct fisql_recipe_value)) ||
        !within(head->counts_at, FISQL_FAULT_PROCESSES_MAX, sizeof(struct fisql_fault_counts)))
        return false;
    for (uint32_t i = 0; i < head->modules; i++) {
        const struct fisql_fault_module *entry = &entries()[i];
        if (!within(entry->hooks, entry->hooks_count, sizeof(struct fisql_fault_hook)) ||
            !within(entry->places, entry->places_count, sizeof(struct fisql_fault_place)) ||
            entry->path > head->bytes || entry->path_bytes > head->bytes - entry->path)
            return false;
    }
    const struct fisql_fault_rule *rule = at_offset(head->rules_at);
    for (uint32_t i = 0; i < head->rules; i++)
        if (rule[i].class != 0 && !within(rule[i].class, 1, sizeof(struct fisql_fault_class)))
            return false;
    return true;
}

static void take_counts(void)
{
    struct fisql_fault_counts *all =
        (struct fisql_fault_counts *)(void *)((unsigned char *)head + head->counts_at);
    uint32_t index = __atomic_fetch_add(&head->processes, 1, __ATOMIC_RELAXED);
    counts_shared = index >= FISQL_FAULT_PROCESSES_MAX - 1;
    counts = &all[counts_shared ? FISQL_FAULT_PROCESSES_MAX - 1 : index];
}

static void take_rules(void)
{
    rules = (struct fisql_fault_rule *)(void *)((unsigned char *)head + head->rules_at);
    for (uint32_t i = 0; i < head->rules; i++) {
        const struct fisql_fault_rule *rule = &rules[i];
        if (rule->whens_count > 0)
            with_arguments |= (uint64_t)1 << i;
        if (rule->inside != 0 || rule->sites_count > 0)
            with_stack |= (uint64_t)1 << i;
        for (uint32_t kind = 0; rule->kind == FISQL_FAULT_ALLOC && kind < FISQL_KINDS_MAX; kind++)
            if ((rule->targets >> kind & 1) != 0)
                alloc_rules[kind] |= (uint64_t)1 << i;
        if (rule->kind == FISQL_FAULT_CALL && rule->targets < 64)
            call_rules[rule->targets] |= (uint64_t)1 << i;
    }
    for (uint32_t kind = 0; kind < FISQL_KINDS_MAX; kind++)
        if (alloc_rules[kind] != 0)
            faults_allocs |= 1u << kind;
}

static void load(const struct fisql_live_parts *parts)
{
    const struct fisql_live_part *part = &parts->faults;
    if (part->bytes == 0 || head != NULL ||
        (head = live_area_part(part->offset, part->bytes, true)) == NULL)
        return;
    no_memory =
        recipe_cache == NULL || !reserve_grow(&tables_memory, sizeof *tables, sizeof *tables);
    if (no_memory || (uintptr_t)head % 8 != 0 || !sound(part->bytes)) {
        head = NULL;
        return;
    }
    tables = reserve_start(&tables_memory);
    fault_hooks = tables->hook_places;
    if (recipe_string_max == 0)
        recipe_string_max = TEXT_MAX; /* there are no recipes, which alone it limits */
    take_counts();
    take_rules();
}

static bool without_memory(void)
{
    return no_memory;
}

static void forked(void)
{
    if (head != NULL)
        take_counts();
}

uint64_t fault_rules_of_alloc(unsigned kind)
{
    return alloc_rules[kind % FISQL_KINDS_MAX];
}

uint64_t fault_rules_of_call(uint32_t call)
{
    return call < 64 ? call_rules[call] : 0;
}

/* ---- modules ---- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* NULL = no rule names anything in the module. */
static const struct fisql_fault_module *entry_of(const char *path)
{
    size_t length = strlen(path);
    for (uint32_t i = 0; i < head->modules; i++)
        if (entries()[i].path_bytes == length &&
            memcmp(at_offset(entries()[i].path), path, length) == 0)
            return &entries()[i];
    return NULL;
}

static void module_loaded(const struct feature_module *loaded)
{
    uint64_t here = (uint64_t)(uintptr_t)module_loaded;
    if (here >= loaded->start && here < loaded->end) {
        own_start = loaded->start;
        own_end = loaded->end;
    }
    const struct fisql_fault_module *entry = head != NULL ? entry_of(loaded->path) : NULL;
    const struct fisql_fault_hook *hooks = entry != NULL ? at_offset(entry->hooks) : NULL;
    for (uint64_t i = 0; entry != NULL && i < entry->hooks_count; i++)
        fault_hook_put(&hooks[i], loaded->bias);
    for (uint32_t i = 0; entry != NULL && i < head->rules; i++) {
        const struct fisql_fault_class *class = class_of(&rules[i]);
        if (class == NULL || &entries()[class->module] != entry)
            continue;
        class_places[i].bias = loaded->bias;
        __atomic_store_n(&class_places[i].loaded, 1, __ATOMIC_RELEASE);
    }
}

const struct feature faults_feature = {
    .load = load,
    .without_memory = without_memory,
    .module = module_loaded,
    .forked = forked,
};

bool fault_is_own(uint64_t site)
{
    return site - own_start < own_end - own_start;
}

/* ---- the calls that are open ---- */

static uint64_t search_places(uint64_t function)
{
    const struct module_name *module = module_names_find(function);
    const struct fisql_fault_module *entry = module != NULL ? entry_of(module->path) : NULL;
    if (entry == NULL)
        return 0;
    const struct fisql_fault_place *places = at_offset(entry->places);
    uint64_t low = 0, high = entry->places_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (places[middle].address + module->bias < function)
            low = middle + 1;
        else
            high = middle;
    }
    return low < entry->places_count && places[low].address + module->bias == function
               ? places[low].rules
               : 0;
}

/* Rules whose `in` condition this function meets. Threads fill the places side by side: one that we
 * see half-changed does not have the function's address. */
static uint64_t rules_inside(uint64_t function)
{
    struct function_place *place = &tables->function_places[function / 4 % FUNCTION_PLACES];
    if (__atomic_load_n(&place->function, __ATOMIC_ACQUIRE) == function)
        return __atomic_load_n(&place->rules, __ATOMIC_RELAXED);
    uint64_t found = search_places(function);
    __atomic_store_n(&place->function, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&place->rules, found, __ATOMIC_RELEASE);
    __atomic_store_n(&place->function, function, __ATOMIC_RELEASE);
    return found;
}

static bool is_site(const struct fisql_fault_site *wanted, uint64_t site)
{
    const struct module_name *module = module_names_find(site);
    if (module == NULL || site - module->bias != wanted->address)
        return false;
    const char *name = last_part(module->path);
    return strlen(name) == wanted->module_bytes &&
           memcmp(name, at_offset(wanted->module), wanted->module_bytes) == 0;
}

/* Are the sites, from the call outwards, exactly those that the rule names? */
static bool stack_is(const struct fisql_fault_rule *rule, const struct fault_case *asked,
                     const struct shadow_call *calls, uint32_t open)
{
    const struct fisql_fault_site *sites = at_offset(rule->sites);
    if (rule->sites_count != open + 1 || !is_site(&sites[0], asked->site))
        return false;
    for (uint32_t i = 0; i < open; i++)
        if (!is_site(&sites[i + 1], calls[open - 1 - i].site))
            return false;
    return true;
}

/* Drops the rules whose conditions on the open calls do not hold. */
static __attribute__((noinline)) uint64_t look_at_stack(uint64_t asked_rules,
                                                        const struct fault_case *asked)
{
    uint64_t conditional = asked_rules & with_stack, hold = asked_rules;
    int error = errno;
    struct thread_log *log = log_open(asked->stack);
    errno = error;
    if (log == NULL)
        return asked_rules & ~conditional;
    uint32_t open = fisql_word_depth(log->live.word);
    const struct shadow_call *calls = log->shadow.calls;
    if (asked->function != 0 && open > 0 && calls[open - 1].function == asked->function &&
        calls[open - 1].stack == asked->stack)
        open--; /* the call itself */
    uint64_t inside = 0;
    for (uint32_t i = 0; i < open && (inside & conditional) != conditional; i++)
        inside |= rules_inside(calls[i].function);
    for (uint64_t left = conditional; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        if ((rules[i].inside != 0 && (inside >> i & 1) == 0) ||
            (rules[i].sites_count != 0 && !stack_is(&rules[i], asked, calls, open)))
            hold &= ~((uint64_t)1 << i);
    }
    log_leave(log, log->live.word);
    return hold;
}

/* ---- arguments ---- */

static bool compare(uint8_t test, int order)
{
    switch (test) {
    case FISQL_FAULT_EQUAL:
        return order == 0;
    case FISQL_FAULT_UNEQUAL:
        return order != 0;
    case FISQL_FAULT_LESS:
        return order < 0;
    case FISQL_FAULT_MORE:
        return order > 0;
    case FISQL_FAULT_AT_MOST:
        return order <= 0;
    default:
        return order >= 0;
    }
}

static bool compare_text(const struct fisql_fault_when *when, const unsigned char *text,
                         size_t bytes)
{
    size_t common = bytes < when->bytes ? bytes : when->bytes;
    int order = memcmp(text, at_offset(when->text), common);
    if (order == 0)
        order = (bytes > when->bytes) - (bytes < when->bytes);
    return compare(when->test, order);
}

static bool compare_number(const struct fisql_fault_when *when, int64_t number)
{
    return compare(when->test, (number > when->number) - (number < when->number));
}

/* Compares a value in the log's form. An unknown value meets no condition. */
static bool compare_value(const struct fisql_fault_when *when, const unsigned char *at)
{
    uint32_t tag = at[0], bytes = tag - FISQL_VALUE_TEXT_SHORT;
    const unsigned char *text = at + 1;
    uint64_t number = 0;
    if (tag == FISQL_VALUE_TEXT || tag == FISQL_VALUE_TEXT_CUT) {
        bytes = at[1] | (uint32_t)at[2] << 8;
        text = at + 3;
    }
    if (tag >= FISQL_VALUE_TEXT_SHORT || tag == FISQL_VALUE_TEXT ||
        (tag == FISQL_VALUE_TEXT_CUT && bytes > when->bytes))
        return when->is_text && compare_text(when, text, bytes);
    if (tag == FISQL_VALUE_NULL)
        return !when->is_text && compare_number(when, 0);
    if (when->is_text)
        return false;
    memcpy(&number, at + 1, sizeof number);
    if (tag <= FISQL_VALUE_INTEGER_LAST)
        return compare_number(when, (int64_t)tag - FISQL_VALUE_INTEGER_BASE);
    switch (tag) {
    case FISQL_VALUE_INTEGER_2:
        return compare_number(when, (int16_t)number);
    case FISQL_VALUE_INTEGER_4:
        return compare_number(when, (int32_t)number);
    case FISQL_VALUE_INTEGER_8:
        return compare_number(when, (int64_t)number);
    case FISQL_VALUE_UNSIGNED_8:
        return compare_number(when, INT64_MAX);
    case FISQL_VALUE_POINTER_6:
        return compare_number(when, (int64_t)(number << 16 >> 16));
    case FISQL_VALUE_POINTER_8:
        return compare_number(when, (int64_t)number);
    default:
        return false;
    }
}

static bool argument_holds(const struct fisql_fault_when *when, const struct fault_case *asked,
                           const struct fisql_recipe_value *value)
{
    struct stack_bounds none = {1, 0};
    struct thread_log *log = current_log;
    const struct read_stack reading = {log != NULL ? &log->shadow.bounds : &none, asked->stack,
                                       false};
    unsigned char buffer[FISQL_VALUES_BYTES_MAX + 64];
    if (asked->hook == NULL) {
        if (when->parameter >= asked->arguments_count)
            return false;
        uint64_t word = asked->arguments[when->parameter];
        if (!when->is_text)
            return compare_number(when, (int64_t)word);
        size_t got = read_text(&reading, word, buffer, TEXT_MAX + 1);
        return got > 0 && buffer[got - 1] == 0 && compare_text(when, buffer, got - 1);
    }
    const struct values_frame *frame = values_frame_of(asked->stack);
    const struct recipe_module module = {.bias = asked->hook->bias,
                                         .values = at_offset(head->values_at)};
    const struct capture capture = {
        .general = frame->general, .vector = frame->vector[0], .module = &module, .stack = reading};
    struct value_writer writer = {.at = buffer, .limit = buffer + FISQL_VALUES_BYTES_MAX};
    memset(buffer, 0, 16);
    capture_other(writer, &capture, value);
    return compare_value(when, buffer);
}

/* Drops the rules whose conditions on the arguments do not hold. */
static __attribute__((noinline)) uint64_t look_at_arguments(uint64_t asked_rules,
                                                            const struct fault_case *asked)
{
    const struct fisql_recipe_value *value = NULL;
    uint64_t hold = asked_rules;
    if (asked->hook != NULL)
        value = (const struct fisql_recipe_value *)at_offset(head->values_at) +
                asked->hook->what->values;
    for (uint64_t left = asked->rules; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        for (uint32_t k = 0; k < rules[i].whens_count; k++) {
            const struct fisql_recipe_value *of = value != NULL ? value++ : NULL;
            if ((hold >> i & 1) != 0 && !argument_holds(&rules[i].when[k], asked, of))
                hold &= ~((uint64_t)1 << i);
        }
    }
    return hold;
}

/* ---- counting ---- */

extern char __libc_single_threaded __attribute__((weak)); /* glibc 2.32 */

/* Adds one; returns the sum. A signal handler may come in between. */
static uint64_t add_one(uint64_t *at)
{
#if defined(__x86_64__)
    if (!counts_shared && &__libc_single_threaded != NULL && __libc_single_threaded != 0) {
        uint64_t one = 1;
        __asm__ volatile("xaddq %0, %1" : "+r"(one), "+m"(*at) : : "memory");
        return one + 1;
    }
#endif
    return __atomic_add_fetch(at, 1, __ATOMIC_RELAXED);
}

/* A number that looks random, the same for each seed and count (splitmix64). */
static uint64_t random_at(uint64_t seed, uint64_t count)
{
    uint64_t z = seed + count * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Counts a call that meets the rule's conditions. Does the rule fire? */
static bool count_case(uint32_t index)
{
    struct fisql_fault_rule *rule = &rules[index];
    uint64_t count = add_one(&counted[index]);
    add_one(&counts->reached[index]);
    if (rule->per == FISQL_FAULT_PER_THREAD)
        count = ++counted_here[index];
    else if (rule->per == FISQL_FAULT_PER_RUN)
        count = __atomic_add_fetch(&rule->counted, 1, __ATOMIC_RELAXED);
    if (rule->nth != 0)
        return count == rule->nth;
    if (rule->every != 0)
        return count % rule->every == 0;
    return rule->likely == 0 || random_at(rule->seed, count) < rule->likely;
}

void fault_struck(const struct fisql_fault_rule *rule)
{
    add_one(&counts->struck[fault_rule_number(rule)]);
}

static bool can_strike(const struct fisql_fault_rule *rule)
{
    int error = errno;
    struct fault_thrown thrown;
    if (rule->after && !fault_after_room())
        return false;
    bool can = rule->action != FISQL_FAULT_THROW ||
               (fault_thrown_of(rule, &thrown) && faults_can_throw(&thrown));
    errno = error;
    return can;
}

const struct fisql_fault_rule *fault_decide(const struct fault_case *asked)
{
    const struct fisql_fault_rule *strikes = NULL;
    uint64_t hold = asked->rules;
    if (UNLIKELY((hold & with_arguments) != 0))
        hold = look_at_arguments(hold, asked);
    if (UNLIKELY((hold & with_stack) != 0))
        hold = look_at_stack(hold, asked);
    for (uint64_t left = hold; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        if (!count_case(i) || strikes != NULL || !can_strike(&rules[i]))
            continue;
        strikes = &rules[i];
        if (!rules[i].after)
            fault_struck(&rules[i]);
    }
    return strikes;
}
