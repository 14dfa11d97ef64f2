#pragma once

#include "core/base/error.h"
#include "widgets/base/tablemodel.h"

#include <mutex>

namespace fabricscope {

/// Messages of the program: level, category, text. No time, so that equal runs log equal lines. Keeps the last kMostLines.
class LogModel : public TableModel
{
    Q_OBJECT
public:
    explicit LogModel(QObject* parent = nullptr);

    /// Any thread; shows soon after, on the thread of the model, many lines at once.
    void append(Severity level, const QString& category, const QString& text);
    /// Lines below are not shown. Usual: Note.
    void setLevel(Severity lowest);
    void clear();

    static constexpr std::size_t kMostLines = 10'000;

private:
    struct Line {
        Severity level;
        std::shared_ptr<const StoredTable::Row> row;
    };
    void takeOver();
    void show();

    std::mutex m_mutex;
    std::vector<Line> m_waiting;
    std::vector<Line> m_lines;
    std::int64_t m_next = 0;
    Severity m_level = Severity::Note;
};

} // namespace fabricscope
