// What is compared comes back at the next start: files, pinned designs, baseline, order of the fields.
#include "app/desktop/resulthistory.h"
#include "app/desktop/windowsession.h"
#include "tests/gui/support/runresults.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/compare/card.h"
#include "widgets/compare/designsworkspace.h"
#include "widgets/design/document.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr int kSessionMs = 60'000;

void writeDesignFile(const QString& path, const QByteArray& text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(text);
}

} // namespace

class WindowCompareSessionTest : public QObject
{
    Q_OBJECT
    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    QAction& command(const char* id) { return *m_window->commands().action(QString::fromLatin1(id)); }
    CompareWorkspace& compare() { return part<CompareWorkspace>(*m_window); }
    bool rests(std::size_t runs) { return compare().runs().size() == runs && !compare().runner()->isBusy() && (runs < 2 || compare().set()); }

    void open(const char* text, const QString& name)
    {
        QVERIFY(m_window->files().openText(text, name));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kSessionMs);
    }

    /// Ends the program and starts it again.
    void startAgain()
    {
        m_window->close();
        m_window = shownWindow({1280, 800});
        QVERIFY(m_window);
        m_window->restoreSession();
    }

private slots:
    void initTestCase() { useOwnHome(m_home); }

    void init()
    {
        openSettings()->remove(QStringLiteral("compare/set"));
        m_window = shownWindow({1280, 800});
        QVERIFY(m_window);
        m_window->restoreSession();
    }

    void cleanup() { m_window.reset(); }

    void K4_filesPinsAndBaselineComeBackInTheirOrder()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("odd.yaml"));
        writeDesignFile(path, kOddLink);
        open(kTwoRanks, QStringLiteral("two.yaml"));
        command("compare.pin").trigger();
        command("view.compare").trigger();
        compare().addFiles({path});
        QTRY_VERIFY_WITH_TIMEOUT(rests(2), kSessionMs);
        compare().setBaseline(1);
        compare().chooseWaterfall({{"workload", "platform"}, false});
        QTRY_VERIFY_WITH_TIMEOUT(rests(2), kSessionMs);
        const std::vector<NamedRun> before = compare().runs();
        startAgain();
        QVERIFY(compare().runs().empty()); // Nobody looks.
        command("view.compare").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(rests(2), kSessionMs);
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE(compare().runs()[i].name, before[i].name);
            QCOMPARE(compare().runs()[i].run->record().fingerprint.hex(), before[i].run->record().fingerprint.hex());
        }
        QCOMPARE(compare().runs()[1].name, QStringLiteral("odd.yaml"));
        QCOMPARE(compare().baseline(), std::size_t{1});
        QVERIFY(compare().waterfallChoice() == (WaterfallChoice{{"workload", "platform"}, false}));
    }

    void K4_aMissingFileIsSaidAndTheOthersCome()
    {
        const QTemporaryDir folder;
        const QStringList paths{folder.filePath(QStringLiteral("gone.yaml")), folder.filePath(QStringLiteral("odd.yaml"))};
        writeDesignFile(paths[0], kTwoRanks);
        writeDesignFile(paths[1], kOddLink);
        command("view.compare").trigger();
        compare().addFiles(paths);
        QTRY_VERIFY_WITH_TIMEOUT(rests(2), kSessionMs);
        startAgain();
        QVERIFY(QFile::remove(paths[0]));
        QSignalSpy refused(&compare(), &CompareWorkspace::refused);
        command("view.compare").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(rests(1) && compare().cards().size() == 2, kSessionMs);
        QCOMPARE(compare().runs()[0].name, QStringLiteral("odd.yaml"));
        QCOMPARE(refused.count(), 1);
        QVERIFY2(refused[0][0].toString().contains(QStringLiteral("gone.yaml")), qPrintable(refused[0][0].toString()));
        // It is looked for again the next time.
        writeDesignFile(paths[0], kTwoRanks);
        startAgain();
        command("view.compare").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(rests(2), kSessionMs);
    }

    void K4_whatNobodyLookedAtIsKept()
    {
        open(kTwoRanks, QStringLiteral("two.yaml"));
        command("compare.pin").trigger();
        startAgain();
        startAgain();
        open(kOddLink, QStringLiteral("odd.yaml"));
        command("compare.pin").trigger();
        startAgain();
        command("view.compare").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(rests(2), kSessionMs);
        // The newest pin is first: the other was not there yet.
        QVERIFY(compare().runs()[0].run->record().fingerprint.hex() != compare().runs()[1].run->record().fingerprint.hex());
        compare().remove(0);
        compare().remove(0);
        startAgain();
        command("view.compare").trigger();
        QVERIFY(compare().runs().empty() && !compare().runner()->isBusy());
    }

    void K4_aPinnedDesignIsTheOneThatWasPinnedWhateverItsFileSaysNow()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("two.yaml"));
        writeDesignFile(path, kTwoRanks);
        m_window->files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kSessionMs);
        const QString pinned = QString::fromStdString(m_window->history().current()->record().fingerprint.hex());
        command("compare.pin").trigger();
        startAgain();
        writeDesignFile(path, kOddLink);
        command("view.compare").trigger();
        QTRY_VERIFY_WITH_TIMEOUT(rests(1), kSessionMs);
        QCOMPARE(QString::fromStdString(compare().runs()[0].run->record().fingerprint.hex()), pinned);
    }

    void K4_aComparisonIsReadAsItWasWritten()
    {
        KeptComparison kept;
        kept.designs = {{QStringLiteral("a"), QStringLiteral("/a.yaml")}, {QStringLiteral("b"), QString(), "name: b\n", UINT64_MAX, true}};
        kept.choice = {{"x", "y"}, true};
        for (DesignSource& source : kept.designs)
            source.again = true; // What is read is of an earlier session.
        QVERIFY(KeptComparison::fromJson(kept.toJson()) == kept);
        QVERIFY(KeptComparison::fromJson({{QStringLiteral("designs"), QJsonArray{4, QJsonObject{{QStringLiteral("name"), QStringLiteral("nothing to run")}}}}}) == KeptComparison());
        keepComparison(kept);
        QVERIFY(keptComparison() == kept);
        keepComparison({});
        QVERIFY(keptComparison() == KeptComparison());
    }
};

FABRICSCOPE_GUI_TEST(WindowCompareSessionTest)
#include "tst_window_comparesession.moc"
