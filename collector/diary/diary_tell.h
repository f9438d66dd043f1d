/* Telling an object's diary on stderr: by fisql record, with names and lines; without it by write(2). */
#ifndef FISQL_COLLECTOR_DIARY_DIARY_TELL_H
#define FISQL_COLLECTOR_DIARY_DIARY_TELL_H

#include "collector/core/feature.h"

/* Why it is told. */
enum diary_why {
    DIARY_ASKED,          /* FISQL_TELL */
    DIARY_GIVEN_BACK_TOO, /* FISQL_UNREF with a count of 0 or less */
    DIARY_REF_AFTER       /* FISQL_REF after FISQL_GONE */
};

extern HIDDEN const struct feature diary_feature;

/* `count` matters where it is given back too often. Nothing in it waits; errno is kept. */
void diary_tell(uint64_t object, enum diary_why why, int64_t count);

#endif
