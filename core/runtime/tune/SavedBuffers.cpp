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

// Delegates to another constructor, because the destructor then runs if this one throws: if saving a buffer fails, the
// copies made so far are freed.
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
      // The device has failed for good. The launch that asked for the measurement comes next, and reports that.
    }
  };
  // Waits until the device has copied the saved contents back to the buffers, because the saved contents are freed
  // next. Waits for an event, not for the stream: waiting for the stream would throw if an assertion failed in an
  // earlier launch, and a destructor cannot pass the exception on.
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
