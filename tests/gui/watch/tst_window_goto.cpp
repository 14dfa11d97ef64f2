// Going to shipped examples and settings by their names (Ctrl+P).
#include "app/desktop/exploreview.h"
#include "app/desktop/resulthistory.h"
#include "app/desktop/workspace.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/runresults.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/canvas/platformcanvas.h"
#include "widgets/design/document.h"
#include "widgets/design/panel.h"
#include "widgets/start/commandpalette.h"
#include "widgets/start/designtemplates.h"
#include "widgets/start/manualwindow.h"
#include "widgets/start/settingsdialog.h"
#include "widgets/start/tourcard.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListView>
#include <QPointer>
#include <QTemporaryDir>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolBar>
#include <QToolButton>
#include <QtTest>

#include <algorithm>

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

    QStringList palette(const QString& typed, CommandPalette::Scope scope = CommandPalette::Scope::Elements)
    {
        auto& palette = part<CommandPalette>(*m_window);
        palette.open(scope, typed);
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

    void A10_settingsOpenByTheirKeyAndByName()
    {
        open();
        QAction* const settings = m_window->commands().action(QStringLiteral("edit.settings"));
        QCOMPARE(settings->shortcut(), QKeySequence(QStringLiteral("Ctrl+,")));
        settings->trigger();
        auto& dialog = part<SettingsDialog>(*m_window);
        QVERIFY(dialog.isVisible());
        QCOMPARE(dialog.rowCount(), static_cast<int>(SettingsDialog::names().size()));
        settings->trigger(); // There is one.
        QCOMPARE(m_window->findChildren<SettingsDialog*>().size(), 1);
        QTest::keyClick(&dialog, Qt::Key_Escape);
        QTRY_VERIFY(m_window->findChildren<SettingsDialog*>().isEmpty());
        QVERIFY(palette(QStringLiteral("settings")).contains(QStringLiteral("Settings")));
        pick(QStringLiteral("threads of a run"), QStringLiteral("Threads of a run"));
        QCOMPARE(part<SettingsDialog>(*m_window).focusWidget()->accessibleName(), QStringLiteral("Threads of a run"));
        part<SettingsDialog>(*m_window).close();
    }

    /// A switch of the window is one line, found by its name in the dialog too.
    void A10_aSwitchIsFoundOnce()
    {
        open();
        QCOMPARE(palette(QStringLiteral("patterns on")).count(QStringLiteral("Patterns on intervals")), 1);
        const QStringList again = palette(QStringLiteral("run again after every edit"));
        QVERIFY2(again.contains(QStringLiteral("Live")) && !again.contains(QStringLiteral("Run again after every edit")), qPrintable(again.join(QLatin1Char('|'))));
    }

    void A10_runningAfterEveryEditIsKept()
    {
        const auto live = [this] { return m_window->commands().action(QStringLiteral("run.live")); };
        m_window->restoreSession();
        QVERIFY(live()->isChecked());
        live()->trigger();
        m_window = shownWindow({1600, 1000});
        QVERIFY(m_window && live()->isChecked()); // For one picture.
        m_window->restoreSession();
        QVERIFY(!live()->isChecked());
        live()->trigger();
        m_window = shownWindow({1600, 1000});
        m_window->restoreSession();
        QVERIFY(live()->isChecked());
    }

    /// Where the page that had the focus is gone, keys are for the new one: not for the toolbar, whose Space would go elsewhere.
    void A5_exploreHasTheFocusWhenItComesOnShow()
    {
        const auto* toolbar = m_window->findChild<QToolBar*>(QStringLiteral("mainToolBar"));
        QVERIFY(m_window->focusWidget() && !toolbar->isAncestorOf(m_window->focusWidget())); // The start page.
        open();
        QCOMPARE(m_window->focusWidget(), &part<PlatformCanvas>(part<ExploreView>(*m_window)));
        for (const char* workspace : {"start", "report", "draw"}) {
            m_window->setWorkspace(QString::fromLatin1(workspace));
            m_window->setWorkspace(QStringLiteral("explore"));
            QVERIFY2(m_window->focusWidget() && m_window->focusWidget()->isVisible(), workspace);
            QVERIFY2(!toolbar->isAncestorOf(m_window->focusWidget()), workspace);
        }
    }

    /// A window of 1280 pixels has room for the names of all workspaces: the search and the versions of the models give way.
    void A6_workspacesHaveTheirNamesAt1280()
    {
        m_window->resize(1280, 800);
        open();
        int withName = 0;
        for (const auto* segment : m_window->findChild<QToolBar*>(QStringLiteral("mainToolBar"))->findChildren<QToolButton*>()) {
            if (segment->property("segment").isValid())
                withName += segment->toolButtonStyle() == Qt::ToolButtonTextOnly && segment->width() >= segment->sizeHint().width() ? 1 : 0;
        }
        QCOMPARE(withName, static_cast<int>(workspaceKeys().size()) - 1); // The start page is none of them.
        const auto& model = fabricscope::test::named<QComboBox>(*m_window->findChild<QToolBar*>(QStringLiteral("mainToolBar")), "Model");
        QCOMPARE(model.currentText().section(QLatin1Char(' '), 0, 0), QStringLiteral("links"));
        for (int i = 0; i < model.count(); ++i)
            QVERIFY2(model.width() >= model.fontMetrics().horizontalAdvance(model.itemText(i)) + 2 * model.fontMetrics().height(), qPrintable(model.itemText(i)));
    }

    /// By its whole name anything is among the first lines: commands and so workspaces, settings, examples, topics and sections of the manual.
    void A8_everythingIsFoundByItsName()
    {
        QStringList names;
        for (const QAction* action : m_window->commands().actions())
            names.append(ActionRegistry::plainText(*action));
        for (const ShippedDesign& example : exampleDesigns())
            names.append(example.title);
        for (const QString& setting : SettingsDialog::names()) {
            if (SettingsDialog::commandOf(setting).isEmpty())
                names.append(setting);
        }
        QVERIFY(manualPlaces().size() > 100);
        std::size_t number = 0;
        for (const ManualPlace& place : manualPlaces()) {
            if (place.section.isEmpty() || number++ % 5 == 0)
                names.append(place.title);
        }
        for (const QString& name : names)
            QVERIFY2(palette(name, CommandPalette::Scope::All).contains(name), qPrintable(name));
        // A command comes before what is written about it.
        const QStringList study = palette(QStringLiteral("study"), CommandPalette::Scope::All);
        const auto topic = study.indexOf(QStringLiteral("The answer of study"));
        QVERIFY2(topic > 0 && study.indexOf(QStringLiteral("Run study")) < topic && study.indexOf(QStringLiteral("Study")) < topic, qPrintable(study.join(QLatin1Char('|'))));
    }

    void A8_aTopicOpensWhereItStands()
    {
        const auto section = std::ranges::find_if(manualPlaces(), [](const ManualPlace& place) { return place.topic == QStringLiteral("studies") && place.section == QStringLiteral("5"); });
        QVERIFY(section != manualPlaces().end());
        pick(section->title, section->title);
        const auto& manual = part<ManualWindow>(*m_window);
        QVERIFY(manual.isVisible());
        QCOMPARE(manual.findChild<QTextBrowser*>()->textCursor().block().text(), QStringLiteral("5. ") + section->title);
    }

    void G1_theTourLeadsThroughTheWorkspaces()
    {
        QAction* const guide = m_window->commands().action(QStringLiteral("help.guide"));
        guide->trigger();
        QPointer<TourCard> card = &part<TourCard>(*m_window);
        QCOMPARE(m_window->document().displayName(), QStringLiteral("two-level-hgx.yaml"));
        QStringList visited;
        for (int stop = 0; stop < card->stopCount(); ++stop) {
            QCOMPARE(card->stop(), stop);
            visited.append(m_window->workspace());
            if (stop + 1 < card->stopCount())
                guide->trigger(); // Goes on.
        }
        QCOMPARE(visited.join(QLatin1Char(' ')), QStringLiteral("explore explore explore step draw compare study report"));
        // Back at the beginning the example is not opened anew.
        QVERIFY(m_window->document().edit(QStringLiteral("name"), [](YamlDocument& yaml) { return yaml.set("name", std::string("changed")); }));
        card->goTo(0);
        QCOMPARE(m_window->workspace(), QStringLiteral("explore"));
        QVERIFY(m_window->document().text().find("changed") != std::string::npos);
        QTest::keyClick(card, Qt::Key_Escape);
        QTRY_VERIFY(!card);
    }

    void W1_theSizeOfTextIsASetting()
    {
        open();
        QVERIFY(palette(QStringLiteral("larger text")).contains(QStringLiteral("Larger text")));
    }
};

FABRICSCOPE_GUI_TEST(WindowGoToTest)
#include "tst_window_goto.moc"
