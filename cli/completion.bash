# bash completion for fisql: commands, their options, queries, parameters and files. Everything is
# asked of the program itself, so it knows the user's own queries and whatever commands there are.
# shellcheck shell=bash

_fisql_options() { # of a command, from its --help
    "$1" "$2" --help 2>/dev/null | sed -n 's/^ *-[a-zA-Z], *//; s/^ *\(--[a-z-]*\).*/\1/p'
}

_fisql_parameters() { # of a query: name=default
    "$1" query "$2" --help 2>/dev/null |
        sed -n '/^Parameters/,/^$/s/^  \([a-z_0-9]*\) = .*/\1=/p'
}

_fisql_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

_fisql_files() { # with one of the suffixes
    local suffix
    COMPREPLY=()
    for suffix in "$@"; do
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!*$suffix" -- "$current")
    done
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -S / -- "$current")
}

_fisql_query() {
    local program=$1 name=''
    case ${COMP_WORDS[2]-} in
        -* | '') ;;
        *) [ "$COMP_CWORD" -le 2 ] || name=${COMP_WORDS[2]} ;;
    esac
    case $previous in
        -p | --param)
            [ -z "$name" ] || _fisql_words "$(_fisql_parameters "$program" "$name")"
            compopt -o nospace 2>/dev/null || true
            ;;
        --format) _fisql_words "table csv json markdown" ;;
        --demangle) _fisql_words "full short no" ;;
        --suppressions | --file | --query-file) _fisql_files '' ;;
        *)
            if [ "$COMP_CWORD" -eq 2 ] && [[ $current != -* ]]; then
                _fisql_files .db
                mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$("$program" query --names 2>/dev/null)" -- "$current")
            elif [[ $current == -* ]]; then
                _fisql_words "$(_fisql_options "$program" query) -p"
            else
                _fisql_files .db
            fi
            ;;
    esac
}

_fisql() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]-}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _fisql_words "$("$program" help --list 2>/dev/null | cut -f1)"
        return
    fi
    case $command in
        query) _fisql_query "$program" ;;
        help) _fisql_words "$("$program" help --list 2>/dev/null | cut -f1)" ;;
        *)
            if [[ $current == -* ]]; then
                _fisql_words "$(_fisql_options "$program" "$command")"
            elif [ "$command" = load ] || [ "$command" = dump ]; then
                _fisql_files .bin
            elif [ "$command" = digest ]; then
                _fisql_files .db
            elif [ "$command" = cc ]; then
                _fisql_words "gcc g++ clang clang++ cc c++"
                [ "$COMP_CWORD" -eq 2 ] || _fisql_files ''
            else
                _fisql_files ''
            fi
            ;;
    esac
}

complete -F _fisql fisql
