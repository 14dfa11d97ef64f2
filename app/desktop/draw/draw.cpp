// Joins the Draw workspace to the rest of the window.
#include "app/desktop/filecommands.h"
#include "app/desktop/workspace.h"
#include "widgets/base/actions.h"
#include "widgets/design/document.h"
#include "widgets/draw/fabricworkspace.h"
#include "widgets/draw/grapheditor.h"

#include <QCoreApplication>
#include <QTimer>

#include <optional>
#include <utility>

namespace fabricscope {

namespace {

class DrawPage : public Workspace
{
    Q_DECLARE_TR_FUNCTIONS(fabricscope::DrawPage)
public:
    explicit DrawPage(Desk& desk) : Workspace(&desk), m_desk(desk), m_draw(new DrawWorkspace)
    {
        m_draw->setDocument(&desk.document());
        connect(m_draw, &DrawWorkspace::newRequested, this, [this] { startEmpty(); });
        connect(m_draw, &DrawWorkspace::designRequested, this, &DrawPage::start);
        connect(m_draw, &DrawWorkspace::refused, this, [this](const QString& text) { m_desk.warn(text); });
        connect(m_draw, &DrawWorkspace::pointerMoved, this, [this](const QString& text) { m_desk.say(text); });
        connect(m_draw->editor(), &GraphEditor::forcingChanged, this, &Workspace::undoChanged);
        // What is opened comes on show in Explore first.
        connect(&desk.files(), &FileCommands::opened, this, [this] {
            if (std::exchange(m_starting, false))
                m_desk.setWorkspace(QStringLiteral("draw"));
        }, Qt::QueuedConnection);
        connect(command("draw.new"), &QAction::triggered, this, [this] { startEmpty(); });
        connect(command("draw.duplicate"), &QAction::triggered, this, [this] { m_draw->editor()->duplicate(); });
        connect(command("draw.group"), &QAction::triggered, this, [this] { m_draw->group(); });
        connect(command("draw.ungroup"), &QAction::triggered, this, [this] { m_draw->editor()->ungroup(); });
        connect(command("draw.outline"), &QAction::triggered, this, [this] {
            m_desk.setWorkspace(QStringLiteral("draw"));
            m_draw->openOutline();
        });
        connect(command("draw.layout"), &QAction::triggered, this, [this] { m_draw->layOutAgain(); });
        connect(command("draw.line"), &QAction::triggered, this, [this] {
            m_desk.setWorkspace(QStringLiteral("draw"));
            m_draw->openLine();
        });
        setCommandsEnabled(false);
    }

    QWidget* page() override { return m_draw; }

    void activate() override
    {
        setCommandsEnabled(true);
        DesignDocument& document = m_desk.document();
        const bool untouched = document.undoStack().count() == 0 && !document.isModified();
        if (document.text().empty() && !document.hasFile() && untouched) // There is nothing to draw in yet, and nothing to go back to.
            static_cast<void>(document.setText(DrawWorkspace::emptyDesign().toStdString(), document.displayName()));
        m_draw->takeFocus();
        QTimer::singleShot(0, this, &Workspace::ready);
    }

    void deactivate() override { setCommandsEnabled(false); }

    void showDesign() override { m_draw->showDesign(); }

    /// While parts are on their way they go back, and nothing else is undone.
    std::optional<UndoTarget> undoTarget() const override
    {
        GraphEditor* const editor = m_draw->editor();
        return editor->isForcing() ? std::optional(UndoTarget{true, false, [editor] { editor->stopForces(false); }, {}}) : std::nullopt;
    }

    bool needsRun() const override { return false; }

private:
    QAction* command(const char* id) { return m_desk.commands().action(QString::fromLatin1(id)); }

    /// Keys of the page mean other things elsewhere.
    void setCommandsEnabled(bool enabled)
    {
        for (const char* id : {"draw.duplicate", "draw.layout", "draw.group", "draw.ungroup"})
            command(id)->setEnabled(enabled);
    }

    void startEmpty() { start(DrawWorkspace::emptyDesign(), tr("Untitled.yaml")); }

    void start(const QByteArray& text, const QString& name)
    {
        m_starting = m_desk.files().openText(text, name); // What it answers comes later.
    }

    Desk& m_desk;
    DrawWorkspace* m_draw;
    bool m_starting = false; ///< A new design is on its way.
};

} // namespace

WorkspaceRow drawWorkspace()
{
    static constexpr CommandRow kShow[] = {
        {"view.draw", QT_TRANSLATE_NOOP("fabricscope::Commands", "View"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Dra&w"), "Ctrl+7", QT_TRANSLATE_NOOP("fabricscope::Commands", "Draw the platform part by part"), "draw", true},
    };
    static constexpr CommandRow kCommands[] = {
        {"draw.new", QT_TRANSLATE_NOOP("fabricscope::Commands", "Draw"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&New empty design"), "Ctrl+Shift+N", QT_TRANSLATE_NOOP("fabricscope::Commands", "Start a design with an empty page to draw on"), "new"},
        {"draw.line", QT_TRANSLATE_NOOP("fabricscope::Commands", "Draw"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Fabric in one &line"), "Ctrl+K", QT_TRANSLATE_NOOP("fabricscope::Commands", "Type the fabric, with its figures at each key"), "layout"},
        {"draw.duplicate", QT_TRANSLATE_NOOP("fabricscope::Commands", "Draw"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Duplicate with links"), "Ctrl+D", QT_TRANSLATE_NOOP("fabricscope::Commands", "Copy the selected parts, joined as they are"), "copy"},
        {"draw.group", QT_TRANSLATE_NOOP("fabricscope::Commands", "Draw"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Group into a blueprint"), "Ctrl+G", QT_TRANSLATE_NOOP("fabricscope::Commands", "Make the selected parts one thing that is drawn once and used several times"), "group"},
        {"draw.ungroup", QT_TRANSLATE_NOOP("fabricscope::Commands", "Draw"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Ungroup"), "Ctrl+Shift+G", QT_TRANSLATE_NOOP("fabricscope::Commands", "Parts of the selected blueprint are edited one by one again"), "expand"},
        {"draw.outline", QT_TRANSLATE_NOOP("fabricscope::Commands", "Draw"), QT_TRANSLATE_NOOP("fabricscope::Commands", "&Outline"), "Ctrl+Shift+O", QT_TRANSLATE_NOOP("fabricscope::Commands", "The design as a tree: levels, blueprints, parts, single overrides"), "layout"},
        {"draw.layout", QT_TRANSLATE_NOOP("fabricscope::Commands", "Draw"), QT_TRANSLATE_NOOP("fabricscope::Commands", "Lay out &again"), "Ctrl+Alt+L", QT_TRANSLATE_NOOP("fabricscope::Commands", "Put all parts, or the selected ones, by the layout chosen"), "layout"},
    };
    return {"draw", [](Desk& desk) -> Workspace* { return new DrawPage(desk); }, kShow, kCommands};
}

} // namespace fabricscope
