/*
 * Text shortened for a table's cell: what a person needs least goes first, words stay whole where
 * there is room for one, and the end, which distinguishes names, stacks and places, stays. An ellipsis
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

/* The text, which is as people are to see it (text_shown()), in at most so many columns, at least 1.
 * Caller frees; NULL without memory. */
char *shorten(const char *text, enum text_kind kind, int width_max);

#endif
