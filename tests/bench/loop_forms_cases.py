"""The forms of loop_forms.py: launches of loop_forms_kernels.py, and what their results must be. Nothing here knows
whether arrays are NumPy's or PyTorch's: `world` has the few functions that differ (Numbers in loop_forms.py)."""
import math
import typing


class Array(typing.NamedTuple):
    """An argument. `fill`: "normal", "small" (integers from -8 to 8), "order" (a permutation of row numbers), "flags"
    (seven of eight are 1), "zeros", or "nothing": the kernel writes all of it."""
    shape: tuple
    type: str = "float16"
    fill: str = "normal"


class Form(typing.NamedTuple):
    """A launch. `arguments` are Arrays, numbers and None; `right` has, by the name of each result, a function of the
    world and the arguments' arrays. `operands`: the bytes of the two blocks that an iteration loads for its products.
    `work`: how much of its base's work is done, 1 for all. `beside`: the bytes of a further block that an iteration
    loads, 0 if there is none."""
    name: str
    base: str
    kernel: str
    grid: tuple
    arguments: dict
    constants: dict
    options: dict
    right: dict
    operands: tuple
    work: float = 1.0
    beside: int = 0


def blocks_of(extent, block):
    return -(-extent // block)


def multiply(world, x):
    return world.real(x.a_ptr) @ world.real(x.b_ptr)


class Products:
    """C = A B."""

    def __init__(self, m, n, k, block, options):
        self.m, self.n, self.k, self.block, self.options = m, n, k, block, options

    def form(self, name, right=multiply, kernel="product", b="float16", splits=1, work=1.0, more=None,
             results=None, options=None):
        """`more`: the form's own arguments; `results`: those that are results, with what is right."""
        m, n, k, (bm, bn, bk) = self.m, self.n, self.k, self.block
        arguments = {"a_ptr": Array((m, k)), "b_ptr": Array((k, n), b, "normal" if b == "float16" else "small"),
                     "c_ptr": Array((m, n), "float32", "zeros") if splits > 1 else Array((m, n), fill="nothing"),
                     "M": m, "N": n, "K": k, "stride_a": k, "stride_b": n, "stride_c": n}
        constants = {"BLOCK_M": bm, "BLOCK_N": bn, "BLOCK_K": bk, "GROUP": 8}
        if kernel == "product":
            constants["FORM"] = name
            own = ("residual_ptr", "a_scale_ptr", "b_scale_ptr", "index_ptr", "sum_ptr")
            arguments.update(dict.fromkeys(own))
        arguments.update(more or {})
        return Form(name, "product", kernel, (blocks_of(m, bm) * blocks_of(n, bn), splits), arguments, constants,
                    {**self.options, **(options or {})}, {"c_ptr": right, **(results or {})},
                    (2 * bm * bk, bk * bn * (2 if b == "float16" else 1)), work)

    def all(self):
        m, n, k, bk = self.m, self.n, self.k, self.block[2]
        blocks = blocks_of(k, bk)

        def with_scales(world, x):
            of_block = world.arange(k) // bk
            return ((world.real(x.a_ptr) * world.real(x.a_scale_ptr)[:, of_block])
                    @ (world.real(x.b_ptr) * world.real(x.b_scale_ptr)[:, of_block].T))

        def with_silu(world, x):
            a = world.real(x.a_ptr)
            return world.real(world.half(a / (1 + world.of.exp(-a)))) @ world.real(x.b_ptr)

        def with_flags(world, x):
            flags = world.real(x.flag_ptr)[world.arange(k) // bk]
            return (world.real(x.a_ptr) * flags) @ world.real(x.b_ptr)
        yield self.form("product")
        yield self.form("residual", lambda world, x: multiply(world, x) + world.real(x.residual_ptr),
                        more={"residual_ptr": Array((m, n))})
        yield self.form("block scales", with_scales, more={"a_scale_ptr": Array((m, blocks), "float32"),
                                                           "b_scale_ptr": Array((n, blocks), "float32")})
        yield self.form("atomics", splits=2)
        yield self.form("int8 B", b="int8")
        yield self.form("silu A", with_silu)
        yield self.form("summed A", more={"sum_ptr": Array((m,), "float32", "nothing")},
                        results={"sum_ptr": lambda world, x: world.real(x.a_ptr).sum(1)})
        yield self.form("gathered A", lambda world, x: world.real(x.a_ptr)[x.index_ptr] @ world.real(x.b_ptr),
                        more={"index_ptr": Array((m,), "int32", "order")})
        yield self.form("skipped blocks", with_flags, "flagged_product", work=1 - blocks // 8 / blocks,
                        more={"flag_ptr": Array((blocks,), "int32", "flags")})
        yield self.form("assertion", options={"debug": True, "sanitize_overflow": False})
        yield self.form("while", kernel="while_product")
        yield self.form("wrapped rows", kernel="wrapped_product")


class Attentions:
    """softmax(Q K^T / sqrt(head)) V."""

    def __init__(self, batch, heads, rows, head, block, options):
        self.batch, self.heads, self.rows, self.head, self.block = batch, heads, rows, head, block
        self.window, self.options = rows // 4, options
        self.numbers = {"cap": 5.0, "keep": 0.75, "seed": 1234, "window": self.window}

    def right(self, world, x, change=None, drop=None):
        """The outputs, and the logarithms of the scores' sums. `change(scores, i, j, entry)` makes a form's scores of
        the base's, `drop(weights, entry)` its weights. Scores are small numbers of 64 bits: none overflows exp."""
        i, j = world.arange(self.rows)[:, None], world.arange(self.rows)[None, :]
        outputs, logarithms = [], []
        for entry in range(self.batch * self.heads):
            k, v = (world.real(self.keys(world, x, array, entry)) for array in (x.k_ptr, x.v_ptr))
            scores = world.real(x.q_ptr[entry]) @ k.T * self.head ** -0.5
            weights = world.of.exp(change(scores, i, j, entry) if change else scores)
            total = weights.sum(1)
            outputs.append((drop(weights, entry) if drop else weights) @ v / total[:, None])
            logarithms.append(world.of.log(total))
        return world.of.stack(outputs), world.of.stack(logarithms)

    def keys(self, world, x, array, entry):
        """The rows of one entry, of keys or values."""
        if len(array.shape) == 3:
            return array[entry]
        pages = array[x.table_ptr[entry // self.heads]]  # [pages, rows, heads, head]
        return pages[:, :, entry % self.heads].reshape(self.rows, self.head)

    def form(self, name, kernel="attention", change=None, drop=None, keys=None, work=1.0, more=None, right=None,
             beside=0):
        """`change` and `drop` are functions of the world and the arrays that return those of `right`."""
        entries, (bq, bk) = self.batch * self.heads, self.block
        whole = Array((entries, self.rows, self.head))
        arguments = {"q_ptr": whole, "k_ptr": keys or whole, "v_ptr": keys or whole,
                     "out_ptr": whole._replace(fill="nothing"), "rows": self.rows,
                     "stride_entry": self.rows * self.head, "stride_row": self.head, "scale": self.head ** -0.5}
        constants = {"HEAD": self.head, "BLOCK_Q": bq, "BLOCK_K": bk}
        if kernel == "attention":
            arguments.update(bias_ptr=None, lse_ptr=None, heads=self.heads, **self.numbers)
            constants["FORM"] = name
        arguments.update(more or {})

        def out(world, x):
            return self.right(world, x, change and change(world, x), drop and drop(world, x))[0]
        return Form(name, "attention", kernel, (self.rows // bq, entries), arguments, constants, self.options,
                    {"out_ptr": out, **(right or {})}, (2 * bk * self.head,) * 2, work, beside)

    def share(self, window):
        """How many of all blocks of keys a causal attention visits."""
        bq, bk = self.block
        visited = sum(blocks_of(first + bq, bk) - max(first - window + 1, 0) // bk
                      for first in range(0, self.rows, bq))
        return visited / (self.rows // bq * (self.rows // bk))

    def all(self):
        rows, heads, cap, keep = self.rows, self.heads, self.numbers["cap"], self.numbers["keep"]
        pages = self.batch * rows // self.block[1]

        def capped(world, x):
            return lambda scores, i, j, entry: cap * world.of.tanh(scores / cap)

        def by_distance(world, x):
            return lambda scores, i, j, entry: scores - 2 ** (-8 * (entry % heads + 1) / heads) * abs(i - j)

        def biased(world, x):
            return lambda scores, i, j, entry: scores + world.real(x.bias_ptr)

        def within(window):
            def hide(world, x):
                return lambda scores, i, j, entry: world.of.where((j <= i) & (j > i - window), scores, -float("inf"))
            return hide

        def dropped(world, x):
            mask, block = world.array(Array((rows, rows), "int8", "nothing")), self.block[0]

            def drop(weights, entry):
                world.launch("kept", (rows // block, rows // block),
                             {"mask_ptr": mask, "entry": entry, "rows": rows, "keep": keep,
                              "seed": self.numbers["seed"]}, {"BLOCK": block}, {})
                kept = world.real(mask)
                if not abs(float(kept.mean()) - keep) < 0.02:
                    raise ValueError(f"{float(kept.mean()):.3f} of the weights are kept, not {keep}")
                return weights * kept / keep
            return drop
        yield self.form("attention")
        yield self.form("softcap", change=capped)
        yield self.form("ALiBi", change=by_distance)
        yield self.form("loaded bias", change=biased, more={"bias_ptr": Array((rows, rows))},
                        beside=2 * math.prod(self.block))
        yield self.form("dropout", drop=dropped)
        yield self.form("scaled Q")
        yield self.form("two outputs",
                        more={"lse_ptr": Array((self.batch * heads, rows), "float32", "nothing")},
                        right={"lse_ptr": lambda world, x: self.right(world, x)[1]})
        yield self.form("sliding window", change=within(self.window), work=self.share(self.window))
        yield self.form("paged keys", "paged_attention",
                        keys=Array((pages, self.block[1], heads, self.head)),
                        more={"table_ptr": Array((self.batch, pages // self.batch), "int32", "order"), "heads": heads,
                              "stride_page": self.block[1] * heads * self.head, "stride_key": heads * self.head})
        yield self.form("two loops", "causal_attention", change=within(rows), work=self.share(rows))


def all_forms(products, attentions):
    """A base stands before its forms."""
    yield from products.all()
    yield from attentions.all()
