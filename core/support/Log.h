// Writes lines on standard error about the runtime's decisions, by topic.
#pragma once

#include <string>
#include <string_view>

namespace tegula {

/// True if TEGULA_LOG selects the topic: it contains its name ("tuning", "cache,tuning"), or is 1, which selects all.
bool logs(std::string_view topic);

/// Writes a line if TEGULA_LOG selects its topic: "cache" (compilations and the disk cache), "compile" (long
/// compilations, while they run), "tuning" (the choice of configurations).
void logLine(std::string_view topic, const std::string &line);

} // namespace tegula
