#!/bin/sh
# Prints docs/schema.md from schema.sql (its argument): a section for each table and view, a row for
# each column with the comment that stands beside it.
set -eu
cat <<'HEAD'
# The database

Made by `make docs` from schema.sql; change that file, not this one. `.schema NAME` in the sqlite3
shell shows the same comments.

HEAD
awk '
function flush_columns() { if (rows != "") printf "\n| column | type | meaning |\n| --- | --- | --- |\n%s", rows; rows = "" }
function cell(text) { gsub(/\|/, "\\|", text); sub(/^ +/, "", text); sub(/ +$/, "", text); return text }
function add_column(text, comment,   words, count, i, type) {
    sub(/^ +/, "", text); sub(/, *$/, "", text)
    if (text == "" || text ~ /^(PRIMARY KEY|UNIQUE)/) return
    count = split(text, words, " ")
    type = ""
    for (i = 2; i <= count; i++) type = type (i > 2 ? " " : "") words[i]
    if (last != "") rows = rows "| `" last "` | " cell(last_type) " | " cell(last_comment) " |\n"
    last = words[1]; last_type = type; last_comment = comment
}
function end_column() { if (last != "") rows = rows "| `" last "` | " cell(last_type) " | " cell(last_comment) " |\n"; last = "" }
# text before anything is defined: the rules that hold for all tables
!started && /^-- ?/ { sub(/^-- ?/, ""); print; next }
!started && /^$/ { print; next }
/^PRAGMA/ { if (!started) { started = 1; print "" } gsub(/;$/, ""); print "- `" $0 "`"; next }
/^-- / && !table { sub(/^-- /, ""); print "\n" $0; next }
/^CREATE INDEX/ { indexes = indexes "- `" $0 "`\n"; next }
/^CREATE TABLE/ {
    started = table = 1
    name = $3; sub(/\(.*/, "", name)
    comment = ""; if (match($0, /-- /)) comment = substr($0, RSTART + 3)
    printf "\n## %s\n\n%s", name, comment; head = 1; last = ""; rows = ""
    next
}
/^CREATE VIEW/ {
    started = 1
    comment = ""; if (match($0, /-- /)) comment = substr($0, RSTART + 3)
    printf "\n## %s\n\n%s (a view)\n", $3, comment; next
}
table && /^\)/ { end_column(); if (head) print ""; head = 0; flush_columns(); table = 0; next }
table && /^ *-- / { # the comment goes on
    text = $0; sub(/^ *-- /, "", text)
    if (head) printf " %s", text
    else last_comment = last_comment " " text
    next
}
table {
    if (head) { print ""; head = 0 }
    line = $0; comment = ""
    if (match(line, /-- /)) { comment = substr(line, RSTART + 3); line = substr(line, 1, RSTART - 1) }
    depth = 0; part = "" # several columns may share a line; commas in brackets do not part them
    count = split(line, letters, "")
    parts = 0
    for (i = 1; i <= count; i++) {
        if (letters[i] == "(") depth++
        if (letters[i] == ")") depth--
        if (letters[i] == "," && depth == 0) { if (part ~ /[^ ]/) columns[++parts] = part; part = "" }
        else part = part letters[i]
    }
    if (part ~ /[^ ]/) columns[++parts] = part
    for (k = 1; k <= parts; k++) add_column(columns[k], comment)
    next
}
END { if (indexes != "") printf "\n## Indexes\n\n%s", indexes }
' "$1"
