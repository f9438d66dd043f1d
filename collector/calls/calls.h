/*
 * Callbacks of the program for its own calls: fisql_on_call() in fisql.h.
 *
 * A callback has a bit. The process asks fisql record which functions of each module its pattern
 * means (calls_ask.h), and gives them the bit in the table that hooks look at (core/watch.h). Of a
 * module that is loaded later, we ask for each callback there is.
 */
#ifndef FISQL_COLLECTOR_CALLS_CALLS_H
#define FISQL_COLLECTOR_CALLS_CALLS_H

#include "collector/core/feature.h"

extern HIDDEN const struct feature calls_feature;

#endif
