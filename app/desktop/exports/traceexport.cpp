#include "app/desktop/exports/traceexport.h"

#include "core/report/timedtraces.h"
#include "widgets/base/background.h"

#include <QFile>
#include <QStringList>

namespace fabricscope {

TraceExport::TraceExport(QObject* parent) : QObject(parent) {}

TraceExport::~TraceExport()
{
    m_stop.request_stop();
}

void TraceExport::start(RunResultPtr run, const QString& prefix)
{
    m_stop = std::stop_source();
    m_busy = true;
    emit busyChanged(true);
    inBackground(
        this,
        [run = std::move(run), name = QFile::encodeName(prefix).toStdString(), stop = m_stop.get_token()] {
            return writeTimedTraces(name, run->record(), *run->scenario->structure->workload, nullptr, stop);
        },
        [this, prefix](const Result<Diagnostics>& notes) {
            m_busy = false;
            emit busyChanged(false);
            if (!notes)
                return emit failed(notes.error());
            QStringList said{tr("Traces written: %1").arg(prefix + QStringLiteral(".0.et"))};
            for (const Diagnostic& note : notes.value())
                said << QString::fromStdString(note.message);
            emit finished(said.join(QStringLiteral("; ")));
        });
}

} // namespace fabricscope
