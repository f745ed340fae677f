// C interface: streams, events and graphs.
#include "core/runtime/c/Handles.h"

using namespace tegula;
using namespace tegula::c;

namespace {

Stream &streamOf(tegula_stream *stream) { return required(stream, "stream").value; }
const Buffer &bufferOf(const tegula_buffer *buffer) { return required(buffer, "buffer").value; }

} // namespace

tegula_status tegula_stream_create(tegula_device *device, tegula_stream **out) {
  return guarded([&] { make(out, Stream(required(device, "device").value)); });
}

tegula_status tegula_stream_wrap(tegula_device *device, void *native, tegula_stream **out) {
  return guarded([&] { make(out, Stream::wrap(required(device, "device").value, native)); });
}

tegula_status tegula_stream_native(const tegula_stream *stream, void **out) {
  return guarded([&] { required(out, "out") = required(stream, "stream").value.native(); });
}

void tegula_stream_release(tegula_stream *stream) { delete stream; }

tegula_status tegula_stream_write(tegula_stream *stream, const tegula_buffer *buffer, const void *host) {
  return guarded([&] {
    if (!host && bufferOf(buffer).elements())
      badUse("host is null");
    streamOf(stream).write(bufferOf(buffer), host);
  });
}

tegula_status tegula_stream_read(tegula_stream *stream, const tegula_buffer *buffer, void *host) {
  return guarded([&] {
    if (!host && bufferOf(buffer).elements())
      badUse("host is null");
    streamOf(stream).read(bufferOf(buffer), host);
  });
}

tegula_status tegula_stream_fill(tegula_stream *stream, const tegula_buffer *buffer, uint8_t byte) {
  return guarded([&] { streamOf(stream).fill(bufferOf(buffer), byte); });
}

tegula_status tegula_stream_copy(tegula_stream *stream, const tegula_buffer *to, const tegula_buffer *from) {
  return guarded([&] { streamOf(stream).copy(bufferOf(to), bufferOf(from)); });
}

tegula_status tegula_stream_synchronize(tegula_stream *stream) {
  return guarded([&] { streamOf(stream).synchronize(); });
}

tegula_status tegula_event_record(tegula_stream *stream, tegula_event **out) {
  return guarded([&] { make(out, streamOf(stream).record()); });
}

tegula_status tegula_event_wait(const tegula_event *event) {
  return guarded([&] { required(event, "event").value.wait(); });
}

tegula_status tegula_stream_wait_event(tegula_stream *stream, const tegula_event *event) {
  return guarded([&] { streamOf(stream).wait(required(event, "event").value); });
}

tegula_status tegula_event_seconds(const tegula_event *start, const tegula_event *end, double *out) {
  return guarded(
      [&] { required(out, "out") = required(end, "end").value.secondsSince(required(start, "start").value); });
}

void tegula_event_release(tegula_event *event) { delete event; }

tegula_status tegula_stream_begin_capture(tegula_stream *stream) {
  return guarded([&] { streamOf(stream).beginCapture(); });
}

tegula_status tegula_stream_end_capture(tegula_stream *stream, tegula_graph **out) {
  return guarded([&] { make(out, streamOf(stream).endCapture()); });
}

tegula_status tegula_graph_launch(const tegula_graph *graph, tegula_stream *stream) {
  return guarded([&] { required(graph, "graph").value.launch(streamOf(stream)); });
}

void tegula_graph_release(tegula_graph *graph) { delete graph; }
