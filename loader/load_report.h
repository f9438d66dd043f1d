/* Messages of a load to whoever asked for it. */
#ifndef FISQL_LOADER_LOAD_REPORT_H
#define FISQL_LOADER_LOAD_REPORT_H

#include "loader/loader.h"

/* Adds a message to the report; without memory it is left out. */
void load_report_say(struct load_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
