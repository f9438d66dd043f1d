/* Facts: a chunk of key and value strings, built in a caller's buffer. */
#ifndef FISQL_COLLECTOR_CORE_FACTS_H
#define FISQL_COLLECTOR_CORE_FACTS_H

#include "formats/log.h"

struct facts {
    unsigned char *buffer; /* chunk header, then payload */
    size_t size_bytes, used_bytes;
};
void facts_begin(struct facts *facts, void *buffer, size_t size_bytes, enum fisql_chunk_kind kind,
                 uint32_t thread, uint32_t tid);
void facts_text(struct facts *facts, enum fisql_fact fact, const char *value);
void facts_number(struct facts *facts, enum fisql_fact fact, uint64_t value);
void facts_hex(struct facts *facts, enum fisql_fact fact, uint64_t value);
/* Appends the chunk to the log. Returns as log_file_write(). */
int facts_write(struct facts *facts);

#endif
