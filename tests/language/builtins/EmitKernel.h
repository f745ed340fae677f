// Emits a kernel from source text, for tests of the frontend's IR.
#pragma once

#include "core/ir/Register.h"
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/syntax/Parser.h"

namespace tegula::lang {

inline mlir::DialectRegistry tileRegistry() {
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  return registry;
}

/// A context with all dialects of the tile level.
struct TileContext {
  mlir::MLIRContext context{tileRegistry(), mlir::MLIRContext::Threading::DISABLED};
  TileContext() { context.loadAllAvailableDialects(); }
};

/// Emits `kernel` of `source` and verifies it; throws tegula::Error like the frontend.
inline mlir::OwningOpRef<mlir::ModuleOp> emitKernel(mlir::MLIRContext &context, const std::string &source,
                                                    std::vector<ParamType> signature, Constants constants = {}) {
  CompileRequest request;
  request.path = "test.py";
  request.source = source;
  request.kernel = "kernel";
  request.target = "cpu";
  request.signature = std::move(signature);
  request.constants = std::move(constants);
  ModuleScope scope(parseModule(request.path, request.source));
  return Emitter(context, scope, request).emit();
}

inline ParamType typed(ParamType::Kind kind, ScalarType type, std::vector<int64_t> block = {}) {
  ParamType result;
  result.kind = kind;
  result.type = type;
  result.block = std::move(block);
  return result;
}
inline ParamType pointerTo(ScalarType type) { return typed(ParamType::Kind::Pointer, type); }
inline ParamType scalarOf(ScalarType type) { return typed(ParamType::Kind::Scalar, type); }
inline ParamType descriptorOf(ScalarType type, std::vector<int64_t> block) {
  return typed(ParamType::Kind::Descriptor, type, std::move(block));
}

} // namespace tegula::lang
