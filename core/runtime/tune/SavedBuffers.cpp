#include "core/runtime/tune/SavedBuffers.h"

#include <algorithm>

namespace tegula {
namespace {

const Buffer::Impl &bufferOf(const Prototype &prototype, const Binding &binding, const std::string &name,
                             const char *list) {
  for (size_t i = 0; i < binding.arguments.size(); ++i)
    if (prototype.info.params[prototype.runtime[i]].name == name && binding.arguments[i].buffer)
      return *binding.arguments[i].buffer;
  throw Error("'" + name + "' in " + list + " of kernel '" + prototype.info.name + "' is no buffer of this launch");
}

const Buffer::Impl &writableOf(const Prototype &prototype, const Binding &binding, const std::string &name,
                               const char *list) {
  const Buffer::Impl &buffer = bufferOf(prototype, binding, name, list);
  if (buffer.isReadOnly)
    throw Error("'" + name + "' in " + list + " of kernel '" + prototype.info.name +
                "' is read-only memory, which a measurement would write to");
  return buffer;
}

} // namespace

// Delegates to another constructor, so that the destructor frees the copies made so far if a later copy fails.
SavedBuffers::SavedBuffers(const Stream &stream, const Prototype &prototype, const Binding &binding)
    : SavedBuffers(stream) {
  for (const std::string &name : prototype.info.resetToZero) {
    const Buffer::Impl &buffer = writableOf(prototype, binding, name, "reset_to_zero");
    if (!buffer.dense)
      throw Error("'" + name + "' in reset_to_zero of kernel '" + prototype.info.name +
                  "' is not dense: clearing it would clear what lies between its elements");
    cleared_.push_back(&buffer);
  }
  Driver &driver = *stream.device().impl()->driver;
  saved_.reserve(prototype.info.restoreValue.size()); // so that adding cannot throw
  for (const std::string &name : prototype.info.restoreValue) {
    const Buffer::Impl &buffer = writableOf(prototype, binding, name, "restore_value");
    if (!buffer.bytes)
      continue;
    saved_.push_back({&buffer, driver.allocate(buffer.bytes)});
    driver.copyOnDevice(stream.impl()->handle, saved_.back().copy, 0, buffer.allocation->memory(), buffer.lowestByte(),
                        buffer.bytes);
  }
}

SavedBuffers::~SavedBuffers() {
  if (saved_.empty())
    return;
  auto evenAfterFault = [](auto &&step) {
    try {
      step();
    } catch (const std::exception &) {
      // The device has failed for good; the launch that follows reports it.
    }
  };
  // The last copy reads memory that is freed here, so it is waited for. The wait is for an event, not for the stream:
  // that would throw a failed assertion of an earlier launch here, where no caller receives it.
  evenAfterFault([&] { Stream(stream_).record().wait(); });
  for (const Saved &saved : saved_)
    evenAfterFault([&] { stream_.device().impl()->driver->free(saved.copy); });
}

void SavedBuffers::prepare() const {
  Driver &driver = *stream_.device().impl()->driver;
  void *stream = stream_.impl()->handle;
  for (const Buffer::Impl *buffer : cleared_)
    if (buffer->bytes)
      driver.fill(stream, buffer->allocation->memory(), buffer->byteOffset(), 0, buffer->bytes);
  for (const Saved &saved : saved_)
    driver.copyOnDevice(stream, saved.buffer->allocation->memory(), saved.buffer->lowestByte(), saved.copy, 0,
                        saved.buffer->bytes);
}

} // namespace tegula
