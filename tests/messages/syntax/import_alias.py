import triton as
# expect: 1:17: error: expected a name after as, found the end of the line
