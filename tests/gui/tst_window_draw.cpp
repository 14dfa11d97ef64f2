// The workspace Draw in the whole window: an empty design, drawn and run.
#include "tests/gui/support/patience.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/design/document.h"
#include "widgets/draw/fabricworkspace.h"
#include "widgets/draw/graphcanvas.h"
#include "widgets/draw/grapheditor.h"

#include <QAction>
#include <QTemporaryDir>
#include <QToolBar>
#include <QToolButton>
#include <QtTest>

using namespace fabricscope;

namespace {
using fabricscope::test::kLongMs;
constexpr const char* kPair = "fabricscope: 1\nplatform:\n  nodes:\n    - {name: npu0}\n    - {name: npu1}\n  links:\n    - {between: [npu0, npu1], bandwidth: 50 GB/s, latency: 1 us}\n"
                              "workload: {collective: all_reduce, size: 1 MiB}\n";
}

class WindowDrawTest : public QObject
{
    Q_OBJECT
    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    QAction& command(const char* id) { return *m_window->commands().action(QString::fromLatin1(id)); }
    GraphCanvas& canvas() { return test::part<GraphCanvas>(*m_window); }

private slots:
    void initTestCase() { test::useOwnHome(m_home); }

    void init()
    {
        AppTheme::global().set(Theme(Theme::Mode::Light, 13));
        m_window = test::shownWindow({1280, 800});
        QVERIFY(m_window);
    }

    void cleanup() { m_window.reset(); }

    /// Two NPUs and a switch from nothing, by keys of the window: it runs, and undo leads back to the empty page.
    void D1_anEmptyDesignIsDrawnAndRun()
    {
        QVERIFY(!command("draw.duplicate").isEnabled());
        command("draw.new").trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->workspace(), QStringLiteral("draw"), kLongMs);
        QVERIFY(canvas().isVisible());
        QTRY_COMPARE(canvas().zoom(), 1.0);
        QVERIFY(m_window->document().hasErrors()); // Nothing says yet what the fabric is; the design waits.
        QVERIFY(command("draw.duplicate").isEnabled());
        canvas().setFocus();
        QTest::keyClick(&canvas(), Qt::Key_N);
        QTest::keyClick(&canvas(), Qt::Key_Return);
        command("draw.duplicate").trigger();
        QTest::keyClick(&canvas(), Qt::Key_X);
        for (int i = 0; i < 4; ++i)
            QTest::keyClick(&canvas(), Qt::Key_Up);
        QTest::keyClick(&canvas(), Qt::Key_Return);
        GraphEditor& editor = *test::part<DrawWorkspace>(*m_window).editor();
        editor.select({0, 1});
        QTest::keyClick(&canvas(), Qt::Key_K);
        for (int parts = 0; parts < 3 && !canvas().callout().contains(QStringLiteral("→ switch0")); ++parts)
            QTest::keyClick(&canvas(), Qt::Key_Tab);
        QVERIFY(canvas().isLinking());
        QTest::keyClick(&canvas(), Qt::Key_Return);
        QVERIFY(!m_window->document().hasErrors());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->history().current() && !m_window->runs().isBusy(), kLongMs);
        QCOMPARE(m_window->document().platform()->npuCount(), 2);
        QCOMPARE(m_window->workspace(), QStringLiteral("draw"));
        QCOMPARE(m_window->document().undoStack().count(), 4);
        for (int i = 0; i < 4; ++i)
            command("edit.undo").trigger();
        QCOMPARE(QByteArray::fromStdString(m_window->document().text()), DrawWorkspace::emptyDesign());
        m_window->setWorkspace(QStringLiteral("explore"));
        QVERIFY(!command("draw.duplicate").isEnabled());
    }

    /// Parts on their way go back; the edit before stays until it is asked for again.
    void D14_undoWhileForcesMovePartsTakesOnlyThemBack()
    {
        m_window->files().openText(kPair, QStringLiteral("pair.yaml"));
        m_window->setWorkspace(QStringLiteral("draw"));
        GraphEditor& editor = *test::part<DrawWorkspace>(*m_window).editor();
        DesignDocument& document = m_window->document();
        // Nothing to undo yet, but for the layout.
        editor.layOutByForces();
        QVERIFY(editor.isForcing() && command("edit.undo").isEnabled());
        command("edit.undo").trigger();
        QVERIFY(!editor.isForcing() && !command("edit.undo").isEnabled());
        QVERIFY(document.edit(QStringLiteral("size"), [](YamlDocument& yaml) { return yaml.set("workload.size", "2 MiB"); }));
        const std::string edited = document.text();
        const std::vector<DrawnAt> places = editor.picture().places();
        editor.layOutByForces();
        command("edit.undo").trigger();
        QVERIFY(!editor.isForcing());
        QCOMPARE(QString::fromStdString(document.text()), QString::fromStdString(edited));
        QVERIFY(editor.picture().places() == places);
        command("edit.undo").trigger();
        QCOMPARE(document.text(), std::string(kPair));
    }

    /// All text is deleted, then Draw comes on show: the design can still be brought back, and is asked about.
    void D1_aDesignWhoseTextWasDeletedIsNotStartedAnew()
    {
        m_window->files().openText(kPair, QStringLiteral("pair.yaml"));
        DesignDocument& document = m_window->document();
        QVERIFY(document.editText(QStringLiteral("delete"), {}));
        command("view.draw").trigger();
        QCOMPARE(m_window->workspace(), QStringLiteral("draw"));
        QCOMPARE(document.text(), std::string());
        QVERIFY(document.isModified());
        command("edit.undo").trigger();
        QCOMPARE(QByteArray::fromStdString(document.text()), QByteArray(kPair));
        QVERIFY(!document.isModified());
    }

    /// "New empty design" is given up at the question about changes: what is opened later comes on show as ever.
    void D1_anEmptyDesignThatWasGivenUpIsForgotten()
    {
        m_window->files().openText(kPair, QStringLiteral("pair.yaml"));
        QVERIFY(m_window->document().editText(QStringLiteral("note"), kPair + std::string("# changed\n")));
        m_window->files().setDecide([](const QString&) { return QMessageBox::Cancel; });
        command("draw.new").trigger();
        QVERIFY(m_window->document().isModified());
        m_window->files().setDecide([](const QString&) { return QMessageBox::Discard; });
        QVERIFY(m_window->files().openText(kPair, QStringLiteral("again.yaml")));
        QCoreApplication::processEvents(); // Draw hears of it later.
        QCOMPARE(m_window->workspace(), QStringLiteral("explore"));
    }

    /// Without room for all their names, workspaces are icons, the one on show with its name.
    void workspacesAreIconsWhereTheirNamesHaveNoRoom()
    {
        m_window->setWorkspace(QStringLiteral("draw"));
        QList<QToolButton*> segments;
        for (QToolButton* button : m_window->findChild<QToolBar*>(QStringLiteral("mainToolBar"))->findChildren<QToolButton*>()) {
            if (button->property("segment").isValid())
                segments.append(button);
        }
        m_window->resize(1600, 1000);
        QCoreApplication::processEvents();
        for (const QToolButton* segment : segments)
            QCOMPARE(segment->toolButtonStyle(), Qt::ToolButtonTextOnly);
        m_window->resize(1024, 640);
        AppTheme::global().set(Theme(Theme::Mode::Light, 16));
        QCoreApplication::processEvents();
        for (const char* on : {"draw", "explore", "draw"}) {
            m_window->setWorkspace(QString::fromLatin1(on));
            for (const QToolButton* segment : segments)
                QCOMPARE(segment->toolButtonStyle(), segment->isChecked() ? Qt::ToolButtonTextOnly : Qt::ToolButtonIconOnly);
        }
        for (const QToolButton* segment : segments)
            QVERIFY(!segment->accessibleName().isEmpty() && !segment->icon().isNull());
        // Larger text may take that name too, but no icon.
        AppTheme::global().set(Theme(Theme::Mode::Light, 24));
        QCoreApplication::processEvents();
        for (const QToolButton* segment : segments) {
            QVERIFY(segment->isChecked() || segment->toolButtonStyle() == Qt::ToolButtonIconOnly);
            QVERIFY(segment->width() >= segment->iconSize().width());
        }
    }
};

FABRICSCOPE_GUI_TEST(WindowDrawTest)
#include "tst_window_draw.moc"
