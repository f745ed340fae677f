import triton language
# expect: 1:15: error: expected "," or the end of the line after an import, found "language"
