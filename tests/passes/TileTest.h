// Tests of the tile level: a context with its dialects.
#pragma once

#include "core/ir/Register.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace tegula::tile::test {

struct TileTest : testing::Test {
  TileTest() {
    mlir::DialectRegistry registry;
    registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  mlir::MLIRContext context;
};

} // namespace tegula::tile::test
