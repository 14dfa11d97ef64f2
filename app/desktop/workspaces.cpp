#include "app/desktop/workspace.h"

#include <QtGlobal>

namespace fabricscope {

// Each is made by the folder of its name and owned by the window.
Workspace* makeStepWorkspace(Desk& desk);
Workspace* makeProgramsWorkspace(Desk& desk);
Workspace* makeReportWorkspace(Desk& desk);
Workspace* makeStartWorkspace(Desk& desk);
std::span<const CommandRow> programCommands();

namespace {

constexpr CommandRow kShowStep[] = {
    {"view.step", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Step"), "Ctrl+3", QT_TRANSLATE_NOOP("fabricscope::Commands", "Follow one collective move by move"), "chunk", true},
};
constexpr CommandRow kShowPrograms[] = {
    {"view.programs", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Pro&grams"), "Ctrl+6", QT_TRANSLATE_NOOP("fabricscope::Commands", "Write collectives as programs, check and draw them"), "storyboard", true},
};
constexpr CommandRow kShowReport[] = {
    {"view.report", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Report"), "Ctrl+5", QT_TRANSLATE_NOOP("fabricscope::Commands", "Read the report and choose its sections"), "report", true},
};

} // namespace

std::span<const WorkspaceRow> workspaceRows()
{
    static const WorkspaceRow rows[] = {
        {"step", makeStepWorkspace, kShowStep, {}},
        {"programs", makeProgramsWorkspace, kShowPrograms, programCommands()},
        {"report", makeReportWorkspace, kShowReport, {}},
        {"start", makeStartWorkspace, {}, {}},
    };
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
