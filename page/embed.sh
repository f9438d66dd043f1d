#!/bin/sh
# Prints C source that holds the pages of a folder (the argument) as strings; see page.h.
set -eu
symbol() { # name file
    printf '__asm__(".section .rodata\\n.global %s\\n%s:\\n.incbin \\"%s\\"\\n.byte 0\\n.previous\\n");\n' \
        "$1" "$1" "$2"
}
echo '/* Made by page/embed.sh. */'
echo '#include "page/page.h"'
symbol report_page_head "$1/report_head.html"
symbol report_page_tail "$1/report_tail.html"
symbol serve_page_html "$1/serve.html"
symbol serve_page_script "$1/serve.js"
symbol serve_page_style "$1/serve.css"
