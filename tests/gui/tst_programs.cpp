// The Programs workspace alone: a text is checked while it is typed, its errors are marked, its steps can be gone through.
#include "core/generate/generate.h"
#include "core/programio/programjson.h"
#include "core/run/programfile.h"
#include "tests/gui/support/programsalone.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/runresults.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/contentmatrix.h"
#include "widgets/programs/diagram.h"
#include "widgets/programs/findingsmodel.h"
#include "widgets/programs/generatedialog.h"
#include "widgets/programs/operationtransport.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/programs/synthesispanel.h"
#include "widgets/programs/useprogramdialog.h"
#include "widgets/results/table.h"
#include "widgets/step/paneheader.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTableView>
#include <QTemporaryDir>
#include <QTextBlock>
#include <QToolButton>

using namespace fabricscope;
using namespace fabricscope::test;

class ProgramsTest : public QObject
{
    Q_OBJECT

    ProgramsAlone m_alone;
    const std::unique_ptr<ProgramWorkspace>& m_view = m_alone.view;

    void type(const QString& text) { m_alone.type(text); }
    QString cell(int row, ProgramIssuesModel::Column column) const
    {
        return part<ProgramIssuesView>(*m_view).issues()->index(row, column).data().toString();
    }


private slots:
    void initTestCase() { m_alone.useHome(); }
    void init() { m_alone.open(); }
    void cleanup() { m_alone.view.reset(); }

    void aValidTextIsDrawnAndStepped()
    {
        type(kGather);
        QCOMPARE(tagged<StepHeader>(*m_view, "drawing").chip(), QStringLiteral("Valid"));
        QVERIFY(m_view->checked()->isValid());
        QCOMPARE(m_view->player()->steps(), 1);
        QCOMPARE(m_view->player()->replay()->transfersOf(0).size(), std::size_t{12});
        QCOMPARE(part<ProgramTransport>(*m_view).stepText(), QStringLiteral("Step 1 of 1"));
        QCOMPARE(part<ProgramMatrix>(*m_view).rows(), 4);
        QVERIFY(part<ProgramMatrix>(*m_view).cellText(0, 3).contains(QStringLiteral("complete")));
        m_view->player()->first();
        QCOMPARE(part<ProgramTransport>(*m_view).stepText(), QStringLiteral("Start"));
        QVERIFY(part<ProgramMatrix>(*m_view).cellText(0, 3).contains(QStringLiteral("undefined")));
        QVERIFY(part<ProgramMatrix>(*m_view).cellText(3, 3).contains(QStringLiteral("complete"))); // Its own.
    }

    void typingAnErrorMarksItsLineAndMendingClearsIt()
    {
        type(kGather);
        QVERIFY(m_view->editor()->marks().empty());
        QTextCursor cursor(m_view->editor()->document()->findBlockByNumber(3)); // Line 4.
        cursor.movePosition(QTextCursor::EndOfBlock);
        QSignalSpy shown(m_view.get(), &ProgramWorkspace::shown);
        m_view->editor()->setTextCursor(cursor);
        m_view->editor()->setFocus();
        QTest::keyClicks(m_view->editor(), QStringLiteral(" )"));
        QTRY_COMPARE_WITH_TIMEOUT(shown.count(), 1, kLongMs);
        QCOMPARE(m_view->editor()->marks().size(), std::size_t{1});
        QCOMPARE(m_view->editor()->marks().front().line, 4);
        QVERIFY(m_view->editor()->marks().front().isError);
        QCOMPARE(tagged<StepHeader>(*m_view, "drawing").chip(), QStringLiteral("1 error"));
        QVERIFY(tagged<QLabel>(*m_view, "banner").isVisible() && !tagged<QLabel>(*m_view, "banner").text().isEmpty()); // The drawing is the one before.
        QCOMPARE(m_view->player()->replay()->transfers(), std::size_t{12});
        QCOMPARE(cell(0, ProgramIssuesModel::Line), QStringLiteral("4"));

        QTest::keyClick(m_view->editor(), Qt::Key_Backspace);
        QTest::keyClick(m_view->editor(), Qt::Key_Backspace);
        QTRY_VERIFY_WITH_TIMEOUT(m_view->editor()->marks().empty() && !m_view->checker()->isBusy(), kLongMs);
        QCOMPARE(tagged<StepHeader>(*m_view, "drawing").chip(), QStringLiteral("Valid"));
        QVERIFY(!tagged<QLabel>(*m_view, "banner").isVisible());
        QCOMPARE(part<ProgramIssuesView>(*m_view).issues()->rowCount(), 0);
    }

    /// One rank keeps its part to itself: the postcondition fails, and the finding leads somewhere.
    void aFindingLeadsToItsLine()
    {
        const QAbstractItemModelTester tester(part<ProgramIssuesView>(*m_view).issues(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        type(QStringLiteral("collective(\"all_gather\", {ranks = 2})\n\nlocal c = chunk(0, \"input\", 0)\nc:copy(1, \"output\", 0)\nprint(\"here\")\n"));
        QVERIFY(!m_view->checked()->isValid());
        QVERIFY(tagged<StepHeader>(*m_view, "drawing").chip().contains(QStringLiteral("error")));
        int row = -1;
        for (int i = 0; i < part<ProgramIssuesView>(*m_view).issues()->rowCount(); ++i)
            if (cell(i, ProgramIssuesModel::Line) == QStringLiteral("5"))
                row = i;
        QVERIFY(row >= 0); // The note of print().
        part<ProgramIssuesView>(*m_view).setCurrentIndex(part<ProgramIssuesView>(*m_view).issues()->index(row, 0));
        part<ProgramIssuesView>(*m_view).setFocus();
        QTest::keyClick(&part<ProgramIssuesView>(*m_view), Qt::Key_Return);
        QCOMPARE(m_view->editor()->currentLine(), 5);
        QVERIFY(m_view->nextFinding());
    }

    void theLineOfTheCursorIsPointedOutInTheDrawing()
    {
        type(kGather);
        QVERIFY(m_view->player()->marked().empty());
        m_view->editor()->goTo(4);
        QCOMPARE(m_view->player()->marked().size(), std::size_t{24}); // Both ends of 12 transfers.
        m_view->editor()->goTo(1);
        QVERIFY(m_view->player()->marked().empty());

        // And back: a click on an arrow goes to the line.
        m_view->player()->setStep(0);
        const QRectF column = part<ProgramDiagram>(*m_view).columnRect(0);
        std::optional<std::uint32_t> hit;
        QPointF at;
        for (double y = column.top(); y < column.bottom() && !hit; y += 2) {
            at = QPointF(column.left() + column.width() * 0.2, y);
            hit = part<ProgramDiagram>(*m_view).transferAt(at);
        }
        QVERIFY(hit);
        QVERIFY(part<ProgramDiagram>(*m_view).transferText(*hit).contains(QStringLiteral("line 4")));
        QTest::mouseClick(&part<ProgramDiagram>(*m_view), Qt::LeftButton, {}, at.toPoint());
        QCOMPARE(m_view->editor()->currentLine(), 4);
    }

    void E2_undoIsThatOfTheText()
    {
        type(kGather);
        m_view->editor()->document()->setModified(false);
        m_view->editor()->moveCursor(QTextCursor::End);
        QTest::keyClicks(m_view->editor(), QStringLiteral("-- more"));
        QVERIFY(m_view->editor()->toPlainText().endsWith(QStringLiteral("-- more")));
        QVERIFY(m_view->files()->isModified());
        m_view->editor()->setFocus();
        QTest::keySequence(m_view->editor(), QKeySequence::Undo);
        QCOMPARE(m_view->editor()->toPlainText(), kGather);
        QTest::keySequence(m_view->editor(), QKeySequence::Redo);
        QVERIFY(m_view->editor()->toPlainText().endsWith(QStringLiteral("-- more")));
    }

    void keysOfTheEditorIndentAndLeaveIt()
    {
        CodeEditor* editor = m_view->editor();
        editor->replaceText(QStringLiteral("  a\nb"));
        editor->moveCursor(QTextCursor::Start);
        editor->moveCursor(QTextCursor::EndOfLine);
        QTest::keyClick(editor, Qt::Key_Return);
        QCOMPARE(editor->toPlainText(), QStringLiteral("  a\n  \nb"));
        QTest::keyClick(editor, Qt::Key_Tab);
        QCOMPARE(editor->toPlainText(), QStringLiteral("  a\n    \nb"));
        QTest::keyClick(editor, Qt::Key_Backtab);
        QTest::keyClick(editor, Qt::Key_Backtab);
        QCOMPARE(editor->toPlainText(), QStringLiteral("  a\n\nb"));
        editor->setFocus();
        m_view->activateWindow();
        QTest::keyClick(editor, Qt::Key_Tab, Qt::ControlModifier);
        QCOMPARE(editor->toPlainText(), QStringLiteral("  a\n\nb"));
    }

    void C1_stepsAreGoneThroughByKeysButtonsAndSlider()
    {
        const std::vector<ShippedProgram> programs = shippedPrograms();
        const auto ring = std::find_if(programs.begin(), programs.end(), [](const ShippedProgram& each) { return each.name == QStringLiteral("allreduce_ring.lua"); });
        QVERIFY(ring != programs.end());
        type(ring->text);
        ProgramPlayer& player = *m_view->player();
        const int steps = player.steps();
        QVERIFY(steps > 4);
        part<ProgramDiagram>(*m_view).setFocus();
        QTest::keyClick(&part<ProgramDiagram>(*m_view), Qt::Key_Home);
        QCOMPARE(player.step(), -1);
        QTest::keyClick(&part<ProgramDiagram>(*m_view), Qt::Key_Right);
        QTest::keyClick(&part<ProgramDiagram>(*m_view), Qt::Key_Right);
        QCOMPARE(player.step(), 1);
        QTest::keyClick(&part<ProgramDiagram>(*m_view), Qt::Key_Left);
        QCOMPARE(player.step(), 0);
        QTest::keyClick(&part<ProgramDiagram>(*m_view), Qt::Key_End);
        QCOMPARE(player.step(), steps - 1);
        part<QSlider>(part<ProgramTransport>(*m_view)).setValue(3);
        QCOMPARE(player.step(), 2);
        QVERIFY(!player.changed().empty());
        // Every step there and back holds the same.
        std::vector<std::vector<ValueIndex>> states;
        const auto state = [&] {
            std::vector<ValueIndex> values;
            for (PlaceIndex place = 0; place < player.replay()->places().count(); ++place)
                values.push_back(player.cursor()->value(place));
            return values;
        };
        for (int step = -1; step < steps; ++step) {
            player.setStep(step);
            states.push_back(state());
        }
        for (int step = steps; step-- > -1;) {
            player.setStep(step);
            QVERIFY(state() == states[static_cast<std::size_t>(step + 1)]);
        }
    }

    void everyExampleIsValid()
    {
        QVERIFY(shippedPrograms().size() >= 7);
        for (const ShippedProgram& program : shippedPrograms()) {
            type(program.text);
            QVERIFY2(m_view->checked()->isValid(), qPrintable(program.name + QStringLiteral(": ") + cell(0, ProgramIssuesModel::Message)));
            QVERIFY(m_view->player()->replay()->finishes());
            QVERIFY(!program.title.isEmpty());
        }
    }

    /// A text that takes long: the window goes on, the check says so after half a second and can be given up.
    void R2_longChecksBlockNothingAndAreCancelled()
    {
        m_view->editor()->replaceText(QStringLiteral("collective(\"all_reduce\", {ranks = 2})\nlocal x = 0\nwhile true do x = x + 1 end\n"));
        QTRY_VERIFY_WITH_TIMEOUT(tagged<StepHeader>(*m_view, "drawing").chip() == QStringLiteral("Checking"), kLongMs);
        int ticks = 0;
        QTimer timer;
        connect(&timer, &QTimer::timeout, this, [&ticks] { ++ticks; });
        timer.start(2);
        QTRY_VERIFY_WITH_TIMEOUT(ticks >= 20 || !m_view->checker()->isBusy(), kLongMs);
        QVERIFY(ticks >= 20);
        if (m_view->checker()->isBusy()) { // On a fast machine the instructions may be used up before.
            m_view->checker()->cancel();
            QCOMPARE(tagged<StepHeader>(*m_view, "drawing").chip(), QStringLiteral("Not checked"));
            QVERIFY(!test::named<QToolButton>(*m_view, QStringLiteral("Cancel the check")).isVisible());
        }
        type(kGather); // The next text is checked as ever, and no older answer comes in between.
        QCOMPARE(tagged<StepHeader>(*m_view, "drawing").chip(), QStringLiteral("Valid"));
    }

    void olderAnswersAreDropped()
    {
        QSignalSpy checked(m_view->checker(), &ProgramChecker::checked);
        for (int i = 0; i < 5; ++i) {
            m_view->editor()->replaceText(QString(kGather).replace(QStringLiteral("ranks = 4"), QStringLiteral("ranks = %1").arg(4 + i)));
            m_view->checker()->checkNow();
        }
        QTRY_VERIFY_WITH_TIMEOUT(!m_view->checker()->isBusy(), kLongMs);
        QCoreApplication::processEvents(); // An older answer would be in the queue by now.
        QCOMPARE(checked.count(), 1);
        QCOMPARE(m_view->checked()->program->ranks, 8);
    }

    void F2_filesAreSavedWholeAndReadBack()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("own.lua"));
        type(kGather);
        QVERIFY(m_view->files()->write(path));
        QVERIFY(!m_view->files()->isModified());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()), kGather);
        m_view->editor()->replaceText(QStringLiteral("-- nothing"));
        QVERIFY(m_view->files()->open(path)); // What was typed is given up, as decided above.
        QCOMPARE(m_view->editor()->toPlainText(), kGather);
        QCOMPARE(m_view->files()->displayName(), QStringLiteral("own.lua"));

        QSignalSpy failed(m_view->files(), &ProgramFiles::failed);
        QVERIFY(!m_view->files()->write(folder.filePath(QStringLiteral("none/own.lua"))));
        QVERIFY(!m_view->files()->open(folder.filePath(QStringLiteral("none.lua"))));
        QCOMPARE(failed.count(), 2);
        QCOMPARE(m_view->editor()->toPlainText(), kGather);

        // Lines end as they did.
        QFile dos(folder.filePath(QStringLiteral("dos.lua")));
        QVERIFY(dos.open(QIODevice::WriteOnly));
        dos.write("-- a\r\n-- b\r\n");
        dos.close();
        QVERIFY(m_view->files()->open(dos.fileName()));
        QCOMPARE(m_view->editor()->toPlainText(), QStringLiteral("-- a\n-- b\n"));
        QVERIFY(m_view->files()->write(dos.fileName()));
        QVERIFY(dos.open(QIODevice::ReadOnly));
        QCOMPARE(dos.readAll(), QByteArray("-- a\r\n-- b\r\n"));
    }

    void whatIsAProgramIsDecidedByContent()
    {
        QTemporaryDir folder;
        const auto write = [&](const QString& name, const QByteArray& text) {
            QFile file(folder.filePath(name));
            return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName() : QString();
        };
        QVERIFY(isProgramFile(write(QStringLiteral("a.lua"), "")));
        QVERIFY(isProgramFile(write(QStringLiteral("a.xml"), "<?xml version=\"1.0\"?>\n<!-- c -->\n<algo name=\"x\" proto=\"Simple\"></algo>")));
        QVERIFY(!isProgramFile(write(QStringLiteral("b.xml"), "<system version=\"1\"><cpu/></system>")));
        QVERIFY(!isProgramFile(write(QStringLiteral("c.xml"), "nothing")));
        QVERIFY(!isProgramFile(write(QStringLiteral("d.yaml"), "<algo/>")));
        QVERIFY(isProgramFile(write(QStringLiteral("e.json"), "{\"body\": {}, \"fabricscope_program\": 1}")));
        QVERIFY(isProgramFile(write(QStringLiteral("f.json"), "{\"gpus\": [{\"threadblocks\": []}]}")));
        QVERIFY(!isProgramFile(write(QStringLiteral("g.json"), "{\"gpus\": 8}")));
    }

    void xmlIsEditedLikeAScript()
    {
        // Two ranks exchange their halves of an all-gather.
        const QString xml = QStringLiteral("<algo name=\"pair\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"2\" ngpus=\"2\" coll=\"allgather\" inplace=\"1\" outofplace=\"0\" minBytes=\"0\" maxBytes=\"0\">\n"
                                           "  <gpu id=\"0\" i_chunks=\"0\" o_chunks=\"2\" s_chunks=\"0\">\n"
                                           "    <tb id=\"0\" send=\"1\" recv=\"1\" chan=\"0\">\n"
                                           "      <step s=\"0\" type=\"s\" srcbuf=\"o\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n"
                                           "      <step s=\"1\" type=\"r\" srcbuf=\"o\" srcoff=\"1\" dstbuf=\"o\" dstoff=\"1\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n"
                                           "    </tb>\n  </gpu>\n"
                                           "  <gpu id=\"1\" i_chunks=\"0\" o_chunks=\"2\" s_chunks=\"0\">\n"
                                           "    <tb id=\"0\" send=\"0\" recv=\"0\" chan=\"0\">\n"
                                           "      <step s=\"0\" type=\"s\" srcbuf=\"o\" srcoff=\"1\" dstbuf=\"o\" dstoff=\"1\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n"
                                           "      <step s=\"1\" type=\"r\" srcbuf=\"o\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n"
                                           "    </tb>\n  </gpu>\n</algo>\n");
        type(xml);
        QVERIFY2(m_view->checked()->isValid(), qPrintable(cell(0, ProgramIssuesModel::Message)));
        QCOMPARE(m_view->player()->replay()->transfers(), std::size_t{2});
        QVERIFY(part<ProgramMatrix>(*m_view).cellText(0, 1).contains(QStringLiteral("complete")));
        type(QString(xml).replace(QStringLiteral("type=\"r\" srcbuf=\"o\" srcoff=\"1\""), QStringLiteral("type=\"q\" srcbuf=\"o\" srcoff=\"1\"")));
        QVERIFY(!m_view->checked()->isValid());
        QVERIFY(!m_view->editor()->marks().empty());
        QCOMPARE(m_view->editor()->marks().front().line, 5);
    }

    void programsAreGeneratedByName()
    {
        GenerateDialog dialog;
        QVERIFY(named<QComboBox>(dialog, "Algorithm").count() > 5);
        QVERIFY(dialog.isAcceptable());
        named<QLineEdit>(dialog, "Ranks").setText(QStringLiteral("eight"));
        QVERIFY(!dialog.isAcceptable());
        named<QComboBox>(dialog, "Algorithm").setCurrentIndex(named<QComboBox>(dialog, "Algorithm").findData(QStringLiteral("recursive_doubling")));
        named<QLineEdit>(dialog, "Ranks").setText(QStringLiteral("6"));
        const QString whyNot = tagged<QLabel>(dialog, "note").text();
        named<QLineEdit>(dialog, "Ranks").setText(QStringLiteral("8"));
        QVERIFY(dialog.isAcceptable());
        QVERIFY(tagged<QLabel>(dialog, "note").text() != whyNot || !whyNot.isEmpty());
        QCOMPARE(GenerateDialog::extentsOf(QStringLiteral("4 x 2")), (std::vector<std::int32_t>{4, 2}));
        QCOMPARE(GenerateDialog::extentsOf(QStringLiteral("4,2")), (std::vector<std::int32_t>{4, 2}));
        QVERIFY(GenerateDialog::extentsOf(QStringLiteral("4 by 2")).empty());

        const Result<ProgramPtr> program = generateProgram(dialog.request());
        QVERIFY2(program, program ? "" : program.error().text().c_str());
        const Result<std::string> text = programXml(program.value());
        QVERIFY2(text, text ? "" : text.error().text().c_str());
        type(QString::fromStdString(text.value()));
        QVERIFY2(m_view->checked()->isValid(), qPrintable(cell(0, ProgramIssuesModel::Message)));
        QCOMPARE(m_view->checked()->program->ranks, 8);
    }

    /// The form that loses nothing is text like the others.
    void jsonIsEditedLikeAScript()
    {
        GenerateRequest request;
        request.algorithm = "swing";
        request.op = CollectiveOp::AllReduce;
        request.axes = {8};
        const Result<ProgramPtr> program = generateProgram(request);
        QVERIFY2(program, program ? "" : program.error().text().c_str());
        type(QString::fromStdString(writeProgramJson(*program.value())));
        QVERIFY2(m_view->checked()->isValid(), qPrintable(cell(0, ProgramIssuesModel::Message)));
        QCOMPARE(m_view->checked()->program->ranks, 8);
        QVERIFY(m_view->checked()->program->digest() == program.value()->digest());
        type(QStringLiteral("{\"fabricscope_program\": 1}"));
        QVERIFY(!m_view->checked()->isValid());
    }

    void whatTheMakerKnowsStandsUntilTheTextChanges()
    {
        ProgramOrigin origin;
        origin.facts = {{QStringLiteral("Planned"), QStringLiteral("5 us")}};
        QSignalSpy shown(m_view.get(), &ProgramWorkspace::shown);
        QVERIFY(m_view->showText(kGather, QStringLiteral("made.lua"), origin));
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty() && !m_view->checker()->isBusy(), kLongMs);
        const auto planned = [this] {
            const QList<QLabel*> labels = m_view->findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) { return label->text() == QStringLiteral("5 us"); });
        };
        QVERIFY(planned());
        type(kGather + QStringLiteral("\n"));
        QVERIFY(!planned());
    }
};

FABRICSCOPE_GUI_TEST(ProgramsTest)
#include "tst_programs.moc"
