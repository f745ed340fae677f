#include "frontend/compiler/Messages.h"

#include "core/ir/Numbers.h"
#include "core/ir/simt/Effects.h"

using namespace mlir;

namespace tegula {
namespace {

/// Appends the innermost location first, then the calls that led to it.
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

DeviceMessage messageOf(simt::PrintOp op) {
  using Format = DeviceMessage::Format;
  DeviceMessage message;
  message.text = op.getPrefix().str();
  if (!op.getValue())
    return message;
  Type element = getElementTypeOrSelf(op.getValue().getType());
  message.type = tile::scalarType(element).value(); // width only; the format string says the sign of integers
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
      message.kind = check.getLimit() ? DeviceMessage::Kind::Limit : DeviceMessage::Kind::Assert;
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
