/* Prints an object's diary on stderr: fisql record does, with names and lines; without it the
 * process itself by write(2). */
#ifndef FISQL_COLLECTOR_DIARY_DIARY_TELL_H
#define FISQL_COLLECTOR_DIARY_DIARY_TELL_H

#include "collector/core/feature.h"

/* Why we print it. */
enum diary_why {
    DIARY_ASKED,          /* FISQL_TELL */
    DIARY_GIVEN_BACK_TOO, /* FISQL_UNREF with a count of 0 or less */
    DIARY_REF_AFTER       /* FISQL_REF after FISQL_GONE */
};

extern HIDDEN const struct feature diary_feature;

/* `count` matters for DIARY_GIVEN_BACK_TOO. Waits for nothing; errno is kept. */
void diary_tell(uint64_t object, enum diary_why why, int64_t count);

#endif
