"""Who does what when in a kernel of the planned level: an interpreter of its scheduling ops.

The text is that of `tegula compile --emit=expanded`. Scalars are computed; products, copies, waits and arrivals at
barrier objects happen as the ops say; each takes as long as `Costs` says. So the order of things in a picture, and who
waits for whom, come from the compiler, and only the lengths are chosen.

    run = Schedule(text, costs, arguments={"K": 384})
    run.rows()    # of draw.timeline: (actor, [(begin, end, text, kind), ...])
"""

import dataclasses
import re

TICK = 0.125


@dataclasses.dataclass
class Costs:
    """How long things take, in units of the picture."""
    copy: float = 1       # a block into shared memory, by threads or by hardware: until the next one can follow
    latency: float = 0    # and from then on until the block has arrived
    product: float = 1    # of one group of warps
    load: float = 1       # a block into registers, likewise
    store: float = 0.5    # registers to shared memory
    copy_out: float = 1   # shared to global memory
    global_store: float = 1
    ops: dict = dataclasses.field(default_factory=dict)  # by op, of tensors of 4,096 elements and more: ("text", cost)


class Op:
    def __init__(self, line):
        self.blocks, self.line = [], line
        results, text = "", line
        if line.startswith("%"):
            results, text = re.match(r"((?:%[\w:-]+(?:, )?)+) = (.*)", line).groups()
        self.name = re.match(r"[\w.]+", text).group()
        self.result = results.split(":")[0]
        self.count = int(results.split(":")[1]) if ":" in results else 1
        self.text = text
        self.operands = re.findall(r"%[\w#-]+", text.split(" : ")[0])
        self.type = text.rsplit(" : ", 1)[-1] if " : " in text else ""


def parse(text):
    """The ops of the function's body; each op has its blocks, lists of ops, and their arguments in `line`."""
    lines = iter([line.strip() for line in text.splitlines()])
    for line in lines:
        if line.startswith("func.func"):
            return line, block(lines)[0]
    raise ValueError("no function in the text")


def block(lines):
    """The ops up to the line that closes the block, and that line."""
    ops = []
    for line in lines:
        if line.startswith("}"):
            return ops, line
        if line.startswith("^") or not line:
            continue
        if line.startswith("group warps"):
            ops[-1].line = line
            ops[-1].blocks.append(block(lines)[0])
            continue
        op = Op(line)
        ops.append(op)
        while line.endswith("{"):
            inner, line = block(lines)
            op.blocks.append(inner)
    return ops, ""


def every(ops):
    """The ops and those in their blocks."""
    for op in ops:
        yield op
        for each in op.blocks:
            yield from every(each)


class Token:
    """Something under way; `done` is when it ends."""

    def __init__(self, done=0.0, name="", begin=0.0):
        self.done, self.name, self.begin = done, name, begin


class Buffer:
    def __init__(self):
        self.holds, self.name = {}, ""


class Barriers:
    """Barrier objects: phases are completed by `count` arrivals."""

    def __init__(self):
        self.count, self.arrived, self.completed = 1, {}, {}

    def arrive(self, index, number):
        self.arrived[index] = self.arrived.get(index, 0) + number
        if self.arrived[index] >= self.count:
            self.arrived[index] -= self.count
            self.completed[index] = self.completed.get(index, 0) + 1

    def is_over(self, index, phase):
        return self.completed.get(index, 0) % 2 != phase


class Unit:
    """The copy engine or a matrix unit: one thing after another."""

    def __init__(self):
        self.free, self.spans = 0.0, []

    def start(self, now, cost, text, kind, latency=0.0):
        begin = max(now, self.free)
        self.free = begin + cost
        self.spans.append((begin, self.free, text, kind))
        return Token(self.free + latency, text, begin)


COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
           "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}
ARITH = {"addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b,
         "divui": lambda a, b: a // b, "divsi": lambda a, b: int(a / b), "remui": lambda a, b: a % b,
         "remsi": lambda a, b: a - b * int(a / b), "xori": lambda a, b: a ^ b, "andi": lambda a, b: a & b,
         "ori": lambda a, b: a | b, "minui": min, "minsi": min, "maxsi": max}


class Actor:
    """One thread of control: the producer, or warps of the kernel that go the same way."""

    def __init__(self, schedule, name, values, warp, warps):
        self.of, self.name, self.values, self.warp, self.warps = schedule, name, dict(values), warp, warps
        self.spans, self.out = [], []

    def get(self, name):
        base, _, number = name.partition("#")
        value = self.values.get(base)
        return value[int(number)] if number and isinstance(value, list) else value

    def busy(self, cost, text, kind):
        self.spans.append((self.of.now, self.of.now + cost, text, kind))
        end = self.of.now + cost
        yield lambda: self.of.now >= end

    def until(self, condition, text):
        begin = self.of.now
        yield condition
        if self.of.now > begin:
            self.spans.append((begin, self.of.now, text, "wait"))

    def waiting(self, tokens, text):
        tokens = [token for token in tokens if isinstance(token, Token)]
        yield from self.until(lambda: all(self.of.now >= token.done for token in tokens), text)

    def execute(self, ops):
        """Executes ops; the value of the generator are the operands of the yield at their end."""
        for op in ops:
            if op.name in ("scf.yield", "simt.end_group", "return"):
                return [self.get(each) for each in op.operands]
            kind = op.name.replace(".", "_")
            if op.name.startswith("arith."):
                self.values[op.result] = self.arithmetic(op)
            elif hasattr(self, kind):
                yield from getattr(self, kind)(op)
            if op.name in self.of.costs.ops and elements(op.type) >= 4096:
                text, cost = self.of.costs.ops[op.name]
                yield from self.busy(cost, text, "step")
        return []

    def arithmetic(self, op):
        name = op.name.removeprefix("arith.")
        if name == "constant":
            found = re.match(r"arith.constant (-?\d+|true|false)\b(?!\.)", op.text)
            return None if not found else int(found[1] == "true") if found[1].isalpha() else int(found[1])
        values = [self.get(each) for each in op.operands]
        if name == "select":
            return None if values[0] is None else values[1] if values[0] else values[2]
        if any(not isinstance(value, int) for value in values):
            return 0 if name == "andi" and 0 in values else None
        if name == "cmpi":
            return int(COMPARE[re.match(r"arith.cmpi [us]?(\w+)", op.text)[1]](*values))
        return ARITH[name](*values) if name in ARITH else values[0]

    # --- control ---

    def scf_for(self, op):
        index, low, high, step, *carried = op.operands
        arguments, values = carried[::2], [self.get(each) for each in carried[1::2]]
        for number in range(self.get(low), self.get(high), self.get(step)):
            self.values[index] = number
            self.values.update(zip(arguments, values))
            values = yield from self.execute(op.blocks[0])
        self.values[op.result] = values if op.count > 1 else (values or [None])[0]

    def scf_if(self, op):
        blocks = op.blocks + [[]]
        values = yield from self.execute(blocks[0] if self.get(op.operands[0]) != 0 else blocks[1])
        self.values[op.result] = values if op.count > 1 else (values or [None])[0]

    def simt_producer(self, op):
        inside = dict(zip(re.findall(r"(%\w+):", op.line), (self.get(each) for each in op.operands)))
        self.of.fork(self, op.blocks[0], inside)
        yield from ()

    def number(self, op, value):
        self.values[op.result] = value
        yield from ()

    def same(self, op): return self.number(op, self.get(op.operands[0]))
    tile_splat = tile_broadcast = tile_expand_dims = tile_addptr = simt_transpose = simt_shared_load = same

    def tile_program_id(self, op): return self.number(op, 0)
    def tile_num_programs(self, op): return self.number(op, self.of.grid[int(op.text.split()[1])])
    def simt_resident_id(self, op): return self.number(op, 0)
    def simt_residents(self, op): return self.number(op, 1)
    def simt_warp_id(self, op): return self.number(op, self.warp)

    # --- shared memory and barrier objects ---

    def simt_shared_alloc(self, op): return self.number(op, Buffer())
    def simt_barrier_alloc(self, op): return self.number(op, Barriers())
    def simt_stage(self, op): return self.number(op, (self.get(op.operands[0]), self.get(op.operands[1])))

    def simt_start_barriers(self, op):
        self.get(op.operands[0]).count = int(re.search(r"count (\d+)", op.text)[1])
        yield from ()

    def simt_barrier_wait(self, op):
        barriers, index, phase = (self.get(each) for each in op.operands)
        text = "empty" if self.name == "producer warp" else "turn" if op.operands[0] in self.of.turns else "data"
        yield from self.until(lambda: barriers.is_over(index, phase), text)

    def simt_arrive_warps(self, op):
        self.get(op.operands[0]).arrive(self.get(op.operands[1]), self.warps)
        yield from ()

    # --- copies, loads and stores ---

    @staticmethod
    def view(value):
        """The buffer and the stage that the value stands for; no buffer for tensors."""
        buffer, stage = value if isinstance(value, tuple) else (value, 0)
        return (buffer, stage or 0) if isinstance(buffer, Buffer) else (None, 0)

    def fill(self, destination, source):
        """Notes that the stage gets the next block of the source; returns the block's name."""
        buffer, stage = self.view(destination)
        name = self.of.name_of(source) or buffer.name
        buffer.name = buffer.name or name
        self.of.blocks[name] = self.of.blocks.get(name, -1) + 1
        buffer.holds[stage] = f"{name}{self.of.blocks[name]}"
        return buffer.holds[stage]

    def start_copy(self, to, source):
        name = self.fill(to, source)
        token = self.of.copies.start(self.of.now, self.of.costs.copy, name, "memory", self.of.costs.latency)
        self.of.uses.append((*self.view(to), token.begin, token.done, name, "memory"))
        return token

    def simt_copy_tile(self, op):
        places = re.match(r"simt.copy_tile (%\w+)\[.*?\] to (%\w+) on (%\w+)\[(%[\w#]+)\] phase %[\w#]+ if (%\w+)",
                          op.text)
        source, to, barriers, index, condition = (self.get(each) for each in places.groups())
        if condition != 0:
            token = self.start_copy(to, source)
            self.of.at(token.done, lambda: barriers.arrive(index, 1))
            self.values[op.result] = token
        yield from ()

    def simt_copy(self, op):
        to = self.get(re.search(r" to (%\w+)", op.text)[1])
        mask = re.search(r" mask (%\w+)", op.text)
        if mask and self.get(mask[1]) == 0:  # zeros are written for an iteration that does not take place
            self.values[op.result] = Token(self.of.now)
            return
        self.values[op.result] = self.start_copy(to, self.get(op.operands[0]))
        yield from ()

    def tile_load(self, op):
        mask = re.search(r" mask (%\w+)", op.text)
        if elements(op.type) >= 2048 and not (mask and self.get(mask[1]) == 0):
            buffer = Buffer()
            name = self.fill(buffer, self.get(op.operands[0]))
            self.values[op.result] = self.of.copies.start(self.of.now, self.of.costs.load, name, "memory",
                                                          self.of.costs.latency)
        yield from ()

    def simt_shared_store(self, op):
        value = self.get(op.operands[1])
        if elements(op.type) < 2048 or op.operands[1].startswith("%cst"):
            return
        if isinstance(value, Token):
            yield from self.waiting([value], "data")
            self.view(self.get(op.operands[0]))[0].holds[0] = value.name
        yield from self.busy(self.of.costs.store, "store", "memory")

    def simt_copy_out(self, op):
        token = self.of.copies_out.start(self.of.now, self.of.costs.copy_out, "C", "other")
        self.out.append(token)
        if " later" not in op.text.split(" : ")[0]:
            yield from self.waiting([token], "copy")

    def simt_wait_copy_out(self, op):
        pending = int(re.search(r"pending (\d+)", op.text)[1])
        yield from self.waiting(self.out[:len(self.out) - pending], "copy")

    def simt_wait_copies(self, op): return self.waiting([self.get(each) for each in op.operands], "data")
    def simt_wait_tiles(self, op): return self.waiting([self.get(op.operands[0])], "data")
    def tile_store(self, op): return self.busy(self.of.costs.global_store, "store", "other")

    # --- products ---

    def start_product(self, op, kind):
        """Starts the product on the matrix unit; notes which stages it reads. Returns its token."""
        views = [self.view(value) for value in map(self.get, op.operands[:2])]
        names = [buffer.holds.get(stage, "") if buffer else "" for buffer, stage in views]
        token = self.of.matrix.start(self.of.now, self.of.costs.product, self.of.product_name(*names), kind)
        for buffer, stage in views:
            if buffer and buffer.holds.get(stage):
                self.of.uses.append((buffer, stage, token.begin, token.done, buffer.holds[stage], kind))
        return token

    def simt_product(self, op):
        self.values[op.result] = self.start_product(op, "compute" if self.warp == 0 else "device")
        yield from ()

    def simt_wait_products(self, op): return self.waiting([self.get(op.operands[0])], "product")

    def tile_dot(self, op):
        return self.waiting([self.start_product(op, "compute")], "product")


def elements(text):
    """Of the tensor or buffer type that the text begins with; 0 for scalars."""
    found = re.search(r"<((?:\d+x)+)", text)
    product = 1
    for extent in found[1].split("x")[:-1] if found else ["0"]:
        product *= int(extent)
    return product


class Schedule:
    def __init__(self, text, costs, arguments=None, grid=(1, 1, 1), names=None, groups=2,
                 product_name=lambda a, b: b or a):
        head, ops = parse(text)
        self.costs, self.grid, self.names, self.product_name = costs, grid, names or {}, product_name
        self.now, self.events, self.running, self.blocks = 0.0, [], [], {}
        self.copies, self.copies_out, self.matrix, self.groups = Unit(), Unit(), Unit(), groups
        self.uses = []  # of stages: (buffer, stage, begin, end, text, kind)
        values = {}
        for argument, name in re.findall(r'(%arg\d+): [^%]*?tile\.name = "(\w+)"', head):
            values[argument] = (arguments or {}).get(name, name)
        for argument, pointer in re.findall(r"(%arg\d+): !tile\.desc<[^%]*?pointer = (\d+)", head):
            values[argument] = values.get(f"%arg{pointer}")
        self.actors = [Actor(self, "warps", values, 0, 4)]
        self.ops = ops
        own = list(every(op for op in ops if op.name != "simt.producer"))
        self.turns = {op.operands[0] for op in own if op.name == "simt.arrive_warps"} & {
            op.operands[0] for op in own if op.name == "simt.barrier_wait"}
        self.start(self.actors[0], ops)
        self.run()

    def start(self, actor, ops):
        self.running.append([actor.execute(ops), None])

    def fork(self, actor, ops, inside):
        """Starts the producer, and further groups of warps where the kernel's own warps are several groups."""
        producer = Actor(self, "producer warp", {**inside}, 0, 1)
        self.start(producer, ops)
        position = next(i for i, op in enumerate(self.ops) if op.name == "simt.producer")
        others = [Actor(self, f"warps {4 * g} to {4 * g + 3}", actor.values, 4 * g, 4) for g in range(1, self.groups)]
        actor.name = "warps 0 to 3"
        self.actors = [producer, actor, *others]
        for other in others:
            self.start(other, self.ops[position + 1:])

    def name_of(self, source):
        return self.names.get(source, source if isinstance(source, str) and source.isalpha() else "")

    def at(self, time, action):
        self.events.append((time, action))

    def run(self, limit=400.0):
        while self.running and self.now < limit:
            for event in [each for each in self.events if each[0] <= self.now]:
                self.events.remove(event)
                event[1]()
            moved = True
            while moved:
                moved = False
                for entry in list(self.running):
                    while entry[1] is None or entry[1]():
                        moved = True
                        try:
                            entry[1] = next(entry[0])
                        except StopIteration:
                            self.running.remove(entry)
                            break
            self.now += TICK
        if self.running:
            raise RuntimeError("the schedule does not end: some thread waits for ever")

    def rows(self, begin=0.0, end=1e9):
        """Rows of draw.timeline, cut to a time, which becomes 0."""
        named = [("copies in", self.copies.spans), *((each.name, each.spans) for each in self.actors),
                 ("tensor cores", self.matrix.spans), ("copies out", self.copies_out.spans)]
        rows = [(name, [(max(first, begin) - begin, min(last, end) - begin, text, kind)
                        for first, last, text, kind in spans if first < end and last > max(begin, first)])
                for name, spans in named]
        return [row for row in rows if row[1]]
