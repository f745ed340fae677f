def host():
        a = 1
    b = 2
# expect: 3:5: error: this line is indented by 4 columns; expected 0 or 8 as in the blocks before it
