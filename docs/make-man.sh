#!/bin/bash
# Prints the man page fisql(1) from what the program (FISQL) says of its commands, or that of one command.
#
#   docs/make-man.sh FISQL [COMMAND]
set -eu
fisql=$1 command=${2-}
version=$("$fisql" version | cut -d' ' -f2)
XDG_CONFIG_HOME=$(mktemp -d)
export XDG_CONFIG_HOME
trap 'rm -rf "$XDG_CONFIG_HOME"' EXIT

# Text as it stands, for roff: no backslash or dot at a line's start is a command
verbatim() { sed -e 's/\\/\\e/g' -e "s/^[.']/\\\\\&&/" -e 's/-/\\-/g'; }

summary() { # NAME WHAT
    printf '%s \\- %s\n' "$(verbatim <<<"$1")" "$(verbatim <<<"$2")"
}

if [ -n "$command" ]; then
    what=$("$fisql" help --list | awk -F '\t' -v name="$command" '$1 == name { print $2 }')
    arguments=$("$fisql" help --list | awk -F '\t' -v name="$command" '$1 == name { print $3 }')
    printf '.\\" Made from `fisql %s --help` by docs/make-man.sh.\n' "$command"
    printf '.TH FISQL-%s 1 "" "fisql %s" "User Commands"\n.SH NAME\n' "${command^^}" "$version"
    summary "fisql-$command" "$what"
    printf '.SH SYNOPSIS\n.B fisql %s\n%s\n.SH DESCRIPTION\n.nf\n' "$command" "$(verbatim <<<"$arguments")"
    "$fisql" "$command" --help | verbatim
    printf '.fi\n.SH SEE ALSO\n.BR fisql (1)\n'
    exit 0
fi

cat <<HEAD
.\\" Made by \`make docs\`: change what the commands say for --help, not this file.
.TH FISQL 1 "" "fisql $version" "User Commands"
.SH NAME
fisql \\- record a program's calls and allocations and ask SQL about them
.SH SYNOPSIS
HEAD
"$fisql" help --list | while IFS=$'\t' read -r name _ arguments; do
    printf '.B fisql %s\n%s\n.br\n' "$name" "$(verbatim <<<"$arguments")"
done
cat <<'TEXT'
.SH DESCRIPTION
.B fisql
records every function call and every heap allocation of a native program, as it is or built with hooks
.RB ( "fisql cc" ),
loads the recording into an SQLite database, and answers questions about how the program really ran:
with canned queries, and with any SQL in the
.BR sqlite3 (1)
shell.
.PP
The usual way:
.PP
.nf
.RS
fisql run ./app
fisql query
fisql query hot\-functions
sqlite3 run.db
.RE
.fi
.SH COMMANDS
TEXT
"$fisql" help --list | while IFS=$'\t' read -r name what _; do
    printf '.SS fisql %s\n%s.\n' "$name" "$(verbatim <<<"${what^}")"
    case $name in
        help | version) continue ;;
    esac
    printf '.PP\n.nf\n'
    "$fisql" "$name" --help | verbatim
    printf '.fi\n'
done
cat <<'TEXT'
.SH QUERIES
.nf
TEXT
"$fisql" query | sed '$d' | verbatim
cat <<'TEXT'
.fi
.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
done, but something was lost, or a check found rows
.TP
.B 2
could not be done; the words on standard error say why, and what to do
.PP
.B fisql record
and
.B fisql run
end with the status of the program that they ran.
.SH ENVIRONMENT
.TP
.B XDG_CONFIG_HOME
queries of your own lie in
.I $XDG_CONFIG_HOME/fisql/queries
.RI ( ~/.config/fisql/queries )
.TP
.B XDG_CACHE_HOME
symbols of large programs are kept in
.I $XDG_CACHE_HOME/fisql
.RI ( ~/.cache/fisql )
.SH FILES
.TP
.I run.bin
the log that a recording writes, with mode 0600
.TP
.I run.db
the database that a load makes of it
.TP
.I run.html
the page that
.B fisql run
writes
.SH SEE ALSO
TEXT
"$fisql" help --list | cut -f1 | grep -vxE 'help|version' | sed 's/.*/.BR fisql\\-& (1),/'
cat <<'TEXT'
.BR sqlite3 (1),
.BR gcc (1)
TEXT
