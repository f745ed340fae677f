// Tensor descriptors: creation in the kernel, and methods.
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {

using namespace mlir;

namespace {

using Args = Builtin::Args;

const Descriptor &descriptorArgument(Emitter &e, const Args &args, size_t i, const char *function) {
  if (auto *descriptor = args[i].as<Descriptor>())
    return *descriptor;
  e.fail(args.locs[i], std::string(function) + " needs a tensor descriptor, found " + args[i].describe());
}

SmallVector<mlir::Value> values(const std::vector<Tensor> &tensors) {
  SmallVector<mlir::Value> result;
  for (const Tensor &t : tensors)
    result.push_back(t.value);
  return result;
}

SmallVector<mlir::Value> offsetsArgument(Emitter &e, const Args &args, size_t i, const Descriptor &descriptor) {
  std::vector<Tensor> offsets =
      extentScalars(e, args.locs[i], args[i], ScalarType::I32, "an offset into a tensor descriptor");
  if (offsets.size() != descriptor.block.size())
    e.fail(args.locs[i], "a descriptor of rank " + std::to_string(descriptor.block.size()) +
                             " needs as many offsets, found " + std::to_string(offsets.size()));
  return values(offsets);
}

/// The last stride must be 1, because targets copy whole rows. A stride unknown at compile time is tested by the
/// kernel.
void requireUnitStride(Emitter &e, Loc loc, const Tensor &stride) {
  if (stride.known) {
    if (auto *known = std::get_if<Int>(&stride.known->value); known && *known == 1)
      return;
    e.fail(loc, "the last stride of a tensor descriptor must be 1, found " + stride.known->repr());
  }
  Value isOne = e.compare(loc, CompareOp::Eq, stride, Const(Int(1)));
  tile::AssertOp::create(e.builder, e.at(loc), isOne.as<Tensor>()->value,
                         e.builder.getStringAttr("the last stride of a tensor descriptor must be 1"));
}

// make_tensor_descriptor(base, shape, strides, block_shape, padding_option)
Value makeDescriptor(Emitter &e, const Args &args) {
  Tensor base = tensorArgument(e, args, 0, "make_tensor_descriptor's base");
  if (!base.shape.empty() || base.type.pointerDepth != 1)
    e.fail(args.locs[0], "make_tensor_descriptor's base must be a scalar pointer to numbers, found " + base.str());
  Descriptor d;
  d.type = base.type.pointee();
  d.shape = extentScalars(e, args.locs[1], args[1], ScalarType::I32, "make_tensor_descriptor's shape");
  d.strides = extentScalars(e, args.locs[2], args[2], ScalarType::I64, "make_tensor_descriptor's strides");
  d.block = e.constantShape(args.locs[3], args[3], "make_tensor_descriptor's block_shape");
  std::string padding = textArgument(e, args, 4, "padding_option");
  size_t rank = d.shape.size();
  if (rank < 1 || rank > 5)
    e.fail(args.locs[1], "a tensor descriptor has 1 to 5 axes, found " + std::to_string(rank));
  if (d.strides.size() != rank || d.block.size() != rank)
    e.fail(args.loc, "make_tensor_descriptor's shape, strides and block_shape must have one length, found " +
                         std::to_string(rank) + ", " + std::to_string(d.strides.size()) + " and " +
                         std::to_string(d.block.size()));
  int64_t rowBytes = d.block.back() * byteSize(d.type.scalar);
  if (rowBytes < 16)
    e.fail(args.locs[3], "the last axis of a descriptor's block must hold at least 16 bytes, found " +
                             std::to_string(d.block.back()) + " x " + d.type.str() + " (" + std::to_string(rowBytes) +
                             " bytes)");
  if (!padding.empty() && padding != "zero" && padding != "nan")
    e.fail(args.locs[4], "padding_option must be 'zero' or 'nan', found '" + padding + "'");
  if (padding == "nan" && !d.type.isFloat())
    e.fail(args.locs[4], "padding_option 'nan' needs floating-point elements, found " + d.type.str());
  requireUnitStride(e, args.locs[2], d.strides.back());
  auto type = tile::DescType::get(e.builder.getContext(), d.block, e.irType(d.type));
  d.value = tile::MakeDescOp::create(e.builder, e.at(args.loc), type, base.value, values(d.shape), values(d.strides),
                                     padding == "nan" ? tile::Padding::NaN : tile::Padding::Zero);
  return d;
}

Value loadBlock(Emitter &e, const Args &args) {
  const Descriptor &d = descriptorArgument(e, args, 0, "load");
  auto op = tile::DescLoadOp::create(e.builder, e.at(args.loc), d.value, offsetsArgument(e, args, 1, d));
  return e.wrap(op, d.type, d.block);
}

/// The value in the descriptor's element type; its shape must be the block's.
Tensor blockValue(Emitter &e, const Args &args, size_t i, const Descriptor &d, const Shape &shape,
                  const char *function) {
  Tensor value = tensorArgument(e, args, i, std::string(function) + "'s value");
  if (value.shape.empty())
    value = e.fullTensor(args.locs[i], shape, value);
  if (value.shape != shape)
    e.fail(args.locs[i], std::string(function) + " needs a value of shape " + str(shape) + ", found " + value.str());
  return e.cast(args.locs[i], value, d.type);
}

Value storeBlock(Emitter &e, const Args &args) {
  const Descriptor &d = descriptorArgument(e, args, 0, "store");
  auto offsets = offsetsArgument(e, args, 1, d);
  Tensor value = blockValue(e, args, 2, d, d.block, "store");
  tile::DescStoreOp::create(e.builder, e.at(args.loc), d.value, value.value, offsets);
  return none();
}

struct RowsAndColumn {
  Tensor rows;
  mlir::Value column;
};

RowsAndColumn rowsArgument(Emitter &e, const Args &args, size_t rowsAt, const Descriptor &d, const char *function) {
  if (d.block.size() != 2 || d.block[0] != 1)
    e.fail(args.locs[0],
           std::string(function) + " needs a descriptor whose block has one row, found " + Value(d).describe());
  Tensor rows = tensorArgument(e, args, rowsAt, std::string(function) + "'s rows");
  if (rows.shape.size() != 1 || !rows.type.isInteger() || rows.type.bits() > 32)
    e.fail(args.locs[rowsAt], std::string(function) + "'s rows must be a rank-1 tensor of i32, found " + rows.str());
  rows = e.cast(args.locs[rowsAt], rows, ScalarType::I32);
  auto column =
      extentScalars(e, args.locs[rowsAt + 1], args[rowsAt + 1], ScalarType::I32, std::string(function) + "'s column");
  if (column.size() != 1)
    e.fail(args.locs[rowsAt + 1],
           std::string(function) + " takes one column offset, found " + std::to_string(column.size()));
  return {rows, column[0].value};
}

Value gatherRows(Emitter &e, const Args &args) {
  const Descriptor &d = descriptorArgument(e, args, 0, "gather");
  auto [rows, column] = rowsArgument(e, args, 1, d, "gather");
  auto op = tile::DescGatherOp::create(e.builder, e.at(args.loc), d.value, rows.value, column);
  return e.wrap(op, d.type, {rows.shape[0], d.block[1]});
}

Value scatter(Emitter &e, const Args &args) {
  const Descriptor &d = descriptorArgument(e, args, 0, "scatter");
  auto [rows, column] = rowsArgument(e, args, 2, d, "scatter");
  Tensor value = blockValue(e, args, 1, d, {rows.shape[0], d.block[1]}, "scatter");
  tile::DescScatterOp::create(e.builder, e.at(args.loc), d.value, value.value, rows.value, column);
  return none();
}

template <tile::AtomicKind signedKind, tile::AtomicKind unsignedKind, tile::AtomicKind floatKind, FixedName name>
Value atomic(Emitter &e, const Args &args) {
  const Descriptor &d = descriptorArgument(e, args, 0, "atomic");
  bool hasFloat = floatKind != tile::AtomicKind::Exchange; // Exchange marks an operation without a kind for floats
  bool wide = d.type.bits() >= 32 || (d.type.isFloat() && d.type.bits() == 16);
  if (!wide || (d.type.isFloat() && !hasFloat))
    e.fail(args.locs[0], name.str() + " is not defined for a descriptor of " + d.type.str());
  auto kind = d.type.isFloat() ? floatKind : d.type.isUnsigned() ? unsignedKind : signedKind;
  auto offsets = offsetsArgument(e, args, 1, d);
  Tensor value = blockValue(e, args, 2, d, d.block, name.text);
  tile::DescAtomicOp::create(e.builder, e.at(args.loc), kind, d.value, value.value, offsets);
  return none();
}

} // namespace

std::span<const Builtin> descriptorBuiltins() {
  using K = tile::AtomicKind;
  static constexpr Builtin table[] = {
      {"make_tensor_descriptor", "base, shape, strides, block_shape, padding_option='zero'", makeDescriptor},
      {"load_tensor_descriptor", "desc, offsets", loadBlock},
      {"store_tensor_descriptor", "desc, offsets, value", storeBlock},
      {"descriptor.load", "self, offsets", loadBlock},
      {"descriptor.store", "self, offsets, value", storeBlock},
      {"descriptor.gather", "self, x_offsets, y_offset", gatherRows},
      {"descriptor.scatter", "self, value, x_offsets, y_offset", scatter},
      {"descriptor.atomic_add", "self, offsets, value", atomic<K::Add, K::Add, K::FAdd, "atomic_add">},
      {"descriptor.atomic_min", "self, offsets, value", atomic<K::Min, K::UMin, K::FMin, "atomic_min">},
      {"descriptor.atomic_max", "self, offsets, value", atomic<K::Max, K::UMax, K::FMax, "atomic_max">},
      {"descriptor.atomic_and", "self, offsets, value", atomic<K::And, K::And, K::Exchange, "atomic_and">},
      {"descriptor.atomic_or", "self, offsets, value", atomic<K::Or, K::Or, K::Exchange, "atomic_or">},
      {"descriptor.atomic_xor", "self, offsets, value", atomic<K::Xor, K::Xor, K::Exchange, "atomic_xor">},
  };
  return table;
}

} // namespace tegula::lang
