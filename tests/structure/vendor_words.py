#!/usr/bin/env python3
"""The core and the front end serve every target alike: no line and no file name of theirs has a word of a vendor, a
device or a driver. usage: vendor_words.py SOURCE_DIR

Words, folders and exceptions are in vendor_words.toml. A word counts where no letters go on before and behind it and
where camelCase separates it: `cudaLibrary`, `TEGULA_CUDA_LIBRARY` and `cuda::` have the word cuda, `barracuda` has not.
"""

import re

from tree import source_tree

DATA = "tests/structure/vendor_words.toml"


def separated(line):
    """The line with a space at each border of camelCase, so that `HipLibrary` is two words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", line)


def main():
    tree = source_tree("SOURCE_DIR")
    data, places = tree.data(DATA)
    alternatives = [re.escape(word) for word in data["words"]] + data["patterns"]
    words = re.compile(r"(?<![a-z])(?:" + "|".join(alternatives) + r")(?![a-z])", re.IGNORECASE)
    exceptions = {(row["file"], word): row for row in data["exceptions"] for word in row["words"]}
    used = set()

    def check(file, number, text, what):
        for word in words.findall(separated(text)):
            if (file, word.lower()) in exceptions:
                used.add((file, word.lower()))
            else:
                tree.violation(file, number, f"{what} '{word}'; what is a vendor's belongs in backends/")

    files = [file for file in tree.files if file.startswith(tuple(data["folders"]))]
    for file in files:
        check(file, 1, file, "the file's name has the vendor's word")
        for number, line in enumerate(tree.lines(file), 1):
            check(file, number, line, "a vendor's word,")
    for file, word in exceptions.keys() - used:
        tree.violation(DATA, places.of(f'"{file}"'), f"the exception '{word}' of {file} is not needed; remove it")
    for row in data["exceptions"]:
        if not row.get("reason"):
            tree.violation(DATA, places.of(f'"{row["file"]}"'), f"the exception of {row['file']} has no reason")
    tree.finish(f"{len(files)} files of {', '.join(data['folders'])} name no vendor")


main()
