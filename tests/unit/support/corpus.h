#pragma once

#include <optional>
#include <string>

namespace fabricscope::test {

/// The folder of third-party inputs: $FABRICSCOPE_SHARED, else ../shared beside the source tree. Absent: tests that need it skip.
std::optional<std::string> sharedFolder();

/// A file of tests/golden.
std::string goldenFile(const std::string& name);

} // namespace fabricscope::test

/// Skips the running test, visibly, when the shared folder is absent. A missing file inside a present folder is a failure.
#define FABRICSCOPE_NEEDS_SHARED(variable)                                                     \
    const auto variable##Folder = fabricscope::test::sharedFolder();                           \
    if (!variable##Folder)                                                                     \
        QSKIP("the shared folder is absent (FABRICSCOPE_SHARED)");                              \
    const std::string variable = *variable##Folder
