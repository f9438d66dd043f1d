/* Reading and unpacking chunks: see chunk_source.h. */
#include "loader/calls/chunk_source.h"

static int changed(const struct chunk_source *source, const char *how, struct error *error)
{
    return error_set_file(error, ERROR_SYSTEM, source->reader.window.path, "%s while it was read",
                          how);
}

/* keep: copy it into the unpacker's memory, because the reader reuses its own. */
static int read_chunk(struct chunk_source *source, const struct log_chunk *place, bool keep,
                      struct log_unpacker *unpacker, const struct fisql_chunk **chunk,
                      struct error *error)
{
    struct fisql_chunk *found;
    if (place->salvaged) {
        *chunk = source->index->salvaged.chunks[place->offset];
        return log_unpack(unpacker, chunk, error);
    }
    if (!source->open && log_reader_open(&source->reader, source->index->path, error) != 0)
        return -1;
    source->open = true;
    if (log_window_chunk(&source->reader.window, place->offset, place->length, &found, error) != 0)
        return -1;
    *chunk = found;
    if (found == NULL)
        return changed(source, "became shorter", error);
    if (!log_chunk_is_sane(found) || found->length != place->length)
        return changed(source, "changed", error);
    return keep ? log_unpack_or_copy(unpacker, chunk, error) : log_unpack(unpacker, chunk, error);
}

static void read_ahead(void *context)
{
    struct chunk_source *source = context;
    source->ahead.error = (struct error){.offset = ERROR_NO_OFFSET};
    source->ahead.result =
        read_chunk(source, &source->ahead.place, true, &source->unpackers[source->turn],
                   &source->ahead.chunk, &source->ahead.error);
}

void chunk_source_init(struct chunk_source *source, const struct log_index *index,
                       struct helpers *helpers)
{
    *source = (struct chunk_source){.index = index};
    errand_init(&source->ahead.errand, helpers, read_ahead, source);
}

/* Takes the chunk that was read ahead, or reads this one now. */
static int take_chunk(struct chunk_source *source, const struct log_chunk *place, bool keep,
                      const struct fisql_chunk **chunk, struct error *error)
{
    bool same = source->ahead.asked && source->ahead.place.offset == place->offset &&
                source->ahead.place.salvaged == place->salvaged;
    source->ahead.asked = false;
    if (!same) {
        errand_drop(&source->ahead.errand);
        return read_chunk(source, place, keep, &source->unpackers[source->turn], chunk, error);
    }
    errand_finish(&source->ahead.errand);
    *chunk = source->ahead.chunk;
    if (source->ahead.result != 0)
        *error = source->ahead.error;
    return source->ahead.result;
}

int chunk_source_get(struct chunk_source *source, const struct log_chunk *place,
                     const struct log_chunk *next, const struct fisql_chunk **chunk,
                     struct error *error)
{
    bool ahead = next != NULL && source->ahead.errand.helpers != NULL;
    int result = take_chunk(source, place, ahead, chunk, error);
    if (!ahead)
        return result;
    source->turn ^= 1;
    source->ahead.place = *next;
    source->ahead.asked = true;
    errand_ask(&source->ahead.errand);
    return result;
}

void chunk_source_end(struct chunk_source *source)
{
    errand_drop(&source->ahead.errand);
    source->ahead.asked = false;
}

void chunk_source_release(struct chunk_source *source)
{
    if (source->open)
        log_reader_close(&source->reader);
    for (int i = 0; i < 2; i++)
        log_unpacker_release(&source->unpackers[i]);
    source->open = false;
}
