#include "frontend/cli/layout/LayoutExpression.h"
#include "core/contracts/MatrixInstructions.h"
#include "core/layout/Layouts.h"
#include "core/layout/TextCursor.h"
#include "core/support/Diagnostic.h"
#include "core/support/Suggest.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace tegula::cli {
namespace {

using namespace layout;

struct TypedShape {
  std::vector<uint32_t> shape;
  uint32_t elementBytes;
};

class Parser {
public:
  explicit Parser(std::string_view text) : cursor_(text, "layout") {}

  LayoutValue parse() {
    LayoutValue value = expression();
    if (!cursor_.atEnd())
      cursor_.failExpected("the end");
    return value;
  }

  std::vector<uint32_t> shapeOnly() {
    std::vector<uint32_t> shape;
    do
      shape.push_back(size());
    while (cursor_.take('x'));
    if (!cursor_.atEnd())
      cursor_.failExpected("a shape such as 16x8");
    return shape;
  }

private:
  LayoutValue expression() {
    if (cursor_.peek() == '"')
      return plain(LinearLayout::parse(cursor_.quoted()));
    start_ = (cursor_.skipSpaces(), cursor_.position());
    size_t start = start_;
    std::string name = cursor_.identifier();
    cursor_.expect('(');
    LayoutValue value = located(start, [&] { return call(name, start); });
    cursor_.expect(')');
    return value;
  }

  LayoutValue call(const std::string &name, size_t start) {
    if (name == "blocked")
      return blockedCall();
    if (name == "sliced")
      return slicedCall();
    if (name == "mma")
      return mmaCall();
    if (name == "swizzle")
      return swizzleCall();
    if (name == "rowmajor" || name == "columnmajor") {
      TypedShape typed = typedShape();
      return {
          name == "rowmajor" ? rowMajor(typed.shape) : columnMajor(typed.shape), {}, typed.elementBytes, typed.shape};
    }
    if (name == "pad")
      return padCall();
    std::vector<std::string> names = {"blocked", "sliced", "mma", "swizzle", "rowmajor", "columnmajor", "pad"};
    std::string near = suggestion(name, names);
    cursor_.fail("unknown constructor '" + name + "'" + (near.empty() ? "; there are " + listed(names) : near), start);
  }

  LayoutValue blockedCall() {
    BlockedSpec spec;
    spec.sizePerThread = list();
    spec.threadsPerWarp = next();
    spec.warpsPerBlock = next();
    std::vector<uint32_t> order = next();
    spec.order.assign(order.begin(), order.end());
    spec.shape = next();
    return plain(blocked(spec));
  }

  LayoutValue slicedCall() {
    LayoutValue parent = expression();
    cursor_.expect(',');
    return plain(sliced(parent.map, cursor_.number()));
  }

  /// mma("m16n8k16","c") or mma("m16n8k16","c",[2,2],[64,32]): the list is the warps along m and n, then the tile's
  /// shape.
  LayoutValue mmaCall() {
    size_t at = (cursor_.skipSpaces(), cursor_.position());
    std::string name = cursor_.quoted();
    const MatrixInstruction *row = findInstruction(name);
    if (!row)
      cursor_.fail(unknownInstruction(name), at);
    cursor_.expect(',');
    at = (cursor_.skipSpaces(), cursor_.position());
    std::string which = cursor_.quoted();
    if (which != "a" && which != "b" && which != "c")
      cursor_.fail("operand '" + which + "' of a matrix instruction; expected \"a\", \"b\" or \"c\" (which is also D)",
                   at);
    const MatrixOperand &operand = which == "a" ? row->a : which == "b" ? row->b : row->c;
    if (operand.layout.inputs().empty())
      cursor_.fail("operand " + which + " of " + row->name + " is in shared memory; look at swizzle(...)", at);
    LayoutValue value = plain(operand.layout);
    value.elementBytes = byteSize(operand.type);
    value.extent = which == "a"   ? std::vector<uint32_t>{row->m, row->k}
                   : which == "b" ? std::vector<uint32_t>{row->k, row->n}
                                  : std::vector<uint32_t>{row->m, row->n};
    if (!cursor_.take(','))
      return value;
    std::vector<uint32_t> warps = list(), shape = next();
    if (warps.size() != 2)
      throw Error("expected [warps along m, warps along n]");
    TileSpec spec;
    spec.shape = shape;
    spec.warps.push_back({which == "a" ? std::nullopt : std::optional(1u), warps[1]});
    spec.warps.push_back({which == "b" ? std::nullopt : std::optional(0u), warps[0]});
    checkWhole(value);
    LayoutValue tile = plain(tiled(value.map, spec));
    tile.elementBytes = value.elementBytes;
    return tile;
  }

  /// swizzle(128, 64x64xf16) or swizzle(vec, perPhase, maxPhase, 64x64xf16); both take an order as last argument.
  LayoutValue swizzleCall() {
    std::vector<uint32_t> numbers;
    size_t shapeAt;
    do {
      shapeAt = (cursor_.skipSpaces(), cursor_.position());
      numbers.push_back(cursor_.number());
    } while (cursor_.peek() != 'x' && cursor_.take(','));
    if (cursor_.peek() != 'x' || (numbers.size() != 2 && numbers.size() != 4))
      throw Error(
          "expected swizzle(SPAN, SHAPE) or swizzle(VEC, PERPHASE, MAXPHASE, SHAPE), with a shape such as 64x64xf16");
    cursor_.setPosition(shapeAt);
    TypedShape typed = typedShape();
    std::vector<unsigned> order = {1, 0};
    if (cursor_.take(',')) {
      std::vector<uint32_t> given = list();
      order.assign(given.begin(), given.end());
    }
    LinearLayout map = numbers.size() == 2 ? spanSwizzled({typed.shape, numbers[0], typed.elementBytes, order})
                                           : swizzled({typed.shape, numbers[0], numbers[1], numbers[2], order});
    return {map, {}, typed.elementBytes, typed.shape};
  }

  LayoutValue padCall() {
    LayoutValue value = expression();
    if (!value.isShared())
      throw Error("only layouts of shared memory have padding");
    cursor_.expect(',');
    uint32_t interval = cursor_.number();
    cursor_.expect(',');
    value.paddings.push_back({interval, cursor_.number()});
    SharedLayout(value.map, value.paddings); // throws for invalid paddings
    return value;
  }

  // Parts of calls.

  static LayoutValue plain(LinearLayout map) {
    std::vector<uint32_t> shape = map.shape();
    return {std::move(map), {}, 4, shape};
  }

  static std::string unknownInstruction(const std::string &name) {
    std::vector<std::string> names, examples;
    for (const MatrixInstructionTable &table : matrixInstructionTables()) {
      for (const MatrixInstruction &row : table.rows)
        names.push_back(row.name);
      examples.insert(examples.end(), table.examples.begin(), table.examples.end());
    }
    std::string near = suggestion(name, names);
    return "unknown matrix instruction '" + name + "'" + (near.empty() ? "; examples are " + listed(examples) : near);
  }

  static void checkWhole(const LayoutValue &value) {
    if (value.extent != value.map.shape())
      throw Error("tiles can be made of fragments whose sizes are powers of two only");
  }

  std::vector<uint32_t> list() { return cursor_.numbers('[', ']'); }
  std::vector<uint32_t> next() {
    cursor_.expect(',');
    return list();
  }

  uint32_t size() {
    size_t at = (cursor_.skipSpaces(), cursor_.position());
    uint32_t value = cursor_.number();
    if (!std::has_single_bit(value))
      cursor_.fail("size " + std::to_string(value) + " is no power of two", at);
    return value;
  }

  /// 64x64xf16; without an element type, elements of 4 bytes.
  TypedShape typedShape() {
    TypedShape typed{{size()}, 4};
    while (cursor_.take('x')) {
      size_t at = (cursor_.skipSpaces(), cursor_.position());
      std::string word = cursor_.identifier();
      if (word.empty()) {
        typed.shape.push_back(size());
        continue;
      }
      std::optional<ScalarType> type = parseScalarType(word);
      if (!type)
        cursor_.fail("unknown type '" + word + "'; expected a shape such as 64x64xf16", at);
      typed.elementBytes = byteSize(*type);
      break;
    }
    if (typed.shape.size() > kMaxTensorRank)
      throw Error("a shape of " + std::to_string(typed.shape.size()) + " dimensions; at most 16 are possible");
    return typed;
  }

  /// Runs a constructor and gives its errors, which have no location, the location of the call.
  template <class F> LayoutValue located(size_t at, F make) {
    try {
      return make();
    } catch (const Error &error) {
      if (!error.diagnostic().location.file.empty())
        throw;
      cursor_.fail(error.diagnostic().message, at);
    }
  }

  TextCursor cursor_;
  size_t start_ = 0;
};

bool isCall(std::string_view text) {
  TextCursor cursor(text, "layout");
  return !cursor.identifier().empty() && cursor.peek() == '(';
}

} // namespace

std::string_view layoutConstructors() {
  return "  blocked([1,4],[8,4],[4,1],[1,0],[64,64])    a thread's box, threads of a warp, warps, order, shape\n"
         "  sliced(LAYOUT, 1)                           what a reduction along dimension 1 leaves\n"
         "  mma(\"m16n8k16\",\"c\")                         operand a, b or c of a matrix instruction\n"
         "  mma(\"m16n8k16\",\"c\",[2,2],[64,32])           a tile of it: warps along m and n, shape\n"
         "  rowmajor(64x64xf16)  columnmajor(64x64xf16) in shared memory\n"
         "  swizzle(128, 64x64xf16)                     XOR of 16-byte chunks within 32, 64 or 128 bytes\n"
         "  swizzle(8, 1, 4, 64x64xf16)                 XOR of vectors: vec, perPhase, maxPhase\n"
         "  pad(LAYOUT, 64, 8)                          8 elements unused after each 64\n";
}

LayoutValue parseLayoutExpression(std::string_view text) {
  if (isCall(text))
    return Parser(text).parse();
  LinearLayout map = LinearLayout::parse(text);
  LayoutValue value{map, {}, 4, map.shape()};
  if (value.isShared())
    SharedLayout(map, {}); // throws where `map` is no shared-memory layout
  return value;
}

std::vector<uint32_t> parseLayoutShape(std::string_view text) { return Parser(text).shapeOnly(); }

LayoutValue withShape(const LayoutValue &value, const std::vector<uint32_t> &shape) {
  if (value.isShared())
    throw Error("--shape repeats a distributed layout in registers; the shape of a shared-memory layout is its own");
  if (value.extent != value.map.shape() || shape.size() != value.extent.size())
    throw Error("--shape has " + std::to_string(shape.size()) + " dimensions, the layout " +
                std::to_string(value.extent.size()) + ", and sizes that are powers of two only can be repeated");
  std::vector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0u);
  LayoutValue result = value;
  result.map = fitted(value.map, shape, order);
  result.extent = shape;
  return result;
}

} // namespace tegula::cli
