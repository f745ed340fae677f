#include "frontend/compiler/Messages.h"

#include "core/passes/Effects.h"

using namespace mlir;

namespace tegula {

void addLocations(Location location, std::vector<SourceLocation> &to) {
  if (auto place = dyn_cast<FileLineColLoc>(location)) {
    to.push_back({place.getFilename().str(), place.getLine(), place.getColumn()});
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    addLocations(call.getCallee(), to);
    addLocations(call.getCaller(), to);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    addLocations(name.getChildLoc(), to);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (size_t before = to.size(); Location part : fused.getLocations())
      if (to.size() == before)
        addLocations(part, to);
  }
}

namespace {

/// The type of the value's bits; the sign of integers is the format's.
ScalarType scalarType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return ScalarType::I1;
    case 8:
      return ScalarType::I8;
    case 16:
      return ScalarType::I16;
    case 32:
      return ScalarType::I32;
    default:
      return ScalarType::I64;
    }
  if (type.isF16())
    return ScalarType::F16;
  if (type.isBF16())
    return ScalarType::BF16;
  if (type.isF64())
    return ScalarType::F64;
  if (isa<Float8E4M3FNType>(type))
    return ScalarType::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return ScalarType::F8E5M2;
  if (isa<Float8E4M3FNUZType>(type))
    return ScalarType::F8E4M3FNUZ;
  return isa<Float8E5M2FNUZType>(type) ? ScalarType::F8E5M2FNUZ : ScalarType::F32;
}

DeviceMessage messageOf(simt::PrintOp op) {
  using Format = DeviceMessage::Format;
  DeviceMessage message;
  message.text = op.getPrefix().str();
  if (!op.getValue())
    return message;
  Type element = getElementTypeOrSelf(op.getValue().getType());
  message.type = scalarType(element);
  message.format = op.getIsAddress()         ? Format::Address
                   : op.getHex()             ? Format::Hex
                   : isa<FloatType>(element) ? Format::Float
                   : op.getIsSigned()        ? Format::Signed
                                             : Format::Unsigned;
  return message;
}

} // namespace

std::vector<DeviceMessage> messagesOf(func::FuncOp kernel) {
  std::vector<DeviceMessage> messages;
  for (Operation *op : simt::effectsOf(kernel)) {
    std::optional<ArrayRef<int64_t>> shape;
    if (auto print = dyn_cast<simt::PrintOp>(op)) {
      messages.push_back(messageOf(print));
      shape = print.getShape();
    } else {
      auto check = cast<simt::AssertOp>(op);
      DeviceMessage &message = messages.emplace_back();
      message.kind = DeviceMessage::Kind::Assert;
      message.text = check.getMessage().str();
      shape = check.getShape();
    }
    messages.back().hasElements = shape.has_value();
    if (shape)
      messages.back().shape.assign(shape->begin(), shape->end());
    addLocations(op->getLoc(), messages.back().locations);
  }
  return messages;
}

} // namespace tegula
