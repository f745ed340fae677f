// Tests whether a launch that runs in the calling thread is to end early.
#pragma once

namespace tegula {

/// True if the launch is to end: calls the function that the program has set by setInterruption, and returns its
/// result; false if no function is set. Used as LaunchRequest::isInterrupted.
bool isInterrupted();

} // namespace tegula
