#pragma once

#include "core/transform/stepsearch.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace fabricscope {

/// Which programs of a search are drawn and where: a column per step, children beside their parent. Of more than kMostBoxes the way to the best one, what lies
/// beside it and how many more there are.
class TreePlaces {
public:
    static constexpr std::size_t kMostBoxes = 60;

    struct Box {
        std::size_t program = 0;
        int column = 0;
        double row = 0;          ///< In rows; a parent stands in the middle of its children.
        int parent = -1;         ///< Number of the box.
        bool best = false;       ///< On the way to the fastest.
        std::size_t hidden = 0;  ///< Programs below it that are not drawn.
    };

    TreePlaces() = default;
    explicit TreePlaces(const transform::StepSearch& search);

    const std::vector<Box>& boxes() const { return m_boxes; }
    int columns() const { return m_columns; }
    int rows() const { return m_rows; }
    /// Box of a program; -1: not drawn.
    int boxOf(std::size_t program) const;

private:
    std::vector<Box> m_boxes;
    int m_columns = 0;
    int m_rows = 0;
};

/// The programs that a search has found as a tree. Arrows walk, Return shows one.
class ScheduleTree : public QWidget
{
    Q_OBJECT
public:
    explicit ScheduleTree(QWidget* parent = nullptr);

    /// Null: `why` is said instead.
    void setSearch(std::shared_ptr<const transform::StepSearch> search, const QString& why = {});
    /// The program on show; -1: none of them.
    void setShown(int program);
    int current() const { return m_current; } ///< Number of the box; -1: none.
    void setCurrent(int box);
    const TreePlaces& places() const { return m_places; }
    QRectF boxRect(int box) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// To be shown.
    void programChosen(int program);
    /// Is looked at.
    void programCurrent(int program);
    /// Of the current box, and again once there is another size.
    void placeChanged(const QRect& place);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void tellPlace();
    void setTheme(const Theme& theme);
    int boxAt(QPointF place) const;
    int neighbour(int key) const;
    QString boxText(int box) const;
    void paintBox(QPainter& painter, int box) const;
    void paintLine(QPainter& painter, int box) const;

    std::shared_ptr<const transform::StepSearch> m_search;
    TreePlaces m_places;
    QString m_why;
    int m_shown = -1;
    int m_current = -1;
    Theme m_theme;
};

} // namespace fabricscope
