#include "widgets/base/apptheme.h"
// The window as a whole: every command, every widget, every text.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "sourcedir.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "widgets/base/actions.h"
#include "core/design/linknames.h"
#include "widgets/design/editactions.h"
#include "widgets/design/document.h"
#include "widgets/start/manualwindow.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/start/recentfiles.h"
#include "widgets/results/table.h"
#include "widgets/start/shortcutsheet.h"
#include "widgets/step/chunkworkspace.h"
#include "widgets/start/designtemplates.h"
#include "widgets/timeline/view.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QAbstractButton>
#include <QAccessible>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QMessageBox>
#include <QTableView>
#include <QTextBrowser>
#include <QTemporaryDir>
#include <QToolBar>
#include <QToolButton>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;

void collectNameless(QAccessibleInterface* interface, const QString& path, QStringList& nameless, int depth)
{
    if (!interface || depth > 14 || interface->state().invisible)
        return;
    const QString name = interface->text(QAccessible::Name);
    const QString own = path + QStringLiteral("/") + (interface->object() ? QString::fromLatin1(interface->object()->metaObject()->className()) : QStringLiteral("item"));
    // What can be reached by keyboard, or pressed, must say what it is.
    if (interface->state().focusable && name.isEmpty() && interface->role() != QAccessible::Window)
        nameless.append(own);
    for (int i = 0; i < std::min(interface->childCount(), 200); ++i)
        collectNameless(interface->child(i), own, nameless, depth + 1);
}

} // namespace

class WindowTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    void openExample()
    {
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
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

    /// Widgets take their fonts while they are made, before they stand in the window.
    void theThemeTakenAgainChangesNoFont()
    {
        QHash<QWidget*, QString> fonts;
        const QList<QWidget*> widgets = m_window->findChildren<QWidget*>();
        for (QWidget* widget : widgets)
            fonts.insert(widget, widget->font().toString());
        AppTheme::global().set(AppTheme::global().theme());
        for (QWidget* widget : m_window->findChildren<QWidget*>()) {
            const auto before = fonts.constFind(widget);
            if (before != fonts.constEnd())
                QVERIFY2(*before == widget->font().toString(), qPrintable(QStringLiteral("%1 %2: %3, then %4").arg(QString::fromLatin1(widget->metaObject()->className()), widget->objectName(), *before, widget->font().toString())));
        }
        QCOMPARE_GT(fonts.size(), 100);
    }

    void A1_everyCommandIsCompleteAndNoTwoShareAShortcut()
    {
        const ActionRegistry& registry = m_window->commands();
        QVERIFY(registry.count() > 30);
        QCOMPARE(registry.problems(), QStringList());
        QHash<QString, QString> owner;
        for (const QAction* action : registry.actions()) {
            for (const QKeySequence& keys : action->shortcuts()) {
                const QString text = keys.toString();
                QVERIFY2(!owner.contains(text), qPrintable(text));
                owner.insert(text, action->text());
            }
        }
        // Every command is in a menu, so it can be found without knowing its keys.
        int inMenus = 0;
        for (const QString& menu : registry.menus())
            inMenus += static_cast<int>(registry.inMenu(menu).size());
        QCOMPARE(inMenus, registry.count());
    }

    void A2_theShortcutSheetListsEveryCommand()
    {
        const ShortcutSheet sheet(m_window->commands());
        QCOMPARE(sheet.rowCount(), m_window->commands().count());
    }

    void A2_theManualOpensBesideTheWindowByItsKey()
    {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTest::keyClick(m_window.get(), Qt::Key_F1);
        auto* const manual = m_window->findChild<ManualWindow*>();
        QVERIFY(manual && manual->isVisible() && !manual->isModal());
        QVERIFY(!test::part<QTextBrowser>(*manual).toPlainText().isEmpty());
        // The window's theme reaches its page.
        m_window->commands().action(QStringLiteral("view.dark"))->trigger();
        QVERIFY(test::part<QTextBrowser>(*manual).palette().color(QPalette::Base).lightness() < 60);
    }

    void A3_theThemeSwitchesWhileTheProgramRuns()
    {
        openExample();
        const QColor light = m_window->grab().toImage().pixelColor(test::part<ExploreView>(*m_window).mapTo(m_window.get(), QPoint(20, 60)));
        m_window->commands().action(QStringLiteral("view.dark"))->trigger();
        QVERIFY(AppTheme::global().theme().isDark());
        QVERIFY(light.lightness() > 200);
        QTRY_VERIFY(m_window->grab().toImage().pixelColor(test::part<ExploreView>(*m_window).mapTo(m_window.get(), QPoint(20, 60))).lightness() < 60);
    }

    void everyWorkspaceOfTheTableComesOnShow()
    {
        qsizetype shown = 1; // Explore.
        for (const WorkspaceRow& row : workspaceRows()) {
            const QString key = QString::fromLatin1(row.key);
            m_window->setWorkspace(QStringLiteral("explore"));
            QWidget* page = m_window->workspaceOf(key)->page();
            QVERIFY(!page->isVisible());
            row.view.empty() ? m_window->setWorkspace(key) : m_window->commands().action(QString::fromLatin1(row.view.front().id))->trigger();
            QCOMPARE(m_window->workspace(), key);
            QVERIFY(page->isVisible());
            shown += row.view.empty() ? 0 : 1;
        }
        m_window->setWorkspace(QStringLiteral("nowhere"));
        QCOMPARE(m_window->workspace(), QString::fromLatin1(workspaceRows().back().key));
        // The bar has one row of those that have a command, closed at both ends.
        QStringList segments;
        for (const QToolButton* button : m_window->findChild<QToolBar*>(QStringLiteral("mainToolBar"))->findChildren<QToolButton*>())
            if (button->property("segment").isValid())
                segments.append(button->property("segment").toString());
        QCOMPARE(segments.size(), shown);
        QCOMPARE(segments.count(QStringLiteral("true")), shown - 2);
        QCOMPARE(segments.front(), QStringLiteral("first"));
        QCOMPARE(segments.back(), QStringLiteral("last"));
    }

    void theManualPageNamesEveryWorkspace()
    {
        QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/packaging/man/fabricscope.1"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString page = QString::fromUtf8(file.readAll());
        const QString option = page.section(QStringLiteral("workspace \" NAME\""), 1).section(QStringLiteral(".TP"), 0, 0);
        for (const QString& key : workspaceKeys())
            QVERIFY2(option.contains(QLatin1Char(' ') + key + QLatin1Char(' ')) || option.contains(QLatin1Char(' ') + key + QLatin1Char('\n')), qPrintable(key));
    }

    void A5_everythingThatTakesTheKeyboardHasAName_data()
    {
        QTest::addColumn<QString>("workspace");
        for (const QString& key : workspaceKeys())
            QTest::newRow(qPrintable(key)) << key;
    }

    void A5_everythingThatTakesTheKeyboardHasAName()
    {
        QFETCH(QString, workspace);
        openExample();
        m_window->setWorkspace(workspace);
        QVERIFY(test::settles(*m_window, kLongMs));
        QStringList nameless;
        collectNameless(QAccessible::queryAccessibleInterface(m_window.get()), {}, nameless, 0);
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QStringLiteral("\n"))));
    }

    void A6_noTextOfAButtonOrLabelIsCut_data()
    {
        QTest::addColumn<double>("pixels");
        QTest::addColumn<QSize>("size");
        QTest::newRow("usual") << 13.0 << QSize(1280, 800);
        QTest::newRow("1.5 times") << 19.5 << QSize(1920, 1200);
    }

    void A6_noTextOfAButtonOrLabelIsCut()
    {
        QFETCH(double, pixels);
        QFETCH(QSize, size);
        AppTheme::global().set(Theme(Theme::Mode::Light, pixels));
        m_window->resize(size);
        openExample();
        m_window->resetLayout();
        QVERIFY(test::settles(*m_window, kLongMs));
        QStringList cut;
        for (const QAbstractButton* button : m_window->findChildren<QAbstractButton*>()) {
            const auto* tool = qobject_cast<const QToolButton*>(button);
            if (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly && !tool->icon().isNull())
                continue;
            if (button->isVisible() && !button->text().isEmpty() && button->width() < button->fontMetrics().horizontalAdvance(QString(button->text()).remove(QLatin1Char('&'))))
                cut.append(button->text());
        }
        for (const QLabel* label : m_window->findChildren<QLabel*>()) {
            if (!label->isVisible() || label->wordWrap() || label->text().isEmpty() || label->textFormat() == Qt::RichText || Qt::mightBeRichText(label->text()))
                continue;
            if (label->width() + 1 < label->fontMetrics().horizontalAdvance(label->text()) || label->height() + 1 < label->fontMetrics().ascent())
                cut.append(QStringLiteral("%1 (%2 x %3)").arg(label->text()).arg(label->width()).arg(label->height()));
        }
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QStringLiteral("\n"))));
    }

    void E3_activatingAnIssueGoesToItsField()
    {
        openExample();
        const Status edited = m_window->document().edit(QStringLiteral("bad"), [](YamlDocument& yaml) { return yaml.set("platform.dimensions[1].bandwidth", std::string("0 GB/s")); });
        QVERIFY(edited);
        QVERIFY(m_window->document().hasErrors());
        m_window->activateWindow();
        m_window->commands().action(QStringLiteral("design.issues"))->trigger();
        QCOMPARE(test::part<TablesPanel>(*m_window).tab(), TablesPanel::Issues);
        const QWidget* focus = QApplication::focusWidget();
        QVERIFY(focus);
        QVERIFY2(m_window->findChild<QDockWidget*>(QStringLiteral("designDock"))->isAncestorOf(focus), focus->metaObject()->className());
    }

    void F1_recentFilesComeBackAndMissingOnesAreGrey()
    {
        const QString path = m_home.filePath(QStringLiteral("recent.yaml"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("fabricscope: 1\nname: Recent\nplatform:\n  dimensions:\n    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\nworkload:\n  collective: all_reduce\n  size: 1 MiB\n");
        file.close();
        m_window->files().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current(), kLongMs);
        QCOMPARE(m_window->document().design()->name, std::string("Recent"));
        QVERIFY(QFile::remove(path));
        RecentFiles later;
        QVERIFY(later.rowCount() >= 1);
        QCOMPARE(later.data(later.index(0), RecentFiles::PathRole).toString(), path);
        QVERIFY(!later.data(later.index(0), RecentFiles::ExistsRole).toBool());
        QVERIFY(!later.flags(later.index(0)).testFlag(Qt::ItemIsEnabled));
    }

    void F1_severalDroppedFilesOpenAsOneDesign()
    {
        const QString network = m_home.filePath(QStringLiteral("net.yml"));
        const QString system = m_home.filePath(QStringLiteral("sys.json"));
        const auto write = [](const QString& path, const char* text) {
            QFile file(path);
            return file.open(QIODevice::WriteOnly) && file.write(text) > 0;
        };
        QVERIFY(write(network, "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n"));
        QVERIFY(write(system, "{\"scheduling-policy\": \"LIFO\", \"endpoint-delay\": 10, \"active-chunks-per-dimension\": 1, \"preferred-dataset-splits\": 4,"
                              " \"all-reduce-implementation\": [\"ring\"], \"all-gather-implementation\": [\"ring\"], \"reduce-scatter-implementation\": [\"ring\"],"
                              " \"all-to-all-implementation\": [\"ring\"], \"collective-optimization\": \"localBWAware\"}\n"));
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(network), QUrl::fromLocalFile(system)});
        QDragEnterEvent enter(QPoint(400, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QWidget* target = m_window->childAt(400, 400);
        QVERIFY(target);
        QDropEvent drop(QPointF(400, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &drop);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current(), kLongMs);
        QCOMPARE(m_window->document().platform()->npuCount(), 8);
        // A bare 50 of a network file is 50 GiB/s.
        QCOMPARE(m_window->document().platform()->dimensions()[0].linkGibPerSecond(), 50.0);
    }

    void F2_unsavedChangesAreAskedAbout()
    {
        openExample();
        QStringList questions;
        int answer = QMessageBox::Cancel;
        m_window->files().setDecide([&](const QString& question) {
            questions.append(question);
            return answer;
        });
        QVERIFY(m_window->files().mayClose());
        QVERIFY2(questions.isEmpty(), "an untouched example has nothing to lose");
        QVERIFY(m_window->document().edit(QStringLiteral("name"), [](YamlDocument& yaml) { return yaml.set("name", std::string("Mine")); }));
        QVERIFY(m_window->windowTitle().startsWith(QLatin1Char('*')));
        QVERIFY(!m_window->close());
        QCOMPARE(questions.size(), 1);
        QVERIFY(questions.first().contains(QStringLiteral("two-level-hgx.yaml")));
        QVERIFY(m_window->isVisible());
        answer = QMessageBox::Discard;
        QVERIFY(m_window->close());
    }

    void F4_aFileThatCannotBeReadChangesNothing()
    {
        openExample();
        const std::string before = m_window->document().text();
        const RunResultPtr result = m_window->history().current();
        const QString path = m_home.filePath(QStringLiteral("broken.yaml"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("fabricscope: 1\nplatform: [unclosed\n");
        file.close();
        QSignalSpy failed(&m_window->files(), &FileCommands::failed);
        m_window->files().openPaths({path});
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kLongMs);
        const auto error = failed.first().first().value<Error>();
        QVERIFY2(QString::fromStdString(error.text()).contains(QStringLiteral("broken.yaml:")), error.text().c_str());
        QCOMPARE(m_window->document().text(), before);
        QCOMPARE(m_window->history().current(), result);
    }

    void E2_aRemovedLinkIsGoneForTheRunAndComesBackByUndo()
    {
        m_window->files().openText("fabricscope: 1\nname: Ring # eight of them\nplatform:\n  dimensions:\n    - {shape: ring, size: 8, bandwidth: 50 GB/s, latency: 500 ns}\n"
                                   "workload:\n  collective: all_reduce\n  size: 8 MiB\ncollectives:\n  default: {algorithm: ring, chunks: 1}\n",
                                   QStringLiteral("ring.yaml"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current(), kLongMs);
        const std::string text = m_window->document().text();
        const RunResultPtr whole = m_window->history().current();
        const auto link = findLink(*m_window->document().platform(), "d0 2>3");
        QVERIFY(link);
        QVERIFY(DesignActions::setLinkRemoved(m_window->document(), *link, true));
        QVERIFY2(!m_window->document().hasErrors(), m_window->document().text().c_str());
        QVERIFY(m_window->document().platform()->isRemoved(*link));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() != whole, kLongMs);
        // 14 messages follow one another; each that crosses the gap takes six more hops, at 500 ns of latency at least.
        QVERIFY(m_window->history().current()->record().finish.ps >= whole->record().finish.ps + 6 * 500'000);
        m_window->document().undoStack().undo();
        QCOMPARE(m_window->document().text(), text);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->history().current()->record().fingerprint, whole->record().fingerprint, kLongMs);
    }

    void selectingALinkInTheTableSelectsItInThePicture()
    {
        openExample();
        test::part<TablesPanel>(*m_window).showTab(TablesPanel::Links);
        QTableView* view = test::part<TablesPanel>(*m_window).table(TablesPanel::Links).view();
        view->setFocus();
        view->selectRow(0);
        const qint64 link = test::part<TablesPanel>(*m_window).table(TablesPanel::Links).selectedId();
        QVERIFY(link >= 0);
        const CanvasElement& selected = test::part<ExploreView>(*m_window).canvas().selection();
        QCOMPARE(selected.kind, CanvasElement::Kind::Link);
        QCOMPARE(selected.link, link);
    }

    void aMoveOfTheStepperIsShownOnTheTimeline()
    {
        openExample();
        m_window->setWorkspace(QStringLiteral("step"));
        emit test::part<StepWorkspace>(*m_window).showOnTimelineRequested(1'000'000'000, 1'100'000'000);
        QCOMPARE(m_window->workspace(), QStringLiteral("explore"));
        const TimeRange seen = test::part<ExploreView>(*m_window).timeline().visibleRange();
        QCOMPARE(seen.beginPs, 900'000'000);
        QCOMPARE(seen.endPs, 1'200'000'000);
        emit test::part<StepWorkspace>(*m_window).nodeSelected(5);
        QCOMPARE(test::part<ExploreView>(*m_window).canvas().selection().node, 5);
    }

    void everyExampleAndTemplateRuns_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const auto* list : {&designTemplates(), &exampleDesigns(), &presetDesigns()})
            for (const ShippedDesign& design : *list)
                if (test::isTriedNow(design.id))
                    QTest::newRow(qPrintable(design.id)) << QByteArray::fromStdString(design.text);
    }

    void everyExampleAndTemplateRuns()
    {
        QFETCH(QByteArray, text);
        QSignalSpy failed(&m_window->files(), &FileCommands::failed);
        m_window->files().openText(text, QStringLiteral("shipped.yaml"));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current(), kLongMs);
        QCOMPARE(failed.count(), 0);
        for (const Diagnostic& issue : m_window->document().issues())
            QVERIFY2(issue.severity == Severity::Note, issue.text().c_str());
    }
};

FABRICSCOPE_GUI_TEST(WindowTest)
#include "tst_window.moc"
