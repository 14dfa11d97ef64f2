#pragma once

#include <QtGlobal>

#include <string>

namespace fabricscope {

/// Where there is no display, or none that Qt can use, Qt aborts. While one of these lives the program says so in a sentence instead and
/// ends with exit code 2. It lives while the QApplication is made. At most one at a time.
class DisplayGuard {
public:
    DisplayGuard();
    ~DisplayGuard();
    DisplayGuard(const DisplayGuard&) = delete;
    DisplayGuard& operator=(const DisplayGuard&) = delete;

    /// No display is named at all: what to say then, else empty.
    static std::string missing();

private:
    static void hear(QtMsgType type, const QMessageLogContext& context, const QString& text);

    QtMessageHandler m_before;
};

} // namespace fabricscope
