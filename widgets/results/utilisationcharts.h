#pragma once

#include "core/run/rundesign.h"
#include "widgets/base/theme.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

class QBoxLayout;
class QChart;
class QChartView;
class QLabel;

namespace fabricscope {

/// Summaries of a run as bars: busy share per dimension, and the time of each class of ranks by what it was spent on.
/// Static; of a run that goes on, a new picture a few times a second.
class UtilisationCharts : public QWidget
{
    Q_OBJECT
public:
    static constexpr int kMostCategories = 128; ///< Of more classes, the slowest.
    static constexpr int kPauseMs = 300;        ///< Between two pictures.

    explicit UtilisationCharts(QWidget* parent = nullptr);
    /// Null: empty. Shown at once, or after the pause when another came just before; only the last counts.
    void setResult(RunResultPtr result);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    struct Panel {
        QWidget* box = nullptr;
        QLabel* title = nullptr;
        QWidget* legend = nullptr;
        QChart* chart = nullptr;
        QChartView* view = nullptr;
    };
    struct Bars {
        QString name;
        QColor color;
        bool hatched = false;
        std::vector<double> values; ///< One per category.
    };

    Panel makePanel(const QString& name);
    void draw();
    void fill(Panel& panel, const QStringList& categories, const std::vector<Bars>& series, double top, const QString& unit, bool legend);
    void drawDimensions();
    void drawClasses();
    void arrange();

    RunResultPtr m_result;
    Theme m_theme;
    QBoxLayout* m_layout;
    Panel m_dimensions;
    Panel m_classes;
    QTimer m_later;
    QElapsedTimer m_sinceDrawn;
};

} // namespace fabricscope
