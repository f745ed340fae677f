import triton
    import torch
# expect: 2:5: error: unexpected indentation; expected this line to begin below the statement before it
