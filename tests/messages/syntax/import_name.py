import triton.
# expect: 1:15: error: expected a module name after ".", found the end of the line
