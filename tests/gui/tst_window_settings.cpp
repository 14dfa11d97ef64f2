// Every view setting in every workspace with every example, on the whole window: what is on show is drawn anew from data that is still there.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "tests/gui/support/wholewindow.h"
#include "widgets/actions.h"
#include "widgets/codeeditor.h"
#include "widgets/designdocument.h"
#include "widgets/designpanel.h"
#include "widgets/programfiles.h"
#include "widgets/programworkspace.h"
#include "widgets/resulttable.h"
#include "widgets/stepfacts.h"
#include "widgets/stepplayer.h"
#include "widgets/stepworkspace.h"
#include "widgets/templates.h"

#include <QtTest>

#include <QComboBox>
#include <QMessageBox>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace fabricscope;

namespace {

constexpr int kLongMs = 120'000; ///< Patience on a loaded machine.

constexpr Workspace kWorkspaces[] = {Workspace::Start, Workspace::Explore, Workspace::Step, Workspace::Programs, Workspace::Report};

/// A command that changes one setting of the view.
struct Setting {
    const char* name;
    const char* command;
};
constexpr Setting kSettings[] = {{"theme", "view.dark"}, {"patterns", "view.patterns"}, {"larger text", "view.larger"}, {"smaller text", "view.smaller"}};

} // namespace

class WindowSettingsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;
    RunResultPtr m_stepped; ///< The run whose collectives Step has listed.

    void trigger(const char* command) { m_window->commands().action(QString::fromLatin1(command))->trigger(); }

    /// Theme, size of text and patterns at once: going over every widget takes a while.
    void changeEverything(bool other)
    {
        Theme theme(other ? Theme::Mode::Dark : Theme::Mode::Light, other ? 15.0 : 13.0);
        theme.setPatterns(other);
        m_window->setTheme(theme);
    }

    /// Paints everything on show; the picture is one of this window.
    bool isDrawn() { return m_window->grab().toImage().size() == m_window->size() * m_window->devicePixelRatioF(); }

    void open(const QString& example)
    {
        m_window->files().openExample(example);
        QCOMPARE(m_window->document().displayName(), example + QStringLiteral(".yaml"));
    }

    void waitForResult() { QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs); }

    /// Opens a workspace and waits until it shows what it works out on other threads.
    void visit(Workspace workspace)
    {
        StepWorkspace& step = m_window->stepper();
        QSignalSpy listed(step.loader(), &StepLoader::listed);
        m_window->setWorkspace(workspace);
        if (workspace == Workspace::Step && m_stepped != m_window->history().current()) {
            QTRY_VERIFY_WITH_TIMEOUT(!listed.isEmpty() && !step.loader()->isLoading(), kLongMs);
            m_stepped = m_window->history().current();
        }
        if (workspace == Workspace::Programs)
            QTRY_VERIFY_WITH_TIMEOUT(m_window->programs().checked() && !m_window->programs().checker()->isBusy(), kLongMs);
    }

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
    }

    void init()
    {
        m_window = test::shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanup()
    {
        m_window.reset();
        m_stepped.reset();
    }

    void everySettingAfterEveryWorkspaceOfEveryExample_data()
    {
        QTest::addColumn<QString>("example");
        for (const ShippedDesign& example : exampleDesigns())
            QTest::newRow(qPrintable(example.id)) << example.id;
        QVERIFY(exampleDesigns().size() >= 15);
    }

    void everySettingAfterEveryWorkspaceOfEveryExample()
    {
        QFETCH(QString, example);
        open(example);
        waitForResult();
        bool other = false;
        for (const Workspace workspace : kWorkspaces) {
            visit(workspace);
            const auto& offered = m_window->stepper().facts()->collectives();
            const std::size_t collectives = offered.size();
            const std::int32_t instance = m_window->stepper().facts()->instance();
            other = !other;
            changeEverything(other);
            QVERIFY(isDrawn());
            // What was chosen stays chosen.
            QCOMPARE(offered.size(), collectives);
            QCOMPARE(m_window->stepper().facts()->instance(), instance);
            QVERIFY(m_window->workspace() == workspace);
        }
    }

    void everyWorkspaceOfEveryExampleAfterEverySetting_data()
    {
        QTest::addColumn<QString>("command");
        for (const Setting& setting : kSettings)
            QTest::newRow(setting.name) << QString::fromLatin1(setting.command);
    }

    void everyWorkspaceOfEveryExampleAfterEverySetting()
    {
        QFETCH(QString, command);
        m_window->commands().action(command)->trigger();
        // Every example under one of the settings; under all of them in a long run.
        const auto turn = static_cast<std::size_t>(std::find_if(std::begin(kSettings), std::end(kSettings), [&](const Setting& setting) { return command == QLatin1String(setting.command); })
                                                   - std::begin(kSettings));
        std::size_t number = 0;
        for (const ShippedDesign& example : exampleDesigns()) {
            if (number++ % std::size(kSettings) != turn && !qEnvironmentVariableIsSet("FABRICSCOPE_LONG"))
                continue;
            open(example.id);
            waitForResult();
            for (const Workspace workspace : kWorkspaces) {
                visit(workspace);
                QVERIFY2(isDrawn(), qPrintable(example.id));
            }
        }
    }

    /// Nothing waits for anything here: results, steps and checks come while settings change and workspaces come and go.
    void everySettingWhileRunsGoOn()
    {
        bool other = false;
        for (const ShippedDesign& example : exampleDesigns()) {
            open(example.id);
            m_window->setWorkspace(Workspace::Step);
            other = !other;
            changeEverything(other);
            trigger("run.start");
            QCoreApplication::processEvents();
            m_window->setWorkspace(other ? Workspace::Programs : Workspace::Report);
            trigger("view.patterns");
            QCoreApplication::processEvents();
            QVERIFY(isDrawn());
        }
        waitForResult();
    }

    void everyPanelAndTableUnderEverySetting()
    {
        open(QStringLiteral("two-level-hgx"));
        waitForResult();
        m_window->setWorkspace(Workspace::Explore);
        for (int tab = TablesPanel::Ranks; tab <= TablesPanel::Log; ++tab) {
            m_window->tables().showTab(static_cast<TablesPanel::Tab>(tab));
            m_window->designPanel().showText(tab % 2 == 0);
            changeEverything(tab % 2 == 0);
            QVERIFY(isDrawn());
        }
        m_window->setWorkspace(Workspace::Programs);
        m_window->programs().showSynthesis(true);
        for (const Setting& setting : kSettings) {
            trigger(setting.command);
            QVERIFY2(isDrawn(), setting.name);
        }
    }

    void everySizeOfTextInEveryWorkspace()
    {
        open(QStringLiteral("themis"));
        waitForResult();
        for (const Workspace workspace : kWorkspaces) {
            visit(workspace);
            for (const double pixels : {10.0, 26.0}) {
                m_window->setTheme(Theme(Theme::Mode::Light, pixels));
                QVERIFY(isDrawn());
            }
        }
    }

    /// A storyboard card is gone with its step, also for a picture taken before the event loop has deleted it.
    void stepsOfALongCollectiveGiveWayToThoseOfAShortOne()
    {
        open(QStringLiteral("ring-torus"));
        waitForResult();
        visit(Workspace::Step);
        StepFacts& facts = *m_window->stepper().facts();
        for (int round = 0; round < 2; ++round) {
            for (int line = 0; line < facts.collectiveBox()->count(); ++line) {
                facts.collectiveBox()->setCurrentIndex(line);
                QTRY_VERIFY_WITH_TIMEOUT(!m_window->stepper().loader()->isLoading(), kLongMs);
                QVERIFY(isDrawn());
                m_window->stepper().player()->setReplay(nullptr);
                QVERIFY(isDrawn());
            }
        }
    }
};

QTEST_MAIN(WindowSettingsTest)
#include "tst_window_settings.moc"
