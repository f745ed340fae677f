from triton import
# expect: 1:19: error: expected a name to import, found the end of the line
