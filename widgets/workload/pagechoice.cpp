#include "widgets/workload/pagechoice.h"

#include "core/plan/planspec.h"
#include "widgets/base/showntexts.h"
#include "widgets/design/document.h"
#include "widgets/workload/sharddesign.h"

#include <QCoreApplication>

#include <algorithm>

namespace fabricscope::workloadtext {

bool saysGraph(const DesignDocument& document)
{
    return shardProblemOf(*document.design()) || (document.yaml() && document.yaml()->find("workload.shard"));
}

bool saysPlan(const DesignDocument& document)
{
    const auto workload = document.design()->workload;
    if (const auto* const planned = workload ? std::get_if<PlannedWorkload>(workload.get()) : nullptr)
        return !planned->plan->graph;
    return document.yaml() && (document.yaml()->find("workload.plan") || document.yaml()->find("workload.model"));
}

QString firstProblem(const DesignDocument& document)
{
    const auto found = std::ranges::find(document.issues(), Severity::Error, &Diagnostic::severity);
    if (found == document.issues().end())
        return {};
    QString text = texts::shown(found->message);
    if (found->place.line > 0)
        text = QCoreApplication::translate("Workload", "Line %1: %2").arg(found->place.line).arg(text);
    return found->expected.empty() ? text : text + QCoreApplication::translate("Workload", "\nExpected: %1").arg(texts::shown(found->expected));
}

} // namespace fabricscope::workloadtext
