name = 'kernel
# expect: 1:8: error: this string never ends: expected a closing ' before the end of the line
