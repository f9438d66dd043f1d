/*
 * Pretends to be recorded. What comes as words:
 *
 *   memory LIVE LOG   the area is in memory; FISQL_LIVE and FISQL_LOG say what comes
 *   recorder LIVE LOG the same, and this process holds it open, as fisql record does
 *   shrink PATH       the area is a file PATH.live, which becomes shorter and longer again, over and over
 *
 * It waits for a signal. It says "ready" when that is so.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/live.h"

#define AREA_BYTES ((size_t)FISQL_LIVE_HEADER + 4 * FISQL_LIVE_SLOT_BYTES)

static struct fisql_live_area *area_map(int file)
{
    if (file < 0 || ftruncate(file, (off_t)AREA_BYTES) != 0)
        exit(2);
    struct fisql_live_area *area =
        mmap(NULL, AREA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (area == MAP_FAILED)
        exit(2);
    area->magic = FISQL_LIVE_MAGIC;
    area->version = FISQL_LIVE_VERSION;
    area->run_id = 7;
    area->slot_bytes = FISQL_LIVE_SLOT_BYTES;
    area->slots = area->slots_used = 4;
    memset((char *)area + FISQL_LIVE_TAKEN, 0x0f, 1);
    return area;
}

static int area_beside(const char *path)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.live", path);
    unlink(name);
    return open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
}

int main(int argc, char **argv)
{
    if (argc > 2 && getenv("FISQL_LIVE") == NULL) { /* so that it stands in /proc/PID/environ */
        setenv("FISQL_LIVE", argv[2], 1);
        setenv("FISQL_LOG", argc > 3 ? argv[3] : "", 1);
        execv("/proc/self/exe", argv);
    }
    const char *how = argc > 1 ? argv[1] : "recorder";
    int in_memory = strcmp(how, "memory") == 0 || strcmp(how, "recorder") == 0;
    int file = in_memory ? memfd_create("fisql-live", 0) : area_beside(argv[2]);
    area_map(file);
    if (strcmp(how, "memory") == 0)
        close(file);
    printf("ready\n");
    fflush(stdout);
    while (strcmp(how, "shrink") == 0) {
        if (ftruncate(file, 0) != 0)
            return 2;
        usleep(200);
        if (ftruncate(file, (off_t)AREA_BYTES) != 0 ||
            pwrite(file,
                   &(struct fisql_live_area){.magic = FISQL_LIVE_MAGIC,
                                             .version = FISQL_LIVE_VERSION,
                                             .slot_bytes = FISQL_LIVE_SLOT_BYTES,
                                             .slots = 4,
                                             .slots_used = 4},
                   sizeof(struct fisql_live_area), 0) < 0)
            return 2;
        usleep(200);
    }
    pause();
    return 0;
}
