// The `simt` dialect: the code of one thread.
#ifndef TEGULA_SIMT_DIALECT
#define TEGULA_SIMT_DIALECT

include "mlir/IR/OpBase.td"

def Simt_Dialect : Dialect {
  let name = "simt";
  let cppNamespace = "::tegula::simt";
  let summary = "the code of one thread: register tiles, shared memory, barriers, asynchronous copies, matrix products";
  let description = [{
    A kernel is a `func.func` that every thread of a workgroup runs. A value is a scalar, or the thread's whole
    *register tile*, a `vector<NxT>`: 128 exponentials are one op. Elementwise work is upstream `arith` and `math`,
    control flow is upstream `scf`, program ids are `tile.program_id`. docs/simt.md teaches how to write a kernel by
    hand.

    The same ops serve the planned level. There a register tile is a tensor with a `#layout.distributed` encoding, and
    accesses to shared memory have no offsets yet: they follow from the layouts.

    Attributes that the dialect gives a meaning to:

    | attribute | on | meaning |
    |---|---|---|
    | `simt.warps = 8 : i32` | `func.func` | how many warps run the kernel; this makes it a simt kernel |
    | `simt.warp_size = 32 : i32` | `func.func` | lanes of a warp, a power of two |
    | `simt.cluster = 2 : i32` | `func.func` | workgroups that are launched together |
    | `simt.max_registers = 168 : i32` | `func.func` | 32-bit registers of a thread at entry |
    | `simt.resident` | `func.func` | unit: each launched program executes several of the grid; see `simt.resident_id` |
    | `simt.pairs` | `func.func` | unit, beside `simt.resident`: each executes a pair that follow one another, or one |
    | `simt.programs` | `scf.for` | unit: an iteration is a program of the grid; until schedules are expanded |
    | `simt.uniform` | `scf.if`, `scf.for`, `scf.while` | unit: all threads of the region take the same way |
    | `simt.uniform = 4 : i32` | the same | all threads of each aligned set of 4 warps take the same way |
    | `simt.divergent` | the same | unit: threads of one warp may take different ways |
    | `simt.releases = 1 : i32` | `simt.barrier` | the scope (`tile::Scope`) in which a thread then releases writes |
    | `simt.sole` | `simt.load` | unit: no other thread reads the elements that this thread reads here |
    | `simt.masked_dead` | `simt.load` | unit: elements whose mask is false are used nowhere, and may be anything |
    | `simt.part = 0 : i32` | `simt.load`, `simt.store` | one of several ops that together access one tile |
    | `simt.instruction` | `tile.dot` | the matrix instruction that computes it, a `#simt.instruction` |
    | `simt.schedule` | loads, copies, products, waits, fences, stores to buffers, conversions | when it runs, a `#simt.schedule`; see docs/schedules.md |
    | `simt.target` | `module` | the target description, a dictionary; see core/ir/simt/Target.h |

    Each branch and loop of a simt kernel carries `simt.uniform` or `simt.divergent`. The verifier refuses a collective
    op (barrier, shuffle, matrix product) in a branch or loop in which fewer warps take one way than the op needs.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tegula::tile::TileDialect",
                           "::tegula::layout_ir::LayoutDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerOps();
  }];
}

#endif
