/*
 * Reports of incidents. When a process of the run says that something went wrong (struct
 * fisql_incident_box), a thread of `fisql record` copies the recording so far, makes a database of
 * it as `fisql load` would, and prints the message, the block of memory involved, the stacks of all
 * threads and their last calls. The process waits for that, but not for long.
 */
#ifndef FISQL_CLI_RECORD_INCIDENT_REPORT_H
#define FISQL_CLI_RECORD_INCIDENT_REPORT_H

#include "cli/record/mailbox.h"

struct incident_report {
    struct live *live;
    const struct record_options *options;
    struct mailbox mailbox; /* of struct fisql_incident_box */
    uint32_t served;        /* the ticket of the last one */
    uint32_t count;         /* so many were reported, ... */
    uint32_t told;          /* ... of so many that were reported: processes do not wait for ever */
};

/* Call it before any process can have the area. With --quiet nothing is reported. */
void incident_report_start(struct incident_report *report, struct live *live,
                           const struct record_options *options);
/* Ends it after the last report that was asked for. */
void incident_report_end(struct incident_report *report);
/* Says how many incidents there were, and how to query them. Call it after the end. `status` is the
 * program's wait status: the signal of a fault may have ended it without a report. */
void incident_report_say(const struct incident_report *report, int status);

#endif
