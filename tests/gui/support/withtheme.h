#pragma once

#include "widgets/base/apptheme.h"

namespace fabricscope::test {

/// The application has this theme, and in the end the one it had before.
class WithTheme {
public:
    explicit WithTheme(const Theme& theme) : m_before(AppTheme::global().theme()) { AppTheme::global().set(theme); }
    ~WithTheme() { AppTheme::global().set(m_before); }
    WithTheme(const WithTheme&) = delete;
    WithTheme& operator=(const WithTheme&) = delete;

private:
    Theme m_before;
};

} // namespace fabricscope::test
