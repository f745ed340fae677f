"""Types and constants for the parameters of a kernel, guessed from names and uses. `flavour` numbers the guesses."""

import ast
import re

# Functions whose result points where their first argument does, and functions that access what it points to.
KEEP_POINTERS = ("make_block_ptr", "advance", "multiple_of", "max_contiguous", "cast", "broadcast_to")
ADDRESSED = ("load", "store", "make_block_ptr", "make_tensor_descriptor")

INDEX = re.compile(
    r"(idx|index|indices|ids|slot|offset|lens|len_|seqlen|cu_|start|table|loc|count|num|indptr|"
    r"perm|token|mask_ids|labels?|target|order|block_list|lut|expert|pos|map|req|batch)",
    re.I,
)
POINTER = re.compile(r"(_?ptrs?\d*$|_ptr_?|^p_|pointer|_base$|^(cu_seqlens|chunk_indices|block_tables?)$)", re.I)
SCALAR = re.compile(
    r"(stride|^(n|m|k|t|b|h|s)$|_size$|_dim$|^dim|^num_|^n_|_len$|^seqlen|numel|^(rows|cols|"
    r"n_rows|n_cols|max_|total)|^[A-Z]{1,3}$|_elements$|_rows$|_cols$|^stride|_count$|^pid|"
    r"_num$|^n[A-Z])"
)
FLOAT = re.compile(
    r"(eps|scale$|alpha|beta|^p$|prob|scaling|momentum|decay|^lr$|temperature|softcap|cap$|"
    r"threshold|slope|smoothing|gamma$|^value$|weight_decay|negative_slope|sm_scale|factor|"
    r"^rate|val$)",
    re.I,
)
BOOLEAN = re.compile(
    r"^(IS_|HAS_|USE_|STORE_|LOAD_|OUTPUT_|SAVE_|ENABLE_|DO_|WITH_|INPUT_|ADD_|APPLY_|NEED|"
    r"EVEN_|MASK|CAUSAL|causal|TRANS|REVERSE|HEAD_FIRST|RETURN|SKIP|is_|has_|use_|do_|with_|"
    r"INPLACE|FUSE)|(_FLAG|_flag|_mask)$"
)


def scalar_value(name):
    if "stride" in name.lower():
        return 1 if name.lower().endswith(("_k", "_d", "_n", "1", "d")) else 64
    return 64


def guess_constant(name, flavour):
    low = name.lower()
    if re.search(r"dtype|_type$|^ty$|compute_type", low):
        if re.search(r"(int|index)", low):
            return {"type": "int32"}
        return {"type": ["float32", "float16", "float32", "int32"][flavour % 4]}
    if BOOLEAN.search(name):
        return flavour % 2 == 1
    if re.search(r"activation|mode$|act$|type$|reduction|format|precision", low):
        return ["ieee", "tf32"][flavour % 2] if "precision" in low else ["", "none", "tf32", ""][flavour % 4]
    if re.search(r"stages?$", low):
        return 2
    if re.search(r"warps?$", low):
        return 4
    if re.search(r"eps|scale|alpha|beta$", low):
        return 0.5
    if re.search(r"num_|^n_|group|_num|split|ndim|rank", low) and "block" not in low and "size" not in low:
        return [2, 4, 1, 2][flavour % 4]
    if re.search(r"stride", low):
        return scalar_value(name)
    if "axis" in low:
        return 0
    return [32, 64, 16, 128][flavour % 4]


def guess_type(name, used_as_pointer, flavour):
    """'*fp32', 'i32', 'fp32', or a literal None."""
    if used_as_pointer:
        if INDEX.search(name) and not re.search(r"(scale|weight|logit|prob|out$|grad)", name, re.I):
            return ["*i32", "*i64", "*fp32", "*i32"][flavour % 4]
        if re.search(r"mask|bool|flag", name, re.I):
            return ["*i1", "*i8", "*i1", "*i1"][flavour % 4]
        return ["*fp32", "*fp16", "*fp32", "*i32", "*u8"][flavour % 5]
    if FLOAT.search(name) and not re.search(r"stride|idx|index|size|num", name, re.I):
        return "fp32"
    return "i32"


def names_used_as_pointers(function, functions, seen=None):
    """Parameters from which a load's or a store's address is built, through assignments and calls of jit functions."""
    seen = seen or set()
    if function.name in seen:
        return set()
    seen = seen | {function.name}
    params = [a.arg for a in function.args.posonlyargs + function.args.args + function.args.kwonlyargs]
    tainted = {}
    for node in ast.walk(function):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for t in ast.walk(target):
                    if isinstance(t, ast.Name):
                        tainted.setdefault(t.id, []).append(node.value)
    pointers = set()

    def base(expr, depth=0):
        """The leftmost operands of sums: `p + i * s` is based on p."""
        if depth > 30 or expr is None:
            return
        if isinstance(expr, ast.Name):
            if expr.id in params:
                pointers.add(expr.id)
            if expr.id in done:
                return
            done.add(expr.id)
            for value in tainted.get(expr.id, []):
                base(value, depth + 1)
        elif isinstance(expr, ast.BinOp) and isinstance(expr.op, (ast.Add, ast.Sub)):
            base(expr.left, depth + 1)
            named = isinstance(expr.right, ast.Name) and is_pointer_name(expr.right.id)
            if isinstance(expr.left, ast.Constant) or named:
                base(expr.right, depth + 1)
        elif isinstance(expr, ast.IfExp):
            base(expr.body, depth + 1)
            base(expr.orelse, depth + 1)
        elif isinstance(expr, ast.Tuple):
            for e in expr.elts:
                base(e, depth + 1)
        elif isinstance(expr, ast.Subscript):
            base(expr.value, depth + 1)
        elif isinstance(expr, ast.Call):
            name = expr.func.attr if isinstance(expr.func, ast.Attribute) else getattr(expr.func, "id", "")
            if name in KEEP_POINTERS and expr.args:
                base(expr.args[0], depth + 1)
            elif name == "make_block_ptr":
                for k in expr.keywords:
                    if k.arg == "base":
                        base(k.value, depth + 1)
            elif name == "to" and isinstance(expr.func, ast.Attribute):
                base(expr.func.value, depth + 1)

    def is_pointer_name(name):
        return bool(POINTER.search(name))

    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        done = set()
        if name in ADDRESSED or name.startswith("atomic_"):
            if node.args:
                base(node.args[0])
            for k in node.keywords:
                if k.arg in ("pointer", "base"):
                    base(k.value)
        elif name in functions:
            callee = functions[name]
            inner = names_used_as_pointers(callee, functions, seen)
            names = [a.arg for a in callee.args.args]
            for i, a in enumerate(node.args):
                if i < len(names) and names[i] in inner:
                    done = set()
                    base(a)
            for k in node.keywords:
                if k.arg in inner:
                    done = set()
                    base(k.value)
    return pointers
