// The target description of a module: the attribute `simt.target`, a dictionary. Its keys are the fields of
// core/target/TargetDescription.h in lower case with underscores; a key that is left out has the field's default.
//
//     module attributes {simt.target = {warp_size = 8 : i64, ahead_bytes = 192 : i64, instructions = [#instruction]}}
#pragma once

#include "core/ir/simt/Simt.h"
#include "core/target/TargetDescription.h"

#include "mlir/IR/BuiltinOps.h"

namespace tegula::simt {

inline constexpr llvm::StringLiteral kTargetAttr = "simt.target";

/// What passes read of the target.
struct Target {
  TargetFeatures features;
  TargetPolicies policies;
  llvm::SmallVector<InstructionAttr> instructions;
};

/// The target of the module around `op`; all defaults and no instructions if the module does not name one.
Target targetOf(mlir::Operation *op);

/// How many neighbours in memory one atomic of the kind can change, a power of two: 4 for f32 where `vectorAtomics` has
/// "fadd.f32x4", 1 for what it has not.
int64_t atomicWidth(const TargetFeatures &features, tile::AtomicKind kind, mlir::Type element);

mlir::DictionaryAttr targetAttr(mlir::MLIRContext *context, const TargetDescription &target);
void setTarget(mlir::ModuleOp module, const TargetDescription &target);

/// Success for an attribute that `targetOf` can read; else an error at `op`.
mlir::LogicalResult verifyTarget(mlir::Operation *op, mlir::Attribute attribute);

} // namespace tegula::simt
