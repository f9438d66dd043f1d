/* Rules for faults: see fault_rules.h. */
#include "cli/record/fault_rules.h"

#include "cli/out/amount.h"
#include "cli/out/say.h"
#include "cli/out/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rule while it is parsed. */
struct reader {
    struct fault_rule *rule;
    const char *text, *where;
    size_t at;
    size_t word_at; /* where the last word began */
    char *word;     /* owned; NULL at the end */
    bool colon;     /* the colon that ends the conditions followed the word */
    bool failed;
};

int fault_rule_wrong(const char *text, size_t at, const char *where, const char *format, ...)
{
    char words[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    fail("%s: %s", where, words);
    char *before = text_shown(text, at), *all = text_shown(text, strlen(text));
    char line[4096];
    if (before != NULL && all != NULL) {
        int length = snprintf(line, sizeof line, "    %s\n    %*s^\n", all, text_width(before), "");
        if (length > 0 && (size_t)length < sizeof line)
            say_through(line, (size_t)length);
    }
    free(before);
    free(all);
    return 2;
}

#define WRONG(reader, at, ...)                                                                     \
    ((reader)->failed = true,                                                                      \
     (void)fault_rule_wrong((reader)->text, at, (reader)->where, __VA_ARGS__))

/* ---- words ---- */

static void skip_spaces(struct reader *reader)
{
    while (isspace((unsigned char)reader->text[reader->at]))
        reader->at++;
}

/* Is this the colon that ends the conditions? Those of C++ names are doubled. */
static bool at_colon(const struct reader *reader)
{
    const char *here = reader->text + reader->at;
    return here[0] == ':' && here[1] != ':' && (reader->at == 0 || here[-1] != ':');
}

/* Reads the next word, up to a space or the colon; both may be in quotes and, in names, in
 * brackets. Returns the word, or NULL at the end. */
static const char *next_word(struct reader *reader, bool name)
{
    int open = 0;
    bool quoted = false;
    skip_spaces(reader);
    size_t from = reader->word_at = reader->at;
    for (; reader->text[reader->at] != 0; reader->at++) {
        char c = reader->text[reader->at];
        if (c == '"' && (reader->at == from || reader->text[reader->at - 1] != '\\'))
            quoted = !quoted;
        if (quoted)
            continue;
        if (name && (c == '(' || c == '<'))
            open++;
        if (name && (c == ')' || c == '>'))
            open--;
        if ((isspace((unsigned char)c) && open <= 0) || at_colon(reader))
            break;
    }
    free(reader->word);
    reader->word = reader->at > from ? strndup(reader->text + from, reader->at - from) : NULL;
    if (quoted)
        WRONG(reader, from, "a quote that begins here has no end");
    reader->colon = at_colon(reader);
    if (reader->colon)
        reader->at++;
    return reader->word;
}

/* Text in quotes without quotes and backslashes; other text as it is. NULL without memory. */
static char *unquoted(const char *text)
{
    size_t length = strlen(text), used = 0;
    char *out = malloc(length + 1);
    if (out == NULL)
        return NULL;
    bool quotes = length >= 2 && text[0] == '"' && text[length - 1] == '"';
    for (size_t i = quotes ? 1 : 0; i < length - (quotes ? 1 : 0); i++) {
        if (quotes && text[i] == '\\' && i + 2 < length)
            i++;
        out[used++] = text[i];
    }
    out[used] = 0;
    return out;
}

/* ---- the target ---- */

static void read_target(struct reader *reader)
{
    struct fault_rule *rule = reader->rule;
    const char *word = next_word(reader, true);
    char name[64];
    if (word == NULL) {
        if (!reader->failed)
            WRONG(reader, reader->word_at, "no function is named: TARGET [CONDITION...]: ACTION");
        return;
    }
    rule->target = unquoted(word);
    if (strcmp(word, "operator") == 0 && !reader->colon &&
        (word = next_word(reader, false)) != NULL) {
        snprintf(name, sizeof name, "operator %s", word);
        free(rule->target);
        rule->target = strdup(name);
        if (fault_allocation(name) == 0)
            WRONG(reader, reader->word_at,
                  "of operators `new` and `new[]` alone can fail; a function of "
                  "the program's own is named with its operator in quotes");
    }
    if (rule->target == NULL || reader->failed)
        return;
    rule->made.kind = FISQL_FAULT_FUNCTION;
    rule->made.targets = fault_allocation(rule->target);
    if (rule->made.targets != 0)
        rule->made.kind = FISQL_FAULT_ALLOC;
    unsigned number = 0;
    rule->call = fault_call(rule->target, &number);
    if (rule->call != NULL) {
        rule->made.kind = FISQL_FAULT_CALL;
        rule->made.targets = number;
    }
    if (strcmp(rule->target, "free") == 0)
        WRONG(reader, 0, "free does not fail");
}

/* ---- conditions ---- */

static bool positive(const char *text, uint64_t *value)
{
    int64_t number = 0;
    if (!amount_count(text, &number) || number == 0)
        return false;
    *value = (uint64_t)number;
    return true;
}

static void read_probability(struct reader *reader, const char *value)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != 0 || !(number > 0 && number <= 1))
        WRONG(reader, reader->word_at, "%s: wants a number above 0, at most 1", reader->word);
    else
        reader->rule->made.likely = number >= 1 ? UINT64_MAX : (uint64_t)ldexp(number, 64);
}

static void no_such_condition(struct reader *reader)
{
    WRONG(reader, reader->word_at,
          "%s: no such condition: nth=N, every=N, probability=P, seed=N, per=thread, in PATTERN, "
          "at SITE,..., when NAME=VALUE, after",
          reader->word);
}

static void read_setting(struct reader *reader, const char *value)
{
    struct fisql_fault_rule *made = &reader->rule->made;
    const char *word = reader->word;
    int64_t seed = 0;
    size_t length = (size_t)(value - word);
    if (strncmp(word, "nth=", length) == 0) {
        if (!positive(value, &made->nth))
            WRONG(reader, reader->word_at, "%s: wants a number from 1 on", word);
    } else if (strncmp(word, "every=", length) == 0) {
        if (!positive(value, &made->every))
            WRONG(reader, reader->word_at, "%s: wants a number from 1 on", word);
    } else if (strncmp(word, "probability=", length) == 0) {
        read_probability(reader, value);
    } else if (strncmp(word, "seed=", length) == 0) {
        if (!amount_count(value, &seed))
            WRONG(reader, reader->word_at, "%s: wants a number", word);
        made->seed = (uint64_t)seed;
    } else if (strncmp(word, "per=", length) == 0) {
        made->per = strcmp(value, "thread") == 0 ? FISQL_FAULT_PER_THREAD
                    : strcmp(value, "run") == 0  ? FISQL_FAULT_PER_RUN
                                                 : FISQL_FAULT_PER_PROCESS;
        if (made->per == FISQL_FAULT_PER_PROCESS && strcmp(value, "process") != 0)
            WRONG(reader, reader->word_at, "%s: wants process, thread or run", word);
    } else {
        no_such_condition(reader);
    }
}

/* The comparison at this place. Returns its length, 0 = none. */
static size_t read_test(const char *at, uint8_t *test)
{
    static const struct {
        const char *word;
        uint8_t test;
    } tests[] = {{"==", FISQL_FAULT_EQUAL},   {"!=", FISQL_FAULT_UNEQUAL},
                 {"<=", FISQL_FAULT_AT_MOST}, {">=", FISQL_FAULT_AT_LEAST},
                 {"=", FISQL_FAULT_EQUAL},    {"<", FISQL_FAULT_LESS},
                 {">", FISQL_FAULT_MORE}};
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (strncmp(at, tests[i].word, strlen(tests[i].word)) == 0) {
            *test = tests[i].test;
            return strlen(tests[i].word);
        }
    return 0;
}

static bool integer_of(const char *text, int64_t *number)
{
    char *end;
    errno = 0;
    if (strcmp(text, "NULL") == 0 || strcmp(text, "false") == 0) {
        *number = 0;
        return true;
    }
    if (strcmp(text, "true") == 0) {
        *number = 1;
        return true;
    }
    *number = strtoll(text, &end, 0);
    if (end != text && *end == 0 && errno == ERANGE && text[0] != '-') {
        errno = 0;
        *number = (int64_t)strtoull(text, &end, 0);
    }
    return end != text && *end == 0 && errno == 0;
}

/* NAME TEST VALUE, with or without spaces. */
static void read_when(struct reader *reader)
{
    struct fault_rule *rule = reader->rule;
    struct fisql_fault_rule *made = &rule->made;
    if (made->whens_count == FISQL_FAULT_WHENS_MAX) {
        WRONG(reader, reader->word_at, "at most %u conditions on arguments", FISQL_FAULT_WHENS_MAX);
        return;
    }
    struct fault_when *when = &rule->whens[made->whens_count];
    struct fisql_fault_when *of = &made->when[made->whens_count++];
    skip_spaces(reader);
    const char *name = reader->text + reader->at;
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    when->at = reader->at;
    when->name = strndup(name, length);
    reader->at += length;
    skip_spaces(reader);
    size_t test = read_test(reader->text + reader->at, &of->test);
    if (length == 0 || test == 0) {
        WRONG(reader, length == 0 ? when->at : reader->at,
              "`when` wants an argument's name, =, !=, <, >, <= or >=, and a value");
        return;
    }
    reader->at += test;
    const char *word = next_word(reader, false);
    if (word != NULL && word[0] == '"') {
        when->text = unquoted(word);
        of->is_text = 1;
        of->bytes = when->text != NULL ? (uint32_t)strlen(when->text) : 0;
        if (of->bytes > 400)
            WRONG(reader, reader->word_at, "texts are compared up to 400 bytes");
    } else if (word == NULL || !integer_of(word, &of->number)) {
        if (!reader->failed)
            WRONG(reader, reader->word_at,
                  "a value is wanted: an integer, NULL, or text in quotes");
    }
}

static bool is_action(const char *word)
{
    static const char *const actions[] = {"return", "fail", "throw", "delay",
                                          "signal", "exit", "mark"};
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(word, actions[i]) == 0)
            return true;
    return false;
}

static void read_conditions(struct reader *reader)
{
    struct fault_rule *rule = reader->rule;
    while (!reader->colon && !reader->failed) {
        const char *word = next_word(reader, false);
        if (word == NULL) {
            if (!reader->colon && !reader->failed)
                WRONG(reader, reader->word_at,
                      "a colon and an action are missing: TARGET "
                      "[CONDITION...]: return 0");
            return;
        }
        const char *equals = strchr(word, '=');
        bool in = strcmp(word, "in") == 0, at = strcmp(word, "at") == 0;
        if ((in || at) && !reader->colon) {
            char **into = in ? &rule->inside : &rule->sites;
            word = next_word(reader, in);
            *(in ? &rule->inside_at : &rule->sites_at) = reader->word_at;
            if (word == NULL || *into != NULL)
                WRONG(reader, reader->word_at, "`%s` wants %s, once", in ? "in" : "at",
                      in ? "a function's name or pattern" : "call sites: MODULE+0xADDRESS,...");
            else
                *into = unquoted(word);
        } else if (strcmp(word, "after") == 0) {
            rule->made.after = 1;
        } else if (strcmp(word, "when") == 0 && !reader->colon) {
            read_when(reader);
        } else if (equals != NULL) {
            read_setting(reader, equals + 1);
        } else if (is_action(word)) {
            WRONG(reader, reader->word_at, "a colon is missing before the action: `: %s`", word);
        } else {
            no_such_condition(reader);
        }
    }
}

/* ---- actions ---- */

static void read_errno(struct reader *reader)
{
    size_t count;
    const char *word = next_word(reader, false);
    const char *const *names = fault_errno_names(&count);
    reader->rule->made.error = word != NULL ? fault_errno(word) : 0;
    if (word == NULL) {
        WRONG(reader, reader->word_at, "`errno` wants a name: ENOMEM");
    } else if (reader->rule->made.error == 0) {
        const char *near = nearest_name(word, names, count);
        WRONG(reader, reader->word_at, "%s: no such errno value%s%s%s", word,
              near != NULL ? "; did you mean " : "", near != NULL ? near : "",
              near != NULL ? "?" : "");
    } else {
        free(reader->rule->error);
        reader->rule->error = strdup(word);
        reader->rule->error_said = true;
    }
}

static void read_value(struct reader *reader)
{
    struct fault_rule *rule = reader->rule;
    int64_t number = 0;
    char *end;
    if (integer_of(reader->word, &number)) {
        rule->value = FAULT_VALUE_INTEGER;
        rule->made.value = (uint64_t)number;
        return;
    }
    rule->number = strtod(reader->word, &end);
    if (end == reader->word || *end != 0)
        WRONG(reader, reader->word_at,
              "%s: a result is an integer, a decimal number, NULL, true or "
              "false",
              reader->word);
    rule->value = FAULT_VALUE_FLOAT;
}

/* return [VALUE] [errno NAME], fail [errno NAME] */
static void read_return(struct reader *reader, bool fail_usual)
{
    struct fault_rule *rule = reader->rule;
    rule->made.action = FISQL_FAULT_RETURN;
    if (fail_usual && rule->made.kind == FISQL_FAULT_FUNCTION) {
        WRONG(reader, reader->word_at, "how %s fails is not known: say `return VALUE`",
              rule->target);
        return;
    }
    if (fail_usual) {
        rule->value = FAULT_VALUE_INTEGER;
        rule->made.value = rule->call != NULL ? (uint64_t)(int64_t)rule->call->failure : 0;
    }
    const char *word = next_word(reader, false);
    if (word != NULL && strcmp(word, "errno") != 0) {
        if (fail_usual)
            WRONG(reader, reader->word_at, "`fail` can only be followed by `errno NAME`");
        else
            read_value(reader);
        word = reader->failed ? NULL : next_word(reader, false);
    }
    if (word != NULL && strcmp(word, "errno") == 0)
        read_errno(reader);
    else if (word != NULL)
        WRONG(reader, reader->word_at, "%s: only `errno NAME` may follow here", word);
}

/* What the collector can throw in any program that has it. */
static bool is_standard(const char *type)
{
    static const char *const types[] = {"std::bad_alloc",
                                        "std::runtime_error",
                                        "std::logic_error",
                                        "std::invalid_argument",
                                        "std::out_of_range",
                                        "std::length_error",
                                        "std::domain_error",
                                        "std::range_error",
                                        "std::overflow_error",
                                        "std::underflow_error",
                                        "std::exception",
                                        "std::bad_cast",
                                        "std::bad_typeid",
                                        "std::bad_exception",
                                        "int",
                                        "long",
                                        "unsigned",
                                        "const char *"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return false;
}

/* The length of the type's name: up to the bracket around what it is made of, if there is one. */
static size_t type_length(const char *text)
{
    static const char unnamed[] = "(anonymous namespace)";
    int open = 0;
    size_t at = 0;
    for (; text[at] != 0; at++) {
        if (strncmp(text + at, unnamed, sizeof unnamed - 1) == 0)
            at += sizeof unnamed - 2;
        else if (text[at] == '<')
            open++;
        else if (text[at] == '>')
            open--;
        else if (text[at] == '(' && open <= 0)
            break;
    }
    return at;
}

/* What a class of the program's is made of. */
static void read_given(struct reader *reader, size_t at, const char *given)
{
    struct fault_rule *rule = reader->rule;
    int64_t number = 0;
    char *end;
    rule->throws_class = true;
    rule->thrown_at = at;
    double decimal = strtod(given, &end);
    if (*given == 0) {
        rule->thrown_given = FAULT_GIVEN_NOTHING;
    } else if (*given == '"') {
        rule->thrown_given = FAULT_GIVEN_TEXT;
    } else if (integer_of(given, &number)) {
        rule->thrown_given = FAULT_GIVEN_INTEGER;
        rule->made.value = (uint64_t)number;
    } else if (end != given && *end == 0) {
        rule->thrown_given = FAULT_GIVEN_DECIMAL;
        rule->number = decimal;
    } else {
        WRONG(reader, at, "an exception is made of a number, a text in quotes, or nothing");
    }
}

/* throw TYPE, throw TYPE(TEXT) */
static void read_throw(struct reader *reader)
{
    struct fault_rule *rule = reader->rule;
    skip_spaces(reader);
    size_t from = reader->word_at = reader->at;
    const char *text = reader->text + from;
    size_t length = strlen(text), name = type_length(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    reader->at = from + strlen(text);
    size_t name_end = name < length ? name : length;
    while (name_end > 0 && isspace((unsigned char)text[name_end - 1]))
        name_end--;
    rule->made.action = FISQL_FAULT_THROW;
    if (name_end == 0 || (name < length && text[length - 1] != ')')) {
        WRONG(reader, from,
              "`throw` wants a type, perhaps with what it is made of: "
              "std::runtime_error(\"text\"), int(5), MyError, MyError(3)");
        return;
    }
    char *type = strndup(text, name_end);
    char *inner = name < length ? strndup(text + name + 1, length - name - 2) : strdup("");
    char *plain = inner != NULL ? unquoted(inner) : NULL;
    if (type != NULL && plain != NULL) {
        rule->thrown_bytes = name_end + strlen(plain) + 2;
        rule->thrown = calloc(1, rule->thrown_bytes);
        if (rule->thrown != NULL)
            snprintf(rule->thrown, rule->thrown_bytes, "%s%c%s", type, 0, plain);
        if (!is_standard(type))
            read_given(reader, from, inner);
    }
    free(type);
    free(plain);
    free(inner);
}

static void read_amount(struct reader *reader, enum fisql_fault_action action)
{
    struct fisql_fault_rule *made = &reader->rule->made;
    const char *word = next_word(reader, false);
    int64_t number = 0;
    made->action = (uint8_t)action;
    if (action == FISQL_FAULT_DELAY && (word == NULL || !amount_time(word, &number) || number == 0))
        WRONG(reader, reader->word_at, "`delay` wants a time such as 50ms or 2s");
    if (action == FISQL_FAULT_SIGNAL && (word == NULL || (number = fault_signal(word)) == 0))
        WRONG(reader, reader->word_at, "`signal` wants a signal such as SIGTERM");
    if (action == FISQL_FAULT_EXIT &&
        (word == NULL || !amount_count(word, &number) || number > 255))
        WRONG(reader, reader->word_at, "`exit` wants a status from 0 to 255");
    made->amount = (uint64_t)number;
}

static void read_action(struct reader *reader)
{
    skip_spaces(reader);
    reader->rule->action = strdup(reader->text + reader->at);
    const char *word = next_word(reader, false);
    if (word == NULL)
        WRONG(reader, reader->word_at,
              "an action is missing: return VALUE, fail, throw TYPE, delay "
              "TIME, signal NAME, exit N, mark");
    else if (strcmp(word, "return") == 0)
        read_return(reader, false);
    else if (strcmp(word, "fail") == 0)
        read_return(reader, true);
    else if (strcmp(word, "throw") == 0)
        read_throw(reader);
    else if (strcmp(word, "delay") == 0)
        read_amount(reader, FISQL_FAULT_DELAY);
    else if (strcmp(word, "signal") == 0)
        read_amount(reader, FISQL_FAULT_SIGNAL);
    else if (strcmp(word, "exit") == 0)
        read_amount(reader, FISQL_FAULT_EXIT);
    else if (strcmp(word, "mark") == 0)
        reader->rule->made.action = FISQL_FAULT_MARK;
    else
        WRONG(reader, reader->word_at,
              "%s: no such action: return VALUE, fail, throw TYPE, delay TIME, "
              "signal NAME, exit N, mark",
              word);
    if (!reader->failed && next_word(reader, false) != NULL)
        WRONG(reader, reader->word_at, "%s: nothing may follow here", reader->word);
}

/* ---- what does not go together ---- */

static void check(struct reader *reader)
{
    struct fault_rule *rule = reader->rule;
    struct fisql_fault_rule *made = &rule->made;
    const char *usual = rule->call != NULL ? rule->call->errors : "ENOMEM";
    bool library = made->kind != FISQL_FAULT_FUNCTION;
    if ((made->nth != 0) + (made->every != 0) + (made->likely != 0) > 1)
        WRONG(reader, 0, "of nth, every and probability one alone can be given");
    else if (made->seed != 0 && made->likely == 0)
        WRONG(reader, 0, "seed belongs to probability");
    else if (made->after && made->kind == FISQL_FAULT_ALLOC)
        WRONG(reader, 0, "%s: after the allocation its block would be lost: leave out `after`",
              rule->target);
    else if (made->action == FISQL_FAULT_RETURN && library && rule->value == FAULT_VALUE_NONE &&
             made->after && made->error != 0)
        return; /* it returns what it does, with that errno */
    else if (made->action == FISQL_FAULT_RETURN && library && rule->value != FAULT_VALUE_INTEGER)
        WRONG(reader, 0, "%s returns an integer or a pointer: say which", rule->target);
    else if (made->action == FISQL_FAULT_RETURN && made->kind == FISQL_FAULT_ALLOC &&
             made->value != 0)
        WRONG(reader, 0, "%s can return 0 (NULL) alone: else there would be no block",
              rule->target);
    else if (made->action == FISQL_FAULT_THROW && library && made->kind == FISQL_FAULT_CALL)
        WRONG(reader, 0,
              "%s is a function of C and throws nothing: name the function that calls it",
              rule->target);
    if (reader->failed || !library || made->action != FISQL_FAULT_RETURN)
        return;
    bool fails = rule->call == NULL || rule->call->failure == (int64_t)made->value;
    bool by_errno = rule->call == NULL || rule->call->way == FAULT_ERRNO;
    if (rule->error == NULL && fails && by_errno) { /* the usual one */
        rule->error = strndup(usual, strcspn(usual, " "));
        made->error = rule->error != NULL ? fault_errno(rule->error) : 0;
    } else if (rule->error != NULL && rule->call != NULL && by_errno &&
               !fault_call_gives(rule->call, rule->error)) {
        note("%s: %s does not give %s, as far as POSIX and Linux say; it does so now",
             reader->where, rule->target, rule->error);
    } else if (rule->error != NULL && rule->call != NULL && !by_errno) {
        note("%s: %s reports its error by its result, not by errno", reader->where, rule->target);
    }
}

int fault_rule_parse(struct fault_rule *rule, const char *text, const char *where)
{
    struct reader reader = {.rule = rule, .text = text, .where = where};
    *rule = (struct fault_rule){.text = strdup(text)};
    if (strpbrk(text, "\n\t") != NULL)
        WRONG(&reader, 0, "a rule is one line, without tabs");
    if (!reader.failed)
        read_target(&reader);
    if (!reader.failed)
        read_conditions(&reader);
    if (!reader.failed)
        read_action(&reader);
    if (!reader.failed)
        check(&reader);
    free(reader.word);
    return reader.failed ? 2 : 0;
}

void fault_rule_release(struct fault_rule *rule)
{
    for (size_t i = 0; i < FISQL_FAULT_WHENS_MAX; i++) {
        free(rule->whens[i].name);
        free(rule->whens[i].text);
    }
    free(rule->text);
    free(rule->target);
    free(rule->action);
    free(rule->inside);
    free(rule->sites);
    free(rule->thrown);
    free(rule->error);
    *rule = (struct fault_rule){0};
}
