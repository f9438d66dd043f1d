/* Prints a report (incident_report.h) from a database of the run. */
#ifndef FISQL_CLI_RECORD_INCIDENT_WORDS_H
#define FISQL_CLI_RECORD_INCIDENT_WORDS_H

#include <sqlite3.h>

#include "formats/live.h"

/* How many of a thread's last calls to print. */
struct incident_history {
    uint32_t own, others; /* of the thread that went wrong; of each other one */
};

/* Returns 0, or -1 if the database does not have the incident. */
int incident_words(sqlite3 *database, const struct fisql_incident *told,
                   const struct incident_history *history);

#endif
