// Going to shipped examples and settings by their names (Ctrl+P).
#include "app/desktop/resulthistory.h"
#include "tests/gui/support/runresults.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/design/document.h"
#include "widgets/design/panel.h"
#include "widgets/start/commandpalette.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr int kGoToMs = 60'000;

} // namespace

class WindowGoToTest : public QObject
{
    Q_OBJECT
    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    QStringList palette(const QString& typed)
    {
        auto& palette = part<CommandPalette>(*m_window);
        palette.open(CommandPalette::Scope::Elements, typed);
        const QAbstractItemModel* lines = palette.findChild<QListView*>()->model();
        QStringList titles;
        for (int row = 0; row < lines->rowCount(); ++row)
            titles.append(lines->index(row, 0).data().toString());
        return titles;
    }

    /// Goes down to the line of this title and takes it.
    void pick(const QString& typed, const QString& title)
    {
        const QStringList titles = palette(typed);
        QVERIFY2(titles.contains(title), qPrintable(titles.join(QLatin1Char('|'))));
        auto* field = part<CommandPalette>(*m_window).findChild<QLineEdit*>();
        for (qsizetype down = titles.indexOf(title); down > 0; --down)
            QTest::keyClick(field, Qt::Key_Down);
        QTest::keyClick(field, Qt::Key_Return);
    }

    void open()
    {
        QVERIFY(m_window->files().openText(kTwoRanks, QStringLiteral("two.yaml")));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kGoToMs);
    }

private slots:
    void initTestCase() { useOwnHome(m_home); }

    void init()
    {
        m_window = shownWindow({1600, 1000});
        QVERIFY(m_window);
    }

    void cleanup() { m_window.reset(); }

    void W1_examplesAreFoundByTitleAndByFile()
    {
        QVERIFY(palette(QStringLiteral("ring-torus.yaml")).contains(QStringLiteral("All-reduce on a 4 x 4 x 4 torus")));
        pick(QStringLiteral("pipeline of four"), QStringLiteral("Pipeline of four stages"));
        QCOMPARE(m_window->document().displayName(), QStringLiteral("pipeline.yaml"));
    }

    void W1_aSettingOfTheDesignOpensItsField()
    {
        open();
        m_window->setWorkspace(QStringLiteral("report"));
        pick(QStringLiteral("chunks of"), QStringLiteral("Chunks of collectives"));
        QCOMPARE(m_window->workspace(), QStringLiteral("explore"));
        const auto& panel = part<DesignPanel>(*m_window);
        QVERIFY(m_window->focusWidget() && panel.isAncestorOf(m_window->focusWidget()));
        // Where the panel was closed it is there again.
        m_window->commands().action(QStringLiteral("view.design"))->trigger();
        QVERIFY(!panel.isVisible());
        pick(QStringLiteral("question of the design"), QStringLiteral("Question of the design"));
        QVERIFY(panel.isVisible());
    }

    void W1_aSettingOfAPageOpensThePage()
    {
        open();
        m_window->setWorkspace(QStringLiteral("report"));
        auto& paper = named<QComboBox>(*m_window, "Paper");
        QTRY_VERIFY_WITH_TIMEOUT(paper.isEnabled(), kGoToMs);
        m_window->setWorkspace(QStringLiteral("explore"));
        pick(QStringLiteral("paper"), QStringLiteral("Paper"));
        QCOMPARE(m_window->workspace(), QStringLiteral("report"));
        QCOMPARE(m_window->focusWidget(), &paper);
        pick(QStringLiteral("speed of playback"), QStringLiteral("Speed of playback"));
        QCOMPARE(m_window->workspace(), QStringLiteral("explore"));
    }

    void W1_theSizeOfTextIsASetting()
    {
        open();
        QVERIFY(palette(QStringLiteral("larger text")).contains(QStringLiteral("Larger text")));
    }
};

FABRICSCOPE_GUI_TEST(WindowGoToTest)
#include "tst_window_goto.moc"
