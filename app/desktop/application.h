#pragma once

#include "core/base/error.h"

#include <QApplication>

namespace fabricscope {

/// The application of the window. What is thrown on the thread of the window, which is want of memory, ends where the event came from:
/// it is told, the document is as it was, and the program goes on.
class Application : public QApplication
{
    Q_OBJECT
public:
    Application(int& argc, char** argv) : QApplication(argc, argv) {}

    bool notify(QObject* receiver, QEvent* event) override;

signals:
    /// Comes from the event loop, once for many that follow one another.
    void failed(const fabricscope::Error& error);

private:
    void tell(const Error& error);

    bool m_telling = false;
};

} // namespace fabricscope
