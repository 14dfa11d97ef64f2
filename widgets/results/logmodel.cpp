#include "widgets/results/logmodel.h"

namespace fabricscope {

LogModel::LogModel(QObject* parent) : TableModel(parent)
{
    show();
}

void LogModel::append(Severity level, const QString& category, const QString& text)
{
    const QString levelText = level == Severity::Error ? tr("Error") : level == Severity::Warning ? tr("Warning") : tr("Note");
    auto row = std::make_shared<StoredTable::Row>();
    row->cells = {{levelText, levelText}, {category, category}, {text, text}};
    const std::lock_guard lock(m_mutex);
    if (m_waiting.empty())
        QMetaObject::invokeMethod(this, &LogModel::takeOver, Qt::QueuedConnection);
    row->id = m_next++;
    m_waiting.push_back({level, std::move(row)});
}

void LogModel::setLevel(Severity lowest)
{
    m_level = lowest;
    show();
}

void LogModel::clear()
{
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.clear(); // They were told before.
    }
    m_lines.clear();
    show();
}

void LogModel::takeOver()
{
    {
        const std::lock_guard lock(m_mutex);
        m_lines.insert(m_lines.end(), m_waiting.begin(), m_waiting.end());
        m_waiting.clear();
    }
    if (m_lines.size() > kMostLines)
        m_lines.erase(m_lines.begin(), m_lines.end() - static_cast<std::ptrdiff_t>(kMostLines));
    show();
}

void LogModel::show()
{
    auto table = std::make_shared<StoredTable>(std::vector<TableColumn>{
        {tr("Level"), tr("Level"), TableColumn::Look::Text},
        {tr("Category"), tr("Category"), TableColumn::Look::Text},
        {tr("Message"), tr("Message"), TableColumn::Look::Text}});
    for (const Line& line : m_lines)
        if (line.level >= m_level)
            table->add(line.row);
    setContent(std::move(table));
}

} // namespace fabricscope
