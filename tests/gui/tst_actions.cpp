#include "tests/gui/support/withtheme.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/pictures.h"
#include "widgets/base/actions.h"
#include "widgets/base/fuzzy.h"
#include "widgets/base/icons.h"
#include "widgets/start/commandpalette.h"
#include "widgets/start/shortcutsheet.h"
#include "tests/unit/support/testprogram.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMainWindow>
#include <QSignalSpy>
#include <QtTest>

using namespace fabricscope;

namespace {

Command command(const char* id, const char* menu, const char* text, const char* keys, const char* icon)
{
    return {QString::fromLatin1(id), QString::fromLatin1(menu), QString::fromUtf8(text), {QKeySequence(QString::fromLatin1(keys))},
            QString::fromUtf8(text) + QStringLiteral(" it"), QString::fromLatin1(icon), false};
}

void fill(ActionRegistry& registry)
{
    registry.add(command("file.open", "File", "&Open…", "Ctrl+O", "open"));
    registry.add(command("file.save", "File", "&Save", "Ctrl+S", "save"));
    registry.add(command("run.run", "Run", "&Run", "F5", "run"));
    registry.add(command("view.fit", "View", "Fit && center", "Ctrl+0", "fit"));
    registry.add(command("view.grid", "View", "Show minimap", "M", "minimap"));
}

QStringList shown(const CommandPalette& palette)
{
    QStringList out;
    for (int row = 0; row < test::part<QListView>(palette).model()->rowCount(); ++row)
        out += test::part<QListView>(palette).model()->index(row, 0).data().toString();
    return out;
}

} // namespace

class ActionsTest : public QObject
{
    Q_OBJECT

private slots:
    void A1_everyCommandHasTextShortcutStatusTipAndIcon()
    {
        ActionRegistry registry;
        fill(registry);
        QCOMPARE(registry.problems(), QStringList());
        QCOMPARE(registry.count(), 5);
        QSet<QString> keys;
        for (const QAction* action : registry.actions()) {
            QVERIFY(!ActionRegistry::plainText(*action).isEmpty());
            QVERIFY(!action->statusTip().isEmpty());
            QVERIFY(!action->icon().isNull());
            QVERIFY(!keys.contains(action->shortcut().toString()));
            keys += action->shortcut().toString();
        }
        QCOMPARE(keys.size(), 5);
    }

    void A1_aSecondUseOfAnIdOrAShortcutIsRefused()
    {
        ActionRegistry registry;
        fill(registry);
        QVERIFY(!registry.add(command("file.open", "File", "Other", "Ctrl+Y", "open")));
        QVERIFY(!registry.add(command("file.print", "File", "Print", "Ctrl+S", "report")));
        Command two = command("file.close", "File", "Close", "Ctrl+W", "hide");
        two.shortcuts += QKeySequence(QStringLiteral("F5"));
        QVERIFY(!registry.add(two));
        QCOMPARE(registry.count(), 5);
        const QStringList problems = registry.problems();
        QCOMPARE(problems.size(), 3);
        QVERIFY(problems[0].contains(QStringLiteral("file.open")));
        QVERIFY(problems[1].contains(QStringLiteral("Ctrl+S")) && problems[1].contains(QStringLiteral("Save")));
        QVERIFY(problems[2].contains(QStringLiteral("F5")));
    }

    void A1_whatACommandLacksIsNamed()
    {
        ActionRegistry registry;
        QVERIFY(registry.add({QStringLiteral("bare"), QStringLiteral("File"), QStringLiteral("Bare"), {}, {}, QStringLiteral("unknown"), false}));
        QCOMPARE(registry.problems(), (QStringList{QStringLiteral("bare has no shortcut."), QStringLiteral("bare has no status tip."), QStringLiteral("bare has no icon.")}));
    }

    void textsLoseTheirMnemonicAndEllipsis()
    {
        ActionRegistry registry;
        fill(registry);
        QCOMPARE(ActionRegistry::plainText(*registry.action(QStringLiteral("file.open"))), QStringLiteral("Open"));
        QCOMPARE(ActionRegistry::plainText(*registry.action(QStringLiteral("view.fit"))), QStringLiteral("Fit & center"));
        QCOMPARE(registry.menus(), (QStringList{QStringLiteral("File"), QStringLiteral("Run"), QStringLiteral("View")}));
    }

    void A2_theSheetShowsEveryCommandOfTheRegistry()
    {
        ActionRegistry registry;
        fill(registry);
        const ShortcutSheet sheet(registry);
        QCOMPARE(sheet.rowCount(), registry.count());
        QStringList texts;
        for (const QLabel* label : sheet.findChildren<QLabel*>())
            texts += label->text();
        for (const QAction* action : registry.actions()) {
            QVERIFY(texts.contains(ActionRegistry::plainText(*action)));
            QVERIFY(texts.contains(action->shortcut().toString(QKeySequence::NativeText)));
        }
        QVERIFY(texts.contains(QStringLiteral("View")));
    }

    void fuzzyMatchingPrefersStartsOfWordsAndRuns_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("better");
        QTest::addColumn<QString>("worse");
        QTest::newRow("initials") << QStringLiteral("cp") << QStringLiteral("Critical path") << QStringLiteral("Scope");
        QTest::newRow("in a row") << QStringLiteral("run") << QStringLiteral("Run") << QStringLiteral("Report unit");
        QTest::newRow("shorter") << QStringLiteral("npu 3") << QStringLiteral("NPU 3") << QStringLiteral("NPU 37");
        QTest::newRow("words in any order") << QStringLiteral("path crit") << QStringLiteral("Critical path") << QStringLiteral("Trip a chart critic");
    }
    void fuzzyMatchingPrefersStartsOfWordsAndRuns()
    {
        QFETCH(QString, typed);
        QFETCH(QString, better);
        QFETCH(QString, worse);
        const std::optional<int> good = fuzzyScore(typed, better);
        QVERIFY(good.has_value());
        QVERIFY(*good > fuzzyScore(typed, worse).value_or(-1));
    }

    void lettersInAnotherOrderDoNotMatch()
    {
        QVERIFY(!fuzzyScore(QStringLiteral("nur"), QStringLiteral("Run")));
        QVERIFY(!fuzzyScore(QStringLiteral("runn"), QStringLiteral("Run")));
        QVERIFY(fuzzyScore(QString(), QStringLiteral("Run")));
    }

    void A8_typingAndEnterRunsTheCommand()
    {
        ActionRegistry registry;
        fill(registry);
        QMainWindow window;
        window.resize(1000, 600);
        CommandPalette palette(registry, &window);
        const QAbstractItemModelTester tester(test::part<QListView>(palette).model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        palette.open();
        QCOMPARE(test::part<QListView>(palette).model()->rowCount(), 5);
        QVERIFY(test::part<QLineEdit>(palette).hasFocus());
        QTest::keyClicks(&test::part<QLineEdit>(palette), QStringLiteral("mini"));
        QCOMPARE(shown(palette), QStringList{QStringLiteral("Show minimap")});
        QSignalSpy triggered(registry.action(QStringLiteral("view.grid")), &QAction::triggered);
        QTest::keyClick(&test::part<QLineEdit>(palette), Qt::Key_Return);
        QCOMPARE(triggered.count(), 1);
        QVERIFY(!palette.isVisible());
    }

    void A8_disabledCommandsAreListedButDoNotRun()
    {
        ActionRegistry registry;
        fill(registry);
        QMainWindow window;
        CommandPalette palette(registry, &window);
        QAction* save = registry.action(QStringLiteral("file.save"));
        save->setEnabled(false);
        window.show();
        palette.open(CommandPalette::Scope::All, QStringLiteral("save"));
        QSignalSpy triggered(save, &QAction::triggered);
        QTest::keyClick(&test::part<QLineEdit>(palette), Qt::Key_Return);
        QCOMPARE(triggered.count(), 0);
        QVERIFY(palette.isVisible());
    }

    void A8_elementsComeFirstAndArrowsChoose()
    {
        ActionRegistry registry;
        fill(registry);
        QMainWindow window;
        CommandPalette palette(registry, &window);
        QString opened;
        palette.setElements([&opened](const QString& typed) {
            std::vector<PaletteEntry> out;
            for (const int npu : {3, 37})
                if (const QString title = QStringLiteral("NPU %1").arg(npu); fuzzyScore(typed, title))
                    out.push_back({title, QStringLiteral("pod 0"), QStringLiteral("npu"), [&opened, title] { opened = title; }});
            return out;
        });
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        palette.open(CommandPalette::Scope::Elements, QStringLiteral("npu"));
        QCOMPARE(shown(palette), (QStringList{QStringLiteral("NPU 3"), QStringLiteral("NPU 37")}));
        QTest::keyClick(&test::part<QLineEdit>(palette), Qt::Key_Down);
        QCOMPARE(test::part<QListView>(palette).currentIndex().row(), 1);
        QTest::keyClick(&test::part<QLineEdit>(palette), Qt::Key_Down);
        QCOMPARE(test::part<QListView>(palette).currentIndex().row(), 0);
        QTest::keyClick(&test::part<QLineEdit>(palette), Qt::Key_Up);
        QTest::keyClick(&test::part<QLineEdit>(palette), Qt::Key_Return);
        QCOMPARE(opened, QStringLiteral("NPU 37"));
        palette.open();
        QCOMPARE(test::part<QListView>(palette).model()->rowCount(), 7);
        QCOMPARE(shown(palette).first(), QStringLiteral("NPU 3"));
        QTest::keyClick(&test::part<QLineEdit>(palette), Qt::Key_Escape);
        QVERIFY(!palette.isVisible());
    }

    /// A task or a file may be called as a command is; only a setting that was found takes the place of its command.
    void A8_onlyASettingStandsForItsCommand()
    {
        ActionRegistry registry;
        fill(registry);
        QMainWindow window;
        CommandPalette palette(registry, &window);
        const QAction* setting = nullptr;
        palette.setElements([&setting](const QString&) { return std::vector<PaletteEntry>{{QStringLiteral("Show minimap"), {}, {}, {}, setting}}; });
        palette.open(CommandPalette::Scope::All, QStringLiteral("mini"));
        QCOMPARE(shown(palette), (QStringList{QStringLiteral("Show minimap"), QStringLiteral("Show minimap")}));
        setting = registry.search(QStringLiteral("mini")).front();
        palette.open(CommandPalette::Scope::All, QStringLiteral("mini"));
        QCOMPARE(shown(palette), QStringList{QStringLiteral("Show minimap")});
    }

    void A8_theFieldOfTheToolbarOpensThePaletteInItsPlace()
    {
        ActionRegistry registry;
        fill(registry);
        QMainWindow window;
        window.resize(1200, 600);
        CommandPalette palette(registry, &window);
        auto* field = new PaletteField(palette, &window);
        field->setGeometry(600, 8, 248, 28);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::mouseClick(field, Qt::LeftButton);
        QVERIFY(palette.isVisible());
        QCOMPARE(palette.geometry().topLeft(), QPoint(600, 8));
        QTest::keyClick(&test::part<QLineEdit>(palette), Qt::Key_Escape);
        QTest::keyClick(field, Qt::Key_R);
        QVERIFY(palette.isVisible());
        QCOMPARE(test::part<QLineEdit>(palette).text(), QStringLiteral("r"));
        QVERIFY(!field->accessibleName().isEmpty());
    }

    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            const Theme theme(mode);
            const test::WithTheme themed(theme);
            const QString suffix = theme.isDark() ? QStringLiteral("-dark.png") : QStringLiteral("-light.png");
            ActionRegistry registry;
            fill(registry);
            QMainWindow window;
            window.resize(800, 360);
            CommandPalette palette(registry, &window);
            palette.setElements([](const QString&) { return std::vector<PaletteEntry>{{QStringLiteral("NPU 37"), QStringLiteral("pod 4, D2 position 1"), QStringLiteral("npu"), {}}}; });
            auto* field = new PaletteField(palette, &window);
            field->setGeometry(20, 8, field->sizeHint().width(), field->sizeHint().height());
            window.show();
            window.grab().save(folder + QStringLiteral("/field") + suffix);
            palette.open();
            window.grab().save(folder + QStringLiteral("/palette") + suffix);
            ShortcutSheet sheet(registry);
            sheet.grab().save(folder + QStringLiteral("/shortcuts") + suffix);
        }
    }
};

FABRICSCOPE_GUI_TEST(ActionsTest)
#include "tst_actions.moc"
