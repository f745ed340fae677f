# === if on a tile
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:8: error: the condition of an if must be a scalar, found a tensor of i1 [64]; use tl.where, or reduce it with tl.max
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK)
    if x > 3:
        tl.store(x_ptr, 1.0)


# === while on a tile
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:11: error: the condition of a while must be a scalar, found a tensor of i1 [64]; reduce it with tl.max
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK)
    while x < 3:
        x += 1


# === type changes in a loop
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:5: error: 'acc' is a scalar of i32 before the loop at line 12 and a scalar of f32 after a step of it; make the types and shapes agree, for example with .to()
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    acc = 0
    for i in range(n):
        acc = acc + tl.load(x_ptr + i)
    tl.store(x_ptr, acc)


# === shape changes in a loop
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:5: error: 'acc' is a tensor of f32 [32] before the loop at line 12 and a tensor of f32 [64] after a step of it; make the types and shapes agree, for example with .to()
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    acc = tl.zeros((32,), dtype=tl.float32)
    for i in range(n):
        acc = tl.zeros((64,), dtype=tl.float32)


# === branches of different types
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:5: error: 'y' is a scalar of f32 in one branch of the if at line 11 and a tensor of i32 [64] in the other; make the types and shapes agree, for example with .to()
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    if n > 3:
        y = tl.load(x_ptr)
    else:
        y = tl.arange(0, BLOCK)
    tl.store(x_ptr + y, 1.0)


# === return in a loop
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: a return inside a run-time loop is not part of the kernel language; put a condition on the loop's body instead
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i in range(n):
        return


# === too many returns
# signature: *i32
# expect: 11:9: error: more than 256 ifs with returns follow one another; join their conditions with 'or', or use one flag
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    for i in tl.static_range(257):
        if tl.load(x_ptr + i) > 3:
            return


# === returns that multiply what follows
# signature: *i32
# expect: 13:13: error: more than 20000 statements follow an if with a return, with copies for each path and called functions counted; join conditions of returns with 'and', use one flag, or move the loop to tl.range
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    for i in tl.static_range(20):
        x = tl.load(x_ptr + i)
        if x > 3:
            if x > 5:
                return
    tl.store(x_ptr, 1)


# === else of a while in a constexpr function
# signature: *i32
# expect: 11:5: error: 'else' after a loop is not part of the kernel language
# expect: 20:21: note: in steps, called from here
import triton
import triton.language as tl


@triton.constexpr_function
def steps(x):
    while True:
        break
    else:
        return 1
    return 2


@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, steps(tl.load(x_ptr)))


# === unrolled loops without end
# signature: *i32
# expect: 11:18: error: the loops over static_range and tuples of this kernel repeat their bodies more than 131072 times in all; use tl.range
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    for i in tl.static_range(2000):
        for j in tl.static_range(2000):
            pass


# === break in an unrolled loop
# signature: *i32
# expect: 12:13: error: 'break' is not part of the kernel language; make it the condition of a while loop
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    for i in tl.static_range(3):
        if i == 2:
            break


# === else of a loop with a return
# signature: *i32
# expect: 10:5: error: 'else' after a loop is not part of the kernel language
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr):
    for i in tl.static_range(3):
        return
    else:
        pass


# === break
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: 'break' is not part of the kernel language; make it the condition of a while loop
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i in range(n):
        break


# === continue
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:9: error: 'continue' is not part of the kernel language; put the rest of the body under an if
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i in range(n):
        continue


# === endless loop
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:11: error: this loop never ends: its condition is always true
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    while True:
        tl.store(x_ptr, 1.0)


# === loop over a tensor
# signature: *f32, i32
# const: BLOCK=64
# expect: 11:14: error: a for loop runs over range(), tl.range(), tl.static_range() or a tuple, found a tensor of i32 [4]
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    for i in tl.arange(0, 4):
        pass


# === recursion
# signature: *f32, i32
# const: BLOCK=64
# expect: 15:12: error: calls are nested 64 deep at loop; a kernel cannot call itself
# expect: 15:12: note: in loop, called from here
# expect: 15:12: note: in loop, called from here
# expect: 15:12: note: in loop, called from here
# expect: 15:12: note: in loop, called from here
import triton
import triton.language as tl


@triton.jit
def loop(x):
    return loop(x)


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    y = loop(n)


# === constant out of range in a branch
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:5: error: 'x' is a scalar of i32 in one branch of the if at line 12 and a scalar of i8 in the other; make the types and shapes agree, for example with .to()
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    x = n.to(tl.int8)
    if n > 3:
        x = 300
    tl.store(x_ptr, x)


# === constant that a loop would narrow
# signature: *f32, i32
# const: BLOCK=64
# expect: 12:5: error: 'f' is a scalar of i32 before the loop at line 12 and a scalar of i64 after a step of it; make the types and shapes agree, for example with .to()
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    f = 0
    for i in range(n):
        f = 2 ** 40
    tl.store(x_ptr, f)


# === loop variable after the loop
# signature: *f32, i32
# const: BLOCK=64
# expect: 14:21: error: 'i' is the variable of the loop at line 12 and has no value after it; assign what you need of it to another name before the loop
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = 5
    for i in range(n):
        tl.store(x_ptr, 1.0)
    tl.store(x_ptr, i)


# === constant annotated in a loop, with a value before it
# signature: *i32, i32
# expect: 13:13: error: 'x' has a value from before the loop; a loop does not carry a name annotated as tl.constexpr, choose another name
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n):
    x: tl.constexpr = tl.load(x_ptr)
    for i in range(n):
        if i > 2:
            x: tl.constexpr = 3
    tl.store(x_ptr, x)


# === parameter that is the variable of an inner loop
# signature: *i32, i32
# const: N=4
# expect: 11:5: error: 'N' is a tl.constexpr parameter to which an inner loop gives another value, and the loop at line 11 does not carry it; choose another name for the inner loop's variable
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, N: tl.constexpr):
    for i in range(n):
        for N in tl.static_range(3):
            tl.store(x_ptr + N, i)
    tl.store(x_ptr, N)
