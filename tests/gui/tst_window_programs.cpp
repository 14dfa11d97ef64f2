#include "tests/gui/support/patience.h"
#include "tests/gui/support/withtheme.h"
#include "tests/gui/support/named.h"
// Programs in the whole window: they are opened and dropped, keep their own undo and files beside the design's.
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "core/formats/programload.h"
#include "core/programio/mscclxml.h"
#include "core/programio/programjson.h"
#include "tests/gui/support/pictures.h"
#include "tests/gui/support/wholewindow.h"
#include "widgets/base/actions.h"
#include "widgets/base/files/autosave.h"
#include "widgets/design/document.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/generatedialog.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/programs/synthesispanel.h"
#include "widgets/programs/useprogramdialog.h"
#include "widgets/results/table.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QAccessible>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTimer>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;

void collectNameless(QAccessibleInterface* interface, const QString& path, QStringList& nameless, int depth)
{
    if (!interface || depth > 14 || interface->state().invisible)
        return;
    const QString own = path + QLatin1Char('/') + (interface->object() ? QString::fromLatin1(interface->object()->metaObject()->className()) : QStringLiteral("item"));
    if (interface->state().focusable && interface->text(QAccessible::Name).isEmpty() && interface->role() != QAccessible::Window)
        nameless.append(own);
    for (int i = 0; i < std::min(interface->childCount(), 200); ++i)
        collectNameless(interface->child(i), own, nameless, depth + 1);
}

/// Four NPUs in a ring gather 4 MiB.
const QByteArray kRing = "fabricscope: 1\n"
                         "name: Ring # four of them\n"
                         "platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]}\n"
                         "workload: {collective: all_gather, size: 4 MiB}\n";

/// All-gather by direct copies, for any number of ranks.
const QString kGather = QStringLiteral("local n = param(\"ranks\", 4)\n"
                                       "collective(\"all_gather\", {ranks = n})\n"
                                       "for r = 0, n - 1 do\n"
                                       "  for s = 1, n - 1 do\n"
                                       "    chunk(r, \"input\", 0):copy((r + s) % n, \"output\", r)\n"
                                       "  end\n"
                                       "end\n");

} // namespace

class WindowProgramsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;

    QString file(const QString& name, const QByteArray& text)
    {
        QFile out(m_folder.filePath(name));
        return out.open(QIODevice::WriteOnly) && out.write(text) == text.size() ? out.fileName() : QString();
    }

    void trigger(const char* command) { m_window->commands().action(QString::fromLatin1(command))->trigger(); }
    RunResultPtr result() const { return m_window->history().current(); }
    /// Opens a design of its own folder and waits for its result.
    void open(const QString& name, const QByteArray& text)
    {
        QSignalSpy shown(m_window.get(), &MainWindow::resultShown);
        m_window->files().openPaths({file(name, text)});
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty() && !m_window->runs().isBusy(), kLongMs);
    }
    void write(const QString& text)
    {
        ProgramWorkspace& programs = test::part<ProgramWorkspace>(*m_window);
        QSignalSpy shown(&programs, &ProgramWorkspace::shown);
        m_window->setWorkspace(QStringLiteral("programs"));
        programs.editor()->replaceText(text);
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty() && !programs.checker()->isBusy(), kLongMs);
    }
    /// Once nothing moves any more.
    static bool savePicture(QWidget& widget, const QString& path)
    {
        QImage before;
        const auto still = [&] {
            const QImage now = widget.grab().toImage();
            const bool same = now == before;
            before = now;
            return same;
        };
        return QTest::qWaitFor(still, kLongMs) && before.save(path);
    }
    UseProgramDialog* askUse()
    {
        trigger("program.use");
        return m_window->findChild<UseProgramDialog*>();
    }
    /// Presses Enter in it and waits for the result of the edit.
    void acceptUse(UseProgramDialog* dialog)
    {
        QSignalSpy shown(m_window.get(), &MainWindow::resultShown);
        QTest::keyClick(dialog, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty() && !m_window->runs().isBusy(), kLongMs);
    }
    /// Types the path into the file dialog that comes next, and accepts it.
    static void answerFileDialog(const QString& path)
    {
        auto* timer = new QTimer(qApp);
        timer->setInterval(10);
        connect(timer, &QTimer::timeout, timer, [timer, path] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            timer->deleteLater();
            dialog->selectFile(path);
            static_cast<QDialog*>(dialog)->accept();
        });
        timer->start();
    }

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
    }
    void init()
    {
        m_window = test::shownWindow({1600, 1000});
        QVERIFY(m_window);
    }
    void cleanup() { m_window.reset(); }

    void aFirstVisitShowsAnExample()
    {
        m_window->commands().action(QStringLiteral("view.programs"))->trigger();
        QCOMPARE(m_window->workspace(), QStringLiteral("programs"));
        QTRY_VERIFY_WITH_TIMEOUT(test::part<ProgramWorkspace>(*m_window).checked() && !test::part<ProgramWorkspace>(*m_window).checker()->isBusy(), kLongMs);
        QVERIFY(test::part<ProgramWorkspace>(*m_window).checked()->isValid());
        QVERIFY(!test::part<ProgramWorkspace>(*m_window).files()->isModified());
    }

    void F1_droppedProgramsAreOpenedThere()
    {
        const QString path = file(QStringLiteral("own.lua"), "collective(\"all_gather\", {ranks = 2})\n");
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &enter);
        auto* sheet = m_window->findChild<QWidget*>(QStringLiteral("dropTarget"));
        QVERIFY(sheet);
        QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(sheet, &drop);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->workspace(), QStringLiteral("programs"), kLongMs);
        QCOMPARE(test::part<ProgramWorkspace>(*m_window).files()->displayName(), QStringLiteral("own.lua"));
        QTRY_VERIFY_WITH_TIMEOUT(test::part<ProgramWorkspace>(*m_window).checked(), kLongMs);
        QVERIFY(!test::part<ProgramWorkspace>(*m_window).checked()->isValid()); // Nobody gathers anything.
    }

    void A5_everythingHasANameAndFits_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<double>("pixels");
        QTest::newRow("usual") << QSize(1600, 1000) << 13.0;
        QTest::newRow("smallest") << QSize(1024, 640) << 13.0;
        QTest::newRow("1.5 times") << QSize(1920, 1200) << 19.5;
    }

    void A5_everythingHasANameAndFits()
    {
        QFETCH(QSize, size);
        QFETCH(double, pixels);
        AppTheme::global().set(Theme(Theme::Mode::Light, pixels));
        m_window->resize(size);
        m_window->setWorkspace(QStringLiteral("programs"));
        QTRY_VERIFY_WITH_TIMEOUT(test::part<ProgramWorkspace>(*m_window).checked(), kLongMs);
        QVERIFY(test::settles(*m_window, kLongMs));
        QCOMPARE(m_window->size(), size); // Nothing in it asks for more.
        QStringList nameless;
        collectNameless(QAccessible::queryAccessibleInterface(&test::part<ProgramWorkspace>(*m_window)), {}, nameless, 0);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
        QStringList cut;
        for (const QLabel* label : test::part<ProgramWorkspace>(*m_window).findChildren<QLabel*>()) {
            if (label->isVisible() && !label->wordWrap() && !label->text().isEmpty() && label->width() + 1 < label->fontMetrics().horizontalAdvance(label->text()))
                cut.append(label->text());
        }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QLatin1Char('\n'))));
    }

    void undoBelongsToWhatIsOnShow()
    {
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        m_window->setWorkspace(QStringLiteral("programs"));
        QAction* undo = m_window->commands().action(QStringLiteral("edit.undo"));
        const QString before = test::part<ProgramWorkspace>(*m_window).editor()->toPlainText();
        QTest::keyClicks(test::part<ProgramWorkspace>(*m_window).editor(), QStringLiteral("-- x"));
        QVERIFY(undo->isEnabled());
        undo->trigger();
        QCOMPARE(test::part<ProgramWorkspace>(*m_window).editor()->toPlainText(), before);
        QVERIFY(!m_window->document().isModified());
        m_window->setWorkspace(QStringLiteral("explore"));
        QCOMPARE(undo->isEnabled(), m_window->document().undoStack().canUndo());
    }

    void F2_closingAsksForTheTextToo()
    {
        m_window->setWorkspace(QStringLiteral("programs"));
        QTest::keyClicks(test::part<ProgramWorkspace>(*m_window).editor(), QStringLiteral("-- x"));
        int asked = 0;
        test::part<ProgramWorkspace>(*m_window).files()->setDecide([&](const QString& question) {
            ++asked;
            return question.contains(QStringLiteral("unsaved")) ? QMessageBox::Cancel : QMessageBox::Discard;
        });
        QVERIFY(!m_window->close());
        QCOMPARE(asked, 1);
        QVERIFY(m_window->isVisible());
        test::part<ProgramWorkspace>(*m_window).files()->setDecide([](const QString&) { return QMessageBox::Discard; });
    }

    void F3_theTextIsSavedOnItsOwn()
    {
        m_window->setWorkspace(QStringLiteral("programs"));
        QTest::keyClicks(test::part<ProgramWorkspace>(*m_window).editor(), QStringLiteral("-- not saved"));
        Autosave* autosave = &test::part<Autosave>(*test::part<ProgramWorkspace>(*m_window).files());
        QVERIFY(autosave->saveNow());
        QVERIFY(QFile::exists(autosave->sideFile()));
        QFile side(autosave->sideFile());
        QVERIFY(side.open(QIODevice::ReadOnly));
        QVERIFY(side.readAll().contains("-- not saved"));
        // It is none of those a design is recovered from.
        for (const Recoverable& entry : Autosave::recoverable())
            QVERIFY(!QString::fromStdString(entry.state.text).contains(QStringLiteral("-- not saved")));
        test::part<ProgramWorkspace>(*m_window).files()->finish();
        QVERIFY(!QFile::exists(autosave->sideFile()));
    }

    void aWrittenProgramIsSavedAndRunByTheDesign()
    {
        open(QStringLiteral("ring.yaml"), kRing);
        const std::string before = m_window->document().text();
        const SimTime plain = result()->record().finish;
        write(kGather);
        UseProgramDialog* dialog = askUse();
        QVERIFY(dialog);
        QCOMPARE(test::named<QComboBox>(*dialog, "Group").currentIndex(), 0); // Any number of ranks: every group.
        QTest::keyClick(&test::named<QLineEdit>(*dialog, "File"), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(&test::named<QLineEdit>(*dialog, "File"), QStringLiteral("mine.lua"));
        QVERIFY2(dialog->isAcceptable(), qPrintable(test::tagged<QLabel>(*dialog, "note").text()));
        acceptUse(dialog);

        QFile saved(m_folder.filePath(QStringLiteral("mine.lua")));
        QVERIFY(saved.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(saved.readAll()), kGather);
        QVERIFY(!test::part<ProgramWorkspace>(*m_window).files()->isModified());
        const std::vector<CollectiveRule>& rules = m_window->document().design()->collectives.rules;
        QCOMPARE(rules.size(), std::size_t{1});
        QVERIFY(rules[0].op == CollectiveOp::AllGather);
        QCOMPARE(rules[0].program.program.front().text, std::string("mine.lua"));
        QVERIFY(!m_window->document().hasErrors());
        QVERIFY(m_window->document().text().find("# four of them") != std::string::npos);
        QCOMPARE(m_window->workspace(), QStringLiteral("explore")); // Where its effect is.
        const ProgramPtr run = result()->scenario->structure->instances.front().program;
        QVERIFY(!run->isTemplate()); // No native algorithm.
        QCOMPARE(std::count(run->asExplicit().kind.begin(), run->asExplicit().kind.end(), OpKind::Send), 4 * 3);

        // One step back.
        QSignalSpy shown(m_window.get(), &MainWindow::resultShown);
        trigger("edit.undo");
        QCOMPARE(m_window->document().text(), before);
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty() && !m_window->runs().isBusy(), kLongMs);
        QCOMPARE(result()->record().finish.ps, plain.ps);
    }

    void aGeneratedProgramIsNamedInTheDesign()
    {
        open(QStringLiteral("ring.yaml"), kRing);
        ProgramWorkspace& programs = test::part<ProgramWorkspace>(*m_window);
        QSignalSpy shown(&programs, &ProgramWorkspace::shown);
        QTimer::singleShot(0, qApp, [] {
            auto* dialog = qobject_cast<GenerateDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            test::named<QComboBox>(*dialog, "Algorithm").setCurrentIndex(test::named<QComboBox>(*dialog, "Algorithm").findData(QStringLiteral("bruck")));
            test::named<QComboBox>(*dialog, "Collective").setCurrentIndex(test::named<QComboBox>(*dialog, "Collective").findData(static_cast<int>(CollectiveOp::AllGather)));
            test::named<QLineEdit>(*dialog, "Ranks").setText(QStringLiteral("8"));
            QVERIFY2(dialog->isAcceptable(), qPrintable(test::tagged<QLabel>(*dialog, "note").text()));
            dialog->accept();
        });
        trigger("program.generate");
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty() && !programs.checker()->isBusy() && programs.checked()->program && programs.checked()->program->ranks == 8, kLongMs);
        UseProgramDialog* dialog = askUse();
        QVERIFY(dialog);
        QCOMPARE(dialog->fileToWrite(), QString());
        acceptUse(dialog);
        // Made for 8, but the algorithm takes any group: it runs on these 4.
        const std::vector<CollectiveRule>& rules = m_window->document().design()->collectives.rules;
        QCOMPARE(rules.size(), std::size_t{1});
        QVERIFY(rules[0].program.program.front().kind == ProgramSource::Kind::Generator);
        QCOMPARE(rules[0].program.program.front().text, std::string("bruck"));
        QVERIFY(!m_window->document().hasErrors());
        QCOMPARE(result()->scenario->structure->instances.front().program->ranks, 4);
    }

    void aSynthesisedProgramRunsAsLongAsItsPanelSaid()
    {
        open(QStringLiteral("ring.yaml"), kRing);
        trigger("program.synthesise");
        QVERIFY(test::part<ProgramWorkspace>(*m_window).synthesis()->isVisible());
        SynthesisPanel& panel = *test::part<ProgramWorkspace>(*m_window).synthesis();
        test::named<QComboBox>(panel, "Method").setCurrentIndex(test::named<QComboBox>(panel, "Method").findData(QStringLiteral("forest"))); // Unequal chunks, perhaps: XML has no words for them.
        test::named<QLineEdit>(panel, "Size").setText(QStringLiteral("4 MiB"));
        QTest::mouseClick(&test::tagged<QPushButton>(panel, "start"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(panel.answer() && !test::part<SynthesisRunner>(panel).isBusy(), kLongMs);
        QVERIFY(panel.answer()->simulated);
        QTest::mouseClick(&test::named<QPushButton>(panel, QStringLiteral("Use in design…")), Qt::LeftButton);
        auto* dialog = m_window->findChild<UseProgramDialog*>();
        QVERIFY(dialog);
        const QString path = dialog->fileToWrite();
        QCOMPARE(QFileInfo(path).absolutePath(), QDir(m_folder.path()).absolutePath());
        acceptUse(dialog);
        Diagnostics findings;
        const Result<LoadedProgram> saved = loadProgram(path.toStdString(), findings);
        QVERIFY2(saved, saved ? "" : saved.error().text().c_str());
        QVERIFY(saved.value().program->digest() == panel.answer()->rows[panel.answer()->best].synthesis.program->digest());
        // The design is that collective alone on that platform.
        QCOMPARE(result()->record().finish.ps, panel.answer()->simulated->ps);

        // Opened, it is a text with its verdict.
        trigger("program.synthesise");
        QTest::mouseClick(&test::named<QPushButton>(panel, "Open as text"), Qt::LeftButton);
        // A verdict on what was there before may still come: the text is the program once the panel has made room for it.
        QTRY_VERIFY_WITH_TIMEOUT(!test::part<ProgramWorkspace>(*m_window).synthesis()->isVisible(), kLongMs);
        QTRY_VERIFY_WITH_TIMEOUT(!test::part<ProgramWorkspace>(*m_window).checker()->isBusy(), kLongMs);
        QTRY_VERIFY_WITH_TIMEOUT(test::part<ProgramWorkspace>(*m_window).checked() && test::part<ProgramWorkspace>(*m_window).checked()->isValid(), kLongMs);
        QVERIFY(!test::part<ProgramWorkspace>(*m_window).origin().facts.empty());
    }

    void aProgramWithErrorsIsNotUsed()
    {
        open(QStringLiteral("ring.yaml"), kRing);
        write(QStringLiteral("collective(\"all_gather\", {ranks = 4})\n")); // Nobody gathers anything.
        QVERIFY(!test::part<ProgramWorkspace>(*m_window).checked()->isValid());
        QVERIFY(!askUse());
    }

    void programsAreExportedInEveryForm()
    {
        write(kGather);
        for (const QString& name : {QStringLiteral("out.json"), QStringLiteral("out.xml")}) {
            const QString path = m_folder.filePath(name);
            answerFileDialog(path);
            trigger("program.export");
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), kLongMs);
        }
        Diagnostics findings;
        const Result<LoadedProgram> json = loadProgram(m_folder.filePath(QStringLiteral("out.json")).toStdString(), findings);
        QVERIFY2(json, json ? "" : json.error().text().c_str());
        QVERIFY(json.value().program->digest() == test::part<ProgramWorkspace>(*m_window).checked()->program->digest());
        const Result<MscclFile> xml = readMsccl(m_folder.filePath(QStringLiteral("out.xml")).toStdString());
        QVERIFY(xml && xml.value().program);
        QCOMPARE(xml.value().program->ranks, 4);
        answerFileDialog(m_folder.filePath(QStringLiteral("graphs.et")));
        trigger("program.export");
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_folder.filePath(QStringLiteral("graphs.3.et"))), kLongMs);
    }

    void candidatesAndBoundsAreListed()
    {
        QSignalSpy shown(m_window.get(), &MainWindow::resultShown);
        m_window->files().openExample(QStringLiteral("programs-networks"));
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty() && !m_window->runs().isBusy(), kLongMs);
        TablesPanel& tables = test::part<TablesPanel>(*m_window);
        tables.showTab(TablesPanel::Collectives);
        QComboBox& views = test::named<QComboBox>(tables, QStringLiteral("What to list of the collectives"));
        const QAbstractItemModel& rows = *tables.table(TablesPanel::Collectives).view()->model();
        QCOMPARE(views.currentIndex(), 0);
        views.setFocus();
        QTest::keyClick(&views, Qt::Key_Down);
        QCOMPARE(rows.rowCount(), static_cast<int>(result()->summary.collectiveBounds.size()));
        QVERIFY(rows.rowCount() >= 6); // Three networks, two sizes.
        for (int row = 0; row < rows.rowCount(); ++row) {
            const double reached = rows.index(row, 4).data(TableModel::SortRole).toDouble();
            QVERIFY(reached > 0 && reached <= 1);
        }
        QTest::keyClick(&views, Qt::Key_Down);
        std::size_t candidates = 0;
        for (const CollectiveChoice& choice : result()->summary.choices)
            candidates += choice.candidates.size();
        QCOMPARE(static_cast<std::size_t>(rows.rowCount()), candidates);
        int taken = 0;
        for (int row = 0; row < rows.rowCount(); ++row)
            taken += rows.index(row, 4).data().toString() == QStringLiteral("runs") ? 1 : 0;
        QCOMPARE(taken, static_cast<int>(result()->summary.choices.size()));

        // A sort by hand stays over the next run.
        tables.table(TablesPanel::Collectives).sortBy(3, Qt::DescendingOrder);
        shown.clear();
        trigger("run.start");
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty(), kLongMs);
        QCOMPARE(views.currentIndex(), 2);
        QCOMPARE(tables.table(TablesPanel::Collectives).sortColumn(), 3);
    }

    /// Saves pictures to look at when FABRICSCOPE_PICTURES names a folder; else the hardest: dark and small.
    void pictures()
    {
        const bool all = qEnvironmentVariableIsSet("FABRICSCOPE_PICTURES");
        const test::Pictures out;
        QSignalSpy shown(m_window.get(), &MainWindow::resultShown);
        m_window->files().openExample(QStringLiteral("programs-networks"));
        QTRY_VERIFY_WITH_TIMEOUT(!shown.isEmpty() && !m_window->runs().isBusy(), kLongMs);
        SynthesisPanel& panel = *test::part<ProgramWorkspace>(*m_window).synthesis();
        trigger("program.synthesise");
        test::named<QLineEdit>(panel, "NPUs").setText(QStringLiteral("0-7"));
        test::named<QSpinBox>(panel, "Chunks").setValue(all ? 0 : 1); // 0: several
        QTest::mouseClick(&test::tagged<QPushButton>(panel, "start"), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(panel.answer() && !test::part<SynthesisRunner>(panel).isBusy(), kLongMs);
        for (const bool dark : {false, true}) {
            const Theme theme(dark ? Theme::Mode::Dark : Theme::Mode::Light, 13);
            const test::WithTheme themed(theme);
            for (const QSize size : {QSize(1600, 1000), QSize(1024, 640)}) {
                if (!all && (!dark || size.width() > 1024))
                    continue;
                const QString name = QStringLiteral("%1/%2_%3_").arg(out.folder(), dark ? QStringLiteral("dark") : QStringLiteral("light")).arg(size.width());
                m_window->resize(size);
                m_window->setWorkspace(QStringLiteral("programs"));
                test::part<ProgramWorkspace>(*m_window).showSynthesis(true);
                QTRY_COMPARE(test::part<ProgramWorkspace>(*m_window).width(), size.width());
                QVERIFY(savePicture(*m_window, name + QStringLiteral("synthesis.png")));
                test::part<ProgramWorkspace>(*m_window).showSynthesis(false);
                QTRY_VERIFY_WITH_TIMEOUT(test::part<ProgramWorkspace>(*m_window).checked() && !test::part<ProgramWorkspace>(*m_window).checker()->isBusy(), kLongMs);
                QVERIFY(savePicture(*m_window, name + QStringLiteral("text.png")));
                if (UseProgramDialog* dialog = askUse()) {
                    QVERIFY(QTest::qWaitForWindowExposed(dialog));
                    QVERIFY(savePicture(*dialog, name + QStringLiteral("use.png")));
                    dialog->reject();
                    QTRY_VERIFY(!m_window->findChild<UseProgramDialog*>());
                }
                m_window->setWorkspace(QStringLiteral("explore"));
                test::part<TablesPanel>(*m_window).showTab(TablesPanel::Collectives);
                test::part<TablesPanel>(*m_window).showCollectives(TablesPanel::Bounds);
                QVERIFY(savePicture(*m_window, name + QStringLiteral("bounds.png")));
                test::part<TablesPanel>(*m_window).showCollectives(TablesPanel::Candidates);
                QVERIFY(savePicture(*m_window, name + QStringLiteral("candidates.png")));
            }
        }
    }

    /// The dialog runs the event loop: texts are checked and runs end meanwhile.
    void whatIsExportedIsWhatWasShownWhenAsked()
    {
        m_window->setWorkspace(QStringLiteral("programs"));
        write(kGather);
        const CheckedProgram* const asked = test::part<ProgramWorkspace>(*m_window).checked().get();
        QVERIFY(asked && asked->program);
        const QString path = m_folder.filePath(QStringLiteral("asked.json"));
        bool replaced = false;
        QTimer answer;
        connect(&answer, &QTimer::timeout, this, [&] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            answer.stop();
            test::part<ProgramWorkspace>(*m_window).editor()->replaceText(QStringLiteral("this is no program"));
            replaced = QTest::qWaitFor([&] { return test::part<ProgramWorkspace>(*m_window).checked().get() != asked && !test::part<ProgramWorkspace>(*m_window).checker()->isBusy(); }, kLongMs);
            dialog->selectNameFilter(QStringLiteral("Fabricscope JSON (*.json)"));
            if (auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))) // selectFile() leaves a name alone that has the focus.
                name->setText(path);
            QMetaObject::invokeMethod(dialog, "accept");
        });
        answer.start(10);
        trigger("program.export");
        QVERIFY(replaced);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), kLongMs);
        QFile written(path);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const auto program = parseProgramJson(written.readAll().toStdString(), "asked.json");
        QVERIFY(program);
        QCOMPARE(program.value()->ranks, 4);
        QVERIFY(program.value()->op == CollectiveOp::AllGather);
    }
};

FABRICSCOPE_GUI_TEST(WindowProgramsTest)
#include "tst_window_programs.moc"
