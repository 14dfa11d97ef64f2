#pragma once

#include <QString>

namespace fabricscope::test {

inline constexpr int kLongMs = 120'000; ///< Patience on a loaded machine.

/// Examples that are simulated for seconds, and wait for --long where every example is tried in many ways.
inline bool isTriedNow(const QString& example)
{
    return qEnvironmentVariableIsSet("FABRICSCOPE_LONG") || (example != QStringLiteral("llama-405b") && example != QStringLiteral("deepseek-v3"));
}

} // namespace fabricscope::test
