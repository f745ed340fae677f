import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    except ValueError:
        pass
# expect: 7:5: error: "except" follows no matching block; expected a try with the same indentation before it
