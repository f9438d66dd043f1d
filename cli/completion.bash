# bash completion for fisql: commands, their options, queries, parameters and files. It asks
# the program itself, so it knows the user's own queries and whatever commands there are.
# shellcheck shell=bash

_fisql_options() { # of a command, from its --help
    "$1" "$2" --help 2>/dev/null | sed -n 's/^ *-[a-zA-Z], *//; s/^ *\(--[a-z-]*\).*/\1/p'
}

_fisql_parameters() { # of a query: name=default
    "$1" query "$2" --help 2>/dev/null |
        sed -n '/^Parameters/,/^$/s/^  \([a-z_0-9]*\) = .*/\1=/p'
}

_fisql_values() { # of a command's option, from its --help: `--sort BY  time, calls or bytes ...`
    case $2,$3 in
        *,--demangle) echo "full short no" ;;
        export,--format) "$1" export --help 2>/dev/null | sed -n '/Formats:/,/^ *-/s/^  \([a-z]*\)  .*/\1/p' ;;
        export,--weight) echo "time calls bytes" ;;
        *)
            "$1" "$2" --help 2>/dev/null |
                sed -nE "s/^ *(-[a-z], *)?$3 [A-Z]+ +([a-z]+(, [a-z]+)*,? or [a-z]+).*/\\2/p" | sed 's/, or / /; s/ or / /; s/,//g'
            ;;
    esac
}

# The words that begin as the current one does. compgen -W would run what it finds in them: $(...).
_fisql_words() {
    local word words
    read -r -d '' -a words <<<"$1"
    COMPREPLY=()
    for word in "${words[@]}"; do
        [[ $word != "$current"* ]] || COMPREPLY+=("$(printf %q "$word")")
    done
}

_fisql_files() { # with one of the suffixes
    local suffix
    compopt -o filenames 2>/dev/null || true # quotes them
    COMPREPLY=()
    for suffix in "$@"; do
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!*$suffix" -- "$current")
    done
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -S / -- "$current")
}

# A value of the option before, if it is one that has values.
_fisql_value() {
    local values
    [[ $previous == --* ]] || return 1
    values=$(_fisql_values "$1" "$2" "$previous")
    [ -n "$values" ] && _fisql_words "$values"
}

_fisql_query() {
    local program=$1 name='' names
    case ${COMP_WORDS[2]-} in
        -* | '') ;;
        *) [ "$COMP_CWORD" -le 2 ] || name=${COMP_WORDS[2]} ;;
    esac
    case $previous in
        -p | --param)
            [ -z "$name" ] || _fisql_words "$(_fisql_parameters "$program" "$name")"
            compopt -o nospace 2>/dev/null || true
            ;;
        --suppressions | --file | --query-file) _fisql_files '' ;;
        *)
            if [ "$COMP_CWORD" -eq 2 ] && [[ $current != -* ]]; then
                _fisql_words "$("$program" query --names 2>/dev/null)"
                names=("${COMPREPLY[@]}")
                _fisql_files .db
                COMPREPLY+=("${names[@]}")
            elif _fisql_value "$program" query; then
                :
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
        fleet)
            if _fisql_value "$program" fleet; then
                :
            elif [[ $current == -* ]]; then
                _fisql_words "$(_fisql_options "$program" fleet) -p"
            elif [[ $previous == --url || $previous == --suppressions ]]; then
                _fisql_files .db
            else
                _fisql_words "$("$program" fleet --names 2>/dev/null)"
            fi
            ;;
        help) _fisql_words "$("$program" help --list 2>/dev/null | cut -f1)" ;;
        *)
            if _fisql_value "$program" "$command"; then
                :
            elif [[ $previous == -o || $previous == --output || $previous == --picture ]]; then
                _fisql_files ''
            elif [ "$command" = record ] && [[ $previous == -p || $previous == --pid ]]; then
                _fisql_words "$(ps -o pid= -x 2>/dev/null)"
            elif [ "$command" = modules ] && [ "$previous" = --map ]; then
                _fisql_files ''
            elif [[ $previous == --sysroot || $previous == --symbols ]]; then
                _fisql_files / # folders alone
            elif [[ $current == -* ]]; then
                _fisql_words "$(_fisql_options "$program" "$command")"
            elif [ "$command" = control ] && [ "$COMP_CWORD" -eq 3 ]; then
                _fisql_words "start stop dump level depth only"
            elif [ "$command" = stacks ] || [ "$command" = top ] || [ "$command" = control ]; then
                _fisql_words "$("$program" ps --format csv 2>/dev/null | sed -n 's/^\([0-9][0-9]*\),.*/\1/p')"
            elif [ "$command" = schema ]; then
                _fisql_words "$("$program" schema --names 2>/dev/null)"
            elif [ "$command" = load ] || [ "$command" = dump ]; then
                _fisql_files .bin .json .json.gz .perfetto .perfetto-trace .pftrace
            elif [ "$command" = digest ]; then
                _fisql_files .db
            elif [ "$command" = cc ]; then
                _fisql_words "gcc g++ clang clang++ cc c++ gfortran gdc gnatmake gprbuild gccgo gm2"
                [ "$COMP_CWORD" -eq 2 ] || _fisql_files ''
            elif [ "$command" = record ]; then
                _fisql_files ''
            else
                _fisql_files .db
            fi
            ;;
    esac
}

complete -F _fisql fisql
