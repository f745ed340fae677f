// The CUDA backend's passes on the code of one thread.
#ifndef TEGULA_CUDA_SIMT_PASSES
#define TEGULA_CUDA_SIMT_PASSES

include "mlir/Pass/PassBase.td"

def SkipDivisions : Pass<"simt-skip-divisions"> {
  let summary = "skips divisions of scalars whose results can be tested for";
  let description = [{
    Before simt-define-integers. Programs that take tiles in groups
    divide their number twice, one division after the other, before they read anything: by the number of tiles in a
    group of rows, and by the number of rows in the group, `min(rows - first, GROUP)`, which is GROUP for all but the
    last group. A division by a minimum with a constant becomes a division by the constant in a branch that tests
    whether the minimum is that constant. Any other division is skipped if the dividend is less than the divisor: the
    quotient is 0, and the remainder is the dividend.

    Before:
    ```mlir
    %height = arith.minsi %left, %c8 : i32
    %q = arith.divsi %x, %height : i32
    %r = arith.remsi %x, %height : i32
    ```
    After:
    ```mlir
    %isWhole = arith.cmpi sge, %left, %c8 : i32
    %both:2 = scf.if %isWhole -> (i32, i32) {
      %q = arith.divsi %x, %c8 : i32
      %r = arith.remsi %x, %c8 : i32
      scf.yield %q, %r : i32, i32
    } else {
      ... the same, divided by %height ...
    } {simt.divergent}
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SimplifyMasks : Pass<"simt-simplify-masks"> {
  let summary = "simplifies the masks of rows: distances, specialized copies for long rows, dead elements";
  let description = [{
    Runs last, for targets whose code gains from it. A mask `first + constants < bound`, where `first` is computed from
    the thread's number and is not negative, becomes a comparison of one distance with the constants, so that no
    register holds the sums. A negative bound is replaced by 0, so that the distance does not wrap.

    Straight-line code after such a mask is duplicated: in one copy, for bounds so large that half of the elements are
    inside for all threads, the accesses of these elements have no mask. A row's block is the next power of two of its
    length, so this copy nearly always runs. If the other half has more truth values than a thread has predicate
    registers, a third copy is for bounds that three quarters of the elements are below.

    The numbers of a rotated range (`tile-rotate-ranges`), `(first + constants - rotation) mod extent`, need no
    remainder if the constant is at least the greatest rotation. In the copies for long rows, no number has a remainder:
    a number that would wrap is negative there and counts as outside. Such copies are made only if the numbers are used
    for nothing but addresses of elements under this mask, so that the numbers of other elements have no effect.

    Accesses to the single elements of a group of a rotated range (`rotate-ranges`), `(first + i) mod extent < bound`,
    get a variant for bounds that exclude the group's elements before the wrap: its accesses are at constant distances
    from one address.

    A masked load gets the mark `simt.masked_dead`, and loses its `other`, if all values computed from an element go
    through elementwise ops into stores under the same mask: the registers of masked elements then need no value.

    Before:
    ```mlir
    %columns = arith.addi %first, %constants : vector<4xi32>
    %mask = arith.cmpi slt, %columns, %bound : vector<4xi32>
    %x = simt.load %a[%columns] mask %mask : ...
    %y = arith.negf %x : vector<4xf16>
    simt.store %b[%columns], %y mask %mask : ...
    ```
    After:
    ```mlir
    %limit = arith.maxsi %n, %c0 : i32
    %rest = arith.subi %limit, %thread overflow<nsw> : i32
    %distance = simt.splat %rest : i32 -> vector<4xi32>
    %mask = arith.cmpi sgt, %distance, %constants : vector<4xi32>
    %x = simt.load %a[%columns] mask %mask {simt.masked_dead} : ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tegula::tile::TileDialect"];
}

#endif // TEGULA_CUDA_SIMT_PASSES
