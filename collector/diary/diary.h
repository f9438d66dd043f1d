/* Diaries and reference counts: the functions that fisql.h declares for them. */
#ifndef FISQL_COLLECTOR_DIARY_DIARY_H
#define FISQL_COLLECTOR_DIARY_DIARY_H

#include "collector/fisql.h"

#endif
