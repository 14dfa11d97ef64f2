#pragma once

#include "widgets/base/theme.h"

#include <QWidget>

#include <memory>

namespace fabricscope {

class ReportPages;

/// Pages of a report below each other, as they will be printed. `+` and `-` zoom, Ctrl+0 fits the width.
class ReportPreview : public QWidget
{
    Q_OBJECT
public:
    explicit ReportPreview(QWidget* parent = nullptr);

    void setPages(std::shared_ptr<const ReportPages> pages); ///< Null: nothing to show.
    double zoom() const { return m_zoom; }
    void setZoom(double zoom); ///< 1: a point of the paper is 4/3 pixels, as on paper at 96 dots per inch. 0.25 to 4.
    /// Top of a page.
    int pageTop(int page) const;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QRect pageRect(int page) const;

    std::shared_ptr<const ReportPages> m_pages;
    Theme m_theme;
    double m_zoom = 1;
};

} // namespace fabricscope
