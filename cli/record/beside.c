/* See beside.h. */
#include "cli/record/beside.h"

void beside_start(struct beside *beside, struct live *live, const struct record_options *options,
                  const struct signals *signals)
{
    live_writer_start(&beside->writer, live, !options->no_compress);
    late_modules_start(&beside->late, live, options);
    beside->patching = (struct patching){.live = NULL};
    if (options->attach.pid == 0)
        beside_patching_start(beside, live, options, NULL);
    incident_report_start(&beside->incidents, live, options);
    told_start(&beside->told, live);
    summary_start(&beside->summary, live, options, &signals->summaries);
    call_names_start(&beside->names, live, options);
}

void beside_patching_start(struct beside *beside, struct live *live,
                           const struct record_options *options,
                           const struct patch_attached *attached)
{
    patching_start(&beside->patching, live, options, beside->late.mailbox.part, attached);
}

void beside_patching_end(struct beside *beside)
{
    patching_end(&beside->patching);
    beside->patching = (struct patching){.live = NULL};
}

void beside_end(struct beside *beside)
{
    summary_stop(&beside->summary);
    incident_report_end(&beside->incidents);
    told_end(&beside->told);
    call_names_end(&beside->names);
    beside_patching_end(beside);
    late_modules_end(&beside->late);
    live_writer_end(&beside->writer);
}
