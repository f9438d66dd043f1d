/* The end of the digest: its findings, or the largest things that are none, and what was checked. */
#include "cli/query/digest_parts.h"

#include "cli/out/text.h"
#include "cli/query/verdicts.h"

#include <stdbool.h>
#include <string.h>

/* Puts what it would save of the run, if that is known. */
static bool put_run_saving(FILE *out, const struct verdict *finding)
{
    if (finding->saves_run_ns < 0)
        return false;
    fputc('~', out);
    digest_put_time(out, finding->saves_run_ns);
    fputs(" of the run's time (", out);
    digest_put_time(out,
                    finding->saves_wait_ns >= 0 ? finding->saves_wait_ns : finding->saves_cpu_ns);
    fputs(finding->saves_wait_ns >= 0 ? " of waiting)" : " on processors)", out);
    return true;
}

/* Puts what heeding a finding would save, or that it is an error. */
static void put_saving(FILE *out, const struct verdict *finding)
{
    if (strcmp(finding->kind, "error") == 0)
        fputs("an error", out);
    else if (strcmp(finding->kind, "ignored error") == 0)
        fputs("an error ignored", out);
    bool of_time = finding->share_of == NULL || strcmp(finding->share_of, "allocated bytes") != 0;
    if (put_run_saving(out, finding)) {
        /* that is what counts */
    } else if (finding->saves_cpu_ns >= 0 && of_time) {
        fputc('~', out);
        digest_put_time(out, finding->saves_cpu_ns);
    } else if (finding->saves_wait_ns >= 0) {
        fputs("up to ", out);
        digest_put_time(out, finding->saves_wait_ns);
        fputs(" of waiting", out);
    } else if (finding->saves_bytes >= 0) {
        digest_put_bytes(out, finding->saves_bytes);
    }
    if (finding->share >= 0)
        fprintf(out, ", %.0f%% of %s", finding->share, finding->share_of);
}

/* A query is one of this database. */
static void put_next(const struct digest *digest, const char *next)
{
    static const char query[] = "fisql query ";
    fputs("\n   next: ", digest->out);
    if (strncmp(next, query, sizeof query - 1) == 0)
        digest_put_command(digest, next + sizeof query - 1);
    else
        text_put(digest->out, next);
}

/* Puts the query that proves it, and the next command. */
static void put_proof(const struct digest *digest, const struct verdict *verdict)
{
    fputs(": ", digest->out);
    digest_put_command(digest, verdict->proof);
    if (verdict->next != NULL)
        put_next(digest, verdict->next);
    fputc('\n', digest->out);
}

/* Puts where a finding comes from, how sure it is, its proof and the next command. */
static void put_finding_details(const struct digest *digest, const struct verdict *finding)
{
    FILE *out = digest->out;
    if (strcmp(finding->sure, "certain") != 0)
        fprintf(out, ", %s", finding->sure);
    if (finding->caller != NULL) {
        fputs(", called by ", out);
        digest_put_name(out, finding->caller);
        if (finding->called_from != NULL) {
            fputs(" (", out);
            text_put(out, finding->called_from);
            fputc(')', out);
        }
    }
    put_proof(digest, finding);
}

/* Prints the largest things that are no finding. */
static void print_others(const struct digest *digest, const struct verdicts *verdicts)
{
    fputs(digest->foreign
              ? "\nNo finding: nothing that such a trace shows reaches what is looked for."
              : "\nNo finding: no error was seen, and nothing reaches what is looked for.",
          digest->out);
    fputs(verdicts->count > 0 ? " The largest things are\n" : "\n", digest->out);
    for (int i = 0; i < verdicts->count; i++) {
        const struct verdict *other = &verdicts->items[i];
        fputs("-  ", digest->out);
        text_put(digest->out, other->text);
        if (other->share >= 0)
            fprintf(digest->out, ", %.1f%% of %s", other->share, other->share_of);
        put_proof(digest, other);
    }
}

static void print_checked(FILE *out, const struct verdicts *verdicts)
{
    fputc('\n', out);
    digest_put_title(out, "Checked");
    fprintf(out, "%s\n", verdicts->checked);
    for (int i = 0; i < verdicts->unchecked_count; i++) {
        digest_put_title(out, i == 0 ? "Not checked" : "");
        text_put(out, verdicts->unchecked[i]);
        fputc('\n', out);
    }
}

int digest_put_findings(const struct digest *digest)
{
    struct verdicts verdicts;
    FILE *out = digest->out;
    int status = verdicts_read(digest->database, digest->set, &verdicts);
    if (status == 0 && verdicts.findings == 0)
        print_others(digest, &verdicts);
    else if (status == 0)
        fputs("\nFindings, worst first, with a guess at what they would save\n", out);
    for (int i = 0; i < verdicts.findings && status == 0; i++) {
        fprintf(out, "%d. ", i + 1);
        text_put(out, verdicts.items[i].text);
        if (verdicts.items[i].rows > 1)
            fprintf(out, " (and %ld more)", verdicts.items[i].rows - 1);
        fputs("\n   ", out);
        put_saving(out, &verdicts.items[i]);
        put_finding_details(digest, &verdicts.items[i]);
    }
    if (status == 0 && verdicts.findings_all > verdicts.findings) {
        fprintf(out, "   and %ld more: ", verdicts.findings_all - verdicts.findings);
        digest_put_command(digest, "findings");
        fputc('\n', out);
    }
    if (status == 0)
        print_checked(out, &verdicts);
    verdicts_release(&verdicts);
    return status;
}
