#include "widgets/base/apptheme.h"
// What is wrong in a design and where: refusals while typing, the list of issues, the text beside the table.
#include "tests/gui/support/designdock.h"
#include "widgets/design/editactions.h"
#include "widgets/design/issuesmodel.h"
#include "tests/unit/support/testprogram.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QSignalSpy>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;
using namespace Qt::Literals::StringLiterals;

class tst_designissues : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        AppTheme::global().set(Theme());
    }

    void E3_aBadValueIsOneIssueAndActivatingItFocusesItsField()
    {
        Dock dock;
        IssuesView issues;
        issues.issues()->setDocument(&dock.document);
        new QAbstractItemModelTester(issues.issues(), QAbstractItemModelTester::FailureReportingMode::Fatal, this);
        connect(&issues, &IssuesView::issueActivated, &dock.panel, &DesignPanel::focusField);
        QSignalSpy counted(issues.issues(), &IssuesModel::countChanged);
        QCOMPARE(issues.issues()->rowCount(), 0);
        dock.type(1, DimensionModel::PerLink, "0 GB/s");
        QCOMPARE(issues.issues()->rowCount(), 1);
        QCOMPARE(counted.last().at(0).toInt(), 1);
        const QModelIndex row = issues.issues()->index(0, 0);
        QCOMPARE(row.data(IssuesModel::FieldRole).toString(), QStringLiteral("platform.dimensions[1].bandwidth"));
        QCOMPARE(row.data(IssuesModel::LineRole).toInt(), 8);
        QVERIFY(!dock.cell(1, DimensionModel::PerLink).data(DimensionModel::ProblemRole).toString().isEmpty());
        part<QuestionEdit>(dock.panel).setFocus();
        issues.setCurrentIndex(row);
        QTest::keyClick(&issues, Qt::Key_Return);
        QCOMPARE(dock.view().currentIndex(), dock.cell(1, DimensionModel::PerLink));
        QVERIFY(dock.editor());
        QVERIFY(dock.view().isAncestorOf(QApplication::focusWidget()));
        dock.take(Qt::Key_Escape);
        dock.document.undoStack().undo();
        QCOMPARE(issues.issues()->rowCount(), 0);
    }

    void E3_fieldsWithoutAnEditorLeadToTheirLine()
    {
        Dock dock;
        dock.panel.focusField(u"workload.groups[1].dimensions"_s);
        QVERIFY(part<YamlView>(dock.panel).isVisible());
        QCOMPARE(part<YamlView>(dock.panel).currentLine(), 15);
        dock.panel.focusField(u"platform.npu.peak"_s);
        QVERIFY(!part<YamlView>(dock.panel).isVisible());
        QCOMPARE(QApplication::focusWidget(), part<NpuFacts>(dock.panel).field(u"peak"_s)->lineEdit());
        dock.panel.focusField(u"collectives.default.chunks"_s);
        QCOMPARE(QApplication::focusWidget(), part<CollectiveFacts>(dock.panel).chunks()->lineEdit());
        dock.panel.focusField(u"notes"_s);
        QCOMPARE(QApplication::focusWidget(), &part<QuestionEdit>(dock.panel));
        dock.panel.focusField(u"platform.overrides.links[0].bandwidth"_s);
        QCOMPARE(QApplication::focusWidget(), part<ElementEditor>(dock.panel).bandwidthField()->lineEdit());
        dock.panel.focusField(u"nowhere"_s, 4);
        QVERIFY(part<YamlView>(dock.panel).isVisible());
        QCOMPARE(part<YamlView>(dock.panel).currentLine(), 4);
    }

    void E3_runFindingsStandBesideTheDesignsAndOnce()
    {
        DesignDocument document;
        QVERIFY(document.setText("fabricscope: 1\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s}]}\n", u"x.yaml"_s));
        IssuesModel model;
        new QAbstractItemModelTester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal, this);
        model.setDocument(&document);
        const int own = model.rowCount();
        QVERIFY(own > 0);
        Diagnostics run = document.issues();
        run.push_back(warning("assumed", "The reducer's rate is unknown"));
        model.setRunDiagnostics(run);
        QCOMPARE(model.rowCount(), own + 1);
        QCOMPARE(model.index(own, 0).data(IssuesModel::SeverityRole).toInt(), static_cast<int>(Severity::Warning));
        QVERIFY(document.setText(kPod, u"y.yaml"_s));
        QCOMPARE(model.rowCount(), 0);
    }

    void E4_theTableRefusesWhatItCannotReadAndSaysWhy()
    {
        Dock dock;
        QSignalSpy message(&dock.view(), &DimensionView::message);
        dock.view().setFocus();
        dock.view().setCurrentIndex(dock.cell(2, DimensionModel::PerLink));
        QTest::keyClick(&dock.view(), Qt::Key_F2);
        dock.editor()->selectAll();
        QTest::keyClicks(dock.editor(), u"fast"_s);
        dock.take(Qt::Key_Return);
        QVERIFY(dock.editor());
        QCOMPARE(dock.editor()->property("state").toString(), QStringLiteral("error"));
        QVERIFY(message.last().at(0).toString().contains(u"50 GB/s"_s));
        QCOMPARE(dock.document.text(), kPod);
        dock.editor()->selectAll();
        QTest::keyClicks(dock.editor(), u"200 Gbit/s"_s);
        QVERIFY(message.last().at(0).toString().isEmpty());
        dock.take(Qt::Key_Return);
        QCOMPARE(dock.shown(2, DimensionModel::PerLink), QStringLiteral("25"));
        QVERIFY(!DimensionModel::refusal(DimensionModel::Size, u"0"_s).isEmpty());
        QVERIFY(!DimensionModel::refusal(DimensionModel::Size, u"2.5"_s).isEmpty());
        QVERIFY(!DimensionModel::refusal(DimensionModel::Latency, u"5 GB/s"_s).isEmpty());
        QVERIFY(DimensionModel::refusal(DimensionModel::Latency, u"0.5us"_s).isEmpty());
    }

    void tabGoesFromCellToCellWhileEditing()
    {
        Dock dock;
        dock.view().setFocus();
        dock.view().setCurrentIndex(dock.cell(1, DimensionModel::Size));
        QTest::keyClicks(&dock.view(), u"5"_s); // typing opens the editor
        QVERIFY(dock.editor());
        dock.take(Qt::Key_Tab);
        QCOMPARE(dock.dimension(1).size, 5);
        QCOMPARE(dock.view().currentIndex(), dock.cell(1, DimensionModel::PerLink));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QVERIFY(dock.editor());
        dock.editor()->selectAll();
        QTest::keyClicks(dock.editor(), u"60"_s);
        dock.take(Qt::Key_Return);
        QCOMPARE(dock.dimension(1).bandwidth.text(), std::string("60 GB/s"));
        // Without an editor Tab leaves the table.
        dock.view().setFocus();
        QTest::keyClick(&dock.view(), Qt::Key_Tab);
        QVERIFY(!dock.view().hasFocus());
    }

    void E7_textAndTableAreTwoViewsOfOneDocument()
    {
        Dock dock;
        dock.panel.showText(true);
        YamlView* text = &part<YamlView>(dock.panel);
        QCOMPARE(text->toPlainText().toStdString(), kPod);
        QTextCursor cursor = text->textCursor();
        cursor.setPosition(static_cast<int>(kPod.find("20 GB/s")));
        cursor.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor, 2);
        text->setTextCursor(cursor);
        text->setFocus();
        QTest::keyClicks(text, u"35"_s);
        QCOMPARE(dock.shown(2, DimensionModel::PerLink), QStringLiteral("35"));
        QCOMPARE(dock.document.undoStack().count(), 1); // one step while typing goes on
        dock.document.endMerge();
        QVERIFY(DesignActions::setSize(dock.document, 1, 6));
        QVERIFY(text->toPlainText().contains(u"shape: ring, size: 6"_s));
        QTest::keyClick(text, Qt::Key_Z, Qt::ControlModifier);
        QTest::keyClick(text, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(dock.document.text(), kPod);
        QCOMPARE(text->toPlainText().toStdString(), kPod);
    }

    void E7_anErrorShowsItsLineAndTheTableKeepsTheLastReadableDesign()
    {
        Dock dock;
        dock.panel.showText(true);
        YamlView* text = &part<YamlView>(dock.panel);
        QCOMPARE(text->extraSelections().size(), qsizetype{0});
        text->goTo(8);
        text->setFocus();
        QTest::keyClick(text, Qt::Key_Home);
        QTest::keyClicks(text, u"]"_s);
        QVERIFY(dock.document.hasErrors());
        QVERIFY(!dock.document.yaml());
        QCOMPARE(text->extraSelections().size(), qsizetype{1});
        QVERIFY(std::abs(dock.document.issues().front().place.line - 8) <= 1);
        QCOMPARE(dock.view().dimensions()->rowCount(), 3);
        QVERIFY(!dock.cell(0, DimensionModel::Size).flags().testFlag(Qt::ItemIsEditable));
        QTest::keyClick(text, Qt::Key_Backspace);
        QVERIFY(!dock.document.hasErrors());
        QCOMPARE(text->extraSelections().size(), qsizetype{0});
        QVERIFY(dock.cell(0, DimensionModel::Size).flags().testFlag(Qt::ItemIsEditable));
    }

    void E7_typingKeepsLineEndsAndUnusualCharacters()
    {
        const std::string text = "a: 1\r\n# \xc2\xa0 \xf0\x9f\x98\x80 \xe2\x82\xac\r\nb: 2\r\n";
        QString shown = QString::fromStdString(text).replace(u"\r\n"_s, u"\n"_s);
        QString typed = shown;
        typed.insert(typed.indexOf(u"b: 2"_s), u"x: 5\n"_s);
        QCOMPARE(carriedOver(text, shown, typed), std::string("a: 1\r\n# \xc2\xa0 \xf0\x9f\x98\x80 \xe2\x82\xac\r\nx: 5\r\nb: 2\r\n"));
        typed = shown;
        typed.remove(QString::fromUtf8("\xf0\x9f\x98\x80"));
        QCOMPARE(carriedOver(text, shown, typed), std::string("a: 1\r\n# \xc2\xa0  \xe2\x82\xac\r\nb: 2\r\n"));
        Dock dock(text);
        dock.panel.showText(true);
        part<YamlView>(dock.panel).goTo(1);
        part<YamlView>(dock.panel).setFocus();
        QTest::keyClick(&part<YamlView>(dock.panel), Qt::Key_End);
        QTest::keyClicks(&part<YamlView>(dock.panel), u"0"_s);
        std::string expected = text;
        expected.insert(4, "0");
        QCOMPARE(dock.document.text(), expected);
    }
};

FABRICSCOPE_GUI_TEST(tst_designissues)
#include "tst_designissues.moc"
