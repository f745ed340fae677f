// tegula-opt: reads a module of any level, runs passes, prints it. For tests and for authors of passes.
//
//   tegula-opt kernel.mlir                      parse, verify, print
//   tegula-opt --tile-pipeline kernel.mlir      the compiler's passes before a backend's own
//   tegula-opt --help                           all passes
#include "core/contracts/CodeGenerator.h"
#include "core/ir/Register.h"
#include "core/passes/Passes.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tegula::simt::registerSimtDialects(registry);
  tegula::tile::registerTilePasses();
  for (const tegula::CodeGenerator *generator : tegula::codeGenerators())
    generator->registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tegula's optimiser\n", registry));
}
