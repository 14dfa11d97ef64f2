#pragma once

#include "core/design/design.h"

#include <QObject>

#include <memory>
#include <stop_token>

namespace fabricscope {

struct Reconciliation;

/// Takes the difference of two models of one design apart, on a worker thread.
class ModelComparison : public QObject
{
    Q_OBJECT
public:
    explicit ModelComparison(QObject* parent = nullptr);
    ~ModelComparison() override;

    void start(std::shared_ptr<const Design> design, Model from, Model to);
    void cancel();
    bool isBusy() const { return m_busy; }

signals:
    void busyChanged(bool busy);
    void finished(std::shared_ptr<const fabricscope::Reconciliation> reconciliation);
    void failed(const fabricscope::Error& error);

private:
    std::stop_source m_stop;
    int m_number = 0;
    bool m_busy = false;
};

} // namespace fabricscope
