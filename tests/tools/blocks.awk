# Writes each fenced block of a page that begins with a comment naming a file into that file, and prints the names.
/^```[a-z]+$/ { inside = 1; first = 1; name = ""; next }
/^```$/ { if (name != "") close(name); inside = 0; next }
inside && first { first = 0; if ($0 ~ /^(#|--|\/\/) [A-Za-z]+\.[A-Za-z]+$/) { name = $2; print name; printf "" >name } }
inside && name != "" { print >name }
