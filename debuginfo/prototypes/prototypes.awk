# Reads preprocessed C, and writes for each function that it declares an empty function of the same prototype, a line
# each, whose name begins with `fisql__`: debug information describes the parameters of definitions alone with their names.

# Names of parameters as manual pages have them: FUNCTION... : NAME NEW...
BEGIN {
    count = split("open open64 openat openat64 __open_2 __open64_2 __openat_2 __openat64_2 creat creat64: file path oflag flags fd dirfd;" \
        "shm_open mq_open sem_open: oflag flags;" \
        "mkdirat mkfifoat mknodat readlinkat symlinkat unlinkat utimensat name_to_handle_at: fd dirfd name path file path;" \
        "faccessat fchmodat fchownat fstatat fstatat64: fd dirfd file path flag flags;" \
        "access euidaccess eaccess: name path type mode;" \
        "faccessat: type mode;" \
        "unlink: name path;" \
        "unlinkat: flag flags;" \
        "stat stat64 lstat lstat64 chmod truncate truncate64 chown lchown utimes: file path;" \
        "mount: rwflag flags;" \
        "clock_gettime clock_settime clock_getres clock_nanosleep timer_create timerfd_create: clock_id clock", rules, ";")
    for (i = 1; i <= count; i++) {
        split(rules[i], sides, ":")
        functions_count = split(sides[1], functions, " ")
        words_count = split(sides[2], words, " ")
        for (f = 1; f <= functions_count; f++)
            for (w = 1; w < words_count; w += 2)
                manual[functions[f], words[w]] = words[w + 1]
    }
}

# The text without what a word and its parentheses say.
function without(text, word, before, depth, at, c) {
    while ((at = match(text, word "[ ]*\\(")) > 0) {
        before = substr(text, 1, at - 1)
        text = substr(text, at + RLENGTH)
        for (depth = 1; depth > 0 && length(text) > 0; text = substr(text, 2)) {
            c = substr(text, 1, 1)
            depth += (c == "(") - (c == ")")
        }
        text = before " " text
    }
    return text
}

# The name that the function has in its library: __asm__ ("" "name").
function symbol_of(text, name, at) {
    if ((at = match(text, /__asm__ *\([^)]*\)/)) == 0)
        return ""
    name = substr(text, at, RLENGTH)
    sub(/^__asm__ *\(/, "", name)
    gsub(/[" )]/, "", name)
    return name
}

# A parameter with a name without underscores in front: its own, or its number.
function parameter(text, number, function_name, words, count, i, last, name, at, named) {
    sub(/^ +/, "", text)
    sub(/ +$/, "", text)
    if (text == "...")
        return text
    if ((at = match(text, /\( *[*^][* ]*[A-Za-z_0-9]*/)) > 0) { # a pointer to a function
        name = substr(text, at, RLENGTH)
        named = name
        sub(/^\( *[*^][* ]*/, "", named)
        sub(/[A-Za-z_0-9]*$/, "", name)
        sub(/^_+/, "", named)
        return substr(text, 1, at - 1) name (named == "" ? "arg" number : named) substr(text, at + RLENGTH)
    }
    at = index(text, "[")
    last = at > 0 ? substr(text, at) : ""
    if (at > 0)
        text = substr(text, 1, at - 1)
    sub(/\[[^]]*\]/, "[]", last) # the number may be another parameter
    sub(/ +$/, "", text)
    named = 0
    count = split(text, words, /[ *]+/)
    for (i = 1; i <= count; i++)
        named += words[i] != "" && words[i] !~ /^(const|volatile|struct|union|enum)$/
    if (named < 2 || text ~ /\*$/ || words[count] ~ /^(int|char|long|short|unsigned|signed|float|double|const|_Bool|__int128)$/)
        return text " arg" number last
    name = words[count]
    text = substr(text, 1, length(text) - length(name))
    sub(/^_+/, "", name)
    if (text ~ /^(char|unsigned char|wchar_t) \*[ ]*(__restrict )?$/ && last == "")
        text = "void *" # to be filled: no text is there yet
    if ((function_name, name) in manual)
        name = manual[function_name, name]
    return text name last
}

function parameters(text, function_name, list, part, depth, i, c, count) {
    if (text ~ /^ *(void)? *$/)
        return "void"
    text = text ","
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        if (c == "," && depth == 0) {
            list = list (count++ ? ", " : "") parameter(part, count, function_name)
            part = ""
        } else {
            part = part c
        }
    }
    return list
}

function declaration(text, symbol, at, name, result, from, depth, c, i) {
    if (text ~ /(^|[^A-Za-z_0-9])(typedef|static|inline|__inline|__inline__|_Static_assert|_Thread_local|__thread)([^A-Za-z_0-9]|$)/)
        return
    symbol = symbol_of(text)
    text = without(text, "__asm__")
    text = without(text, "__attribute__")
    text = without(text, "__attribute")
    gsub(/(^|[^A-Za-z_0-9])(extern|__extension__|__restrict|restrict|_Noreturn|__const)([^A-Za-z_0-9]|$)/, " & ", text)
    gsub(/ (extern|__extension__|__restrict|restrict|_Noreturn) /, " ", text)
    gsub(/__CONST_SOCKADDR_ARG/, "const struct sockaddr *", text)
    gsub(/__SOCKADDR_ARG/, "struct sockaddr *", text)
    gsub(/ +/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    if ((at = index(text, "(")) < 3)
        return
    result = substr(text, 1, at - 1)
    sub(/ +$/, "", result)
    if (result !~ /[ *][A-Za-z_][A-Za-z_0-9]*$/ || result ~ /[^A-Za-z_0-9 *]/)
        return
    for (i = at; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        if (depth == 0)
            break
    }
    if (i != length(text))
        return # it returns a pointer to a function
    name = result
    sub(/^.*[ *]/, "", name)
    result = substr(result, 1, length(result) - length(name))
    text = result "%s(" parameters(substr(text, at + 1, length(text) - at - 1), name) ") {}"
    if (symbol != "") {
        if (!(symbol in other))
            others[++others_count] = symbol
        other[symbol] = text
    } else if (!(name in own)) {
        own[name] = text
        names[++names_count] = name
    }
}

{
    rest = $0 " "
    while ((at = match(rest, /[;{}()"]/)) > 0) {
        c = substr(rest, at, 1)
        if (braces == 0)
            text = text substr(rest, 1, at - 1)
        rest = substr(rest, at + 1)
        if (c == "\"") { # to its end, which is on the same line
            match(rest, /^([^"\\]|\\.)*"/)
            if (braces == 0)
                text = text "\"" substr(rest, 1, RLENGTH)
            rest = substr(rest, RLENGTH + 1)
        } else if (c == "{") {
            if (braces++ == 0) {
                body = text ~ /\) *$/ && text !~ /^ *(typedef|struct|union|enum)/
                text = text "{}"
            }
        } else if (c == "}") {
            if (--braces == 0 && body)
                text = ""
        } else if (braces > 0) {
            continue
        } else if (c == ";" && parens == 0) {
            if (index(text, "{}") == 0)
                declaration(text)
            text = ""
        } else {
            parens += (c == "(") - (c == ")")
            text = text c
        }
    }
    if (braces == 0)
        text = text rest
}

END {
    for (i = 1; i <= names_count; i++)
        printf own[names[i]] "\n", "fisql__" names[i]
    for (i = 1; i <= others_count; i++)
        if (!(others[i] in own))
            printf other[others[i]] "\n", "fisql__" others[i]
}
