/* Incidents: what a program said when it went wrong. */
#include "loader/calls/decode_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define TEXT_MAX 4096u /* of one incident: more comes only of a damaged log */
#define POINTERS_MAX 32u

static int text_add(struct decode_incident *incident, const struct event *event,
                    struct error *error)
{
    const char *before = incident->text != NULL ? incident->text : "";
    size_t used = strlen(before), left = used < TEXT_MAX ? TEXT_MAX - used : 0;
    size_t bytes = strnlen(event->text, event->text_bytes < left ? event->text_bytes : left);
    char *text;
    if (asprintf(&text, "%s%.*s", before, (int)bytes, event->text) < 0)
        return error_set(error, "out of memory");
    free(incident->text);
    incident->text = text;
    return 0;
}

static int pointers_add(struct decode_incident *incident, const struct event *event,
                        struct error *error)
{
    size_t count = event->text_bytes / sizeof(uint64_t);
    if (incident->pointers_count + count > POINTERS_MAX)
        count = POINTERS_MAX - incident->pointers_count;
    if (array_reserve(&incident->pointers, &incident->pointers_capacity,
                      incident->pointers_count + count, error) != 0)
        return -1;
    if (count > 0)
        memcpy(incident->pointers + incident->pointers_count, event->text,
               count * sizeof(uint64_t));
    incident->pointers_count += count;
    return 0;
}

/* address: a return address; 0 = there is none. */
static int find_site(struct decoder *decoder, uint64_t address, uint32_t *site, struct error *error)
{
    uint32_t pair;
    if (address == 0)
        return 0;
    if (decode_find_pair(decoder, 0, address, &pair, error) != 0)
        return -1;
    *site = decoder->pairs.items[pair].site;
    return 0;
}

int decode_incident(struct decoder *decoder, const struct event *event, struct error *error)
{
    struct decode_incidents *incidents = &decoder->out->incidents;
    const struct event_incident *told = &event->incident;
    uint32_t site = 0, caller = 0;
    if (told->kind == FISQL_INCIDENT_MORE || told->kind == FISQL_INCIDENT_POINTERS) {
        if (incidents->count == 0)
            return 0; /* what it belongs to was lost */
        struct decode_incident *last = &incidents->items[incidents->count - 1];
        return told->kind == FISQL_INCIDENT_MORE ? text_add(last, event, error)
                                                 : pointers_add(last, event, error);
    }
    if (array_reserve(&incidents->items, &incidents->capacity, incidents->count + 1, error) != 0)
        return -1;
    /* A site is where a call comes back to: of a signal, the code is the instruction itself. */
    bool exact = told->signal != 0 && told->kind != FISQL_INCIDENT_ABORT;
    if (find_site(decoder, told->code != 0 ? told->code + exact : 0, &site, error) != 0 ||
        find_site(decoder, told->caller, &caller, error) != 0)
        return -1;
    const struct open_call *call = call_stack_own_top(&decoder->stack);
    incidents->items[incidents->count] =
        (struct decode_incident){.kind = told->kind,
                                 .signal = told->signal,
                                 .flags = told->flags,
                                 .address = told->address,
                                 .code = told->code,
                                 .frame = call != NULL ? call->head.frame_id : 0,
                                 .site = caller != 0 ? caller : site,
                                 .inner = caller != 0 ? site : 0,
                                 .call_id = call != NULL ? call->head.call_id : 0,
                                 .ns = decoder->clock.now_ns};
    return text_add(&incidents->items[incidents->count++], event, error);
}

void decode_incidents_release(struct decode_incidents *incidents)
{
    for (size_t i = 0; i < incidents->count; i++) {
        free(incidents->items[i].text);
        free(incidents->items[i].pointers);
    }
    free(incidents->items);
}
