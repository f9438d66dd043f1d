/* Frames of functions where they call their entry hook: see hook_frames.h. */
#include "debuginfo/recipes/hook_frames.h"

#include <elf.h>
#include <stdlib.h>

#include "debuginfo/dwarf/call_frames.h"
#include "debuginfo/symbols/symbol_files.h"
#include "debuginfo/symbols/symbols.h"

#define CALL_INSIDE 4 /* from the return address back into the call instruction */

struct hook_frames {
    struct symbol_files files;
    struct call_frames frames;
    bool known;
};

int hook_frames_open(struct hook_frames **out, const char *path,
                     const struct symbols_options *options, struct error *error)
{
    const char *problem = NULL;
    struct hook_frames *frames = *out = calloc(1, sizeof *frames);
    if (frames == NULL)
        return error_set(error, "out of memory");
    int result = symbol_files_find(&frames->files, path, "", options, &problem, error);
    if (result == 0 && frames->files.module_open && frames->files.code &&
        frames->files.module.machine == EM_X86_64) {
        result =
            call_frames_open(&frames->frames, &frames->files.module, frames->files.debug, error);
        frames->known = result == 0;
    }
    return result;
}

void hook_frames_close(struct hook_frames *frames)
{
    if (frames == NULL)
        return;
    call_frames_close(&frames->frames);
    symbol_files_close(&frames->files);
    free(frames);
}

void hook_frames_at(const struct hook_frames *frames, struct fisql_fault_hook *hook)
{
    static const uint8_t saved[] = FISQL_FAULT_SAVED;
    struct call_frame frame;
    hook->can_return = 0;
    if (!frames->known || !call_frames_at(&frames->frames, hook->address - CALL_INSIDE, &frame))
        return;
    /* rbp or rsp: the hook does not know what its caller keeps in other registers. */
    bool known = call_frame_is_base(EM_X86_64, frame.cfa_register) &&
                 frame.cfa_offset == (int32_t)frame.cfa_offset &&
                 frame.saved[frame.return_register].how == CALL_FRAME_AT;
    for (unsigned i = 0; i < FISQL_FAULT_SAVED_COUNT; i++) {
        int64_t offset = frame.saved[saved[i]].offset;
        enum call_frame_saved how = frame.saved[saved[i]].how;
        known = known &&
                (how == CALL_FRAME_SAME || (how == CALL_FRAME_AT && offset == (int32_t)offset));
        hook->saved[i] = how == CALL_FRAME_AT ? (int32_t)offset : FISQL_FAULT_SAME;
    }
    hook->cfa_register = (uint8_t)frame.cfa_register;
    hook->cfa_offset = (int32_t)frame.cfa_offset;
    hook->return_offset = (int32_t)frame.saved[frame.return_register].offset;
    hook->can_return = known;
}
