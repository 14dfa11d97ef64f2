// Large text in a window of usual size: nothing lies on top of something else, no word of the toolbar is cut.
#include "app/desktop/tablespanel.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/gui/support/withtheme.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/design/issuesmodel.h"

#include <QAction>
#include <QDockWidget>
#include <QMenuBar>
#include <QScrollArea>
#include <QTabBar>
#include <QTemporaryDir>
#include <QToolBar>
#include <QToolButton>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr int kLargeTextMs = 60'000;

} // namespace

class WindowLargeTextTest : public QObject
{
    Q_OBJECT
    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    void sizes() const
    {
        QTest::addColumn<double>("pixels");
        QTest::addColumn<QSize>("size");
        for (const auto& [pixels, size] : {std::pair{13.0, QSize(1280, 800)}, {13.0, QSize(1400, 800)}, {16.0, QSize(1600, 1000)}, {20.0, QSize(1280, 800)}, {26.0, QSize(1280, 800)}, {26.0, QSize(1600, 1000)}})
            QTest::addRow("%d px in %d", static_cast<int>(pixels), size.width()) << pixels << size;
    }

    /// What is on show of the docks, and the views between them. A panel behind another one's tab stands outside of the window.
    QList<const QWidget*> panels() const
    {
        QList<const QWidget*> all{m_window->centralWidget()};
        for (const QDockWidget* dock : m_window->findChildren<QDockWidget*>()) {
            if (dock->isVisible() && dock->geometry().intersects(m_window->rect()))
                all.append(dock);
        }
        return all;
    }

    void noneLiesOverAnother() const
    {
        const QList<const QWidget*> all = panels();
        QVERIFY(all.size() >= 3);
        for (const QWidget* one : all) {
            QVERIFY2(m_window->rect().contains(one->geometry()),
                     qPrintable(QStringLiteral("%1 at %2, %3, %4 x %5 in %6 x %7").arg(one->objectName()).arg(one->x()).arg(one->y()).arg(one->width()).arg(one->height()).arg(m_window->width()).arg(m_window->height())));
            for (const QWidget* other : all)
                QVERIFY2(one == other || !one->geometry().intersects(other->geometry()), qPrintable(one->objectName() + QStringLiteral(" over ") + other->objectName()));
        }
    }

private slots:
    void initTestCase() { useOwnHome(m_home); }

    void cleanup() { m_window.reset(); }

    void A6_panelsKeepTheirPlaces_data() { sizes(); }

    void A6_panelsKeepTheirPlaces()
    {
        QFETCH(double, pixels);
        QFETCH(QSize, size);
        const WithTheme large(Theme(Theme::Mode::Light, 13));
        m_window = shownWindow(size);
        QVERIFY(m_window);
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        QVERIFY(settles(*m_window, kLargeTextMs));
        noneLiesOverAnother();
        AppTheme::global().set(Theme(Theme::Mode::Light, pixels)); // At run time, as Ctrl+Plus does.
        QVERIFY(settles(*m_window, kLargeTextMs));
        noneLiesOverAnother();
        m_window->resetLayout();
        QVERIFY(settles(*m_window, kLargeTextMs));
        noneLiesOverAnother();
        for (const char* const panel : {"designDock", "inspectorDock"})
            QVERIFY(m_window->findChild<QDockWidget*>(QLatin1String(panel))->width() <= size.width() * 2 / 5);
    }

    /// Whichever tab is on show, with its own row of controls.
    void A6_tabsOfTheTablesAreAllSeen()
    {
        const WithTheme usual(Theme(Theme::Mode::Light, 13));
        m_window = shownWindow(QSize(1280, 800));
        QVERIFY(m_window);
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        QVERIFY(settles(*m_window, kLargeTextMs));
        auto& tables = part<TablesPanel>(*m_window);
        auto& bar = named<QTabBar>(tables, "Tables");
        for (int tab = 0; tab < bar.count(); ++tab) {
            tables.showTab(static_cast<TablesPanel::Tab>(tab));
            QVERIFY(settles(*m_window, kLargeTextMs));
            QVERIFY2(!bar.usesScrollButtons(), qPrintable(bar.tabText(tab)));
            QVERIFY2(bar.rect().contains(bar.tabRect(bar.count() - 1)), qPrintable(bar.tabText(tab)));
            QVERIFY(tables.rect().contains(QRect(bar.mapTo(&tables, QPoint()), bar.size())));
        }
    }

    /// The number of issues makes their tab wider after the bar was fitted.
    void A6_tabsStayWholeWhenIssuesAreCounted()
    {
        const WithTheme large(Theme(Theme::Mode::Light, 20));
        m_window = shownWindow(QSize(1600, 1000));
        QVERIFY(m_window);
        AppTheme::global().set(Theme(Theme::Mode::Light, 20)); // The window brought its own.
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        QVERIFY(settles(*m_window, kLargeTextMs));
        auto& tables = part<TablesPanel>(*m_window);
        auto& bar = named<QTabBar>(tables, "Tables");
        for (const int count : {3, 120, 0}) {
            Diagnostics told;
            for (int i = 0; i < count; ++i)
                told.push_back(warning("rule", "number " + std::to_string(i)));
            part<IssuesModel>(tables).setRunDiagnostics(std::move(told));
            QVERIFY(settles(*m_window, kLargeTextMs));
            QCOMPARE(bar.tabText(TablesPanel::Issues).contains(QString::number(count)), count > 0);
            QVERIFY(!bar.usesScrollButtons());
            QVERIFY2(bar.rect().contains(bar.tabRect(bar.count() - 1)), qPrintable(QString::number(count)));
            QVERIFY(bar.tabRect(TablesPanel::Issues).width() >= bar.fontMetrics().horizontalAdvance(bar.tabText(TablesPanel::Issues)));
        }
    }

    void A6_theSelectionOfDrawIsWhole_data()
    {
        QTest::addColumn<double>("pixels");
        for (const double pixels : {13.0, 16.0, 20.0})
            QTest::addRow("%d px", static_cast<int>(pixels)) << pixels;
    }

    /// Of a fabric of dimensions the page has most beside each other: parts, its line and how it may be written out, figures.
    void A6_theSelectionOfDrawIsWhole()
    {
        QFETCH(double, pixels);
        const WithTheme large(Theme(Theme::Mode::Light, pixels));
        m_window = shownWindow(QSize(1280, 800));
        QVERIFY(m_window);
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        m_window->setWorkspace(QStringLiteral("draw"));
        QVERIFY(settles(*m_window, kLargeTextMs));
        const auto& scroll = named<QScrollArea>(*m_window, "Selection and figures");
        QVERIFY(scroll.isVisible());
        QVERIFY2(scroll.widget()->width() <= scroll.viewport()->width(), qPrintable(QStringLiteral("%1 of %2").arg(scroll.widget()->width()).arg(scroll.viewport()->width())));
        QVERIFY(m_window->rect().contains(QRect(scroll.mapTo(m_window.get(), QPoint()), scroll.size())));
    }

    void A6_noMenuIsCoveredByTheNameOfTheFile_data()
    {
        QTest::addColumn<double>("pixels");
        QTest::addColumn<QSize>("size");
        for (const double pixels : {13.0, 26.0}) // Of these the name has room beside the menus, and has not.
            QTest::addRow("%d px", static_cast<int>(pixels)) << pixels << QSize(1280, 800);
    }

    /// The name gives way; it is whole in the tool tip and in the title of the window.
    void A6_noMenuIsCoveredByTheNameOfTheFile()
    {
        QFETCH(double, pixels);
        QFETCH(QSize, size);
        const WithTheme large(Theme(Theme::Mode::Light, pixels));
        m_window = shownWindow(size);
        QVERIFY(m_window);
        AppTheme::global().set(Theme(Theme::Mode::Light, pixels)); // The window brought its own.
        m_window->files().openExample(QStringLiteral("serve-llama-70b"));
        QVERIFY(settles(*m_window, kLargeTextMs));
        const QMenuBar& bar = *m_window->menuBar();
        const QWidget* const corner = bar.cornerWidget(Qt::TopRightCorner);
        QVERIFY(corner && corner->isVisible());
        for (const QAction* action : bar.actions()) {
            const QRect place = bar.actionGeometry(const_cast<QAction*>(action));
            QVERIFY2(place.width() > 0 && bar.rect().contains(place) && !place.intersects(corner->geometry()), qPrintable(action->text()));
        }
    }

    void A6_workspacesAreWholeNamesOrWholeIcons_data() { sizes(); }

    void A6_workspacesAreWholeNamesOrWholeIcons()
    {
        QFETCH(double, pixels);
        QFETCH(QSize, size);
        const WithTheme large(Theme(Theme::Mode::Light, pixels));
        m_window = shownWindow(size);
        QVERIFY(m_window);
        AppTheme::global().set(Theme(Theme::Mode::Light, pixels)); // The window brought its own.
        for (const char* const workspace : {"explore", "compare", "start"}) {
            m_window->setWorkspace(QLatin1String(workspace));
            QVERIFY(settles(*m_window, kLargeTextMs));
            int segments = 0;
            int right = 0;
            for (const QToolButton* button : m_window->findChild<QToolBar*>(QStringLiteral("mainToolBar"))->findChildren<QToolButton*>()) {
                if (!button->property("segment").isValid())
                    continue;
                ++segments;
                QVERIFY(button->isVisible());
                QFont font = button->font();
                if (button->isChecked())
                    font.setWeight(QFont::DemiBold);
                const bool isIcon = button->toolButtonStyle() == Qt::ToolButtonIconOnly;
                const int needed = isIcon ? Theme(Theme::Mode::Light, pixels).scaled(16) + 8 : QFontMetrics(font).horizontalAdvance(button->text()) + 8;
                QVERIFY2(button->width() >= needed, qPrintable(QStringLiteral("%1: %2 px of %3").arg(button->text()).arg(button->width()).arg(needed)));
                QVERIFY2(button->x() >= right, qPrintable(button->text()));
                right = button->x() + button->width();
            }
            QVERIFY(segments >= 6);
        }
    }
};

FABRICSCOPE_GUI_TEST(WindowLargeTextTest)
#include "tst_window_largetext.moc"
