/* The cache of plans: see patch_cache.h. A file CACHE_DIR/NAME.patches (elf_file.h's cache_name):
 * struct cache_header, the plan, what it leaves out, in this machine's byte order. We write it under
 * another name and rename it, so readers see all of it or nothing. A checksum shows damage. We still check each number that
 * leads somewhere. */
#include "debuginfo/patch/patch_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/text_pool.h"
#include "base/unfinished.h"
#include "debuginfo/symbols/symbol_cache.h"

#define CACHE_MAGIC 0x5443544150534946u /* "FISPATCT" */
#define CACHE_VERSION 9u                /* raise it when the same code gets another plan */
#define CACHE_LEFT_MAX ((uint64_t)1 << 24)
#define CACHE_PLAN_MAX ((uint64_t)1 << 32)

struct cache_header {
    uint64_t magic, version, checksum; /* checksum: of all that follows it */
    uint64_t module_bytes, module_modified_ns;
    uint64_t plan_bytes, left_count;
};

/* A function left out. */
struct cache_left {
    uint64_t address, reason;
};

static uint64_t checksum_of(const struct cache_header *header, const void *plan, const void *left)
{
    const char *from = (const char *)&header->module_bytes;
    size_t size = sizeof *header - (size_t)(from - (const char *)header);
    uint64_t hash = text_hash(TEXT_HASH_START, from, size);
    hash = text_hash(hash, plan, (size_t)header->plan_bytes);
    return text_hash(hash, left, (size_t)header->left_count * sizeof(struct cache_left));
}

static bool is_of(const struct cache_header *header, const struct elf_file *module,
                  uint64_t size_bytes)
{
    return header->magic == CACHE_MAGIC && header->version == CACHE_VERSION &&
           header->module_bytes == module->size_bytes &&
           header->module_modified_ns == module->modified_ns &&
           header->plan_bytes <= CACHE_PLAN_MAX && header->left_count <= CACHE_LEFT_MAX &&
           size_bytes ==
               sizeof *header + header->plan_bytes + header->left_count * sizeof(struct cache_left);
}

/* Takes what the cache holds over; false if it is unsound. */
static bool take(struct patch_plan *plan, const struct cache_header *header,
                 const struct cache_left *left, const struct elf_file *module)
{
    uint64_t start, end;
    if (checksum_of(header, plan->plan, left) != header->checksum ||
        !patch_code_range(module, &start, &end) ||
        !fisql_patch_is_sound(plan->plan, header->plan_bytes, start, end))
        return false;
    for (size_t i = 0; i < header->left_count; i++) {
        if (left[i].reason == FISQL_PATCH_HOOKED || left[i].reason >= FISQL_PATCH_REASONS_COUNT ||
            (i > 0 && left[i].address < left[i - 1].address))
            return false;
        plan->left[i] =
            (struct patch_left){left[i].address, (enum fisql_patch_reason)left[i].reason};
    }
    plan->left_count = plan->left_capacity = (size_t)header->left_count;
    return true;
}

/* Returns 1, 0 if the cache has nothing, -1 without memory. */
static int read_cache(struct patch_plan *plan, const char *path, const struct elf_file *module,
                      struct error *error)
{
    struct cache_header header;
    struct stat status;
    int result = 0, descriptor = symbol_cache_open(path, &status);
    if (descriptor < 0)
        return 0;
    if (read(descriptor, &header, sizeof header) == sizeof header &&
        is_of(&header, module, (uint64_t)status.st_size)) {
        size_t plan_bytes = (size_t)header.plan_bytes;
        size_t left_bytes = (size_t)header.left_count * sizeof(struct cache_left);
        struct cache_left *left = malloc(left_bytes + 1);
        struct patch_plan found = {.plan = malloc(plan_bytes + 1),
                                   .left =
                                       calloc((size_t)header.left_count + 1, sizeof *found.left)};
        if (left == NULL || found.plan == NULL || found.left == NULL)
            result = error_set(error, "out of memory for %zu bytes", plan_bytes + left_bytes);
        else
            result =
                readv(descriptor, (struct iovec[]){{found.plan, plan_bytes}, {left, left_bytes}},
                      2) == (ssize_t)(plan_bytes + left_bytes) &&
                take(&found, &header, left, module);
        futimens(descriptor, NULL); /* used now */
        free(left);
        if (result == 1)
            *plan = found;
        else
            patch_plan_release(&found);
    }
    close(descriptor);
    return result;
}

static void write_cache(const struct patch_plan *plan, const char *path, const char *cache_dir,
                        const struct elf_file *module)
{
    char temporary[4300];
    struct cache_header header = {.magic = CACHE_MAGIC,
                                  .version = CACHE_VERSION,
                                  .module_bytes = module->size_bytes,
                                  .module_modified_ns = module->modified_ns,
                                  .plan_bytes = plan->plan->bytes,
                                  .left_count = plan->left_count};
    size_t plan_bytes = (size_t)header.plan_bytes;
    size_t left_bytes = plan->left_count * sizeof(struct cache_left);
    struct cache_left *left = calloc(plan->left_count + 1, sizeof *left);
    if (left == NULL)
        return;
    for (size_t i = 0; i < plan->left_count; i++)
        left[i] = (struct cache_left){plan->left[i].address, plan->left[i].reason};
    header.checksum = checksum_of(&header, plan->plan, left);
    mkdir(cache_dir, 0700);
    symbol_cache_make_room(cache_dir, sizeof header + plan_bytes + left_bytes);
    snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    int descriptor = unfinished_open(temporary, NULL, 0);
    if (descriptor >= 0) {
        const struct iovec parts[] = {
            {&header, sizeof header}, {plan->plan, plan_bytes}, {left, left_bytes}};
        bool done =
            writev(descriptor, parts, 3) == (ssize_t)(sizeof header + plan_bytes + left_bytes);
        if (close(descriptor) != 0 || !done || unfinished_publish(temporary, path) != 0)
            unfinished_remove(temporary);
    }
    free(left);
}

static int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int get(struct patch_plan *plan, const struct elf_file *module, const char *cache_dir,
               int64_t time_min_ns, struct error *error)
{
    char path[4200];
    bool cached = symbol_cache_path(path, sizeof path, cache_dir, module, PATCHES_SUFFIX);
    int found = cached ? read_cache(plan, path, module, error) : 0;
    if (found != 0)
        return found < 0 ? -1 : 0;
    int64_t start = now_ns();
    if (patch_plan_make(plan, module, error) != 0)
        return -1;
    if (cached && plan->plan != NULL && now_ns() - start >= time_min_ns)
        write_cache(plan, path, cache_dir, module);
    return 0;
}

int patch_plan_open_timed(struct patch_plan *plan, const char *path, const char *build_id,
                          const char *cache_dir, int64_t time_min_ns, struct error *error)
{
    struct elf_file module;
    int result = 0;
    *plan = (struct patch_plan){.problem = elf_file_open(&module, path)};
    if (plan->problem == NULL) {
        if (build_id[0] != 0 && strcmp(build_id, module.build_id) != 0)
            plan->problem = "its file is another one now";
        else
            result = get(plan, &module, cache_dir, time_min_ns, error);
        plan->sleds_only = module.machine == EM_AARCH64;
    }
    elf_file_close(&module);
    return result;
}
