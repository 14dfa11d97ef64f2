#include "widgets/base/searchrunner.h"

namespace fabricscope {

SearchRunner::SearchRunner(QObject* parent) : QObject(parent)
{
    m_timer.setInterval(kPollMs);
    connect(&m_timer, &QTimer::timeout, this, &SearchRunner::poll);
}

SearchRunner::~SearchRunner()
{
    stop();
    m_thread.waitForDone();
}

void SearchRunner::stop()
{
    m_stop.request_stop();
}

} // namespace fabricscope
