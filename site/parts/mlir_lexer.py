"""Colours for blocks of MLIR, and of PTX as assembly: Pygments has no lexer of its own for it."""

import sys

import pygments.lexers
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Punctuation, String, Text


class MlirLexer(RegexLexer):
    """Values, symbols, types, attributes, operations with their dialect, numbers."""

    name = "MLIR"
    aliases = ["mlir"]
    tokens = {
        "root": [
            (r"//.*?$", Comment.Single),
            (r'"(?:\\.|[^"\\])*"', String),
            (r"%[\w#.$-]+", Name.Variable),
            (r"@[\w.$-]+", Name.Function),
            (r"\^\w+", Name.Label),
            (r"[#!][\w.$]+", Name.Decorator),
            (words(("true", "false", "to", "step", "iter_args", "attributes", "into"), suffix=r"\b"), Keyword),
            (r"\b(?:[su]?i\d+|b?f\d+\w*|index|tensor|memref|vector|none)\b", Keyword.Type),
            (r"\b[a-z_]\w*\.[\w.]+", Name.Builtin),
            (r"\b(?:0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)", Number),
            (r"[\w$.-]+", Text),
            (r"->|[()\[\]{}<>,:=?*+|/-]", Punctuation),
            (r"\s+", Text),
            (r".", Text),
        ],
    }


def register():
    """Makes the lexer one of those that Pygments knows by name."""
    module = sys.modules[__name__]
    pygments.lexers.LEXERS["MlirLexer"] = (module.__name__, "MLIR", ("mlir",), ("*.mlir",), ())
