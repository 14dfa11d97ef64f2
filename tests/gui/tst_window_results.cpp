// Which result is compared with which, and whether the result on show still belongs to the design: in the whole window, by mouse and keyboard.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/hintline.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/resulthistory.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "app/desktop/viewheader.h"
#include "core/report/html.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/gui/support/named.h"
#include "widgets/base/actions.h"
#include "widgets/design/dimensionsliders.h"
#include "widgets/design/document.h"
#include "widgets/design/editactions.h"
#include "widgets/design/logslider.h"
#include "widgets/design/panel.h"
#include "widgets/design/quantityfield.h"
#include "widgets/report/pagesworkspace.h"
#include "widgets/results/inspector.h"
#include "widgets/results/logmodel.h"
#include "widgets/results/section.h"
#include "widgets/results/statusstrip.h"
#include "widgets/results/table.h"
#include "widgets/step/chunkworkspace.h"
#include "widgets/step/paneheader.h"
#include "widgets/step/player.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;

QByteArray design()
{
    return "fabricscope: 1\nname: Short\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n"
           "    - {shape: switch, size: 2, bandwidth: 20 GB/s, latency: 1 us}\n"
           "workload:\n  collective: all_reduce\n  size: 1 MiB\nmodel: {name: links}\n";
}

QString plain(QString text)
{
    return text.remove(QChar(0x202F));
}

RunResultPtr made(std::int64_t number, const char* hash)
{
    auto result = std::make_shared<RunResult>();
    result->number = number;
    result->summary.designHash = hash;
    result->summary.record = std::make_shared<const RunRecord>();
    return result;
}

} // namespace

class WindowResultsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    RunResultPtr current() const { return m_window->history().current(); }
    QString since() const { return plain(test::tagged<QLabel>(test::part<Inspector>(*m_window), "since").text()); }
    QLabel* chip() const { return &test::tagged<QLabel>(test::part<Inspector>(*m_window), "status"); }
    LogSlider* slider() const { return &test::tagged<LogSlider>(test::part<DesignPanel>(*m_window), "bandwidth"); }
    QuantityField* field() const { return &test::tagged<QuantityField>(test::part<DimensionSliders>(*m_window), "bandwidth"); }
    QString bandwidth(int dimension) const
    {
        return QString::fromStdString(m_window->document().design()->platform->dimensions[static_cast<std::size_t>(dimension)].bandwidth.text());
    }

    /// The newest inputs have run and their result is on show.
    void settle()
    {
        QTRY_VERIFY_WITH_TIMEOUT(current() && !m_window->runs().isBusy() && m_window->history().isOfNewestInputs(), kLongMs);
    }
    void edit(const char* field, const char* value)
    {
        QVERIFY(m_window->document().edit(QString::fromLatin1(field), [&](YamlDocument& yaml) { return yaml.set(field, std::string(value)); }));
    }
    void trigger(const char* command) { m_window->commands().action(QString::fromLatin1(command))->trigger(); }

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
    }

    void init()
    {
        m_window = test::shownWindow({1600, 1000});
        QVERIFY(m_window);
        m_window->files().openText(design(), QStringLiteral("test.yaml"));
        settle();
        test::part<DesignPanel>(*m_window).selectDimension(0);
        QVERIFY(slider()->isVisible());
    }

    void cleanup() { m_window.reset(); }

    void A11_theLogShowsLevelsIsCopiedAndCleared()
    {
        auto& tables = test::part<TablesPanel>(*m_window);
        tables.showTab(TablesPanel::Log);
        tables.log().clear();
        tables.log().append(Severity::Note, QStringLiteral("Run"), QStringLiteral("as expected"));
        tables.log().append(Severity::Warning, QStringLiteral("Run"), QStringLiteral("odd"));
        tables.log().append(Severity::Error, QStringLiteral("File"), QStringLiteral("wrong"));
        QTableView& view = *tables.table(TablesPanel::Log).view();
        QTRY_COMPARE(view.model()->rowCount(), 3);
        auto& level = test::named<QComboBox>(tables, "Level of the log");
        level.setCurrentIndex(1);
        QCOMPARE(view.model()->rowCount(), 2);
        level.setCurrentIndex(2);
        QCOMPARE(view.model()->rowCount(), 1);
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("Level\tCategory\tMessage\nError\tFile\twrong\n"));
        test::named<QToolButton>(tables, "Clear the log").click();
        level.setCurrentIndex(0);
        QCOMPARE(view.model()->rowCount(), 0);
    }

    void aDragIsOneComparisonWithWhatWasBeforeIt()
    {
        const RunResultPtr before = current();
        const QPoint start(static_cast<int>(slider()->position(50)), slider()->height() / 2);
        QTest::mousePress(slider(), Qt::LeftButton, Qt::NoModifier, start);
        for (const int by : {12, 20, 28, 36}) { // Each of these runs, and its result is on show before the next.
            QTest::mouseMove(slider(), start + QPoint(by, 0));
            settle();
            QCOMPARE(m_window->history().previous(), before);
        }
        QTest::mouseRelease(slider(), Qt::LeftButton, Qt::NoModifier, start + QPoint(36, 0));
        settle();
        const RunResultPtr after = current();
        QVERIFY(after != before);
        QVERIFY(bandwidth(0) != QStringLiteral("50 GB/s"));
        QCOMPARE(m_window->history().previous(), before);
        QCOMPARE(since(), QStringLiteral("since D0 bandwidth was 50GB/s"));
        const SimTime change = after->record().finish - before->record().finish;
        QCOMPARE(test::tagged<QLabel>(test::part<Inspector>(*m_window), "delta").text(), deltaText(before->record().finish, before->record().finish + change));

        // Undo takes the whole drag back and compares with it; redo gives the comparison of the drag again.
        const QString dragged = bandwidth(0).remove(QLatin1Char(' '));
        trigger("edit.undo");
        settle();
        QCOMPARE(current()->record().fingerprint, before->record().fingerprint);
        QCOMPARE(m_window->history().previous(), after);
        QCOMPARE(since(), QStringLiteral("since D0 bandwidth was ") + dragged);
        trigger("edit.redo");
        settle();
        QCOMPARE(current()->record().fingerprint, after->record().fingerprint);
        QCOMPARE(m_window->history().previous()->record().fingerprint, before->record().fingerprint);
        QCOMPARE(since(), QStringLiteral("since D0 bandwidth was 50GB/s"));
    }

    void aDragTakenBackComparesAsBeforeIt()
    {
        edit("platform.dimensions[1].bandwidth", "25 GB/s");
        settle();
        const RunResultPtr first = m_window->history().previous();
        QCOMPARE(since(), QStringLiteral("since D1 bandwidth was 20GB/s"));
        const QPoint start(static_cast<int>(slider()->position(50)), slider()->height() / 2);
        QTest::mousePress(slider(), Qt::LeftButton, Qt::NoModifier, start);
        QTest::mouseMove(slider(), start + QPoint(20, 0));
        settle();
        QCOMPARE(since(), QStringLiteral("since D0 bandwidth was 50GB/s"));
        QTest::keyClick(slider(), Qt::Key_Escape);
        QTest::mouseRelease(slider(), Qt::LeftButton, Qt::NoModifier, start + QPoint(20, 0));
        settle();
        QCOMPARE(bandwidth(0), QStringLiteral("50 GB/s"));
        QCOMPARE(m_window->history().previous(), first);
        QCOMPARE(since(), QStringLiteral("since D1 bandwidth was 20GB/s"));
    }

    void keysOnASliderAndTheWheelOnAFieldAreOneComparison()
    {
        const RunResultPtr before = current();
        slider()->setFocus();
        for (int i = 0; i < 4; ++i) {
            QTest::keyClick(slider(), Qt::Key_Right);
            settle();
        }
        QCOMPARE(m_window->history().previous(), before);
        QCOMPARE(since(), QStringLiteral("since D0 bandwidth was 50GB/s"));

        QLineEdit* edit = field()->lineEdit();
        edit->setFocus(); // Ends the series of keys.
        const RunResultPtr keys = current();
        const QString stepped = bandwidth(0).remove(QLatin1Char(' '));
        for (int i = 0; i < 3; ++i) {
            const QPointF at = edit->rect().center();
            QWheelEvent wheel(at, edit->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(edit, &wheel);
            settle();
        }
        QCOMPARE(m_window->history().previous(), keys);
        QCOMPARE(since(), QStringLiteral("since D0 bandwidth was ") + stepped);
    }

    void typedValuesAndOtherEditsNameTheOldValue()
    {
        QLineEdit* edit = field()->lineEdit();
        edit->setFocus();
        edit->selectAll();
        QTest::keyClicks(edit, QStringLiteral("80 GB/s"));
        QTest::keyClick(edit, Qt::Key_Return);
        settle();
        QCOMPARE(since(), QStringLiteral("since D0 bandwidth was 50GB/s"));
        QVERIFY(DesignActions::setShape(m_window->document(), 0, Shape::FullyConnected));
        settle();
        QCOMPARE(since(), QStringLiteral("since D0 shape was ring"));
        QVERIFY(DesignActions::setLatency(m_window->document(), 1, {2, "us", Measure::Time}));
        settle();
        QCOMPARE(since(), QString::fromUtf8("since D1 latency was 1µs"));
        this->edit("workload.size", "2 MiB");
        settle();
        QVERIFY2(since().startsWith(QStringLiteral("since ")) && since().contains(QStringLiteral("size was 1MiB")), qPrintable(since()));
        // What has no old value is named by what was done.
        QVERIFY(DesignActions::addDimension(m_window->document(), 2));
        settle();
        QCOMPARE(since(), QStringLiteral("after Add D2"));
        trigger("edit.undo");
        settle();
        QCOMPARE(since(), QStringLiteral("after undoing Add D2"));
    }

    void withLiveOffEveryRunIsComparedWithTheOneBefore()
    {
        trigger("run.live");
        const RunResultPtr first = current();
        edit("platform.dimensions[0].bandwidth", "60 GB/s");
        edit("platform.dimensions[1].bandwidth", "30 GB/s");
        trigger("run.start");
        settle();
        QCOMPARE(m_window->history().previous(), first);
        QCOMPARE(since(), QStringLiteral("since D0 bandwidth was 50GB/s, D1 bandwidth was 20GB/s"));
        const RunResultPtr second = current();
        slider()->setFocus();
        QTest::keyClick(slider(), Qt::Key_Right);
        trigger("run.start");
        settle();
        const RunResultPtr third = current();
        QCOMPARE(m_window->history().previous(), second);
        QTest::keyClick(slider(), Qt::Key_Right);
        trigger("run.start");
        settle();
        QCOMPARE(m_window->history().previous(), third);
    }

    void resultsOfOvertakenRunsFindTheirPlace()
    {
        ResultHistory history;
        history.edited(1);
        history.requested(1, "one");
        QVERIFY(history.add(made(1, "a")));
        QVERIFY(!history.previous());
        // Two gestures, the second before the first has run to its end: only the middle of the first is there.
        history.edited(2);
        history.requested(2, "middle");
        history.edited(2);
        history.requested(3, "end of the first");
        history.edited(3);
        history.requested(4, "second");
        QVERIFY(history.add(made(2, "b")));
        QVERIFY(!history.isOfNewestInputs());
        QCOMPARE(history.previous()->summary.designHash, std::string("a"));
        QVERIFY(history.add(made(4, "d")));
        QVERIFY(history.isOfNewestInputs());
        QVERIFY2(history.previous()->summary.designHash == "a", "the middle of a gesture is nothing to compare with");
        QCOMPARE(history.currentText(), std::string("second"));
        // The next gesture is compared with the end of the one before it.
        history.edited(4);
        history.requested(5, "third");
        QVERIFY(history.add(made(5, "e")));
        QCOMPARE(history.previous()->summary.designHash, std::string("d"));
        // A part of a run that goes on is compared as its result will be.
        history.edited(5);
        history.requested(6, "fourth");
        QVERIFY(history.show(made(6, "f")));
        QCOMPARE(history.previous()->summary.designHash, std::string("e"));
        history.dropPart();
        QCOMPARE(history.previous()->summary.designHash, std::string("d"));
    }

    void aResultOfAnotherDocumentIsNotTaken()
    {
        ResultHistory history;
        history.edited(1);
        history.requested(1, "one");
        history.clear();
        QVERIFY(!history.add(made(1, "a")));
        QVERIFY(!history.show(made(1, "a")));
        QVERIFY(!history.shown());
    }

    /// The text of a design may be large: one is kept for a job that may still end, for no other.
    void noTextIsKeptForJobsThatAreOver()
    {
        const auto edited = [](int number) { return design().replace("1 MiB", QByteArray::number(number) + " MiB").toStdString(); };
        QCOMPARE(m_window->history().jobs(), std::size_t{0});
        QSignalSpy failed(&m_window->runs(), &RunController::failed);
        m_window->runs().setMemoryLimit(1); // Nothing can run.
        for (int number = 2; number < 6; ++number) {
            QVERIFY(m_window->document().editText(QStringLiteral("size"), edited(number)));
            QTRY_COMPARE(failed.count(), number - 1);
            QVERIFY(!m_window->runs().isBusy());
            QCOMPARE(m_window->history().jobs(), std::size_t{0});
        }
    }

    /// Steps that were prepared keep the run they are of, where going back and forth shows them again; a run that meets the limit gives them back.
    void aRunWithoutMemoryGivesBackWhatOnlyMakesFaster()
    {
        m_window->setWorkspace(QStringLiteral("step"));
        auto* player = test::part<StepWorkspace>(*m_window).player();
        std::weak_ptr<const Scenario> first;
        for (const int number : {2, 3, 2, 3, 2, 3}) {
            QVERIFY(m_window->document().editText(QStringLiteral("size"), design().replace("1 MiB", QByteArray::number(number) + " MiB").toStdString()));
            settle();
            QTRY_VERIFY_WITH_TIMEOUT(player->replay() && player->replay()->bytes() == (std::int64_t{number} << 20), kLongMs);
            if (first.expired())
                first = m_window->history().current()->scenario;
        }
        QVERIFY(!first.expired()); // By its steps alone: the last three results are newer runs.
        QSignalSpy failed(&m_window->runs(), &RunController::failed);
        m_window->runs().setMemoryLimit(1);
        QVERIFY(m_window->document().editText(QStringLiteral("size"), design().replace("1 MiB", "5 MiB").toStdString()));
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kLongMs);
        QTRY_VERIFY_WITH_TIMEOUT(first.expired(), kLongMs);
    }

    void aResultOfEarlierInputsSaysSoEverywhere()
    {
        const auto said = [this](bool outdated) {
            QCOMPARE(chip()->text(), outdated ? QStringLiteral("Earlier inputs") : QStringLiteral("Complete"));
            QCOMPARE(test::named<QLabel>(test::part<StatusStrip>(*m_window), QStringLiteral("Earlier inputs")).isVisible(), outdated);
            QCOMPARE(test::part<ExploreView>(*m_window).isOutdated(), outdated);
            QVERIFY(outdated == test::part<TablesPanel>(*m_window).notice().contains(QStringLiteral("Earlier inputs")));
            QCOMPARE(test::part<TablesPanel>(*m_window).table(TablesPanel::Ranks).suggestedName(), outdated ? QStringLiteral("ranks-earlier-inputs.csv") : QStringLiteral("ranks.csv"));
            QCOMPARE(test::tagged<StepHeader>(test::part<StepWorkspace>(*m_window), "step").chip(), outdated ? QStringLiteral("Earlier inputs") : QString());
            m_window->setWorkspace(QStringLiteral("report"));
            const std::string page = reportHtml(test::part<ReportWorkspace>(*m_window).content());
            QCOMPARE(page.find("class=\"notice\"") != std::string::npos, outdated);
            m_window->setWorkspace(QStringLiteral("explore"));
        };
        said(false);
        const std::string ran = m_window->document().text();
        trigger("run.live");
        edit("platform.dimensions[0].bandwidth", "60 GB/s");
        said(true);
        // Its report shows the inputs it was made of, not those of now.
        m_window->setWorkspace(QStringLiteral("report"));
        QVERIFY(reportHtml(test::part<ReportWorkspace>(*m_window).content()).find("bandwidth: 50 GB/s") != std::string::npos);
        QVERIFY(reportHtml(test::part<ReportWorkspace>(*m_window).content()).find("bandwidth: 60 GB/s") == std::string::npos);
        QCOMPARE(m_window->history().currentText(), ran);
        m_window->setWorkspace(QStringLiteral("explore"));
        // The same design again, by hand or in other words, is the same design.
        edit("platform.dimensions[0].bandwidth", "50 GB/s");
        said(false);
        edit("notes", "a remark");
        said(false);
        edit("platform.dimensions[0].bandwidth", "70 GB/s");
        said(true);
        trigger("run.start");
        settle();
        said(false);
    }

    void aResultBesideADesignWithErrorsIsOfEarlierInputs()
    {
        edit("platform.dimensions[0].bandwidth", "0 GB/s");
        QVERIFY(m_window->document().hasErrors());
        QTRY_COMPARE_WITH_TIMEOUT(chip()->text(), QStringLiteral("Earlier inputs"), kLongMs);
        QVERIFY(test::part<ExploreView>(*m_window).problem().isVisible());
        QCOMPARE(test::part<ExploreView>(*m_window).problem().severity(), Severity::Error);
        trigger("edit.undo");
        settle();
        QCOMPARE(chip()->text(), QStringLiteral("Complete"));
        QVERIFY(!test::part<ExploreView>(*m_window).problem().isVisible());
    }

    void errorsLookLikeErrorsUntilTheyAreDismissed_data()
    {
        QTest::addColumn<QString>("workspace");
        for (const QString& key : workspaceKeys())
            QTest::newRow(qPrintable(key)) << key;
    }

    void errorsLookLikeErrorsUntilTheyAreDismissed()
    {
        QFETCH(QString, workspace);
        m_window->setWorkspace(workspace);
        m_window->files().openPaths({QStringLiteral("/nowhere/at-all.yaml")});
        auto* line = m_window->centralWidget()->findChild<HintLine*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(line);
        QTRY_VERIFY_WITH_TIMEOUT(line->isVisible() && line->severity() == Severity::Error, kLongMs);
        QVERIFY(line->text().contains(QStringLiteral("at-all.yaml")));
        QCOMPARE(line->property("banner").toString(), QStringLiteral("err"));
        // A result that comes meanwhile, or another workspace, does not take it away.
        m_window->setWorkspace(QStringLiteral("explore"));
        trigger("run.start");
        settle();
        QVERIFY(line->isVisible());
        m_window->setWorkspace(QStringLiteral("report"));
        QVERIFY(line->isVisible());
        // A hint looks like one, and stays in Explore.
        m_window->showHint(QStringLiteral("This is an example."));
        QVERIFY(!line->isVisible());
        m_window->setWorkspace(QStringLiteral("explore"));
        QVERIFY(line->isVisible());
        QCOMPARE(line->property("banner").toString(), QStringLiteral("info"));
    }

    void undoKeysReachTheDocumentWhereAFieldHasNothingToUndo()
    {
        edit("platform.dimensions[0].bandwidth", "60 GB/s");
        settle();
        QLineEdit* edit = field()->lineEdit();
        edit->setFocus();
        QTest::keyClick(edit, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(bandwidth(0), QStringLiteral("50 GB/s"));
        QTest::keyClick(edit, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(bandwidth(0), QStringLiteral("60 GB/s"));
        QTest::keyClick(edit, Qt::Key_Z, Qt::ControlModifier);
        QTest::keyClick(edit, Qt::Key_Y, Qt::ControlModifier);
        QCOMPARE(bandwidth(0), QStringLiteral("60 GB/s"));
        // What was typed and not taken over is undone first.
        const QString shown = edit->text();
        QTest::keyClick(edit, Qt::Key_End);
        QTest::keyClicks(edit, QStringLiteral("7"));
        QTest::keyClick(edit, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(edit->text(), shown);
        QCOMPARE(bandwidth(0), QStringLiteral("60 GB/s"));
        QTest::keyClick(edit, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(bandwidth(0), QStringLiteral("50 GB/s"));
        settle();
    }

    void undoKeysWorkFromEveryFieldOfTheWindow()
    {
        // Every field that can be written to, in the panels and the tables.
        test::part<TablesPanel>(*m_window).showTab(TablesPanel::Ranks);
        int seen = 0;
        for (QWidget* widget : m_window->findChildren<QWidget*>()) {
            const bool text = qobject_cast<QLineEdit*>(widget) || qobject_cast<QPlainTextEdit*>(widget) || qobject_cast<QAbstractSpinBox*>(widget);
            if (!text || !widget->isVisible() || !widget->isEnabled() || widget->focusPolicy() == Qt::NoFocus)
                continue;
            ++seen;
            edit("platform.dimensions[1].bandwidth", "33 GB/s");
            widget->setFocus();
            QTest::keyClick(widget, Qt::Key_Z, Qt::ControlModifier);
            QVERIFY2(bandwidth(1) == QStringLiteral("20 GB/s"), qPrintable(QStringLiteral("%1 %2").arg(QString::fromLatin1(widget->metaObject()->className()), widget->accessibleName())));
        }
        QVERIFY(seen >= 5);
        settle();
    }
};

FABRICSCOPE_GUI_TEST(WindowResultsTest)
#include "tst_window_results.moc"
