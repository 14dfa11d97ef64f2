#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

#include <vector>

namespace fabricscope {

/// A stacked bar, 14 px high: what a time consists of.
class PartsBar : public QWidget
{
    Q_OBJECT
public:
    struct Part {
        QString name;             ///< With its value, for the tooltip and assistive tools.
        Activity activity = Activity::Compute;
        bool hatched = false;     ///< Exposed communication.
        std::int64_t amount = 0;
    };

    explicit PartsBar(QWidget* parent = nullptr);
    void setParts(std::vector<Part> parts);
    const std::vector<Part>& parts() const { return m_parts; }
    /// Of a part, in widget coordinates; neighbours have 1 px between them.
    QRectF rectOf(std::size_t part) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

    /// Fills a rectangle as an activity is drawn in summaries: plain, hatched when exposed, the waiting hatch.
    static void paintPart(QPainter& painter, const QRectF& rect, const Theme& theme, Activity activity, bool hatched);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    void setTheme(const Theme& theme);

    std::vector<Part> m_parts;
    std::int64_t m_total = 0;
    Theme m_theme;
};

} // namespace fabricscope
