// The Study workspace in the whole window: what opens there, the example, a design of it opened.
#include "sourcedir.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/design/document.h"
#include "widgets/start/cards.h"
#include "widgets/study/variantspage.h"
#include "widgets/study/variantsstart.h"

#include <QAction>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

class WindowStudyTest : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { useOwnHome(m_home); }

    void V1_aStudyOpensInItsWorkspace()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("rails.yaml"));
        QVERIFY(QFile::copy(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/study/rail-bandwidth.yaml"), path));
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        auto& page = part<VariantsPage>(*window);
        window->files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(page.runner()->study() && page.runner()->isSettled(), 60'000);
        QVERIFY(page.isVisible());
        QCOMPARE(window->workspace(), QStringLiteral("study"));
        QCOMPARE(page.countText(), QStringLiteral("24 designs"));
        const QSignalSpy ended(page.runner(), &VariantRunner::ended);
        window->commands().action(QStringLiteral("study.run"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 60'000);
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("rails.sqlite"))));
    }

    void V1_theExampleBecomesAFileOfTheUser()
    {
        const auto window = shownWindow({1280, 800});
        QVERIFY(window);
        window->commands().action(QStringLiteral("view.study"))->trigger();
        auto& page = part<VariantsPage>(*window);
        QVERIFY(page.isVisible());
        page.start()->findChild<StartRow*>(QStringLiteral("rail-bandwidth.yaml"))->click();
        QTRY_VERIFY_WITH_TIMEOUT(page.runner()->study() && page.runner()->isSettled(), 60'000);
        QVERIFY(page.runner()->study()->file.startsWith(m_home.path()));
        QVERIFY(QFile::exists(page.runner()->study()->file));
    }

private:
    QTemporaryDir m_home;
};

} // namespace

FABRICSCOPE_GUI_TEST(WindowStudyTest)
#include "tst_window_study.moc"
