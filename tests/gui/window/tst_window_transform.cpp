// The Transform workspace in the whole window: what opens there, undo of the window, commands.
#include "sourcedir.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/transform/rewritepage.h"

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

class WindowTransformTest : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { useOwnHome(m_home); }

    void X1_aProgramOpensInItsWorkspaceAndUndoIsItsOwn()
    {
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        auto& page = part<RewritePage>(*window);
        RewriteDocument& document = *page.document();
        for (const char* const name : {"adam.lua", "adam.yaml"}) {
            window->files().openPaths({QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/transform/") + QLatin1StringView(name)});
            QTRY_COMPARE(document.displayName(), QLatin1StringView(name));
            QTRY_VERIFY(document.isSettled() && document.traced());
            QVERIFY(page.isVisible());
            QCOMPARE(document.traced()->schedule.size(), std::size_t{5});
        }
        document.removeStep(4);
        QTRY_VERIFY(document.isSettled() && document.traced()->schedule.size() == 4);
        QAction* const undo = window->commands().action(QStringLiteral("edit.undo"));
        QVERIFY(undo->isEnabled());
        undo->trigger();
        QTRY_VERIFY(document.isSettled() && document.traced()->schedule.size() == 5);
        QVERIFY(!document.isModified());
        // A command of the menu searches beside the window.
        window->commands().action(QStringLiteral("transform.search"))->trigger();
        QVERIFY(document.isSearching() || document.search());
        QTRY_VERIFY(!document.isSearching() && document.search() && document.search()->complete);
    }

private:
    QTemporaryDir m_home;
};

} // namespace

FABRICSCOPE_GUI_TEST(WindowTransformTest)
#include "tst_window_transform.moc"
