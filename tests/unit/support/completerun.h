#pragma once

#include "core/design/file/readdesign.h"
#include "core/run/rundesign.h"

#include <memory>
#include <string>

namespace fabricscope::test {

/// The run of a design in words; null: it cannot be read or run, or never ends.
inline RunResultPtr completeRun(const std::string& text)
{
    const auto loaded = readDesignText(text, {});
    if (!loaded)
        return nullptr;
    const auto run = runDesign(std::make_shared<const Design>(loaded.value().design), {}, {});
    return run && run.value()->record().complete ? run.value() : nullptr;
}

} // namespace fabricscope::test
