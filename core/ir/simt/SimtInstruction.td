// A matrix instruction of the target as an attribute.
#ifndef TEGULA_SIMT_INSTRUCTION
#define TEGULA_SIMT_INSTRUCTION

include "core/ir/simt/SimtDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Simt_OperandAttr : AttrDef<Simt_Dialect, "Operand"> {
  let mnemonic = "operand";
  let summary = "where a matrix instruction has A, B or C";
  let description = [{
    The element type (`tf32` for f32 of which the instruction reads only the upper bits); `registers`, `shared`,
    `either` (registers or shared memory) or `fragment` (opaque); and, for registers, the layout: which lane and
    register of the instruction's warps hold which element.

    ```mlir
    #simt.operand<f16 registers <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>
    #simt.operand<f16 fragment>
    ```
  }];
  let parameters = (ins "::mlir::Type":$elementType, "::tegula::OperandPlace":$place,
                        OptionalParameter<"::tegula::layout_ir::DistributedAttr">:$layout);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// True if the instruction can read the operand from `place`, which is registers or shared memory.
    bool mayBe(::tegula::OperandPlace place) const {
      return getPlace() == place || getPlace() == ::tegula::OperandPlace::Either;
    }
  }];
}

def Simt_InstructionAttr : AttrDef<Simt_Dialect, "Instruction"> {
  let mnemonic = "instruction";
  let summary = "a matrix instruction: D (m x n) = A (m x k) * B (k x n) + C";
  let description = [{
    The properties of an instruction that passes use (core/target/MatrixInstruction.h): name, m x n x k, and where A, B
    and C are. A `tile.dot` that is computed by an instruction carries it as the attribute `simt.instruction`; a
    module's `simt.target` lists the instructions of its target.

    ```mlir
    #mma = #simt.instruction<"mma.m16n8k16.f32.f16", 16x8x16,
                             a <f16 registers <register (0,1) (8,0) (0,8), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>,
                             b <f16 registers <register (1,0) (8,0), lane (2,0) (4,0) (0,1) (0,2) (0,4)>>,
                             c <f32 registers <register (0,1) (8,0), lane (0,2) (0,4) (1,0) (2,0) (4,0)>>>
    #cooperative = #simt.instruction<"16x16x16.f16.f32", 16x16x16, a <f16 fragment>, b <f16 fragment>,
                                     c <f32 fragment>>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$m, "int64_t":$n, "int64_t":$k,
                        "::tegula::simt::OperandAttr":$a, "::tegula::simt::OperandAttr":$b,
                        "::tegula::simt::OperandAttr":$c);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::tegula::MatrixInstruction &":$instruction)>];
  let extraClassDeclaration = [{
    /// True if operands and results are opaque fragments.
    bool isOpaque() const { return getC().getPlace() == ::tegula::OperandPlace::Fragment; }
    /// Rows and columns of A, B or C.
    ::llvm::SmallVector<int64_t, 2> getShapeOfA() const { return {getM(), getK()}; }
    ::llvm::SmallVector<int64_t, 2> getShapeOfB() const { return {getK(), getN()}; }
    ::llvm::SmallVector<int64_t, 2> getShapeOfC() const { return {getM(), getN()}; }
  }];
}

#endif
