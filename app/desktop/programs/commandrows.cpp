// What the window knows of the Programs workspace before it is made: its commands.
#include "app/desktop/programs/programs.h"

#include <QtGlobal>

namespace fabricscope {

WorkspaceRow programsWorkspace()
{
    static constexpr CommandRow kShow[] = {
        {"view.programs", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Pro&grams"), "Ctrl+6", QT_TRANSLATE_NOOP("fabricscope::Commands", "Write collectives as programs, check and draw them"), "storyboard", true},
    };
    static constexpr CommandRow kCommands[] = {
        {"program.new", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&New program"), "Ctrl+Alt+N", QT_TRANSLATE_NOOP("fabricscope::Commands", "Start the text of a collective"), "new"},
        {"program.examples", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "E&xample programs…"), "Ctrl+Alt+E", QT_TRANSLATE_NOOP("fabricscope::Commands", "Choose one of the programs that come with Fabricscope"), "explain"},
        {"program.generate", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Generate…"), "Ctrl+Alt+G", QT_TRANSLATE_NOOP("fabricscope::Commands", "Make the program of a known algorithm for a group of any size"), "ring"},
        {"program.synthesise", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Synthesise…"), "Ctrl+Alt+Y", QT_TRANSLATE_NOOP("fabricscope::Commands", "Search for a program made for the platform of the design"), "search"},
        {"program.use", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Use in design…"), "Ctrl+Alt+U", QT_TRANSLATE_NOOP("fabricscope::Commands", "Run collectives of the design with this program"), "add-dimension"},
        {"program.check", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Check again"), "F7", QT_TRANSLATE_NOOP("fabricscope::Commands", "Read, verify and draw the text now"), "ok"},
        {"program.next", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Next &finding"), "Shift+F8", QT_TRANSLATE_NOOP("fabricscope::Commands", "Go to the line of the next finding"), "warning"},
        {"program.export", QT_TRANSLATE_NOOP("fabricscope::Commands", "Program"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Export program…"), "Ctrl+Alt+X", QT_TRANSLATE_NOOP("fabricscope::Commands", "Write the program as MSCCL XML, JSON or Chakra graphs"), "export"},
    };
    return {"programs", [](Desk& desk) -> Workspace* { return new ProgramsPage(desk); }, kShow, kCommands};
}

} // namespace fabricscope
