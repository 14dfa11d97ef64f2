#include "app/desktop/workspace.h"

namespace fabricscope {

/// The table: NAME is made by the folder of its name.
#define FABRICSCOPE_WORKSPACES(ROW) \
    ROW(draw) \
    ROW(workload) \
    ROW(transform) \
    ROW(step) \
    ROW(compare) \
    ROW(study) \
    ROW(programs) \
    ROW(report) \
    ROW(start)

#define FABRICSCOPE_DECLARE(NAME) WorkspaceRow NAME##Workspace();
FABRICSCOPE_WORKSPACES(FABRICSCOPE_DECLARE)
#undef FABRICSCOPE_DECLARE

const std::vector<WorkspaceRow>& workspaceRows()
{
#define FABRICSCOPE_ROW(NAME) NAME##Workspace(),
    static const std::vector<WorkspaceRow> rows{FABRICSCOPE_WORKSPACES(FABRICSCOPE_ROW)};
#undef FABRICSCOPE_ROW
    return rows;
}

QStringList workspaceKeys()
{
    QStringList keys{QStringLiteral("explore")};
    for (const WorkspaceRow& row : workspaceRows())
        keys.append(QString::fromLatin1(row.key));
    return keys;
}

} // namespace fabricscope
