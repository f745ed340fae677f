#!/usr/bin/env python3
"""Each rule of this folder accepts a small tree and sees every violation that is planted in it, at its line.
usage: self_test.py
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Rule(unittest.TestCase):
    """A tree of a few files that the rule accepts; tests plant violations."""

    script = ""
    tree = {}

    def run_on(self, changes):
        """Exit status and output for the tree with some files changed or added; None removes one."""
        with tempfile.TemporaryDirectory() as folder:
            for file, text in {**self.tree, **changes}.items():
                if text is not None:
                    path = pathlib.Path(folder) / file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")
            result = subprocess.run([sys.executable, HERE / self.script, folder], capture_output=True, text=True)
            return result.returncode, result.stdout + result.stderr

    def accepts(self, changes):
        status, output = self.run_on(changes)
        self.assertEqual(status, 0, output)

    def refuses(self, changes, *violations):
        """Exactly these lines are printed."""
        status, output = self.run_on(changes)
        self.assertEqual((status, output), (1, "".join(line + "\n" for line in sorted(violations))))

    def test_accepts_the_tree(self):
        if self.script:
            self.accepts({})


FORMATTING_DATA = r"""
limit = 20
files = ["*.cpp", "*.h", "*.md", "ci/*"]
[[exceptions]]
files = ["*.md"]
line = '^\|'
reason = "rows"
"""


class Formatting(Rule):
    script = "formatting.py"
    data = "tests/structure/formatting.toml"
    tree = {
        data: FORMATTING_DATA,
        ".clang-format": "BasedOnStyle: LLVM\nColumnLimit: 20\n",
        "core/A.cpp": "int a = 1;\n",
        "core/B.h": "int b();\n",
        "README.md": "Prose.\n| a row of a table may be long |\n",
        "ci/test": "#!/bin/sh\n",
        "notes.txt": "not looked at, however long a line of it is\n",
    }

    def test_format(self):
        self.refuses({"core/A.cpp": "int a = 1;\nint  b;\n"},
                     "core/A.cpp:2: not as clang-format-22 formats it; run clang-format-22 -i on it")
        self.refuses({"core/B.h": "int  b();\n"},
                     "core/B.h:1: not as clang-format-22 formats it; run clang-format-22 -i on it")

    def test_many_files(self):
        many = {f"core/F{number}.cpp": "int a;\n" for number in range(50)}
        self.accepts(many)
        self.refuses({**many, "core/F49.cpp": "int  a;\n"},
                     "core/F49.cpp:1: not as clang-format-22 formats it; run clang-format-22 -i on it")

    def test_long_lines(self):
        self.refuses({"README.md": "Prose.\n| a row of a table may be long |\nThis line is not one.\n"},
                     "README.md:3: the line has 21 columns; 20 at most")
        self.refuses({"ci/test": "#!/bin/sh\n# 89012345678901\n# 890123456789012345678\n"},
                     "ci/test:3: the line has 23 columns; 20 at most")
        self.accepts({"README.md": "| a row of a table may be long |\n" + 20 * "\u00e4" + "\n"})

    def test_exceptions(self):
        self.refuses({"README.md": "Prose.\n"}, rf"{self.data}:6: the exception '^\|' is not needed; remove it")
        self.refuses({self.data: FORMATTING_DATA.replace('"rows"', '""')},
                     rf"{self.data}:6: the exception '^\|' has no reason")


VENDOR_DATA = r"""
folders = ["core/"]
words = ["acme", "zoom"]
patterns = ["zz_[0-9]+"]
[[exceptions]]
file = "core/Table.cpp"
words = ["zoom"]
reason = "the table"
"""


class Budget(Rule):
    script = "budget.py"
    tree = {
        "core/passes/Budget.h": "int64_t shared() const { return features_.sharedBytes; }\n",
        "core/passes/A.cpp": "int64_t bytes = Budget(op).shared();\n",
        "core/target/B.cpp": "features.sharedBytes = 1;\n",
    }

    def test_reads(self):
        for text, name in (("simt::targetOf(op).features.sharedBytes", "sharedBytes"),
                           ("features_.threadRegisterBytes", "threadRegisterBytes")):
            self.refuses({"core/passes/A.cpp": f"int a;\nint64_t b = {text};\n"},
                         f"core/passes/A.cpp:2: reads '{name}' of the target; ask a Budget (core/passes/Budget.h)")

    def test_reads_nothing(self):
        self.refuses({"core/passes/Budget.h": "int a;\n"},
                     "core/passes/Budget.h:1: the budget reads nothing of the target")


class Policies(Rule):
    script = "policies.py"
    tree = {
        "core/target/TargetDescription.h": "struct TargetFeatures {\n  bool isFast = false;\n};\n"
                                           "struct TargetPolicies {\n  int64_t bytes = 0;\n  bool waits = false;\n"
                                           "};\n",
        "tests/structure/policies.toml": 'left = [\n  "waits"]\n',
        "backends/one/codegen/CodeGenerator.cpp": "made.policies.bytes = 4;\nmade.policies.waits = true;\n",
        "backends/two/codegen/CodeGenerator.cpp": "policies.bytes = 8;\n",
    }

    def test_one_backend(self):
        self.refuses({"backends/two/codegen/CodeGenerator.cpp": "int a;\n"},
                     "core/target/TargetDescription.h:5: of all backends one sets 'bytes'; what one backend alone "
                     "turns on is a pass of that backend")

    def test_no_backend(self):
        self.refuses({"tests/structure/policies.toml": "left = []\n",
                      "backends/one/codegen/CodeGenerator.cpp": "made.policies.bytes = 4;\n"},
                     "core/target/TargetDescription.h:6: of all backends none sets 'waits'; what one backend alone "
                     "turns on is a pass of that backend")

    def test_list_is_too_long(self):
        self.refuses({"backends/two/codegen/CodeGenerator.cpp": "policies.bytes = 8;\npolicies.waits = false;\n"},
                     "tests/structure/policies.toml:2: several backends set 'waits': take it off the list")
        self.refuses({"tests/structure/policies.toml": 'left = ["waits",\n  "gone"]\n'},
                     "tests/structure/policies.toml:2: there is no policy 'gone'")

    def test_no_policy(self):
        self.refuses({"core/target/TargetDescription.h": "int a;\n", "tests/structure/policies.toml": "left = []\n"},
                     "core/target/TargetDescription.h:1: there is no policy")


class VendorWords(Rule):
    script = "vendor_words.py"
    data = "tests/structure/vendor_words.toml"
    tree = {
        data: VENDOR_DATA,
        "core/A.cpp": "int zoomed, acmes, pizz_9;\n",
        "core/Table.cpp": "int zoomLevel;\n",
        "backends/acme/A.cpp": "int acme;\n",
    }

    def test_words(self):
        for text, word in (("// for Acme", "Acme"), ("#include <acme/x.h>", "acme"), ("int openAcme();", "Acme"),
                           ("int ACME_PATH;", "ACME"), ("int acme2;", "acme"), ("bool isACMEDevice;", "ACME"),
                           ('target = "zz_90";', "zz_90")):
            self.refuses({"core/A.cpp": f"int a;\n{text}\n"},
                         f"core/A.cpp:2: a vendor's word, '{word}'; what is a vendor's belongs in backends/")

    def test_file_names(self):
        self.refuses({"core/acme/B.cpp": "int b;\n"},
                     "core/acme/B.cpp:1: the file's name has the vendor's word 'acme'; what is a vendor's belongs in "
                     "backends/")

    def test_exceptions_are_of_one_file_and_its_words(self):
        self.refuses({"core/A.cpp": "int zoom;\n"},
                     "core/A.cpp:1: a vendor's word, 'zoom'; what is a vendor's belongs in backends/")
        self.refuses({"core/Table.cpp": "int zoom, acme;\n"},
                     "core/Table.cpp:1: a vendor's word, 'acme'; what is a vendor's belongs in backends/")
        self.refuses({"core/Table.cpp": "int a;\n"},
                     f"{self.data}:6: the exception 'zoom' of core/Table.cpp is not needed; remove it")
        self.refuses({self.data: VENDOR_DATA.replace('"the table"', '""')},
                     f"{self.data}:6: the exception of core/Table.cpp has no reason")


ROOMS = """# Rooms

| folder | for | may include | may not contain |
|---|---|---|---|
| `core/low` | a | nothing | |
| `core/high` | b | `core/low`, `<png.h>` | |
| `core/high/inner` | c | `core/high`, MLIR | |
| `backends/*/data` | d | `core/low` | |
| `tests` | e | anything | |

| `core/other` | not of the table | |
"""


class IncludeRules(Rule):
    script = "include_rules.py"
    page = "docs/architecture.md"
    tree = {
        page: ROOMS,
        "core/low/Low.h": "#include <vector>\n#include <sys/stat.h>\n",
        "core/low/Low.cpp": '#include "core/low/Low.h"\n',
        "core/high/High.h": '#include "core/low/Low.h"\n#include "core/low/Made.h.inc"\n  #include <png.h>\n',
        "core/high/inner/Inner.cpp": '#include "core/high/High.h"\n#include "llvm/ADT/APInt.h"\n',
        "core/high/inner/Inner.td": 'include "mlir/IR/OpBase.td"\n',
        "backends/one/data/Data.cpp": '#include "core/low/Low.h"\n',
        "tests/Test.cpp": '#include "core/high/High.h"\n#include <gtest/gtest.h>\n',
    }

    def test_rooms(self):
        self.refuses({"core/low/Low.h": '#include <vector>\n#include "core/high/High.h"\n'},
                     "core/low/Low.h:2: the room core/low may not include core/high: 'core/high/High.h'")
        self.refuses({"core/low/Low.h": '#include "core/high/inner/Made.h.inc"\n'},
                     "core/low/Low.h:1: the room core/low may not include core/high/inner: "
                     "'core/high/inner/Made.h.inc'")
        self.refuses({"backends/two/data/Data.cpp": '#include "core/high/High.h"\n'},
                     "backends/two/data/Data.cpp:1: the room backends/*/data may not include core/high: "
                     "'core/high/High.h'")

    def test_the_deepest_room_counts(self):
        self.refuses({"core/high/inner/Inner.cpp": '#include "core/high/High.h"\n#include "core/low/Low.h"\n'},
                     "core/high/inner/Inner.cpp:2: the room core/high/inner may not include core/low: 'core/low/Low.h'")
        self.refuses({"core/high/Near.cpp": '#include "inner/Inner.h"\n', "core/high/inner/Inner.h": ""},
                     "core/high/Near.cpp:1: the room core/high may not include core/high/inner: 'inner/Inner.h'")

    def test_mlir(self):
        self.refuses({"core/high/High.cpp": "#include <llvm/ADT/APInt.h>\n"},
                     "core/high/High.cpp:1: the room core/high may not include MLIR: 'llvm/ADT/APInt.h'")
        self.refuses({"core/low/Low.td": 'include "mlir/IR/OpBase.td"\n'},
                     "core/low/Low.td:1: the room core/low may not include MLIR: 'mlir/IR/OpBase.td'")

    def test_other_headers(self):
        self.refuses({"core/low/Low.h": "#include <png.h>\n#include <acme/acme.h>\n"},
                     "core/low/Low.h:1: the room core/low may not include <png.h>: 'png.h'",
                     "core/low/Low.h:2: the room core/low may not include <acme/>: 'acme/acme.h'")

    def test_files_without_a_room(self):
        self.refuses({"core/new/New.cpp": "int a;\n"},
                     f"core/new/New.cpp:1: this file is in no room; {self.page} has the table of rooms")

    def test_circles(self):
        self.refuses({self.page: ROOMS.replace("| a | nothing |", "| a | `core/high/inner` |"),
                      "core/low/Low.cpp": '#include "core/high/inner/Inner.h"\n', "core/high/inner/Inner.h": ""},
                     f"{self.page}:6: rooms may include each other in a circle: "
                     "core/low -> core/high/inner -> core/high -> core/low")

    def test_the_table_is_true(self):
        def table(old, new):
            return {self.page: ROOMS.replace(old, new)}

        self.refuses(table("`core/low`, `<png.h>`", "`core/low`, `<png.h>`, MLIR"),
                     f"{self.page}:6: core/high may include MLIR, but nothing in it does")
        self.refuses(table("`core/high`, MLIR", "`core/high`, `core/low`, MLIR"),
                     f"{self.page}:7: core/high/inner may include core/low, but nothing in it does")
        self.refuses(table("| a | nothing |", "| a | `core/nowhere` |"),
                     f"{self.page}:5: core/low may include core/nowhere, which is no room")
        self.refuses(table("| `tests` | e |", "| `core/gone` | f | nothing | |\n| `tests` | e |"),
                     f"{self.page}:9: there is no folder core/gone")
        self.refuses(table("| a | nothing |", "| a | |"),
                     f"{self.page}:5: expected one folder in `backticks`, and what it may include or 'nothing'")
        self.refuses({self.page: "# Rooms\n"},
                     f'{self.page}:1: expected a table of rooms with the columns "folder" and "may include"')


FAULTS_DATA = """[[faults]]
name = "wrong-sum"
file = "core/A.cpp"
old = "a + b"
new = "a - b"
command = "conformance_test --device=cpu@1/8 --filter='a/*'"
seeds = 8

[[faults]]
name = "no-sum"
file = "core/A.cpp"
old = "sum();"
new = ""
needs = "verifier"
command = "ctest -R a_test"
"""


class Faults(Rule):
    script = "faults.py"
    data = "tests/faults/faults.toml"
    tree = {
        data: FAULTS_DATA,
        "core/A.cpp": "int c = a + b;\nsum();\n",
        "ci/test": "conformance cpu cpu@1/8\n",
    }

    def with_fault(self, old, new):
        return {self.data: FAULTS_DATA.replace(old, new)}

    def test_texts(self):
        text = f"{self.data}:2: the fault 'wrong-sum' changes a text that occurs"
        self.refuses({"core/A.cpp": "int c = a+b;\nsum();\n"}, f"{text} 0 times in core/A.cpp; expected once")
        self.refuses({"core/A.cpp": "a + b, a + b, sum();"}, f"{text} 2 times in core/A.cpp; expected once")
        self.refuses(self.with_fault('new = "a - b"', 'new = "a + b"'),
                     f"{self.data}:2: the fault 'wrong-sum' changes nothing")
        self.refuses(self.with_fault('"core/A.cpp"\nold = "sum', '"core/B.cpp"\nold = "sum'),
                     f"{self.data}:10: the fault 'no-sum' changes core/B.cpp, which does not exist")

    def test_commands(self):
        self.refuses({"ci/test": "conformance cpu\n"},
                     f"{self.data}:2: the fault 'wrong-sum' runs on cpu@1/8, which ci/test does not run")
        self.refuses(self.with_fault("ctest -R", "other -R"),
                     f"{self.data}:10: the fault 'no-sum' names neither ctest nor a device in its command")
        self.refuses(self.with_fault("seeds = 8", "seeds = 9"),
                     f"{self.data}:2: the fault 'wrong-sum' takes 9 seeds; expected 1 to 8")

    def test_entries(self):
        self.refuses(self.with_fault('"verifier"', '"luck"'),
                     f"{self.data}:10: the fault 'no-sum' needs 'luck'; expected one of "
                     "verifier, validated, generic, minimal")
        self.refuses(self.with_fault('"no-sum"', '"wrong-sum"'),
                     f"{self.data}:2: the fault 'wrong-sum' has a name that another one has")


PAGE = """# Contributing
Read `core/ir/Ops.td`, `core/`, `core/*/Ops.td`, `core/<room>/Ops.td`, `ir/Ops.td` and `Ops.td`; run `./ci/test --all`.
`tile.add` is made by `tile_test`, `conformance_cases` and `vulkan_codegen_*_test`; `tile.fast` is an attribute, and
`tegula_room`, `num_warps`, `a / b`, `family/kernel/variant` and `x.y` are other things.

```
ci/test -L ir           # ci/nothing
cmake --build build/all
```
"""


class NamedThings(Rule):
    script = "named_things.py"
    page = "CONTRIBUTING.md"
    tree = {
        page: PAGE,
        "ci/test": "#!/bin/sh\n",
        "core/ir/Ops.td": 'def Tile_AddOp : Tile_Op<"add", []> {\n  // `tile.fast`\n}\n',
        "tests/ir/CMakeLists.txt": "tegula_test(NAME tile_test LABEL ir SOURCES a.cpp)\n",
        "tests/conformance/CMakeLists.txt": "add_test(NAME conformance_cases COMMAND cases)\n",
        "tests/vulkan/CMakeLists.txt": "add_test(NAME vulkan_codegen_${name}_test COMMAND a)\nadd_test(NAME ${name})\n",
    }

    def with_line(self, line):
        return {self.page: PAGE.replace("# Contributing", line)}

    def test_paths(self):
        for word in ("core/ir/Gone.td", "core/gone/", "./ci/gone", "core/*/Gone.td", "core/<room>/Gone.td",
                     "gone/Ops.td"):
            self.refuses(self.with_line(f"See `{word}`."),
                         f"{self.page}:1: there is no file or folder '{word.removeprefix('./')}'")
        self.refuses(self.with_line("See `Gone.td`."), f"{self.page}:1: there is no file 'Gone.td' in any folder")
        self.refuses({self.page: PAGE.replace("ci/test -L", "ci/tests -L")},
                     f"{self.page}:7: there is no file or folder 'ci/tests'")

    def test_other_pages(self):
        self.refuses({"docs/page.md": "# Page\n\nSee `core/ir/Gone.td`.\n"},
                     "docs/page.md:3: there is no file or folder 'core/ir/Gone.td'")

    def test_tests(self):
        for word in ("gone_test", "ir_gone", "conformance_case", "vulkan_gone_*"):
            self.refuses(self.with_line(f"Run `{word} --all`."), f"{self.page}:1: there is no test '{word}'")

    def test_ops(self):
        self.refuses(self.with_line("As `tile.sub`."), f"{self.page}:1: there is no op 'tile.sub' in core/ir")
        self.refuses(self.with_line("As `simt.add`."), f"{self.page}:1: there is no op 'simt.add' in core/ir")

    def test_the_page_is_there(self):
        self.refuses({self.page: None}, f"{self.page}:1: there is no such page")


SIZES_DATA = """
sources = ["*.cpp"]
file_lines = 9
median_lines = 8
other_sources = ["*.hpp", "*.td"]
pages = ["*.md"]
page_lines = 12
section_lines = 5
product = ["core"]
folder_files = 2
function_lines = 3
long_functions = 1
"""


class Sizes(Rule):
    script = "sizes.py"
    data = "tests/structure/sizes.toml"
    long = "int f(int a,\n      int b) {\n  return a;\n}\n"
    tree = {
        data: SIZES_DATA,
        "core/A.cpp": long + "constexpr int k[] = {\n    1,\n    2,\n};\n",
        "core/B.cpp": "class C {\n  int g() {\n    return 1;\n  }\n};\n",
        "tests/Many.cpp": long + long,
        "core/Ops.td": "def A;\n" * 9,
        "docs/page.md": "# Page\n\n```\n# no heading\n```\n## Section\n1\n2\n3\n4\n",
        "notes.txt": "\n" * 20,
    }

    def test_pages(self):
        page = self.tree["docs/page.md"]
        self.refuses({"docs/page.md": page + "5\n"},
                     "docs/page.md:6: the section 'Section' has 6 lines; 5 at most")
        self.refuses({"docs/page.md": page + "### Third\n1\n2\n"},
                     "docs/page.md:13: the page has 13 lines; 12 at most")
        self.refuses({"docs/page.md": "1\n2\n3\n4\n5\n6\n# Page\n"},
                     "docs/page.md:1: the section '' has 6 lines; 5 at most")

    def test_definitions_and_public_headers(self):
        self.refuses({"core/Ops.td": "def A;\n" * 10}, "core/Ops.td:10: the file has 10 lines; 9 at most")
        self.refuses({"core/A.hpp": "int a;\n" * 10}, "core/A.hpp:10: the file has 10 lines; 9 at most")

    def test_files(self):
        self.refuses({"tests/Many.cpp": "int a;\n" * 10}, "tests/Many.cpp:10: the file has 10 lines; 9 at most")
        self.refuses({"core/A.cpp": "int a;\n" * 9, "tests/Many.cpp": "int a;\n" * 9},
                     f"{self.data}:4: half of all files have more than 9 lines; 8 is the limit")

    def test_folders(self):
        self.accepts({"tests/Other.cpp": "int a;\n"})
        self.refuses({"core/C.cpp": "int a;\n"}, "core:1: the folder has 3 source files; 2 at most")

    def test_functions(self):
        self.refuses({"core/B.cpp": "class C {\n  int g() {\n    if (x) {\n    }\n    return 1;\n  }\n};\n"},
                     "core/A.cpp:1: the function has 4 lines, and 2 have more than 3; 1 may")
        self.refuses({"core/B.cpp": "X::X(int a)\n    : a_(a) {\n  b();\n}\n"},
                     "core/A.cpp:1: the function has 4 lines, and 2 have more than 3; 1 may")


class Decisions(Rule):
    script = "decisions.py"
    page = "docs/planned.md"
    head = "| decision | called in |\n|---|---|\n"
    tree = {
        page: head + "| stages | `choose` in `core/A.cpp` |\n| regions | |\n",
        "core/A.cpp": "int a = choose(1);\n",
        "core/Choice.h": "int choose(int);\nint rechoose(int);\n",
        "core/Choice.cpp": "int choose(int a) { return a; }\n",
        "tests/Test.cpp": "int b = choose(2);\n",
    }

    def test_a_second_place(self):
        self.refuses({"core/B.cpp": "int b = rechoose(1);\nint c = choose(1);\n"},
                     "core/B.cpp:2: choose decides in core/A.cpp alone (docs/planned.md:3)")

    def test_no_place(self):
        self.refuses({"core/A.cpp": "int a;\n"}, "docs/planned.md:3: core/A.cpp does not call choose")

    def test_no_table(self):
        self.refuses({self.page: "text\n"}, f"{self.page}:1: there is no table with a column 'called in'")


if __name__ == "__main__":
    unittest.main()
