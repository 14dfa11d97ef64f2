#include "widgets/base/actions.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/fuzzy.h"
#include "widgets/base/icons.h"

#include <algorithm>

namespace fabricscope {

namespace {

constexpr const char* kMenu = "fabricscope.menu";
constexpr const char* kIcon = "fabricscope.icon";

/// Title, what it does, and the shortcut as the last line.
QString toolTip(const QAction& action)
{
    QString text = QStringLiteral("<p style='white-space:pre'><b>%1</b>").arg(ActionRegistry::plainText(action).toHtmlEscaped());
    if (!action.statusTip().isEmpty())
        text += QStringLiteral("<br>") + action.statusTip().toHtmlEscaped();
    if (!action.shortcut().isEmpty())
        text += QStringLiteral("<br>") + action.shortcut().toString(QKeySequence::NativeText).toHtmlEscaped();
    return text + QStringLiteral("</p>");
}

} // namespace

ActionRegistry::ActionRegistry(QObject* parent) : QObject(parent)
{
    followTheme(this, &ActionRegistry::setTheme);
}

QAction* ActionRegistry::add(const Command& command)
{
    if (command.id.isEmpty()) {
        m_refused += tr("A command called \"%1\" has no id.").arg(command.text);
        return nullptr;
    }
    if (m_byId.contains(command.id)) {
        m_refused += tr("%1: the id is taken by \"%2\".").arg(command.id, plainText(*m_byId[command.id]));
        return nullptr;
    }
    for (const QKeySequence& shortcut : command.shortcuts) {
        for (const QAction* other : m_actions) {
            if (!shortcut.isEmpty() && other->shortcuts().contains(shortcut)) {
                m_refused += tr("%1: the shortcut %2 is taken by \"%3\".").arg(command.id, shortcut.toString(), plainText(*other));
                return nullptr;
            }
        }
    }
    auto* action = new QAction(command.text, this);
    action->setObjectName(command.id);
    action->setProperty(kMenu, command.menu);
    action->setProperty(kIcon, command.icon);
    action->setShortcuts(command.shortcuts);
    action->setStatusTip(command.statusTip);
    action->setCheckable(command.checkable);
    action->setIcon(icon(command.icon, m_theme));
    action->setToolTip(toolTip(*action));
    m_actions.push_back(action);
    m_byId.insert(command.id, action);
    return action;
}

QString ActionRegistry::idOf(const QAction& action)
{
    return action.objectName();
}

QString ActionRegistry::menuOf(const QAction& action)
{
    return action.property(kMenu).toString();
}

QString ActionRegistry::plainText(const QAction& action)
{
    const QString text = action.text();
    QString plain;
    for (qsizetype at = 0; at < text.size(); ++at) {
        // "&&" is a real ampersand, "&x" a mnemonic.
        if (text[at] == QLatin1Char('&') && ++at >= text.size())
            break;
        plain += text[at];
    }
    while (plain.endsWith(QChar(0x2026)) || plain.endsWith(QLatin1Char('.')))
        plain.chop(1);
    return plain;
}

QStringList ActionRegistry::menus() const
{
    QStringList menus;
    for (const QAction* action : m_actions)
        if (!menus.contains(menuOf(*action)))
            menus += menuOf(*action);
    return menus;
}

std::vector<QAction*> ActionRegistry::inMenu(const QString& menu) const
{
    std::vector<QAction*> out;
    std::copy_if(m_actions.begin(), m_actions.end(), std::back_inserter(out), [&](const QAction* action) { return menuOf(*action) == menu; });
    return out;
}

QStringList ActionRegistry::problems() const
{
    QStringList problems = m_refused;
    for (const QAction* action : m_actions) {
        const QString id = idOf(*action);
        if (plainText(*action).isEmpty())
            problems += tr("%1 has no text.").arg(id);
        if (menuOf(*action).isEmpty())
            problems += tr("%1 has no menu.").arg(id);
        if (action->shortcut().isEmpty())
            problems += tr("%1 has no shortcut.").arg(id);
        if (action->statusTip().isEmpty())
            problems += tr("%1 has no status tip.").arg(id);
        if (action->icon().isNull())
            problems += tr("%1 has no icon.").arg(id);
    }
    return problems;
}

std::vector<QAction*> ActionRegistry::search(const QString& typed) const
{
    struct Hit {
        int score;
        QAction* action;
    };
    std::vector<Hit> hits;
    for (QAction* action : m_actions) {
        // The menu's name helps ("view grid"), but a command that carries the words itself comes first.
        const QString text = plainText(*action);
        std::optional<int> score = fuzzyScore(typed, text);
        if (score)
            *score += 4096;
        else
            score = fuzzyScore(typed, menuOf(*action) + QLatin1Char(' ') + text);
        if (score)
            hits.push_back({typed.trimmed().isEmpty() ? 0 : *score, action});
    }
    std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
    std::vector<QAction*> out;
    for (const Hit& hit : hits)
        out.push_back(hit.action);
    return out;
}

void ActionRegistry::setTheme(const Theme& theme)
{
    m_theme = theme;
    for (QAction* action : m_actions)
        action->setIcon(icon(action->property(kIcon).toString(), theme));
}

} // namespace fabricscope
