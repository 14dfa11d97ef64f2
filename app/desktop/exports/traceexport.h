#pragma once

#include "core/run/rundesign.h"

#include <QObject>

#include <stop_token>

namespace fabricscope {

/// Writes the tasks of a run with their times as Chakra traces, on a worker thread: all files or, cancelled or failed, none.
class TraceExport : public QObject
{
    Q_OBJECT
public:
    explicit TraceExport(QObject* parent = nullptr);
    ~TraceExport() override;

    /// PREFIX.0.et, PREFIX.1.et, ... \pre not busy; the run has its scenario and its timeline.
    void start(RunResultPtr run, const QString& prefix);
    void cancel() { m_stop.request_stop(); }
    bool isBusy() const { return m_busy; }

signals:
    void busyChanged(bool busy);
    void finished(const QString& said); ///< Where they are, and what they do not keep.
    void failed(const fabricscope::Error& error); ///< Also Cancelled.

private:
    std::stop_source m_stop;
    bool m_busy = false;
};

} // namespace fabricscope
