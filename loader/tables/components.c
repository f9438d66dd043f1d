/* Tarjan's algorithm with a stack of its own instead of recursion: see components.h. */
#include "loader/tables/components.h"

#include <stdbool.h>
#include <stdlib.h>

struct tarjan {
    const uint32_t *begin, *to;
    uint32_t *component;
    uint32_t *number, *low, *stack, *path, *next;
    bool *on_stack;
    uint32_t count, stacked, depth, components;
};

static void tarjan_enter(struct tarjan *state, uint32_t node)
{
    state->number[node] = state->low[node] = ++state->count;
    state->stack[state->stacked++] = node;
    state->on_stack[node] = true;
    state->path[state->depth++] = node;
    state->next[node] = state->begin[node];
}

static void tarjan_leave(struct tarjan *state, uint32_t node)
{
    state->depth--;
    if (state->low[node] == state->number[node]) {
        uint32_t member;
        state->components++;
        do {
            member = state->stack[--state->stacked];
            state->on_stack[member] = false;
            state->component[member] = state->components;
        } while (member != node);
    }
    if (state->depth > 0) {
        uint32_t above = state->path[state->depth - 1];
        if (state->low[node] < state->low[above])
            state->low[above] = state->low[node];
    }
}

static void tarjan_from(struct tarjan *state, uint32_t root)
{
    tarjan_enter(state, root);
    while (state->depth > 0) {
        uint32_t node = state->path[state->depth - 1];
        if (state->next[node] == state->begin[node + 1]) {
            tarjan_leave(state, node);
            continue;
        }
        uint32_t to = state->to[state->next[node]++];
        if (state->number[to] == 0)
            tarjan_enter(state, to);
        else if (state->on_stack[to] && state->number[to] < state->low[node])
            state->low[node] = state->number[to];
    }
}

int components_find(uint32_t nodes, const uint32_t *begin, const uint32_t *to, uint32_t *component,
                    struct error *error)
{
    uint32_t n = nodes;
    uint32_t *memory = calloc((size_t)n * 5 + 1, sizeof *memory);
    bool *on_stack = calloc((size_t)n + 1, sizeof *on_stack);
    int result = memory == NULL || on_stack == NULL ? error_set(error, "out of memory") : 0;
    if (result == 0) {
        struct tarjan state = {.begin = begin,
                               .to = to,
                               .component = component,
                               .number = memory,
                               .low = memory + n,
                               .stack = memory + (size_t)n * 2,
                               .path = memory + (size_t)n * 3,
                               .next = memory + (size_t)n * 4,
                               .on_stack = on_stack};
        for (uint32_t node = 0; node < n; node++)
            if (state.number[node] == 0)
                tarjan_from(&state, node);
    }
    free(memory);
    free(on_stack);
    return result;
}
