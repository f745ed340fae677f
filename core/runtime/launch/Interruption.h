// Whether the caller of a launch that keeps its thread busy wants it to end.
#pragma once

namespace tegula {

/// What the function of setInterruption says; false where there is none. For LaunchRequest::isInterrupted.
bool isInterrupted();

} // namespace tegula
