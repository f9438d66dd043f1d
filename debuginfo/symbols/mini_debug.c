/* MiniDebugInfo: see mini_debug.h. We unpack into a mapping that grows with what comes out, because
 * the section does not say how large that is. */
#include "debuginfo/symbols/mini_debug.h"

#include <errno.h>
#include <lzma.h>
#include <sys/mman.h>

#include "base/shortage.h"

#define ROOM_BYTES ((size_t)1 << 20)            /* at first */
#define DECODER_BYTES_MAX ((uint64_t)128 << 20) /* xz -9 takes 65 MiB */

struct room {
    unsigned char *bytes;
    size_t size_bytes;
};

static bool grow(struct room *room, size_t size_bytes)
{
    void *map =
        room->bytes == NULL
            ? mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            : mremap(room->bytes, room->size_bytes, size_bytes, MREMAP_MAYMOVE);
    if (map == MAP_FAILED) {
        shortage_note(ENOMEM);
        return false;
    }
    *room = (struct room){map, size_bytes};
    return true;
}

/* Unpacks all of the stream. *used_bytes: what came out. */
static bool unpack(lzma_stream *stream, struct room *room, size_t *used_bytes)
{
    lzma_ret result = LZMA_OK;
    while (result == LZMA_OK) {
        size_t used = (size_t)stream->total_out;
        if (used == room->size_bytes &&
            (used >= MINI_DEBUG_BYTES_MAX || !grow(room, room->size_bytes * 2)))
            return false;
        stream->next_out = room->bytes + used;
        stream->avail_out = room->size_bytes - used;
        result = lzma_code(stream, LZMA_FINISH);
    }
    if (result == LZMA_MEM_ERROR)
        shortage_note(ENOMEM);
    *used_bytes = (size_t)stream->total_out;
    return result == LZMA_STREAM_END;
}

bool mini_debug_open(struct elf_file *mini, const struct elf_file *module)
{
    const struct elf_section *section = elf_file_section(module, ".gnu_debugdata");
    lzma_stream stream = LZMA_STREAM_INIT;
    struct room room = {0};
    size_t used_bytes = 0;
    *mini = (struct elf_file){0};
    if (section == NULL || section->data == NULL || section->size_bytes == 0 ||
        lzma_stream_decoder(&stream, DECODER_BYTES_MAX, 0) != LZMA_OK)
        return false;
    stream.next_in = section->data;
    stream.avail_in = (size_t)section->size_bytes;
    bool done = grow(&room, ROOM_BYTES) && unpack(&stream, &room, &used_bytes);
    lzma_end(&stream);
    if (done && elf_file_take(mini, room.bytes, room.size_bytes, used_bytes) == NULL)
        return true;
    if (mini->bytes == NULL && room.bytes != NULL)
        munmap(room.bytes, room.size_bytes);
    return false;
}
