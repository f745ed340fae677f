def host():
    return f(1, [2, 3)
# expect: 2:22: error: expected "]", found ")"
# expect: 2:17: note: the "[" was opened here
