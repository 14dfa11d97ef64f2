#include "widgets/start/settingsdialog.h"

#include "widgets/base/actions.h"
#include "widgets/base/apptheme.h"
#include "widgets/base/files/usersettings.h"
#include "widgets/base/icons.h"
#include "widgets/base/windowlanguage.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>
#include <utility>

namespace fabricscope {

namespace {

constexpr const char* kTheme = QT_TRANSLATE_NOOP("fabricscope::SettingsDialog", "Theme");
constexpr const char* kTextSize = QT_TRANSLATE_NOOP("fabricscope::SettingsDialog", "Size of the text");
constexpr const char* kPatterns = QT_TRANSLATE_NOOP("fabricscope::SettingsDialog", "Patterns on intervals");
constexpr const char* kLanguage = QT_TRANSLATE_NOOP("fabricscope::SettingsDialog", "Language");
constexpr const char* kLive = QT_TRANSLATE_NOOP("fabricscope::SettingsDialog", "Run again after every edit");
constexpr const char* kThreads = QT_TRANSLATE_NOOP("fabricscope::SettingsDialog", "Threads of a run");
constexpr const char* kAutosave = QT_TRANSLATE_NOOP("fabricscope::SettingsDialog", "Copy of unsaved changes every");
constexpr const char* kDesignPanel = QT_TRANSLATE_NOOP("fabricscope::SettingsDialog", "Design panel in Explore");
constexpr const char* kInspectorPanel = QT_TRANSLATE_NOOP("fabricscope::SettingsDialog", "Inspector in Explore");
constexpr const char* kTablesPanel = QT_TRANSLATE_NOOP("fabricscope::SettingsDialog", "Tables in Explore");

QString shownName(const char* name)
{
    return QCoreApplication::translate("fabricscope::SettingsDialog", name);
}

/// The theme of the application, changed in one respect.
void setLook(Theme::Mode mode, double pixels, bool patterns)
{
    Theme theme(mode, pixels);
    theme.setPatterns(patterns);
    AppTheme::global().set(theme);
}

QSpinBox* numberEditor(const UserSettings::Number& number, const QString& suffix)
{
    auto* editor = new QSpinBox;
    editor->setRange(number.least, number.most);
    editor->setSuffix(suffix);
    editor->setKeyboardTracking(false); // "1" of "15" is not meant.
    editor->setButtonSymbols(QAbstractSpinBox::NoButtons); // Typed, or changed by arrow keys and the wheel.
    return editor;
}

QString rangeText(const UserSettings::Number& number, const QString& suffix)
{
    return SettingsDialog::tr("%1, from %2 to %3").arg(QString::number(number.usual) + suffix).arg(number.least).arg(number.most);
}

} // namespace

SettingsDialog::SettingsDialog(const ActionRegistry& registry, QWidget* parent) : QDialog(parent), m_registry(registry)
{
    setWindowTitle(tr("Settings"));
    setAccessibleName(windowTitle());
    auto* sheet = new QWidget;
    m_grid = new QGridLayout(sheet);
    m_grid->setColumnStretch(0, 1);
    m_nothing = new QLabel(tr("No setting answers this."));
    m_nothing->setProperty("role", QStringLiteral("hint"));
    m_nothing->hide();
    m_grid->addWidget(m_nothing, 0, 0, 1, 4);
    addSection(tr("Look"));
    addTheme();
    addTextSize();
    addPatterns();
    addLanguage();
    addSection(tr("Runs and files"));
    addSwitch(kLive, m_registry.action(QStringLiteral("run.live")));
    addThreads();
    addAutosave();
    addSection(tr("Panels"));
    addSwitch(kDesignPanel, m_registry.action(QStringLiteral("view.design")));
    addSwitch(kInspectorPanel, m_registry.action(QStringLiteral("view.inspector")));
    addSwitch(kTablesPanel, m_registry.action(QStringLiteral("view.tables")));
    m_grid->setRowStretch(m_grid->rowCount(), 1);

    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(tr("List of settings"));
    scroll->setWidget(sheet);
    m_resetAll = new QPushButton(tr("Reset all"));
    connect(m_resetAll, &QPushButton::clicked, this, &SettingsDialog::resetAll);
    auto* close = new QPushButton(tr("Close"));
    close->setDefault(true);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_resetAll);
    buttons->addStretch();
    buttons->addWidget(close);
    m_search = new QLineEdit;
    m_search->setAccessibleName(tr("Find a setting"));
    m_search->setPlaceholderText(tr("Find a setting (Ctrl+F)"));
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, &SettingsDialog::search);
    connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, this, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_search);
    column->addWidget(scroll, 1);
    column->addLayout(buttons);
    m_search->setFocus();
    connect(&UserSettings::global(), &UserSettings::changed, this, &SettingsDialog::showValues);
    followTheme(this, &SettingsDialog::setTheme);
}

QStringList SettingsDialog::names()
{
    QStringList all;
    for (const char* name : {kTheme, kTextSize, kPatterns, kLanguage, kLive, kThreads, kAutosave, kDesignPanel, kInspectorPanel, kTablesPanel})
        all.append(shownName(name));
    return all;
}

QString SettingsDialog::commandOf(const QString& name)
{
    static constexpr std::pair<const char*, const char*> kCommands[] = {
        {kPatterns, "view.patterns"}, {kLive, "run.live"}, {kDesignPanel, "view.design"}, {kInspectorPanel, "view.inspector"}, {kTablesPanel, "view.tables"}};
    const auto* const row = std::ranges::find_if(kCommands, [&](const auto& command) { return shownName(command.first) == name; });
    return row == std::end(kCommands) ? QString() : QString::fromLatin1(row->second);
}

void SettingsDialog::focusOn(const QString& name)
{
    m_search->clear(); // It may hide the row.
    const auto row = std::ranges::find(m_rows, name, &Row::name);
    if (row != m_rows.end())
        row->editor->setFocus(Qt::OtherFocusReason);
}

void SettingsDialog::resetAll()
{
    for (const Row& row : m_rows) {
        if (!row.isUsual())
            row.makeUsual();
    }
}

QStringList SettingsDialog::shownRows() const
{
    QStringList names;
    for (const Row& row : m_rows) {
        if (!row.label->isHidden())
            names.append(row.name);
    }
    return names;
}

/// By name, section and usual value: each word is in one of them.
void SettingsDialog::search(const QString& typed)
{
    const QStringList words = typed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<QLabel*> kept;
    for (const Row& row : m_rows) {
        const QString all = row.name + QLatin1Char(' ') + row.section->text() + QLatin1Char(' ') + row.range;
        const bool answers = std::ranges::all_of(words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
        for (QWidget* part : {static_cast<QWidget*>(row.label), row.editor, static_cast<QWidget*>(row.reset), static_cast<QWidget*>(row.hint)})
            part->setVisible(answers);
        if (answers)
            kept.push_back(row.section);
    }
    for (const Row& row : m_rows)
        row.section->setVisible(std::ranges::find(kept, row.section) != kept.end());
    m_nothing->setVisible(kept.empty());
}

/// Down or Return goes from the field to the first setting it leaves; Esc empties it first.
bool SettingsDialog::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_search || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape && !m_search->text().isEmpty()) {
        m_search->clear();
        return true;
    }
    if (key != Qt::Key_Down && key != Qt::Key_Return && key != Qt::Key_Enter)
        return false;
    const auto first = std::ranges::find_if(m_rows, [](const Row& row) { return !row.label->isHidden(); });
    if (first != m_rows.end())
        first->editor->setFocus(Qt::TabFocusReason);
    return true;
}

void SettingsDialog::addSection(const QString& title)
{
    auto* label = new QLabel(title);
    label->setProperty("role", QStringLiteral("section"));
    m_grid->addWidget(label, m_grid->rowCount(), 0, 1, 4);
    m_section = label;
}

void SettingsDialog::addRow(Row row)
{
    const int at = m_grid->rowCount();
    auto* label = new QLabel(row.name);
    label->setBuddy(row.editor);
    row.editor->setAccessibleName(row.name);
    row.reset = new QToolButton;
    row.reset->setProperty("flat", true);
    row.reset->setToolTip(tr("Back to the usual value"));
    row.reset->setAccessibleName(tr("%1: back to the usual value").arg(row.name));
    connect(row.reset, &QToolButton::clicked, this, row.makeUsual);
    m_grid->addWidget(label, at, 0);
    m_grid->addWidget(row.editor, at, 1);
    m_grid->addWidget(row.reset, at, 2);
    row.label = label;
    row.section = m_section;
    row.hint = new QLabel(tr("usually %1").arg(row.range));
    row.hint->setProperty("role", QStringLiteral("hint"));
    row.editor->setAccessibleDescription(row.hint->text());
    m_grid->addWidget(row.hint, at, 3);
    m_rows.push_back(std::move(row));
}

void SettingsDialog::addTheme()
{
    auto* editor = new QComboBox;
    editor->addItems({tr("Light"), tr("Dark")});
    const auto take = [](Theme::Mode mode) {
        const Theme& now = AppTheme::global().theme();
        setLook(mode, now.basePixels(), now.patterns());
    };
    connect(editor, &QComboBox::currentIndexChanged, this, [this, take](int index) {
        if (!m_showing)
            take(index == 1 ? Theme::Mode::Dark : Theme::Mode::Light);
    });
    addRow({shownName(kTheme), editor, nullptr, [] { return !AppTheme::global().theme().isDark(); }, [take] { take(Theme::Mode::Light); },
            [editor] { editor->setCurrentIndex(AppTheme::global().theme().isDark() ? 1 : 0); }, tr("light, or dark")});
}

void SettingsDialog::addTextSize()
{
    static constexpr UserSettings::Number kPixels = UserSettings::kTextPixels;
    QSpinBox* editor = numberEditor(kPixels, tr(" px"));
    const auto take = [](int pixels) {
        const Theme& now = AppTheme::global().theme();
        setLook(now.mode(), pixels, now.patterns());
    };
    connect(editor, &QSpinBox::valueChanged, this, [this, take](int pixels) {
        if (!m_showing)
            take(pixels);
    });
    const auto now = [] { return qRound(AppTheme::global().theme().basePixels()); };
    addRow({shownName(kTextSize), editor, nullptr, [now] { return now() == kPixels.usual; }, [take] { take(kPixels.usual); }, [editor, now] { editor->setValue(now()); }, rangeText(kPixels, tr(" px"))});
}

void SettingsDialog::addPatterns()
{
    auto* editor = new QCheckBox;
    const auto take = [](bool patterns) {
        const Theme& now = AppTheme::global().theme();
        setLook(now.mode(), now.basePixels(), patterns);
    };
    connect(editor, &QCheckBox::toggled, this, [this, take](bool on) {
        if (!m_showing)
            take(on);
    });
    addRow({shownName(kPatterns), editor, nullptr, [] { return !AppTheme::global().theme().patterns(); }, [take] { take(false); },
            [editor] { editor->setChecked(AppTheme::global().theme().patterns()); }, tr("off")});
}

/// Texts are asked for when a widget is made: those that are there keep theirs until the next start.
void SettingsDialog::addLanguage()
{
    static constexpr UserSettings::Number kChosen = UserSettings::kLanguage;
    auto* editor = new QComboBox;
    editor->addItems({tr("System"), QStringLiteral("English"), QStringLiteral("Deutsch")}); // In the order of WindowLanguage; each as its speakers call it.
    connect(editor, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (!m_showing)
            UserSettings::global().set(kChosen, index);
    });
    addRow({shownName(kLanguage), editor, nullptr, [] { return chosenLanguage() == WindowLanguage::System; }, [] { UserSettings::global().set(kChosen, kChosen.usual); },
            [editor] { editor->setCurrentIndex(UserSettings::value(kChosen)); }, tr("that of the system; changes at the next start")});
}

void SettingsDialog::addThreads()
{
    QSpinBox* editor = numberEditor(UserSettings::kThreads, {});
    editor->setSpecialValueText(tr("one per core"));
    connect(editor, &QSpinBox::valueChanged, this, [this](int threads) {
        if (!m_showing)
            UserSettings::global().set(UserSettings::kThreads, threads);
    });
    addRow({shownName(kThreads), editor, nullptr, [] { return UserSettings::value(UserSettings::kThreads) == UserSettings::kThreads.usual; },
            [] { UserSettings::global().set(UserSettings::kThreads, UserSettings::kThreads.usual); }, [editor] { editor->setValue(UserSettings::value(UserSettings::kThreads)); },
            tr("one per core, or 1 to %1").arg(UserSettings::kThreads.most)});
}

void SettingsDialog::addAutosave()
{
    static constexpr UserSettings::Number kMinutes = UserSettings::kAutosaveMinutes;
    QSpinBox* editor = numberEditor(kMinutes, tr(" min"));
    connect(editor, &QSpinBox::valueChanged, this, [this](int minutes) {
        if (!m_showing)
            UserSettings::global().set(kMinutes, minutes);
    });
    addRow({shownName(kAutosave), editor, nullptr, [] { return UserSettings::value(kMinutes) == kMinutes.usual; }, [] { UserSettings::global().set(kMinutes, kMinutes.usual); },
            [editor] { editor->setValue(UserSettings::value(kMinutes)); }, rangeText(kMinutes, tr(" min"))});
}

void SettingsDialog::addSwitch(const char* name, QAction* action)
{
    if (!action)
        return;
    auto* editor = new QCheckBox;
    connect(editor, &QCheckBox::toggled, this, [this, action](bool on) {
        if (!m_showing && action->isChecked() != on)
            action->trigger();
    });
    connect(action, &QAction::toggled, this, &SettingsDialog::showValues);
    const auto turnOn = [action] {
        if (!action->isChecked())
            action->trigger();
    };
    addRow({shownName(name), editor, nullptr, [action] { return action->isChecked(); }, turnOn, [editor, action] { editor->setChecked(action->isChecked()); }, tr("on")});
}

void SettingsDialog::showValues()
{
    m_showing = true;
    bool usual = true;
    for (const Row& row : m_rows) {
        row.show();
        row.reset->setEnabled(!row.isUsual());
        usual = usual && row.isUsual();
    }
    m_resetAll->setEnabled(!usual);
    m_showing = false;
}

void SettingsDialog::setTheme(const Theme& theme)
{
    const int gap = theme.scaled(12);
    m_grid->setContentsMargins(gap, gap, gap, gap);
    m_grid->setHorizontalSpacing(gap);
    m_grid->setVerticalSpacing(theme.scaled(8));
    for (const Row& row : m_rows)
        row.reset->setIcon(icon("undo", theme));
    showValues();
    // The area of a list asks for less than it shows.
    const QSize sheet = m_grid->parentWidget()->sizeHint();
    resize(std::max(sheet.width() + 4 * gap, theme.scaled(440)), std::min(sheet.height() + theme.scaled(112), theme.scaled(620)));
}

} // namespace fabricscope
