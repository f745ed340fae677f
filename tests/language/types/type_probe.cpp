// type_probe FILE.py...: emits every jit function of the files and says what came of it, one line each, tab-separated:
//
//   NAME  types  STATIC OUTPUT  COMPUTED    what static_print printed; the type in which the last comparison computes
//   NAME  refused  MESSAGE
//
// Functions whose name begins with "case_" are emitted. A parameter is called p_TYPE or s_TYPE: a pointer, a scalar.
#include "core/ir/Register.h"
#include "core/ir/tile/Tile.h"
#include "core/support/Files.h"
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/syntax/Parser.h"

#include <cstdio>

using namespace tegula;

namespace {

ParamType paramType(const std::string &name) {
  ParamType type;
  type.kind = name.starts_with("p_") ? ParamType::Kind::Pointer : ParamType::Kind::Scalar;
  auto scalar = parseScalarType(std::string_view(name).substr(2));
  if (!scalar)
    throw Error("a parameter must be called p_TYPE or s_TYPE, found '" + name + "'");
  type.type = *scalar;
  return type;
}

/// "f32", "f8e4m3", "s8" or "u8" of an order of integers, "i8" of their equality; empty where nothing is compared.
std::string computedIn(mlir::ModuleOp module) {
  std::string result;
  module.walk([&](mlir::Operation *op) {
    using P = mlir::arith::CmpIPredicate;
    char kind = 'f';
    if (auto compare = mlir::dyn_cast<mlir::arith::CmpIOp>(op)) {
      P p = compare.getPredicate();
      kind = p == P::eq || p == P::ne ? 'i' : p >= P::ult ? 'u' : 's';
    } else if (!mlir::isa<mlir::arith::CmpFOp>(op)) {
      return;
    }
    mlir::Type type = mlir::getElementTypeOrSelf(op->getOperand(0).getType());
    result = (type.isBF16() ? "bf" : std::string(1, kind)) + std::to_string(type.getIntOrFloatBitWidth());
    if (mlir::isa<mlir::Float8E4M3FNType>(type) || mlir::isa<mlir::Float8E5M2Type>(type))
      result += mlir::isa<mlir::Float8E5M2Type>(type) ? "e5m2" : "e4m3";
  });
  return result;
}

void probe(mlir::MLIRContext &context, const lang::ModuleScope &scope, const lang::FunctionStmt &function) {
  CompileRequest request;
  request.path = scope.module->source->path;
  request.kernel = function.name;
  request.target = "cpu";
  for (const lang::Param &param : function.params)
    request.signature.push_back(paramType(param.name));
  try {
    lang::Emitter emitter(context, scope, request);
    auto module = emitter.emit();
    std::string output = emitter.staticOutput;
    while (output.ends_with('\n'))
      output.pop_back();
    std::printf("%s\ttypes\t%s\t%s\n", function.name.c_str(), output.c_str(), computedIn(*module).c_str());
  } catch (const Error &error) {
    std::printf("%s\trefused\t%s\n", function.name.c_str(), error.diagnostic().message.c_str());
  }
}

} // namespace

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tile::registerTileDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (int i = 1; i < argc; ++i) {
    try {
      lang::ModuleScope scope(lang::parseModule(argv[i], readTextFile(argv[i])));
      lang::forEachFunction(*scope.module, [&](const lang::FunctionStmt &function) {
        if (function.name.starts_with("case_")) // others are helpers of the cases
          probe(context, scope, function);
      });
    } catch (const Error &error) {
      std::fputs(format(error.diagnostic()).c_str(), stderr);
      return 2;
    }
  }
}
