/* Memory that is made ahead: see spare_block.h. */
#include "loader/calls/spare_block.h"

#include "base/large.h"

static void make(void *context)
{
    struct spare_block *spare = context;
    spare->memory = large_alloc(spare->bytes);
    if (spare->memory != NULL)
        large_touch(spare->memory, spare->bytes);
}

void spare_block_init(struct spare_block *spare, struct helpers *helpers)
{
    *spare = (struct spare_block){.memory = NULL};
    errand_init(&spare->errand, helpers, make, spare);
}

void spare_block_ask(struct spare_block *spare, size_t bytes)
{
    if (spare->errand.helpers == NULL)
        return;
    spare_block_release(spare);
    spare->bytes = bytes;
    errand_ask(&spare->errand);
}

/* If no helper has made the block, its pages are cleared as they are first used. */
void *spare_block_take(struct spare_block *spare, size_t bytes)
{
    errand_drop(&spare->errand);
    void *memory = spare->memory;
    spare->memory = NULL;
    if (memory != NULL && spare->bytes != bytes) {
        large_free(memory, spare->bytes);
        memory = NULL;
    }
    return memory != NULL ? memory : large_alloc(bytes);
}

void spare_block_release(struct spare_block *spare)
{
    errand_drop(&spare->errand);
    large_free(spare->memory, spare->bytes);
    spare->memory = NULL;
}
