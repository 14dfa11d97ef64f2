#pragma once

#include "core/record/activity.h"
#include "widgets/base/theme.h"

#include <QListWidget>

#include <cstdint>
#include <optional>
#include <vector>

namespace fabricscope {

/// A row of a list of stages or steps: a name, a line of details and a figure at the right.
struct RewriteRow {
    enum class Bracket : std::uint8_t { None, Fused, Overlapped };

    QString number = {};
    QString title;
    QString detail = {};
    QString value = {};
    std::optional<Activity> swatch = {};
    QString icon = {};
    bool refused = false;           ///< Drawn with a padlock; cannot be activated.
    bool grip = false;              ///< Can be dragged.
    Bracket bracket = Bracket::None;
    bool bracketBegins = false;     ///< First row of its bracket.
    bool bracketEnds = false;
    int gain = 0;                   ///< Sign of what the value brings: below 0 shorter, above 0 longer.
    friend bool operator==(const RewriteRow&, const RewriteRow&) = default;
};

/// Rows of stages or steps; walked by the arrows, Return and a double click activate, Delete removes, Alt+Up and Alt+Down or a drag move.
class RewriteRows : public QListWidget
{
    Q_OBJECT
public:
    explicit RewriteRows(const QString& name, QWidget* parent = nullptr);

    /// Keeps the current row where it can.
    void setRows(std::vector<RewriteRow> rows, const QString& whenEmpty = {});
    const std::vector<RewriteRow>& rows() const { return m_rows; }
    void setMovable(bool movable);
    /// Height of all rows.
    int contentHeight() const;

signals:
    void chosen(int row);   ///< Return or double click.
    void removed(int row);  ///< Delete.
    void moved(int from, int to);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);

    std::vector<RewriteRow> m_rows;
    QString m_whenEmpty;
    Theme m_theme;
};

} // namespace fabricscope
