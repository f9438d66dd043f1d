#!/usr/bin/env python3
"""Prints the structs of C files that have more fields than the limit: fields FILE: struct NAME.

usage: struct_fields.py LIMIT FILE...

A field is a declarator of the struct's own. What a nested struct holds counts for that one, unless
it has no name of its own there (its fields are then the outer struct's).
"""

import re
import sys


def without_comments(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', "0", text)
    return re.sub(r"^[ \t]*#(\\\n|[^\n])*", " ", text, flags=re.M)


def closing(text, at):
    """The index of the brace that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i
    return len(text)


def split(text, separator):
    """Parts of the text between separators that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0)
        if char == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part for part in parts + [text[start:]] if part.strip()]


def fields(body):
    count = 0
    for member in split(body, ";"):
        brace = member.find("{")
        if brace >= 0 and re.match(r"\s*(struct|union)\b", member):
            end = closing(member, brace)
            if not member[end + 1 :].strip():
                count += fields(member[brace + 1 : end])
                continue
            member = member[end + 1 :]
        count += len(split(member, ","))
    return count


def structs(text):
    """Name and number of fields of each struct that is defined."""
    for found in re.finditer(r"\b(?:struct|union)\s*(?:__attribute__\s*\(\(.*?\)\)\s*)?(\w*)\s*\{", text):
        brace = found.end() - 1
        yield found.group(1) or "(no name)", fields(text[brace + 1 : closing(text, brace)])


limit = int(sys.argv[1])
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        for name, count in structs(without_comments(file.read())):
            if count > limit:
                print(f"{count} {path}: struct {name}")
