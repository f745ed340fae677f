// When an op of a loop runs, as an attribute (docs/schedules.md).
#ifndef TEGULA_SIMT_SCHEDULE
#define TEGULA_SIMT_SCHEDULE

include "core/ir/simt/SimtDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Simt_ScheduleAttr : AttrDef<Simt_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "in which iteration, and where in it, an op of a loop runs";
  let description = [{
    The attribute `simt.schedule` of an op directly in the body of an `scf.for` of the planned level. The loop executes
    steps; without a schedule, step t executes iteration t. With it, step t executes the op for iteration t + `ahead`.
    In a step, ops of lower `place` run first, and ops of one place in source order; ops without the attribute have the
    place 0. tile-expand-schedules rewrites the loop so.

    ```mlir
    %a = tile.load %p {simt.schedule = #simt.schedule<ahead 1, place -1>} : tensor<64x32x!tile.ptr<f16>, #rows>
    ```
    The load of the next iteration is issued at the top of each step, and the loop carries its result in registers.

    A `tile.load`, a `simt.copy` and a `simt.copy_tile` may run up to 8 iterations ahead. The copies fill a stage of a
    ring: a buffer of stages that is allocated before the loop. The unexpanded loop names stage 0 only, and phase 0 of
    object 0 for copies by hardware; they stand for those of the iteration. Waits for copies, a `simt.fence`, a
    `simt.shared_store` and a `simt.convert_layout` may have a place, but run in their own iteration.

    ```mlir
    %ring = simt.shared_alloc : <3x64x32xf16, #rows>
    scf.for ... {
      %stage = simt.stage %ring[%c0] : ...
      %token = simt.copy %p to %stage {simt.schedule = #simt.schedule<ahead 2, place -1>} : ...
      simt.wait_copies %token {simt.schedule = #simt.schedule<ahead 0, place -2>}
      %a = simt.shared_load %stage : ...
    ```
    Each step waits for the copy of its own iteration, then starts the one of two iterations later.

    A `simt.wait_products` with `ahead -1` waits, at its place in the body, for the product of the previous iteration,
    which runs on into this one. A `simt.product` with `ahead -1`, whose wait has it, too, is delayed: it starts in the
    next iteration, right after the product from whose result its left operand is computed.

    Last comes who executes the op, its issuer; nothing stands for the kernel's own warps.

    ```mlir
    %t = simt.copy_tile %a[%row, %k] to %stage on %full[%c0] phase %c0 if %true
      {simt.schedule = #simt.schedule<ahead 2, place 1, producer>} : ...
    simt.wait_tiles %t on %full : ...
    %d = simt.product %stage, %b, %sum instruction #group {simt.schedule = #simt.schedule<ahead 0, turns>} : ...
    ```
    A `simt.copy_tile` by the `producer` is started by a thread of further warps (`simt.producer`), as soon as all warps
    have read the stage that it fills. All copies by hardware of a loop are, or none. `ahead` is then one less than the
    stages of the ring. A wait for such copies with `ahead -1` waits in the next iteration, for a delayed product.
    Directly in the kernel's body, a copy by the producer has `ahead 0`: before the loop it fills a buffer once; behind
    the loop it fills the next stage of a ring.

    Products with `turns` are issued by two groups of warps, one group after the other.
  }];
  let parameters = (ins "int64_t":$ahead, DefaultValuedParameter<"int64_t", "0">:$place,
                    DefaultValuedParameter<"Issuer", "Issuer::Own">:$issuer);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// `ahead` is from -1 to kMostAhead, `place` from -kMostPlace to kMostPlace.
    static constexpr int64_t kMostAhead = 8, kMostPlace = 8;
  }];
}

#endif
