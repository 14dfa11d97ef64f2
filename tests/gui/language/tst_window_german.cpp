// The window in German: nothing of it is left in English, nothing is cut, and every letter of a menu is there once, in either language.
#include "app/desktop/workspace.h"
#include "tests/gui/support/catalog.h"
#include "tests/gui/support/wholewindow.h"
#include "tests/gui/support/withtheme.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/windowlanguage.h"

#include <QAbstractButton>
#include <QAction>
#include <QComboBox>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QTabBar>
#include <QToolButton>
#include <QtTest>

#include <functional>

using namespace fabricscope;

namespace {

constexpr int kLongMs = 60'000;
constexpr double kLargePixels[] = {20, 26}; ///< One and a half times the usual size, and twice.

/// All that a widget says, to eyes and to readers of screens.
QStringList textsOf(const QWidget& widget)
{
    QStringList texts{widget.toolTip(), widget.statusTip(), widget.accessibleName(), widget.accessibleDescription()};
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        texts.append(label->text());
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        texts.append(button->text());
    if (const auto* box = qobject_cast<const QGroupBox*>(&widget))
        texts.append(box->title());
    if (const auto* field = qobject_cast<const QLineEdit*>(&widget))
        texts.append(field->placeholderText());
    if (const auto* choice = qobject_cast<const QComboBox*>(&widget))
        for (int i = 0; i < choice->count(); ++i)
            texts.append(choice->itemText(i));
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget))
        for (int i = 0; i < tabs->count(); ++i)
            texts.append({tabs->tabText(i), tabs->tabToolTip(i)});
    if (const auto* header = qobject_cast<const QHeaderView*>(&widget); header && header->model())
        for (int i = 0; i < header->count(); ++i)
            for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
                texts.append(header->model()->headerData(i, header->orientation(), role).toString());
    for (const QAction* action : widget.actions())
        texts.append({action->text(), action->statusTip(), action->toolTip()});
    return texts;
}

/// Knows what is English: texts of the catalogs that no translation leaves as they are.
class EnglishTexts
{
public:
    EnglishTexts()
    {
        QSet<QString> german;
        const QList<test::CatalogText> all = test::readCatalog(test::germanOf(QStringLiteral("app"))) + test::readCatalog(test::germanOf(QStringLiteral("widgets")));
        for (const test::CatalogText& text : all)
            for (const QString& translation : text.translations)
                german.insert(translation);
        for (const test::CatalogText& text : all) {
            // A single small word may be one of a design file or the name of a model.
            if (german.contains(text.source) || (!text.source.contains(QLatin1Char(' ')) && text.source[0].isLower()))
                continue;
            m_whole.insert(text.source);
            // Filled in, only a text that begins with words is told from others.
            const qsizetype place = text.source.indexOf(QLatin1Char('%'));
            if (place >= kWords && text.source.left(place).count(QLatin1Char(' ')) >= 1)
                m_begins.append(text.source.left(place));
        }
    }

    bool contains(const QString& text) const
    {
        static const QRegularExpression kBetween(QStringLiteral("<[^>]*>|\\n"));
        QStringList pieces = text.split(kBetween);
        pieces.append(text);
        return std::ranges::any_of(pieces, [this](const QString& piece) {
            const QString alone = piece.trimmed();
            return m_whole.contains(alone) || std::ranges::any_of(m_begins, [&alone](const QString& begin) { return alone.startsWith(begin); });
        });
    }
    qsizetype count() const { return m_whole.size(); }

private:
    static constexpr qsizetype kWords = 8;
    QSet<QString> m_whole;
    QStringList m_begins;
};

QString named(const QWidget& widget)
{
    return QString::fromLatin1(widget.metaObject()->className()) + QLatin1Char(' ') + widget.objectName() + QStringLiteral(": ");
}

/// Has it words that it neither wraps nor elides? (Choices are as wide as there is room, whatever the language.)
bool isRigid(const QWidget& widget)
{
    if (const auto* tool = qobject_cast<const QToolButton*>(&widget))
        return tool->toolButtonStyle() != Qt::ToolButtonIconOnly && !tool->text().isEmpty();
    if (const auto* label = qobject_cast<const QLabel*>(&widget))
        return !label->wordWrap() && !label->text().isEmpty() && !label->text().endsWith(QStringLiteral(".lua")); // A file is called as it is called.
    return qobject_cast<const QAbstractButton*>(&widget);
}

} // namespace

class WindowGermanTest : public QObject
{
    Q_OBJECT
    QTemporaryDir m_home;
    std::unique_ptr<MainWindow> m_window;

    /// The window as it is with large text, in each workspace.
    void eachWorkspace(const std::function<void(const QString& workspace, const QList<QWidget*>& widgets)>& look)
    {
        m_window = test::shownWindow(QSize(1280, 800));
        QVERIFY(m_window);
        m_window->files().openExample(QStringLiteral("two-level-hgx"));
        QVERIFY(test::settles(*m_window, kLongMs));
        m_window->findChild<QAction*>(QStringLiteral("edit.settings"))->trigger(); // Is part of what is looked at.
        for (const double pixels : kLargePixels) {
            AppTheme::global().set(Theme(Theme::Mode::Light, pixels));
            for (const QString& workspace : workspaceKeys()) {
                m_window->setWorkspace(workspace);
                QVERIFY(test::settles(*m_window, kLongMs));
                look(workspace, m_window->findChildren<QWidget*>());
            }
        }
    }

private slots:
    void initTestCase() { test::useOwnHome(m_home); }

    void cleanup() { m_window.reset(); }

    /// Nor is a word of a button or a label cut, with large text.
    void A6_nothingIsEnglishOrCut()
    {
        const EnglishTexts english;
        QVERIFY(english.count() > 1000);
        const SpokenLanguage language(WindowLanguage::German, QLocale::c());
        const test::WithTheme large(Theme(Theme::Mode::Light, kLargePixels[0]));
        QHash<QString, QString> said; // And by whom.
        QStringList wrong;
        eachWorkspace([&](const QString& workspace, const QList<QWidget*>& widgets) {
            for (const QWidget* widget : widgets) {
                const QString name = named(*widget);
                if (widget->objectName().startsWith(QStringLiteral("qt_"))) // Qt's own, whose German may not be installed.
                    continue;
                for (const QString& text : textsOf(*widget))
                    said.insert(text, name);
                if (widget->isVisible() && isRigid(*widget) && widget->width() < widget->minimumSizeHint().width())
                    wrong.append(QStringLiteral("cut in %1: %2%3").arg(workspace, name, textsOf(*widget).join(QLatin1Char('|'))));
            }
        });
        QVERIFY(said.size() > 500);
        for (auto text = said.cbegin(); text != said.cend(); ++text)
            if (english.contains(text.key()))
                wrong.append(QStringLiteral("English: ") + text.value() + text.key());
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }

    void A6_lettersOfMenusAreThereOnce_data()
    {
        QTest::addColumn<WindowLanguage>("language");
        QTest::newRow("English") << WindowLanguage::English;
        QTest::newRow("German") << WindowLanguage::German;
    }

    void A6_lettersOfMenusAreThereOnce()
    {
        QFETCH(WindowLanguage, language);
        const SpokenLanguage spoken(language, QLocale::c());
        m_window = std::make_unique<MainWindow>();
        QList<const QWidget*> menus{m_window->menuBar()};
        for (const QMenu* menu : m_window->menuBar()->findChildren<QMenu*>())
            menus.append(menu);
        QVERIFY(menus.size() > 5);
        for (const QWidget* menu : menus) {
            QHash<QString, QString> taken;
            for (const QAction* action : menu->actions()) {
                const QString letter = QKeySequence::mnemonic(action->text()).toString();
                if (action->isSeparator())
                    continue;
                QVERIFY2(!letter.isEmpty(), qPrintable(action->text()));
                QVERIFY2(!taken.contains(letter), qPrintable(action->text() + QStringLiteral(" and ") + taken.value(letter)));
                taken.insert(letter, action->text());
            }
        }
    }
};

FABRICSCOPE_GUI_TEST(WindowGermanTest)
#include "tst_window_german.moc"
