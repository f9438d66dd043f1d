#!/bin/sh
# Prints docs/log-format.md (its second argument) with the lists of formats/log.h (its first) and of events.h
# beside it in their places: between <!-- LIST: made by `make docs` from FILE --> and <!-- end -->.
set -eu
cat "$1" "$(dirname "$1")/events.h" | awk '
function text_of(row) { gsub(/\\"/, "\001", row); gsub(/" "/, "", row); return row }
function cell(text) { gsub(/^"|"$/, "", text); gsub(/\001/, "\"", text); gsub(/\|/, "\\|", text); return text }
# Splits the arguments of X(...) at commas outside strings.
function split_row(row, into,   letters, count, i, quoted, part, parts) {
    count = split(row, letters, ""); quoted = 0; part = ""; parts = 0
    for (i = 1; i <= count; i++) {
        if (letters[i] == "\"") quoted = !quoted
        if (letters[i] == "," && !quoted) { into[++parts] = part; part = "" }
        else if (quoted || letters[i] != " ") part = part letters[i]
    }
    into[++parts] = part
    return parts
}
function take(list, row,   parts, kind) {
    split_row(text_of(row), parts)
    if (list == "FISQL_FACTS") {
        kind = parts[1]
        if (!(kind in facts)) kinds[++kinds_count] = kind
        facts[kind] = facts[kind] (kind in facts && facts[kind] != "" ? ", " : "") cell(parts[3]) (parts[4] == "\"\"" ? "" : " (" cell(parts[4]) ")")
    } else if (list == "FISQL_EVENTS")
        rows[list] = rows[list] "| " parts[2] (cell(parts[3]) == "" ? "" : " + " cell(parts[3])) " | " parts[1] " | " cell(parts[6]) " | " cell(parts[7]) " |\n"
    else if (list == "FISQL_CHUNK_KINDS" || list == "FISQL_FLAGS")
        rows[list] = rows[list] "| " parts[2] " | " parts[1] " | " cell(parts[4]) " |\n"
    else
        rows[list] = rows[list] "| `" cell(parts[2]) "` | " cell(parts[3]) " |\n"
}
function put(list,   i) {
    if (list == "FISQL_FACTS") {
        print "| kind | keys |\n| --- | --- |"
        for (i = 1; i <= kinds_count; i++) print "| " kinds[i] " | " facts[kinds[i]] " |"
    } else if (list == "FISQL_CHUNK_KINDS" || list == "FISQL_FLAGS")
        printf "| number | %s | meaning |\n| --: | --- | --- |\n%s", list == "FISQL_FLAGS" ? "flag" : "kind", rows[list]
    else if (list == "FISQL_EVENTS")
        printf "| code | event | fields | meaning |\n| --- | --- | --- | --- |\n%s", rows[list]
    else if (list in rows)
        printf "| %s | meaning |\n| --- | --- |\n%s", list == "FISQL_OPTIONS" ? "word" : "variable", rows[list]
    else
        print "no such list: " list
}
FNR == NR { # formats/log.h
    if (/^#define FISQL_[A-Z_]*\(X\)/) { list = $2; sub(/\(X\).*/, "", list); row = "" }
    else if (list != "") {
        line = $0
        more = sub(/ *\\$/, "", line)
        sub(/^ +/, "", line)
        row = row (row == "" ? "" : " ") line
        if (row ~ /\)$/) { sub(/^X\(/, "", row); sub(/\)$/, "", row); take(list, row); row = "" }
        if (!more) list = ""
    }
    next
}
skipping && /^<!-- end -->$/ { skipping = 0 }
!skipping { print }
/^<!-- FISQL_[A-Z_]*: made by/ { skipping = 1; name = $2; sub(/:$/, "", name); put(name) }
' - "$2"
