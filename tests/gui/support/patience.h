#pragma once

#include <QtTest>

#include <QString>

namespace fabricscope::test {

inline constexpr int kLongMs = 120'000; ///< Patience on a loaded machine.

// Qt's five seconds are too few where other tests and builds share the processors; who is right waits no longer for that.
#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(expression) QTRY_VERIFY_WITH_TIMEOUT(expression, fabricscope::test::kLongMs)
#define QTRY_VERIFY2(expression, message) QTRY_VERIFY2_WITH_TIMEOUT(expression, message, fabricscope::test::kLongMs)
#define QTRY_COMPARE(expression, expected) QTRY_COMPARE_WITH_TIMEOUT(expression, expected, fabricscope::test::kLongMs)

/// Examples that are simulated for seconds, and wait for --long where every example is tried in many ways.
inline bool isTriedNow(const QString& example)
{
    return qEnvironmentVariableIsSet("FABRICSCOPE_LONG") || (example != QStringLiteral("llama-405b") && example != QStringLiteral("deepseek-v3"));
}

} // namespace fabricscope::test
