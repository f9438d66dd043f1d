/* Incidents: what the collector recorded when a program went wrong. */
#include "loader/calls/decode_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 4096u /* of one incident: only a damaged log has more */
#define POINTERS_MAX 32u

static int text_add(struct decode_record *incident, const struct event *event, struct error *error)
{
    size_t left = TEXT_MAX - incident->bytes;
    size_t bytes = strnlen(event->text, event->text_bytes < left ? event->text_bytes : left);
    char *text;
    if (asprintf(&text, "%s%.*s", incident->text != NULL ? incident->text : "", (int)bytes,
                 event->text) < 0)
        return error_set(error, "out of memory");
    free(incident->text);
    incident->bytes += (uint32_t)bytes;
    incident->text = text;
    return 0;
}

static int pointers_add(struct decoder *decoder, struct decode_record *incident,
                        const struct event *event, struct error *error)
{
    size_t count = event->text_bytes / sizeof(uint64_t);
    if (count > POINTERS_MAX - incident->incident.pointers)
        count = POINTERS_MAX - incident->incident.pointers;
    incident->incident.pointers = (uint8_t)(incident->incident.pointers + count);
    return count == 0 || decode_record(decoder, DECODE_POINTERS, event->text,
                                       count * sizeof(uint64_t), error) != NULL
               ? 0
               : -1;
}

/* address: a return address; 0 = none. */
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
    struct decode_records *records = &decoder->out->records;
    const struct event_incident *said = &event->incident;
    uint32_t site = 0, caller = 0;
    if (said->kind == FISQL_INCIDENT_MORE || said->kind == FISQL_INCIDENT_POINTERS) {
        if (records->last_incident == 0)
            return 0; /* what it belongs to was lost */
        struct decode_record *last = &records->items[records->last_incident - 1];
        return said->kind == FISQL_INCIDENT_MORE ? text_add(last, event, error)
                                                 : pointers_add(decoder, last, event, error);
    }
    /* A site is a return address; a signal's code is the instruction itself. */
    bool exact = said->signal != 0 && said->kind != FISQL_INCIDENT_ABORT;
    if (find_site(decoder, said->code != 0 ? said->code + exact : 0, &site, error) != 0 ||
        find_site(decoder, said->caller, &caller, error) != 0)
        return -1;
    struct decode_record *record = decode_record(decoder, DECODE_INCIDENT, NULL, 0, error);
    if (record == NULL)
        return -1;
    records->last_incident = records->count;
    record->site = caller != 0 ? caller : site;
    record->incident.address = said->address;
    record->incident.signal = said->signal;
    record->incident.flags = said->flags;
    record->incident.inner = caller != 0 ? site : 0;
    record->incident.kind = (uint8_t)said->kind;
    return text_add(record, event, error);
}
