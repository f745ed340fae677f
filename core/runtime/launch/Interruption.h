// Tests whether a launch that runs in the calling thread is to end early.
#pragma once

namespace tegula {

/// The result of setInterruption's function; false if none is set. Used as LaunchRequest::isInterrupted.
bool isInterrupted();

} // namespace tegula
