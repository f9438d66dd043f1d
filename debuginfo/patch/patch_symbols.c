/* Symbols of a module that is recorded as it is: see patch_symbols.h. */
#include "debuginfo/patch/patch_symbols.h"

#include "base/must.h"
#include "debuginfo/patch/patch_cache.h"

static struct symbol_function *function_at(const struct symbols *symbols, uint64_t address)
{
    const struct symbol_range *range = symbols_range(symbols, address);
    return range != NULL && range->start == address ? &symbols->functions[range->function] : NULL;
}

static int mark(struct symbols *symbols, const char *build_id,
                const struct symbols_options *options, struct error *error)
{
    struct patch_plan plan;
    struct symbol_function *function;
    if (patch_plan_open(&plan, symbols->module_file, build_id, options->cache_dir, error) != 0) {
        patch_plan_release(&plan);
        return -1;
    }
    for (size_t i = 0; i < plan.left_count; i++)
        if ((function = function_at(symbols, plan.left[i].address)) != NULL)
            function->unpatched = patch_reason_text(plan.left[i].reason);
    for (uint32_t i = 0; plan.plan != NULL && i < plan.plan->entries_count; i++)
        if ((function = function_at(
                 symbols, fisql_patch_function(&fisql_patch_entries(plan.plan)[i]))) != NULL) {
            function->instrumented = true;
            function->unpatched = NULL;
        }
    must(symbols->functions != NULL || symbols->functions_count == 0);
    for (size_t i = 0; i < symbols->functions_count; i++)
        if (!symbols->functions[i].instrumented && symbols->functions[i].unpatched == NULL)
            symbols->functions[i].unpatched =
                patch_reason_text(plan.sleds_only ? FISQL_PATCH_NO_SLED : FISQL_PATCH_NO_FRAME);
    symbols->instrumented |= plan.plan != NULL;
    patch_plan_release(&plan);
    return 0;
}

int patch_symbols_open(struct symbols *symbols, const char *path, const char *build_id,
                       const struct symbols_options *options, struct error *error)
{
    int result = symbols_open(symbols, path, build_id, options, error);
    if (result == 0 && options->as_is && symbols->module_file != NULL)
        result = mark(symbols, build_id != NULL ? build_id : "", options, error);
    return result;
}
