/* Where patch_x86_64.inc finds what the hooks' fast path reads and writes; patch_fast.c asserts it. */
#ifndef FISQL_COLLECTOR_PATCH_PATCH_OFFSETS_H
#define FISQL_COLLECTOR_PATCH_PATCH_OFFSETS_H

/* struct thread_log */
#define PATCH_LOG_WORD 16
#define PATCH_LOG_LAST_TICK 24 /* two */
#define PATCH_LOG_UNITS_MAX 56
#define PATCH_LOG_BUSY 3200
#define PATCH_LOG_ABANDONED 3208
#define PATCH_LOG_CHUNK 3216
#define PATCH_LOG_DICTIONARY 3224
#define PATCH_LOG_CALLS 3232
#define PATCH_LOG_LANDING 3240
#define PATCH_LOG_DEPTH_MAX 3248
#define PATCH_LOG_HIDDEN 3256
#define PATCH_LOG_ENTER_MAX 3316
#define PATCH_LOG_EXIT_MAX 3320
#define PATCH_LOG_RANDOM 3336
#define PATCH_LOG_TIMES 3392
#define PATCH_LOG_ABANDONED_WORD 3400
#define PATCH_LOG_ABANDONED_HOOK 3408

#ifdef FISQL_VALUES
#define PATCH_LOG_ENTER_UNITS 3536
#endif

/* struct shadow_call */
#define PATCH_CALL_BYTES_LOG 5
#define PATCH_CALL_FUNCTION 0
#define PATCH_CALL_SITE 8
#define PATCH_CALL_STACK 16
#define PATCH_CALL_TICK 24

/* struct pair */
#define PATCH_PAIR_BYTES_LOG 4
#define PATCH_PAIR_FUNCTION 0
#define PATCH_PAIR_SITE 8
#define PATCH_PAIR_BITS 11 /* of a slot's number */
#define PATCH_TIME_PAIRS 2 /* a struct call_time is as long as so many */

/* struct call_time */
#define PATCH_TIME_LEFT 0
#define PATCH_TIME_GAP 4
#define PATCH_TIME_CALLS 8
#define PATCH_TIME_TIMED 14
#define PATCH_TIME_CAP 16
#define PATCH_TIME_SUM 20
#define PATCH_TIME_SQUARES 24

#define PATCH_CODE_ENTER 0
#define PATCH_CODE_LEAF 0x7800
#define PATCH_DEPTH_SHIFT 32
#define PATCH_DEPTH_MASK 0x7fffff
#define PATCH_CALLS_SHIFT 16
#define PATCH_TOGGLE_SHIFT 31

#endif
