/* The terminal while `fisql top` has it: keys come one by one, and what was there before comes back
 * however the program ends, by a signal, too. */
#ifndef FISQL_CLI_LIVE_TOP_SCREEN_H
#define FISQL_CLI_LIVE_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the terminal that stdin and stdout are. False: they are none, or it cannot be asked; then
 * nothing has changed. Also catches SIGINT, SIGTERM, SIGHUP and SIGQUIT: the first one sets
 * live_end_asked (live_end.h). */
bool top_screen_begin(void);
void top_screen_end(void);

/* Rows of the terminal. */
int top_screen_rows(void);

/* Waits for a key for so long. 0: none came; -1: no more will come. */
int top_screen_key(int timeout_ms);

/* Clears the screen; what is printed next begins at its top. */
void top_screen_clear(void);

/* Asks for a line, at the bottom, beginning with `text`: Enter takes it, Escape leaves it as it was,
 * Backspace and Ctrl-U delete. size: of text. `idle` is called some twenty times a second. Returns
 * whether the line was taken. */
bool top_screen_ask(const char *prompt, char *text, size_t size, void (*idle)(void *context),
                    void *context);

#endif
