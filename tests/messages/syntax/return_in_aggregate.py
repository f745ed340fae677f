import triton


@triton.aggregate
class Pair:
    return 1
# expect: 6:5: error: "return" stands outside of a function; expected a def around it
