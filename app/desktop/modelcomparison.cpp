#include "app/desktop/modelcomparison.h"

#include "core/insight/reconcile.h"
#include "widgets/base/background.h"

namespace fabricscope {

ModelComparison::ModelComparison(QObject* parent) : QObject(parent) {}

ModelComparison::~ModelComparison()
{
    m_stop.request_stop();
}

void ModelComparison::start(std::shared_ptr<const Design> design, Model from, Model to)
{
    m_stop.request_stop();
    m_stop = std::stop_source();
    const int number = ++m_number;
    m_busy = true;
    emit busyChanged(true);
    inBackground(
        this,
        [design = std::move(design), from, to, stop = m_stop.get_token()]() -> Result<std::shared_ptr<const Reconciliation>> {
            Result<Reconciliation> found = reconcile(design, {}, from, to, {}, stop);
            if (!found)
                return std::move(found).error();
            return std::make_shared<const Reconciliation>(std::move(found).value());
        },
        [this, number](const Result<std::shared_ptr<const Reconciliation>>& found) {
            if (number != m_number)
                return;
            m_busy = false;
            emit busyChanged(false);
            if (found)
                emit finished(found.value());
            else if (found.error().code != ErrorCode::Cancelled)
                emit failed(found.error());
        });
}

void ModelComparison::cancel()
{
    if (!m_busy)
        return;
    m_stop.request_stop();
    ++m_number;
    m_busy = false;
    emit busyChanged(false);
}

} // namespace fabricscope
