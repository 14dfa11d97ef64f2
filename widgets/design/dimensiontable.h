#pragma once

#include "widgets/base/theme.h"
#include "widgets/design/dimensionmodel.h"

#include <QLabel>
#include <QPushButton>
#include <QTableView>

namespace fabricscope {

/// The dimensions of a design: type into a cell (Enter, F2 or just typing), Tab goes to the next one, drag the chip or press Alt+Up and
/// Alt+Down to reorder, Del removes. What was typed is drawn stronger than what follows from it.
class DimensionView : public QTableView
{
    Q_OBJECT
public:
    using QTableView::edit;
    explicit DimensionView(QWidget* parent = nullptr);
    ~DimensionView() override;
    const Theme& theme() const { return m_theme; }
    DimensionModel* dimensions() const { return m_dimensions; }
    /// -1: none.
    int selectedDimension() const;
    void selectDimension(int dimension);
    /// Opens the editor of a cell.
    void editCell(const QModelIndex& index);
    void removeSelected();
    /// By one place: -1 inward, +1 outward.
    void moveSelected(int by);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void dimensionSelected(int dimension);
    /// Something typed was not taken; empty: it is now.
    void message(const QString& text);

protected:
    bool edit(const QModelIndex& index, EditTrigger trigger, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void setTheme(const Theme& theme);
    void editIfPossible(const QModelIndex& index);
    void move(int from, int to);
    int dropRow(int y) const;
    void layoutColumns();

    Theme m_theme;
    DimensionModel* m_dimensions;
    int m_dragged = -1;
    int m_drop = -1; ///< Row it would become; -1: not dragging yet.
    QPoint m_pressed;
};

/// The view with the line below it: "128 NPUs · 1 408 links · 32 switches", + Dimension, and why something typed was refused.
class DimensionTable : public QWidget
{
    Q_OBJECT
public:
    explicit DimensionTable(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);
    DimensionView* view() const { return m_view; }
    /// "128 NPUs · 1 408 links · 32 switches" for these dimensions.
    static QString summary(const Platform& platform);

private:
    void setTheme(const Theme& theme);
    void update();

    QPointer<DesignDocument> m_document;
    DimensionView* m_view;
    QLabel* m_counts;
    QLabel* m_message;
    QPushButton* m_add;
};

} // namespace fabricscope
