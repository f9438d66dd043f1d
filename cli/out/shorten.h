/*
 * Text shortened for a table's cell: what people need least goes first, words stay whole if there
 * is room, and the end stays, because it distinguishes names, stacks and places. An ellipsis
 * replaces what went.
 *
 *   function  ns::Map<std::string, Rule>::find(int)  ns::Map<…>::find(…)  …::find(…)
 *   stack     main => load => parse => next          main => … => next
 *   place     /usr/src/shop/parse.cc:120             …/shop/parse.cc:120
 *   text      was freed before, and not allocated    was freed before, …
 */
#ifndef FISQL_CLI_OUT_SHORTEN_H
#define FISQL_CLI_OUT_SHORTEN_H

/* What a column's text is. STACK: functions, outermost first, with NAMES_ARROW between them. */
enum text_kind { TEXT_WORDS, TEXT_FUNCTION, TEXT_STACK, TEXT_PLACE };

#define SHORTEN_ARROW " => "

/* Shortens text that text_shown() gave to at most width_max columns, at least 1. Caller frees; NULL
 * without memory. */
char *shorten(const char *text, enum text_kind kind, int width_max);

#endif
