// Every view setting in every workspace with every example, on the whole window: what is on show is drawn anew from data that is still there.
#include "app/desktop/exploreview.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "app/desktop/tablespanel.h"
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/design/document.h"
#include "widgets/design/panel.h"
#include "widgets/programs/algorithmworkspace.h"
#include "widgets/programs/codeeditor.h"
#include "widgets/programs/sourcefiles.h"
#include "widgets/report/pagesworkspace.h"
#include "widgets/results/table.h"
#include "widgets/start/designtemplates.h"
#include "widgets/step/chunkworkspace.h"
#include "widgets/step/movefacts.h"
#include "widgets/step/player.h"
#include "tests/unit/support/sanitized.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QComboBox>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolBar>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;

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
    bool m_other = false;
    bool m_together = false;
    std::size_t m_turn = 0;   ///< Of single settings.
    std::size_t m_number = 0; ///< Of examples.

    void trigger(const char* command) { m_window->commands().action(QString::fromLatin1(command))->trigger(); }

    /// Theme, size of text and patterns at once: going over every widget takes a while.
    void changeEverything(bool other)
    {
        Theme theme(other ? Theme::Mode::Dark : Theme::Mode::Light, other ? 15.0 : 13.0);
        theme.setPatterns(other);
        AppTheme::global().set(theme);
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
    void visit(const QString& workspace)
    {
        StepWorkspace& step = test::part<StepWorkspace>(*m_window);
        QSignalSpy listed(step.loader(), &StepLoader::listed);
        m_window->setWorkspace(workspace);
        if (workspace == QStringLiteral("step") && m_stepped != m_window->history().current()) {
            QTRY_VERIFY_WITH_TIMEOUT(!listed.isEmpty() && !step.loader()->isLoading(), kLongMs);
            m_stepped = m_window->history().current();
        }
        if (workspace == QStringLiteral("programs"))
            QTRY_VERIFY_WITH_TIMEOUT(test::part<ProgramWorkspace>(*m_window).checked() && !test::part<ProgramWorkspace>(*m_window).checker()->isBusy(), kLongMs);
    }

private slots:
    void initTestCase()
    {
        test::useOwnHome(m_home);
    }

    /// One window for everything: what one example leaves behind is there when the next is opened.
    void init()
    {
        if (!m_window)
            m_window = test::shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanupTestCase()
    {
        m_window.reset();
        m_stepped.reset();
    }

    void everySettingAfterEveryWorkspaceOfEveryExample_data()
    {
        QTest::addColumn<QString>("example");
        // A child at another scale takes a share of them: "0 2" every other one.
        const QStringList share = qEnvironmentVariable("FABRICSCOPE_TEST_SHARE", QStringLiteral("0 1")).split(QLatin1Char(' '));
        // Its million moves say nothing of a scale that those of the others do not, and under a sanitizer, where everySizeOfTextInEveryWorkspace
        // opens it too, take as long as they do.
        const bool all = share[1] == QStringLiteral("1") && (!test::kSanitized || qEnvironmentVariableIsSet("FABRICSCOPE_LONG"));
        int number = 0;
        for (const ShippedDesign& example : exampleDesigns())
            if (number++ % share[1].toInt() == share[0].toInt() && (all || example.id != QStringLiteral("themis")) && test::isTriedNow(example.id))
                QTest::newRow(qPrintable(example.id)) << example.id;
        QVERIFY(exampleDesigns().size() >= 15);
    }

    /// Every workspace is on show under what was set in the ones before.
    void everySettingAfterEveryWorkspaceOfEveryExample()
    {
        QFETCH(QString, example);
        open(example);
        waitForResult();
        // In every third workspace, by the next example in those beside them: restyling the window takes most of the time. A long run changes all in each.
        const bool all = qEnvironmentVariableIsSet("FABRICSCOPE_LONG");
        std::size_t place = m_number++;
        for (const QString& workspace : workspaceKeys()) {
            visit(workspace);
            QVERIFY(isDrawn());
            const auto& offered = test::part<StepFacts>(*m_window).collectives();
            const std::size_t collectives = offered.size();
            const std::int32_t instance = test::part<StepFacts>(*m_window).instance();
            if (!all && place++ % 3 != 0)
                continue;
            // All at once and one by itself, in turn.
            m_together = !m_together;
            if (all || m_together) {
                m_other = !m_other;
                changeEverything(m_other);
                QVERIFY(isDrawn());
            }
            for (std::size_t i = 0; i < (all ? std::size(kSettings) : m_together ? 0 : 1); ++i) {
                trigger(kSettings[m_turn++ % std::size(kSettings)].command);
                QVERIFY(isDrawn());
            }
            // What was chosen stays chosen.
            QCOMPARE(offered.size(), collectives);
            QCOMPARE(test::part<StepFacts>(*m_window).instance(), instance);
            QVERIFY(m_window->workspace() == workspace);
        }
    }

    /// The scale of a display is one of a process: every example at 1, and at one of two others (in a long run at both, under a sanitizer every other one).
    void everySettingAtOtherScales_data()
    {
        QTest::addColumn<QString>("scale");
        QTest::addColumn<QString>("share");
        const bool all = qEnvironmentVariableIsSet("FABRICSCOPE_LONG");
        QTest::newRow("1.5") << QStringLiteral("1.5") << QString::fromLatin1(all ? "0 1" : test::kSanitized ? "0 4" : "0 2");
        QTest::newRow("2") << QStringLiteral("2") << QString::fromLatin1(all ? "0 1" : test::kSanitized ? "2 4" : "1 2");
    }

    void everySettingAtOtherScales()
    {
        QFETCH(QString, scale);
        QFETCH(QString, share);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("QT_SCALE_FACTOR"), scale);
        environment.insert(QStringLiteral("FABRICSCOPE_TEST_SHARE"), share);
        QProcess child;
        child.setProcessChannelMode(QProcess::MergedChannels);
        child.setProcessEnvironment(environment);
        child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("tst_window_settings"), QStringLiteral("everySettingAfterEveryWorkspaceOfEveryExample"), QStringLiteral("theWindowHasTheScale")});
        constexpr int kChildMs = 900'000;
        QVERIFY(child.waitForFinished(kChildMs));
        const QByteArray said = child.readAll();
        QVERIFY2(child.exitStatus() == QProcess::NormalExit && child.exitCode() == 0, said.right(4000).constData());
    }

    void theWindowHasTheScale()
    {
        const QByteArray scale = qgetenv("QT_SCALE_FACTOR");
        QCOMPARE(m_window->devicePixelRatioF(), scale.isEmpty() ? 1.0 : scale.toDouble());
    }

    /// A window is slow to change for as often as its widgets are styled: Qt does that once for every widget around a widget, where it may.
    void aThemeStylesNoWidgetForThoseAroundIt()
    {
        struct Styles : QObject {
            bool eventFilter(QObject* object, QEvent* event) override
            {
                if (event->type() == QEvent::StyleChange && object->isWidgetType())
                    ++count;
                return false;
            }
            qsizetype count = 0;
        };
        open(QStringLiteral("two-level-hgx"));
        waitForResult();
        m_window->setWorkspace(QStringLiteral("explore"));
        for (const auto mode : {Theme::Mode::Dark, Theme::Mode::Light}) {
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            Styles styles;
            qApp->installEventFilter(&styles);
            AppTheme::global().set(Theme(mode, 14.0));
            // Once without style, once with the new one, once by whoever gives it a font of its own. About eight times where it stands counts.
            const qsizetype widgets = QApplication::allWidgets().size();
            QVERIFY(widgets > 500);
            QVERIFY2(styles.count <= 3 * widgets, qPrintable(QStringLiteral("%1 times for %2 widgets").arg(styles.count).arg(widgets)));
        }
    }

    /// Larger text and back: bars have the heights they had, and nothing keeps the colours of the theme before.
    void nothingOfASettingStaysWithTheNext()
    {
        open(QStringLiteral("two-level-hgx"));
        waitForResult();
        m_window->setWorkspace(QStringLiteral("report"));
        const auto* bar = m_window->findChild<QToolBar*>(QStringLiteral("mainToolBar"));
        const auto* pages = test::part<ReportWorkspace>(*m_window).findChild<QScrollArea*>();
        QVERIFY(bar && pages);
        for (const auto& [mode, pixels] : {std::pair{Theme::Mode::Light, 13.0}, {Theme::Mode::Dark, 19.0}, {Theme::Mode::Light, 13.0}, {Theme::Mode::Dark, 13.0}}) {
            const Theme theme(mode, pixels);
            AppTheme::global().set(theme);
            QCoreApplication::processEvents();
            QCOMPARE(bar->height(), theme.scaled(44));
            // Beside the page.
            const QImage picture = m_window->grab().toImage();
            const QPoint corner = pages->viewport()->mapTo(m_window.get(), QPoint(1, 1));
            QCOMPARE(picture.pixelColor(corner * m_window->devicePixelRatioF()), theme.color(Role::Window));
        }
    }

    /// Nothing waits for anything here: results, steps and checks come while settings change and workspaces come and go.
    void everySettingWhileRunsGoOn()
    {
        bool other = false;
        for (const ShippedDesign& example : exampleDesigns()) {
            if (!test::isTriedNow(example.id))
                continue;
            open(example.id);
            m_window->setWorkspace(QStringLiteral("step"));
            other = !other;
            changeEverything(other);
            trigger("run.start");
            QCoreApplication::processEvents();
            m_window->setWorkspace(other ? QStringLiteral("programs") : QStringLiteral("report"));
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
        m_window->setWorkspace(QStringLiteral("explore"));
        for (int tab = TablesPanel::Ranks; tab <= TablesPanel::Log; ++tab) {
            test::part<TablesPanel>(*m_window).showTab(static_cast<TablesPanel::Tab>(tab));
            test::part<DesignPanel>(*m_window).showText(tab % 2 == 0);
            changeEverything(tab % 2 == 0);
            QVERIFY(isDrawn());
        }
        m_window->setWorkspace(QStringLiteral("programs"));
        test::part<ProgramWorkspace>(*m_window).showSynthesis(true);
        for (const Setting& setting : kSettings) {
            trigger(setting.command);
            QVERIFY2(isDrawn(), setting.name);
        }
    }

    void noSizeOfTextPutsTheControlsOfATableOverEachOther()
    {
        open(QStringLiteral("two-level-hgx"));
        waitForResult();
        m_window->setWorkspace(QStringLiteral("explore"));
        const QSize before = m_window->size();
        for (const auto& [pixels, size] : {std::pair{13.0, QSize(1280, 800)}, {16.0, QSize(1280, 800)}, {19.0, QSize(1280, 800)}, {19.0, QSize(1600, 1000)}}) {
            m_window->resize(size);
            AppTheme::global().set(Theme(Theme::Mode::Light, pixels));
            for (const auto tab : {TablesPanel::Ranks, TablesPanel::Links, TablesPanel::Collectives}) {
                test::part<TablesPanel>(*m_window).showTab(tab);
                QCoreApplication::processEvents();
                QList<QWidget*> controls;
                for (QWidget* control : test::part<TablesPanel>(*m_window).findChildren<QWidget*>())
                    if (control->isVisible() && (qobject_cast<QLineEdit*>(control) || qobject_cast<QPushButton*>(control) || qobject_cast<QTabBar*>(control)))
                        controls.append(control);
                QVERIFY(controls.size() >= 3);
                const auto place = [this](QWidget* control) { return QRect(control->mapTo(&test::part<TablesPanel>(*m_window), QPoint()), control->size()); };
                for (QWidget* one : controls) {
                    QVERIFY2(test::part<TablesPanel>(*m_window).rect().contains(place(one)), qPrintable(one->objectName()));
                    for (QWidget* other : controls)
                        QVERIFY2(one == other || !place(one).intersects(place(other)), qPrintable(QStringLiteral("%1 px, tab %2: %3").arg(pixels).arg(tab).arg(QLatin1String(other->metaObject()->className()))));
                }
            }
        }
        m_window->resize(before);
    }

    /// Whatever the size of the window and of the text: what is beside one another stays so.
    void noTwoControlsStandOverOneAnother()
    {
        open(QStringLiteral("two-level-hgx"));
        waitForResult();
        const QSize before = m_window->size();
        QStringList found;
        for (const auto& [pixels, size] : {std::pair{13.0, QSize(1024, 640)}, {16.0, QSize(1280, 800)}, {19.0, QSize(1280, 800)}}) {
            AppTheme::global().set(Theme(Theme::Mode::Light, pixels));
            m_window->resize(size);
            for (const QString& workspace : workspaceKeys()) {
                visit(workspace);
                for (int tab = TablesPanel::Ranks; tab <= (workspace == QStringLiteral("explore") ? TablesPanel::Log : TablesPanel::Ranks); ++tab) {
                    test::part<TablesPanel>(*m_window).showTab(static_cast<TablesPanel::Tab>(tab));
                    QCoreApplication::processEvents();
                    QCoreApplication::processEvents();
                    const QList<QWidget*> all = m_window->findChildren<QWidget*>();
                    for (qsizetype i = 0; i < all.size(); ++i) {
                        const auto isControl = [](QWidget* widget) {
                            return widget->isVisible() && !widget->size().isEmpty()
                                && (qobject_cast<QLineEdit*>(widget) || qobject_cast<QAbstractButton*>(widget) || qobject_cast<QTabBar*>(widget) || qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSlider*>(widget));
                        };
                        if (!isControl(all[i]))
                            continue;
                        for (qsizetype k = i + 1; k < all.size(); ++k) {
                            // Those that stand in the same widget; parts of one control are its own.
                            if (isControl(all[k]) && all[k]->parentWidget() == all[i]->parentWidget() && !isControl(all[i]->parentWidget()) && all[i]->geometry().intersects(all[k]->geometry()))
                                found.append(QStringLiteral("%1 px, workspace %2, tab %3: %4 %5 over %6 %7").arg(pixels).arg(workspace).arg(tab)
                                                 .arg(QLatin1String(all[i]->metaObject()->className()), all[i]->accessibleName(), QLatin1String(all[k]->metaObject()->className()), all[k]->accessibleName()));
                        }
                    }
                }
            }
        }
        m_window->resize(before);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
    }

    void everySizeOfTextInEveryWorkspace()
    {
        open(QStringLiteral("themis"));
        waitForResult();
        for (const QString& workspace : workspaceKeys()) {
            visit(workspace);
            for (const double pixels : {10.0, 26.0}) {
                AppTheme::global().set(Theme(Theme::Mode::Light, pixels));
                QVERIFY(isDrawn());
            }
        }
    }

    /// A storyboard card is gone with its step, also for a picture taken before the event loop has deleted it.
    void stepsOfALongCollectiveGiveWayToThoseOfAShortOne()
    {
        open(QStringLiteral("ring-torus"));
        waitForResult();
        visit(QStringLiteral("step"));
        QComboBox& box = test::named<QComboBox>(test::part<StepFacts>(*m_window), "Collective to step through");
        for (int round = 0; round < 2; ++round) {
            for (int line = 0; line < box.count(); ++line) {
                box.setCurrentIndex(line);
                QTRY_VERIFY_WITH_TIMEOUT(!test::part<StepWorkspace>(*m_window).loader()->isLoading(), kLongMs);
                QVERIFY(isDrawn());
                test::part<StepWorkspace>(*m_window).player()->setReplay(nullptr);
                QVERIFY(isDrawn());
            }
        }
    }
};

FABRICSCOPE_GUI_TEST(WindowSettingsTest)
#include "tst_window_settings.moc"
