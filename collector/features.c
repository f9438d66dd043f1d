/* The collector's features. Values come before faults, which build on them. */
#include "collector/calls/calls.h"
#include "collector/core/feature.h"
#include "collector/diary/diary_tell.h"
#include "collector/faults/faults.h"
#include "collector/incidents/incident_signals.h"
#include "collector/locks/lock_events.h"
#include "collector/patch/patch.h"
#include "collector/values/values.h"

#include <stddef.h>

const struct feature *const features[] = {
#ifdef FISQL_VALUES
    &values_feature,
#endif
    &diary_feature,
#ifdef FISQL_FAULTS
    &faults_feature,
#endif
    &incidents_feature, &locks_feature, &patch_feature, &calls_feature, NULL,
};
