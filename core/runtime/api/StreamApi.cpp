#include "core/runtime/Memory.h"
#include "core/runtime/Translate.h"

namespace tegula {
namespace {

Driver &driverOf(const Stream::Impl &stream) { return *stream.device.impl()->driver; }

const Buffer::Impl &checked(const Stream::Impl &stream, const Buffer &buffer, const char *what) {
  const Buffer::Impl &impl = *buffer.impl();
  if (&impl.device() != stream.device.impl().get())
    throw Error(std::string("cannot ") + what + " a buffer of device " + impl.device().info.name +
                " on a stream of device " + stream.device.info().name);
  if (!impl.dense)
    throw Error(std::string("cannot ") + what + " a view of shape " + describeShape(impl.shape) + " and strides " +
                describeShape(impl.strides) + ": it is not dense row-major; use the buffer that it views");
  return impl;
}

/// The implementation of a buffer that an operation of the stream writes. `what`: the operation, for messages. Throws
/// tegula::Error if the buffer is read-only, not dense, or on another device than the stream.
const Buffer::Impl &writable(const Stream::Impl &stream, const Buffer &buffer, const char *what) {
  const Buffer::Impl &impl = checked(stream, buffer, what);
  if (impl.isReadOnly)
    throw Error(std::string("cannot ") + what + " a read-only buffer; use the one that it was made from");
  return impl;
}

std::string describe(const Buffer::Impl &buffer) {
  return std::to_string(buffer.elements) + " elements of " + std::string(name(buffer.type));
}

} // namespace

Stream::Stream(const Device &device) {
  translated(ApiError::Kind::Device, [&] {
    void *handle = device.impl()->driver->createStream();
    impl_ = std::make_shared<Impl>(device);
    impl_->handle = handle;
  });
}

Stream Stream::wrap(const Device &device, void *native) {
  return translated(ApiError::Kind::Device, [&] {
    void *handle = device.impl()->driver->wrapStream(native);
    Stream stream;
    stream.impl_ = std::make_shared<Impl>(device);
    stream.impl_->handle = handle;
    stream.impl_->isForeign = true;
    return stream;
  });
}

void *Stream::native() const {
  return translated(ApiError::Kind::Device, [&] { return driverOf(*impl_).nativeStream(impl_->handle); });
}

void Stream::write(const Buffer &buffer, const void *host) {
  const Buffer::Impl &impl =
      translated(ApiError::Kind::BadUse, [&]() -> auto & { return writable(*impl_, buffer, "write"); });
  if (impl.bytes == 0)
    return;
  translated(ApiError::Kind::Device, [&] {
    driverOf(*impl_).copyToDevice(impl_->handle, impl.allocation->memory(), impl.byteOffset(), host, impl.bytes);
  });
  impl.allocation->markWritten(impl.byteOffset(), impl.bytes);
}

void Stream::read(const Buffer &buffer, void *host) {
  const Buffer::Impl &impl =
      translated(ApiError::Kind::BadUse, [&]() -> auto & { return checked(*impl_, buffer, "read"); });
  if (impl.bytes == 0)
    return;
  translated(ApiError::Kind::Device, [&] {
    driverOf(*impl_).copyToHost(impl_->handle, host, impl.allocation->memory(), impl.byteOffset(), impl.bytes);
  });
}

void Stream::fill(const Buffer &buffer, uint8_t byte) {
  const Buffer::Impl &impl =
      translated(ApiError::Kind::BadUse, [&]() -> auto & { return writable(*impl_, buffer, "fill"); });
  if (impl.bytes == 0)
    return;
  translated(ApiError::Kind::Device, [&] {
    driverOf(*impl_).fill(impl_->handle, impl.allocation->memory(), impl.byteOffset(), byte, impl.bytes);
  });
  impl.allocation->markWritten(impl.byteOffset(), impl.bytes);
}

void Stream::copy(const Buffer &to, const Buffer &from) {
  const auto &[target, source] = translated(ApiError::Kind::BadUse, [&] {
    const Buffer::Impl &target = writable(*impl_, to, "copy into"), &source = checked(*impl_, from, "copy from");
    if (target.type != source.type || target.elements != source.elements)
      throw Error("cannot copy " + describe(source) + " into " + describe(target) +
                  ": one type and as many elements are expected");
    bool apart = target.allocation != source.allocation || target.byteOffset() + target.bytes <= source.byteOffset() ||
                 source.byteOffset() + source.bytes <= target.byteOffset();
    if (!apart)
      throw Error("cannot copy between two views that overlap in memory");
    return std::pair<const Buffer::Impl &, const Buffer::Impl &>(target, source);
  });
  if (target.bytes == 0)
    return;
  translated(ApiError::Kind::Device, [&] {
    driverOf(*impl_).copyOnDevice(impl_->handle, target.allocation->memory(), target.byteOffset(),
                                  source.allocation->memory(), source.byteOffset(), target.bytes);
  });
  target.allocation->markWritten(target.byteOffset(), target.bytes);
}

Event Stream::record() {
  return translated(ApiError::Kind::Device, [&] {
    Event event;
    void *handle = driverOf(*impl_).recordEvent(impl_->handle);
    event.impl_ = std::make_shared<Event::Impl>();
    event.impl_->stream = impl_;
    event.impl_->handle = handle;
    return event;
  });
}

void Stream::wait(const Event &event) {
  if (!event.impl_)
    throw ApiError(ApiError::Kind::BadUse, "wait for an event that was never recorded");
  const Device &other = event.impl_->stream->device;
  if (other.impl() != impl_->device.impl())
    throw ApiError(ApiError::Kind::BadUse, "a stream of device " + impl_->device.info().name +
                                               " cannot wait for an event of device " + other.info().name);
  translated(ApiError::Kind::Device, [&] { driverOf(*impl_).waitInStream(impl_->handle, event.impl_->handle); });
}

void Stream::beginCapture() {
  translated(ApiError::Kind::Device, [&] { driverOf(*impl_).beginCapture(impl_->handle); });
  std::lock_guard lock(impl_->mutex);
  impl_->captured.clear();
  impl_->captures = true;
}

Graph Stream::endCapture() {
  return translated(ApiError::Kind::Device, [&] {
    Graph graph;
    impl_->captures = false;
    void *handle = driverOf(*impl_).endCapture(impl_->handle);
    graph.impl_ = std::make_shared<Graph::Impl>(impl_->device);
    graph.impl_->handle = handle;
    std::lock_guard lock(impl_->mutex);
    graph.impl_->used = std::move(impl_->captured);
    return graph;
  });
}

void Graph::launch(const Stream &stream) const {
  if (!impl_)
    throw ApiError(ApiError::Kind::BadUse, "launch of a graph that was never captured");
  if (impl_->device.impl() != stream.device().impl())
    throw ApiError(ApiError::Kind::BadUse, "a graph of device " + impl_->device.info().name +
                                               " is launched on a stream of device " + stream.device().info().name);
  translated(ApiError::Kind::Device,
             [&] { impl_->device.impl()->driver->launchGraph(impl_->handle, stream.impl()->handle); });
}

void Stream::synchronize() {
  translated(ApiError::Kind::Device, [&] { driverOf(*impl_).synchronize(impl_->handle); });
}

const Device &Stream::device() const { return impl_->device; }

void Event::wait() const {
  if (!impl_)
    throw ApiError(ApiError::Kind::BadUse, "wait for an event that was never recorded");
  translated(ApiError::Kind::Device, [&] { driverOf(*impl_->stream).waitEvent(impl_->handle); });
}

double Event::secondsSince(const Event &start) const {
  if (!impl_ || !start.impl_)
    throw ApiError(ApiError::Kind::BadUse, "time of an event that was never recorded");
  if (impl_->stream->device.impl() != start.impl_->stream->device.impl())
    throw ApiError(ApiError::Kind::BadUse, "time between events of devices " + start.impl_->stream->device.info().name +
                                               " and " + impl_->stream->device.info().name);
  return translated(ApiError::Kind::Device,
                    [&] { return driverOf(*impl_->stream).elapsed(start.impl_->handle, impl_->handle); });
}

} // namespace tegula
