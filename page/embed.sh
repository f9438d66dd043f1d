#!/bin/sh
# Prints C source that holds the two halves of the report page (the arguments) as strings; see page.h.
set -eu
symbol() { # name file
    printf '__asm__(".section .rodata\\n.global %s\\n%s:\\n.incbin \\"%s\\"\\n.byte 0\\n.previous\\n");\n' \
        "$1" "$1" "$2"
}
echo '/* Made by page/embed.sh. */'
echo '#include "page/page.h"'
symbol report_page_head "$1"
symbol report_page_tail "$2"
