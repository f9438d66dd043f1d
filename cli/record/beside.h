/* The threads of `fisql record` that work beside a program while it runs. */
#ifndef FISQL_CLI_RECORD_BESIDE_H
#define FISQL_CLI_RECORD_BESIDE_H

#include "cli/record/call_names.h"
#include "cli/record/incident_report.h"
#include "cli/record/late_modules.h"
#include "cli/record/live.h"
#include "cli/record/live_writer.h"
#include "cli/record/patching.h"
#include "cli/record/record_options.h"
#include "cli/record/record_signals.h"
#include "cli/record/summary.h"
#include "cli/record/told.h"

struct beside {
    struct live_writer writer;
    struct late_modules late;
    struct patching patching;
    struct incident_report incidents;
    struct told told;
    struct summary summary;
    struct call_names names;
};

void beside_start(struct beside *beside, struct live *live, const struct record_options *options,
                  const struct signals *signals);
void beside_end(struct beside *beside);

/* What patches and unpatches at `fisql control`'s wish. beside_start() and beside_end() call them;
 * where a process is attached to, who attaches does, because nothing may patch before it has, nor when
 * it takes its changes back. */
void beside_patching_start(struct beside *beside, struct live *live,
                           const struct record_options *options,
                           const struct patch_attached *attached);
void beside_patching_end(struct beside *beside);

#endif
