/* See patch_links.h. */
#include "collector/patch/patch_links.h"

#include "collector/patch/patch_found.h"
#include "collector/patch/patch_lookup.h"

#ifdef FISQL_LINKS
#include "collector/core/filter_passes.h"
#include "collector/patch/patch_code.h"
#include "collector/patch/patch_shown.h"
#include "collector/process/process.h"
#include "formats/patch_left.h"

#include <string.h>
#include <sys/mman.h>

#define DISTANCE 4u

static uint64_t word_of(const struct patch_area *area, const struct fisql_patch_link *link)
{
    return (uint64_t)(uintptr_t)patch_area_code(area) + link->stub - FISQL_PATCH_LINK_HEAD;
}

/* The function that a link's stub has been given; 0 = none. */
static uint64_t function_of(const struct patch_area *area, const struct fisql_patch_link *link)
{
    uint64_t function;
    memcpy(&function, patch_area_code(area) + link->stub - 16, sizeof function);
    return function;
}

static void stub_point(const struct patch_area *area, const struct fisql_patch_link *link,
                       uint64_t function)
{
    unsigned char *stub = patch_area_code(area) + link->stub;
    const uint64_t words[] = {(uint64_t)(uintptr_t)stub, function, patch_led_to(function)};
    memcpy(stub - sizeof words, words, sizeof words);
}

/* Is the function recorded, and not switched off? Else its stub is there for fisql record, which leads
 * the references to it when that changes (formats/patch_areas.h). */
static bool is_recorded(uint64_t function)
{
    return process.filtered == 0 || filter_passes(function);
}

/* Are calls of the link led to its stub? */
static bool is_led(const struct patch_area *area, const struct fisql_patch_link *link)
{
    uint64_t function = function_of(area, link);
    return function == FISQL_PATCH_FINDS ||
           (function != 0 && is_recorded(function) && !patch_shown_is_off());
}

/* Leads the link to the collector's function. */
static void finder_point(const struct patch_area *area, const struct fisql_patch_link *link)
{
    unsigned char *stub = patch_area_code(area) + link->stub;
    const uint64_t words[] = {(uint64_t)(uintptr_t)patch_found, FISQL_PATCH_FINDS, 0};
    memcpy(stub - sizeof words, words, sizeof words);
}

static void lead(unsigned char *place, uint64_t word)
{
    int32_t distance = (int32_t)(int64_t)(word - (uint64_t)(uintptr_t)place - DISTANCE);
    memcpy(place, &distance, sizeof distance);
}

static uint32_t stubs_write(const struct patch_area *area, const struct linked_modules *all)
{
    const struct fisql_patch *plan = area->plan;
    const struct fisql_patch_link *links = fisql_patch_links(plan);
    const struct fisql_patch_reference *references = fisql_patch_references(plan);
    uint32_t count = 0;
    if (mprotect(area->memory, area->bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return 0;
    for (uint32_t i = 0; i < plan->links_count; i++) {
        uint64_t function = (links[i].flags & FISQL_PATCH_UNWANTED) == 0
                                ? patch_lookup(all, fisql_patch_text(plan, links[i].name),
                                               fisql_patch_text(plan, links[i].version))
                                : 0;
        if (function == 0)
            continue;
        if (strcmp(fisql_patch_text(plan, links[i].name), FISQL_PATCH_FINDER) == 0) {
            finder_point(area, &links[i]);
        } else {
            stub_point(area, &links[i], function);
            count += is_recorded(function);
        }
    }
    for (uint32_t i = 0; i < plan->references_count; i++) {
        const struct fisql_patch_link *link = &links[references[i].link];
        if ((references[i].flags & FISQL_PATCH_IN_STUB) != 0 && is_led(area, link))
            lead(patch_area_code(area) + references[i].place, word_of(area, link));
    }
    mprotect(area->memory, area->bytes, PROT_READ | PROT_EXEC);
    return count;
}

static bool is_wanted(const struct patch_area *area, const struct fisql_patch_reference *reference)
{
    const struct fisql_patch_link *link = &fisql_patch_links(area->plan)[reference->link];
    return (reference->flags & FISQL_PATCH_IN_STUB) == 0 && is_led(area, link);
}

static void reference_write(const struct patch_area *area,
                            const struct fisql_patch_reference *reference)
{
    unsigned char *place = (unsigned char *)(uintptr_t)(reference->place + area->bias);
    if (memcmp(place, &reference->before, DISTANCE) == 0)
        lead(place, word_of(area, &fisql_patch_links(area->plan)[reference->link]));
}

/* References that lie within a few pages are written together. */
static void references_write(const struct patch_area *area)
{
    const struct fisql_patch_reference *references = fisql_patch_references(area->plan);
    uint32_t count = area->plan->references_count;
    for (uint32_t from = 0, to; from < count; from = to) {
        to = from + 1;
        if (!is_wanted(area, &references[from]))
            continue;
        uint64_t low = (references[from].place + area->bias) & ~(uint64_t)(PATCH_PAGE - 1);
        uint64_t high = references[from].place + area->bias + DISTANCE;
        for (; to < count && references[to].place + area->bias < high + PATCH_PAGE &&
               is_wanted(area, &references[to]);
             to++)
            high = references[to].place + area->bias + DISTANCE;
        high = (high + PATCH_PAGE - 1) & ~(uint64_t)(PATCH_PAGE - 1);
        void *page = (void *)(uintptr_t)low;
        if (mprotect(page, high - low, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
            return;
        for (uint32_t i = from; i < to; i++)
            reference_write(area, &references[i]);
        mprotect(page, high - low, PROT_READ | PROT_EXEC);
    }
}

static void names_put(const struct patch_area *area, const struct linked *module)
{
    const struct fisql_patch_link *links = fisql_patch_links(area->plan);
    struct patch_names names = {.module = module};
    for (uint32_t i = 0; i < area->plan->links_count; i++) {
        uint64_t function = function_of(area, &links[i]);
        if (function >= module->start && function < module->end)
            patch_names_put(&names, function, fisql_patch_text(area->plan, links[i].name),
                            (links[i].flags & FISQL_PATCH_TAKEN) != 0);
    }
    patch_names_end(&names);
}

uint32_t patch_links(struct patch_area *area)
{
    if (area->linked || area->plan->links_count == 0)
        return 0;
    area->linked = true;
    struct linked_modules *all = patch_lookup_open();
    if (all == NULL)
        return 0;
    uint32_t count = stubs_write(area, all);
    if (count > 0)
        references_write(area);
    for (uint32_t i = 0; count > 0 && i < all->count; i++)
        names_put(area, &all->modules[i]);
    patch_lookup_close(all);
    return count;
}
#else
uint32_t patch_links(struct patch_area *area)
{
    (void)area;
    return 0;
}
#endif
