/* See beside.h. */
#include "cli/record/beside.h"

void beside_start(struct beside *beside, struct live *live, const struct record_options *options,
                  const struct signals *signals)
{
    live_writer_start(&beside->writer, live, !options->no_compress);
    late_modules_start(&beside->late, live, options);
    beside->patching = (struct patching){.live = NULL};
    if (options->attach.pid == 0)
        patching_start(&beside->patching, live, options, beside->late.mailbox.part);
    incident_report_start(&beside->incidents, live, options);
    told_start(&beside->told, live);
    summary_start(&beside->summary, live, options, &signals->summaries);
    call_names_start(&beside->names, live, options);
}

void beside_end(struct beside *beside)
{
    summary_stop(&beside->summary);
    incident_report_end(&beside->incidents);
    told_end(&beside->told);
    call_names_end(&beside->names);
    patching_end(&beside->patching);
    late_modules_end(&beside->late);
    live_writer_end(&beside->writer);
}
