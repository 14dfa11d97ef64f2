#include "app/desktop/application.h"

#include "core/base/outofmemory.h"
#include "widgets/base/background.h"

#include <QTimer>

namespace fabricscope {

bool Application::notify(QObject* receiver, QEvent* event)
{
    bool taken = false;
    const Status status = attempted([&]() -> Status {
        taken = QApplication::notify(receiver, event);
        return {};
    });
    if (!status)
        tell(status.error());
    return taken;
}

void Application::tell(const Error& error)
{
    if (m_telling)
        return;
    m_telling = true;
    try {
        QTimer::singleShot(0, this, [this, error] {
            m_telling = false;
            emit failed(error);
        });
    } catch (const std::bad_alloc&) {
        m_telling = false; // The next one may find memory.
    }
}

} // namespace fabricscope
