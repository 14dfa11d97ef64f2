#include "app/desktop/commands.h"

#include "app/desktop/timelinetools.h"
#include "app/desktop/workspace.h"
#include "widgets/base/actions.h"

#include <QCoreApplication>

namespace fabricscope {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope::Commands", text);
}

// Shortcuts keep clear of single letters, which belong to the timeline and the stepper.

/// Before the commands that bring workspaces on show, ...
constexpr CommandRow kFirstCommands[] = {
    {"file.new", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&New design"), "Ctrl+N", QT_TRANSLATE_NOOP("fabricscope::Commands", "Start a design from a template, a preset or an example"), "new"},
    {"file.open", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Open…"), "Ctrl+O", QT_TRANSLATE_NOOP("fabricscope::Commands", "Open a design, ASTRA-sim inputs, Chakra traces or a saved run"), "open"},
    {"file.save", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Save"), "Ctrl+S", QT_TRANSLATE_NOOP("fabricscope::Commands", "Save the design; comments stay"), "save"},
    {"file.saveAs", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Save &as…"), "Ctrl+Shift+S", QT_TRANSLATE_NOOP("fabricscope::Commands", "Save the design under another name"), "save"},
    {"file.saveRun", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Save &run…"), "Ctrl+Alt+S", QT_TRANSLATE_NOOP("fabricscope::Commands", "Save the result with every task time, for later reports"), "save"},
    {"file.exportReport", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Export r&eport…"), "Ctrl+E", QT_TRANSLATE_NOOP("fabricscope::Commands", "Write the report as HTML or PDF"), "export"},
    {"file.exportPicture", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Export &picture…"), "Ctrl+Shift+E", QT_TRANSLATE_NOOP("fabricscope::Commands", "Write the view that has the focus, the platform or the timeline as PNG or SVG"), "export"},
    {"file.exportTraces", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Export &traces…"), "Ctrl+Alt+Shift+E", QT_TRANSLATE_NOOP("fabricscope::Commands", "Write the tasks with their times as Chakra traces, one per rank, and communicator groups"), "export"},

    {"edit.undo", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Undo"), "Ctrl+Z", QT_TRANSLATE_NOOP("fabricscope::Commands", "Take the last change of the design back"), "undo"},
    {"edit.redo", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Redo"), "Ctrl+Shift+Z; Ctrl+Y", QT_TRANSLATE_NOOP("fabricscope::Commands", "Make the change again"), "redo"},
    {"edit.back", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Selection &before"), "Alt+Left", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go back to what was selected before, where it was"), "back"},
    {"edit.forward", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Selection &after"), "Alt+Right", QT_TRANSLATE_NOOP("fabricscope::Commands", "Select again what was gone back from"), "forward"},
    {"edit.copyPicture", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Copy picture"), "Ctrl+Shift+C", QT_TRANSLATE_NOOP("fabricscope::Commands", "Copy the view that has the focus as a picture; with Ctrl and Shift any view is dragged out"), "export"},
    {"edit.find", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Find element…"), "Ctrl+P", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to an NPU, link, task, collective, dimension, file or setting"), "search"},
    {"edit.command", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Find c&ommand…"), "Ctrl+Shift+P", QT_TRANSLATE_NOOP("fabricscope::Commands", "Do any command by its name"), "search"},
    {"macro.record", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Recor&d macro"), "Ctrl+Shift+M", QT_TRANSLATE_NOOP("fabricscope::Commands", "Write down what is done from now on, to do it again; once more ends and keeps it"), "record", true},
    {"macro.replay", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Replay &macro…"), "Ctrl+Shift+L", QT_TRANSLATE_NOOP("fabricscope::Commands", "Do again what a macro says; while one is done, stop it"), "play"},
    {"edit.settings", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Settings…"), "Ctrl+,", QT_TRANSLATE_NOOP("fabricscope::Commands", "Theme, size of the text, threads, automatic copies, panels"), "settings"},

    {"view.explore", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Explore"), "Ctrl+1", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit, run and look on one page"), "layout", true},
};

/// ... between them and the commands of workspaces, ...
constexpr CommandRow kMiddleCommands[] = {
    {"view.design", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Design panel"), "Ctrl+Alt+D", QT_TRANSLATE_NOOP("fabricscope::Commands", "Show or hide the design panel"), "settings", true},
    {"view.inspector", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Inspector"), "Ctrl+Alt+I", QT_TRANSLATE_NOOP("fabricscope::Commands", "Show or hide the inspector"), "info", true},
    {"view.tables", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Tables"), "Ctrl+Alt+B", QT_TRANSLATE_NOOP("fabricscope::Commands", "Show or hide tables, charts, issues and log"), "matrix", true},
    {"view.fitPlatform", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Fit &platform"), "Ctrl+Alt+0", QT_TRANSLATE_NOOP("fabricscope::Commands", "Show the whole platform"), "fit"},
    {"view.fitTimeline", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Fit timeline"), "Ctrl+Alt+9", QT_TRANSLATE_NOOP("fabricscope::Commands", "Show the whole run"), "fit"},
    {"view.dark", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Dar&k theme"), "Ctrl+Alt+T", QT_TRANSLATE_NOOP("fabricscope::Commands", "Switch between light and dark"), "settings", true},
    {"view.patterns", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Patterns on inter&vals"), "Ctrl+Alt+H", QT_TRANSLATE_NOOP("fabricscope::Commands", "Tell kinds of activity apart by pattern as well as colour"), "flow-arrows", true},
    {"view.larger", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Larger text"), "Ctrl+Alt++; Ctrl+Alt+=", QT_TRANSLATE_NOOP("fabricscope::Commands", "Make all text larger"), "plus"},
    {"view.smaller", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "S&maller text"), "Ctrl+Alt+-", QT_TRANSLATE_NOOP("fabricscope::Commands", "Make all text smaller"), "minus"},
    {"view.reset", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Reset la&yout"), "Ctrl+Alt+R", QT_TRANSLATE_NOOP("fabricscope::Commands", "Put panels and splitters back where they were at first"), "layout"},

    {"design.addDimension", QT_TRANSLATE_NOOP("fabricscope::Commands", "Design"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Add dimension"), "Ctrl+Shift+D", QT_TRANSLATE_NOOP("fabricscope::Commands", "Add an outermost dimension to the platform"), "add-dimension"},
    {"design.yaml", QT_TRANSLATE_NOOP("fabricscope::Commands", "Design"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit as &YAML"), "Ctrl+Shift+Y", QT_TRANSLATE_NOOP("fabricscope::Commands", "Edit the text of the design"), "report", true},
    {"design.issues", QT_TRANSLATE_NOOP("fabricscope::Commands", "Design"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Next &issue"), "F8", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to the field of the next issue"), "warning"},

    {"run.start", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Run"), "F5", QT_TRANSLATE_NOOP("fabricscope::Commands", "Simulate the design"), "run"},
    {"run.stop", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Stop"), "Shift+F5", QT_TRANSLATE_NOOP("fabricscope::Commands", "Stop the run and keep what there is"), "stop"},
    {"run.live", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Live"), "Ctrl+L", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run again after every edit"), "live", true},
    {"run.pin", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Pin as baseline"), "Ctrl+B", QT_TRANSLATE_NOOP("fabricscope::Commands", "Compare every later result with this one"), "pin", true},
    {"run.links", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Model l&inks"), "Ctrl+Alt+1", QT_TRANSLATE_NOOP("fabricscope::Commands", "Links, ports and reducers shared as in hardware"), "link", true},
    {"run.ideal", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Model i&deal"), "Ctrl+Alt+2", QT_TRANSLATE_NOOP("fabricscope::Commands", "The same without sharing: the optimistic twin"), "link", true},
    {"run.flow", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Model &flow"), "Ctrl+Alt+5", QT_TRANSLATE_NOOP("fabricscope::Commands", "Messages share links at max-min fair rates"), "link", true},
    {"run.astra-unaware", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Model astra-&unaware"), "Ctrl+Alt+3", QT_TRANSLATE_NOOP("fabricscope::Commands", "The answers of ASTRA-sim without congestion"), "link", true},
    {"run.astra-aware", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Model astra-a&ware"), "Ctrl+Alt+4", QT_TRANSLATE_NOOP("fabricscope::Commands", "The answers of ASTRA-sim with congestion"), "link", true},
    {"run.compareModels", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Explain another model…"), "Ctrl+M", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run under a second model and take the difference apart"), "compare"},
    {"run.stepThrough", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Step &through collective"), "Ctrl+Return", QT_TRANSLATE_NOOP("fabricscope::Commands", "Follow the selected collective move by move"), "chunk"},
};

/// ... and behind those.
constexpr CommandRow kLastCommands[] = {
    {"file.quit", QT_TRANSLATE_NOOP("fabricscope::Commands", "File"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Quit"), "Ctrl+Q", QT_TRANSLATE_NOOP("fabricscope::Commands", "Close the window; unsaved changes are asked about"), "stop"},
    {"help.shortcuts", QT_TRANSLATE_NOOP("fabricscope::Commands", "Help"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Shortcuts"), "?", QT_TRANSLATE_NOOP("fabricscope::Commands", "List every command with its keys"), "explain"},
    {"help.manual", QT_TRANSLATE_NOOP("fabricscope::Commands", "Help"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Manual"), "F1", QT_TRANSLATE_NOOP("fabricscope::Commands", "What a time means, algorithms, formats, the language"), "explain"},
    {"help.tour", QT_TRANSLATE_NOOP("fabricscope::Commands", "Help"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Open the example"), "Ctrl+F1", QT_TRANSLATE_NOOP("fabricscope::Commands", "Open the two-level example again"), "explain"},
    {"help.guide", QT_TRANSLATE_NOOP("fabricscope::Commands", "Help"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Guided tour"), "Ctrl+Shift+F1", QT_TRANSLATE_NOOP("fabricscope::Commands", "See what the program does, in five minutes, on the two-level example"), "explain"},
    {"help.about", QT_TRANSLATE_NOOP("fabricscope::Commands", "Help"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&About Fabricscope"), "Shift+F1", QT_TRANSLATE_NOOP("fabricscope::Commands", "Version, commit and licence"), "info"},
};

void addRows(ActionRegistry& registry, std::span<const CommandRow> rows)
{
    for (const CommandRow& row : rows) {
        Command command;
        command.id = QString::fromLatin1(row.id);
        command.menu = tr(row.menu);
        command.text = tr(row.text);
        for (const QString& keys : QString::fromLatin1(row.shortcuts).split(QStringLiteral("; ")))
            command.shortcuts.append(QKeySequence::fromString(keys, QKeySequence::PortableText));
        command.statusTip = tr(row.statusTip);
        command.icon = QString::fromLatin1(row.icon);
        command.checkable = row.checkable;
        registry.add(command);
    }
}

} // namespace

void registerCommands(ActionRegistry& registry)
{
    addRows(registry, kFirstCommands);
    for (const WorkspaceRow& workspace : workspaceRows())
        addRows(registry, workspace.view);
    addRows(registry, kMiddleCommands);
    addRows(registry, timelineCommands());
    for (const WorkspaceRow& workspace : workspaceRows())
        addRows(registry, workspace.commands);
    addRows(registry, kLastCommands);
}

} // namespace fabricscope
