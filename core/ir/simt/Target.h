// The target description of a module: the attribute `simt.target`, a dictionary. Its keys are the fields of
// core/target/TargetDescription.h in lower case with underscores; a missing key means the field's default.
//
//     module attributes {simt.target = {warp_size = 8 : i64, ahead_bytes = 192 : i64, instructions = [#instruction]}}
#pragma once

#include "core/ir/simt/Simt.h"
#include "core/target/TargetDescription.h"

#include "mlir/IR/BuiltinOps.h"

namespace tegula::simt {

inline constexpr llvm::StringLiteral kTargetAttr = "simt.target";

/// The parts of the target description that passes read.
struct Target {
  TargetFeatures features;
  TargetPolicies policies;
  llvm::SmallVector<InstructionAttr> instructions;
};

/// The target of the module that contains `op`; if the module names none, all defaults and no instructions.
Target targetOf(mlir::Operation *op);

/// The number of neighbouring elements in memory that one atomic of this kind can change, a power of two: 4 for f32 if
/// `vectorAtomics` has "fadd.f32x4"; 1 if it has no entry for the kind and type.
int64_t atomicWidth(const TargetFeatures &features, tile::AtomicKind kind, mlir::Type element);

mlir::DictionaryAttr targetAttr(mlir::MLIRContext *context, const TargetDescription &target);
void setTarget(mlir::ModuleOp module, const TargetDescription &target);

/// Succeeds for an attribute that `targetOf` can read; otherwise reports an error at `op`.
mlir::LogicalResult verifyTarget(mlir::Operation *op, mlir::Attribute attribute);

} // namespace tegula::simt
