"""What Doxygen reads from the public headers: declarations with their places and the text of their comments, from its
XML."""

import collections
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

FILTER = pathlib.Path(__file__).with_name("doxygen_filter.py")
OPTIONS = """
INPUT = "{headers}"
FILE_PATTERNS = *.h *.hpp
FILTER_PATTERNS = "*=/usr/bin/env python3 {filter}"
OUTPUT_DIRECTORY = "{out}"
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = TEGULA_EXPORT= TEGULA_API= __cplusplus=202002L
"""

# One declaration. `end`: its last line; `doc`: its comment as XML elements; `ids`: Doxygen's names for it and for what
# it declares inside; `members`: of a class with private parts, else empty.
Entity = collections.namedtuple("Entity", "kind name header line end docs ids members")


def run(headers):
    """Doxygen's XML for the folder of headers: a list of root elements, one a compound."""
    with tempfile.TemporaryDirectory() as out:
        options = OPTIONS.format(headers=headers, filter=FILTER, out=out)
        result = subprocess.run(["doxygen", "-"], input=options, capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(f"doxygen failed: {result.stderr.strip()}")
        files = sorted((pathlib.Path(out) / "xml").glob("*.xml"))
        return [root for file in files if (root := ElementTree.parse(file).getroot()).tag == "doxygen"]


def last_line(lines, begin):
    """The last line of a declaration that begins at line `begin`: up to `;`, or to the body of a function."""
    if lines[begin - 1].lstrip().startswith("#"):
        end = begin
        while lines[end - 1].endswith("\\"):
            end += 1
        return end
    depth = 0
    for number in range(begin, len(lines) + 1):
        for character in re.sub(r"/\*.*?\*/|//.*", "", lines[number - 1]):
            depth += (character in "({[") - (character in ")}]")
            if depth == 0 and character in ";}":
                return number
    return begin


def first_line(lines, line):
    """The first line of a declaration whose name stands in `line`: templates begin above."""
    while re.match(r"\s*(template\b|requires\b)", lines[line - 2]):
        line -= 1
    return line


class Headers:
    """The entities of each header, in order."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.lines = {file.name: file.read_text(encoding="utf-8").splitlines()
                      for file in sorted(self.folder.iterdir())}
        self.compounds = {}
        for root in run(self.folder):
            for compound in root.iter("compounddef"):
                self.compounds[compound.get("id")] = compound
        self.entities = collections.defaultdict(list)
        taken = set()
        for compound in self.compounds.values():
            if compound.get("kind") in ("struct", "class", "union") and self._is_outer(compound):
                entity = self._compound(compound)
                self.entities[entity.header].append(entity)
                taken.add(entity.name)
        for compound in self.compounds.values():
            if compound.get("kind") in ("file", "namespace"):
                for member in compound.iter("memberdef"):
                    if self._is_ours(member) and member.findtext("name") not in taken:
                        entity = self._member(member)
                        self.entities[entity.header].append(entity)
        for header, found in self.entities.items():
            unique = {(entity.line, entity.name): entity for entity in found}
            self.entities[header] = [unique[key] for key in sorted(unique)]

    def _is_ours(self, element):
        location = element.find("location")
        return location is not None and pathlib.Path(location.get("file")).parent.name == self.folder.name

    def _is_outer(self, compound):
        name = compound.findtext("compoundname")
        return self._is_ours(compound) and name.count("::") <= 1 and name != "tegula::std"

    @staticmethod
    def _docs(element):
        found = (element.find(tag) for tag in ("briefdescription", "detaileddescription"))
        return [child for child in found if child is not None]

    def _place(self, element):
        location = element.find("location")
        header = pathlib.Path(location.get("file")).name
        lines = self.lines[header]
        line = first_line(lines, int(location.get("line")))
        end = int(location.get("bodyend") or -1)
        if end < line or element.get("kind") == "function":
            end = last_line(lines, int(location.get("line")))
        return header, line, end

    def _member(self, member):
        header, line, end = self._place(member)
        ids = [member.get("id")] + [value.get("id") for value in member.iter("enumvalue")]
        name = member.findtext("name")
        name = "" if name.startswith("@") else name
        return Entity(member.get("kind"), name, header, line, end, self._docs(member), ids, [])

    def _compound(self, compound):
        header, line, end = self._place(compound)
        public, is_private = [], False
        for member in compound.iter("memberdef"):
            if member.get("prot") == "public":
                public.append(self._member(member))
            else:
                is_private = True
        for inner in compound.iter("innerclass"):
            if inner.get("prot") == "public" and inner.get("refid") in self.compounds:
                public.append(self._compound(self.compounds[inner.get("refid")]))
        ids = [compound.get("id"), *(name for member in public for name in member.ids)]
        members = sorted(public, key=lambda entity: entity.line) if is_private else []
        members = [entity for entity in members if entity.name not in ("Impl", "impl")]
        name = compound.findtext("compoundname").rpartition("::")[2]
        return Entity(compound.get("kind"), name, header, line, end, self._docs(compound), ids, members)
