// The dialog of settings: every row has a usual value, a range and a way back; what is changed holds at once and is kept.
#include "tests/gui/support/named.h"
#include "tests/gui/support/withtheme.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/files/autosave.h"
#include "widgets/base/files/userfolders.h"
#include "widgets/base/files/usersettings.h"
#include "widgets/base/windowlanguage.h"
#include "widgets/start/settingsdialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>
#include <QtTest>

using namespace fabricscope;

namespace {

/// The switches that the window has.
void addSwitches(ActionRegistry& registry)
{
    const std::pair<const char*, const char*> rows[] = {{"run.live", "L"}, {"view.design", "D"}, {"view.inspector", "I"}, {"view.tables", "B"}};
    for (const auto& [id, key] : rows) {
        Command command{QString::fromLatin1(id), QStringLiteral("View"), QString::fromLatin1(id), {QKeySequence(QString::fromLatin1(key))}, QStringLiteral("tip"), QStringLiteral("live"), true};
        registry.add(command)->setChecked(true);
    }
}

} // namespace

class SettingsDialogTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    ActionRegistry m_registry;

    template <class Editor>
    Editor& editor(const SettingsDialog& dialog, const char* name) { return test::named<Editor>(dialog, name); }
    QToolButton& reset(const SettingsDialog& dialog, const QString& name) { return test::named<QToolButton>(dialog, qPrintable(name + QStringLiteral(": back to the usual value"))); }

private slots:
    void initTestCase()
    {
        qputenv("FABRICSCOPE_HOME", m_home.path().toUtf8());
        addSwitches(m_registry);
    }

    void cleanup()
    {
        AppTheme::global().set(Theme());
        for (const UserSettings::Number& number : {UserSettings::kTextPixels, UserSettings::kLanguage, UserSettings::kThreads, UserSettings::kAutosaveMinutes})
            UserSettings::global().set(number, number.usual);
    }

    void A10_everyRowHasANameAFocusAndAWayBack()
    {
        SettingsDialog dialog(m_registry);
        dialog.show();
        QCOMPARE(dialog.focusWidget()->accessibleName(), QStringLiteral("Find a setting")); // One types what one looks for.
        QCOMPARE(dialog.rowCount(), static_cast<int>(SettingsDialog::names().size()));
        const QStringList names = SettingsDialog::names();
        QCOMPARE(QSet<QString>(names.begin(), names.end()).size(), names.size());
        for (const QString& name : names) {
            QVERIFY2(!reset(dialog, name).isEnabled(), qPrintable(name)); // All are as usual.
            dialog.focusOn(name);
            QVERIFY(dialog.focusWidget());
            QCOMPARE(dialog.focusWidget()->accessibleName(), name);
        }
    }

    void A10_theLookChangesAtOnceAndGoesBack()
    {
        SettingsDialog dialog(m_registry);
        editor<QComboBox>(dialog, "Theme").setCurrentIndex(1);
        QVERIFY(AppTheme::global().theme().isDark());
        editor<QSpinBox>(dialog, "Size of the text").setValue(18);
        QCOMPARE(AppTheme::global().theme().basePixels(), 18.0);
        QVERIFY(AppTheme::global().theme().isDark());
        editor<QCheckBox>(dialog, "Patterns on intervals").click();
        QVERIFY(AppTheme::global().theme().patterns());
        QCOMPARE(editor<QSpinBox>(dialog, "Size of the text").minimum(), 10);
        QCOMPARE(editor<QSpinBox>(dialog, "Size of the text").maximum(), 26);
        reset(dialog, QStringLiteral("Size of the text")).click();
        QCOMPARE(AppTheme::global().theme().basePixels(), 13.0);
        QVERIFY(AppTheme::global().theme().isDark() && AppTheme::global().theme().patterns());
        QVERIFY(!reset(dialog, QStringLiteral("Size of the text")).isEnabled());
        // Changed elsewhere, it is what there is.
        AppTheme::global().set(Theme(Theme::Mode::Light, 15));
        QCOMPARE(editor<QComboBox>(dialog, "Theme").currentIndex(), 0);
        QCOMPARE(editor<QSpinBox>(dialog, "Size of the text").value(), 15);
        QVERIFY(!editor<QCheckBox>(dialog, "Patterns on intervals").isChecked());
    }

    void A10_theLanguageIsKeptForTheNextStart()
    {
        {
            SettingsDialog dialog(m_registry);
            auto& languages = editor<QComboBox>(dialog, "Language");
            QCOMPARE(languages.count(), UserSettings::kLanguage.most + 1);
            QCOMPARE(languages.currentIndex(), 0);
            QVERIFY(languages.accessibleDescription().contains(QStringLiteral("next start")));
            languages.setCurrentText(QStringLiteral("Deutsch"));
            QCOMPARE(chosenLanguage(), WindowLanguage::German);
            languages.setCurrentText(QStringLiteral("English"));
            QCOMPARE(chosenLanguage(), WindowLanguage::English);
        }
        SettingsDialog again(m_registry);
        QCOMPARE(editor<QComboBox>(again, "Language").currentText(), QStringLiteral("English"));
        reset(again, QStringLiteral("Language")).click();
        QCOMPARE(chosenLanguage(), WindowLanguage::System);
        QCOMPARE(editor<QComboBox>(again, "Language").currentIndex(), 0);
    }

    void A10_numbersAreKeptWithinTheirRange()
    {
        {
            SettingsDialog dialog(m_registry);
            editor<QSpinBox>(dialog, "Threads of a run").setValue(3);
            editor<QSpinBox>(dialog, "Copy of unsaved changes every").setValue(10);
        }
        QCOMPARE(UserSettings::runThreads(), 3);
        SettingsDialog again(m_registry);
        QCOMPARE(editor<QSpinBox>(again, "Threads of a run").value(), 3);
        QCOMPARE(editor<QSpinBox>(again, "Copy of unsaved changes every").value(), 10);
        test::named<QPushButton>(again, "Reset all").click();
        QCOMPARE(UserSettings::value(UserSettings::kThreads), 0);
        QVERIFY(UserSettings::runThreads() >= 1);
        QVERIFY(!test::named<QPushButton>(again, "Reset all").isEnabled());
        // What somebody wrote into the file.
        openSettings()->setValue(QString::fromLatin1(UserSettings::kAutosaveMinutes.key), 100'000);
        QCOMPARE(UserSettings::value(UserSettings::kAutosaveMinutes), 60);
        openSettings()->setValue(QString::fromLatin1(UserSettings::kAutosaveMinutes.key), QStringLiteral("often"));
        QCOMPARE(UserSettings::value(UserSettings::kAutosaveMinutes), 2);
    }

    void A10_aSettingIsFoundAsOneTypes()
    {
        SettingsDialog dialog(m_registry);
        dialog.show();
        QVERIFY(QTest::qWaitForWindowActive(&dialog));
        QCOMPARE(dialog.shownRows().size(), dialog.rowCount());
        QTest::keyClick(&dialog, Qt::Key_F, Qt::ControlModifier);
        QLineEdit& field = *dialog.searchField();
        QCOMPARE(dialog.focusWidget(), &field);
        QTest::keyClicks(&field, QStringLiteral("run thr"));
        QCOMPARE(dialog.shownRows(), QStringList(QStringLiteral("Threads of a run")));
        QTest::keyClick(&field, Qt::Key_Down);
        QCOMPARE(dialog.focusWidget()->accessibleName(), QStringLiteral("Threads of a run"));
        // By the section, by what is usual.
        field.setText(QStringLiteral("look"));
        QCOMPARE(dialog.shownRows(), (QStringList{QStringLiteral("Theme"), QStringLiteral("Size of the text"), QStringLiteral("Patterns on intervals"), QStringLiteral("Language")}));
        field.setText(QStringLiteral("10 to 26"));
        QCOMPARE(dialog.shownRows(), QStringList(QStringLiteral("Size of the text")));
        field.setText(QStringLiteral("nothing of this name"));
        QVERIFY(dialog.shownRows().isEmpty());
        field.setFocus();
        QTest::keyClick(&field, Qt::Key_Escape);
        QVERIFY(dialog.isVisible());
        QCOMPARE(dialog.shownRows().size(), dialog.rowCount());
        QTest::keyClick(&field, Qt::Key_Escape);
        QVERIFY(!dialog.isVisible());
    }

    /// What is usual and the range stand beside every editor, and are read out.
    void A10_usualValueAndRangeAreSaid()
    {
        SettingsDialog dialog(m_registry);
        QCOMPARE(editor<QSpinBox>(dialog, "Size of the text").accessibleDescription(), QStringLiteral("usually 13 px, from 10 to 26"));
        QCOMPARE(editor<QSpinBox>(dialog, "Copy of unsaved changes every").accessibleDescription(), QStringLiteral("usually 2 min, from 1 to 60"));
        QCOMPARE(editor<QSpinBox>(dialog, "Threads of a run").accessibleDescription(), QStringLiteral("usually one per core, or 1 to 256"));
        QCOMPARE(editor<QComboBox>(dialog, "Theme").accessibleDescription(), QStringLiteral("usually light, or dark"));
    }

    void A10_copiesFollowTheSetting()
    {
        Autosave copies([] { return AutosaveState(); }, m_home.path());
        const auto& timer = test::part<QTimer>(copies);
        QVERIFY(timer.isActive());
        QCOMPARE(timer.interval(), 2 * 60 * 1000);
        UserSettings::global().set(UserSettings::kAutosaveMinutes, 7);
        QCOMPARE(timer.interval(), 7 * 60 * 1000);
        Autosave later([] { return AutosaveState(); }, m_home.path());
        QCOMPARE(test::part<QTimer>(later).interval(), 7 * 60 * 1000);
    }

    void A10_switchesAreThoseOfTheWindow()
    {
        SettingsDialog dialog(m_registry);
        QAction* live = m_registry.action(QStringLiteral("run.live"));
        editor<QCheckBox>(dialog, "Run again after every edit").click();
        QVERIFY(!live->isChecked());
        QVERIFY(reset(dialog, QStringLiteral("Run again after every edit")).isEnabled());
        live->trigger();
        QVERIFY(editor<QCheckBox>(dialog, "Run again after every edit").isChecked());
        m_registry.action(QStringLiteral("view.tables"))->trigger();
        QVERIFY(!editor<QCheckBox>(dialog, "Tables in Explore").isChecked());
        dialog.resetAll();
        QVERIFY(m_registry.action(QStringLiteral("view.tables"))->isChecked());
    }

    /// A word that is cut says nothing; with large text the list is scrolled, the buttons stay.
    void A10_nothingIsCutAtAnySizeOfText()
    {
        for (const double pixels : {13.0, 26.0}) {
            AppTheme::global().set(Theme(Theme::Mode::Light, pixels));
            SettingsDialog dialog(m_registry);
            dialog.show();
            QVERIFY(QTest::qWaitForWindowExposed(&dialog));
            for (const QWidget* child : dialog.findChildren<QWidget*>()) {
                if (qobject_cast<const QAbstractButton*>(child) || qobject_cast<const QSpinBox*>(child) || qobject_cast<const QComboBox*>(child))
                    QVERIFY2(child->width() >= child->minimumSizeHint().width(), qPrintable(child->accessibleName()));
            }
        }
    }
};

FABRICSCOPE_GUI_TEST(SettingsDialogTest)
#include "tst_settingsdialog.moc"
