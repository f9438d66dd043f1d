/* A run in which nothing was recorded: see nothing.h. */
#include "loader/nothing.h"

#include "loader/loader.h"

#include <stdio.h>
#include <string.h>

static uint64_t functions_with_hooks(const struct program *program)
{
    uint64_t count = 0;
    for (size_t i = 0; i < program->functions_count; i++) {
        const struct symbol_function *symbol = program->functions[i].symbol;
        count += symbol != NULL && symbol->instrumented;
    }
    return count;
}

/* The modules of a program are read, and none of its functions calls the hooks. */
static bool is_without_hooks(const struct program *program)
{
    bool read = program->modules_count > 0;
    for (size_t i = 0; i < program->modules_count; i++)
        read &= program->modules[i].symbols.problem == NULL;
    return read && functions_with_hooks(program) == 0;
}

/* Why no call was recorded; NULL where all may be well, as of blocks alone it may. */
static const char *cause(const struct log_index *index, const struct program *program,
                         uint64_t blocks, char *text, size_t size)
{
    if (index->processes_count == 0)
        return "no program came to record: build it with `fisql cc`, run it with `fisql record`";
    if (log_index_has_option(index, FISQL_OPTION_START_OFF) && blocks == 0)
        return NOTHING_OFF;
    if (log_index_has_option(index, FISQL_OPTION_FILTER))
        return NOTHING_FILTERED;
    if (is_without_hooks(program))
        return "no function calls the hooks: compile the sources with `fisql cc`, too; linking "
               "alone does not do it";
    snprintf(text, size, "none of the %llu functions with hooks was called while recording was on",
             (unsigned long long)functions_with_hooks(program));
    return blocks == 0 ? text : NULL;
}

int nothing_check(struct log_index *index, const struct program *program, uint64_t calls,
                  uint64_t blocks, struct error *error)
{
    char text[128], detail[256];
    if (index->salvaged.live)
        return 0; /* it may call something yet */
    if (calls > 0 || index->losses_count > 0 || index->ring_calls > 0 || index->facts.earlier.any)
        return 0; /* an earlier log has what came before */
    const char *why = cause(index, program, blocks, text, sizeof text);
    if (why == NULL)
        return 0;
    snprintf(detail, sizeof detail, "%s", why);
    struct log_loss loss =
        log_loss_of(blocks == 0 ? FISQL_LOSS_NOTHING : "no call was recorded, only allocations");
    loss.detail = detail;
    return log_index_add_loss(index, &loss, error);
}
