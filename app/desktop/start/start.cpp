// Joins the start page to the rest of the window.
#include "app/desktop/filecommands.h"
#include "app/desktop/workspace.h"
#include "widgets/start/page.h"
#include "widgets/start/recentfiles.h"

#include <QTimer>

namespace fabricscope {

namespace {

class StartWorkspace : public Workspace
{
public:
    explicit StartWorkspace(Desk& desk) : Workspace(&desk), m_start(new StartPage(&desk.files().recent()))
    {
        connect(m_start, &StartPage::openPath, this, [&desk](const QString& path) { desk.files().openPaths({path}); });
        connect(m_start, &StartPage::openText, this, [&desk](const QString& text, const QString& name) { desk.files().openText(text.toUtf8(), name); });
    }

    QWidget* page() override { return m_start; }
    void activate() override { QTimer::singleShot(0, this, &Workspace::ready); }
    bool needsRun() const override { return false; }

private:
    StartPage* m_start;
};

} // namespace

WorkspaceRow startWorkspace()
{
    return {"start", [](Desk& desk) -> Workspace* { return new StartWorkspace(desk); }, {}, {}};
}

} // namespace fabricscope
