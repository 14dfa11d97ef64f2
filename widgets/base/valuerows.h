#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

#include <optional>
#include <vector>

class QGridLayout;

namespace fabricscope {

/// "Label   value   share": one line of an inspector.
struct ValueRow {
    QString label;
    QString value;
    QString extra = {};             ///< Small, at the right: a share.
    std::optional<Activity> swatch = {};
    bool hatched = false;           ///< Swatch of exposed communication.
    bool strong = false;            ///< A sum: semibold, a rule above.
    friend bool operator==(const ValueRow&, const ValueRow&) = default;
};

/// Rows of label and value, values in one right-aligned column; long labels wrap.
class ValueRows : public QWidget
{
    Q_OBJECT
public:
    explicit ValueRows(QWidget* parent = nullptr);
    void setRows(std::vector<ValueRow> rows);
    const std::vector<ValueRow>& rows() const { return m_rows; }

    /// The swatch of an activity, 10 x 10 at the base size.
    static QPixmap swatch(const Theme& theme, Activity activity, bool hatched, double ratio);

private:
    void setTheme(const Theme& theme);
    void rebuild();

    std::vector<ValueRow> m_rows;
    Theme m_theme;
    QGridLayout* m_grid;
};

} // namespace fabricscope
