// Lines on standard error about what the runtime decides, by topic.
#pragma once

#include <string>
#include <string_view>

namespace tegula {

/// Whether TEGULA_LOG asks for a topic: it names it ("tuning", "cache,tuning"), or is 1, for all of them.
bool logs(std::string_view topic);

/// Writes a line if TEGULA_LOG asks for its topic: "cache" (compilations and the cache on disk), "compile" (those that
/// take long, while they run), "tuning" (the choice of configurations).
void logLine(std::string_view topic, const std::string &line);

} // namespace tegula
