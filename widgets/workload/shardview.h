#pragma once

#include "core/sharding/propagationpath.h"
#include "widgets/base/theme.h"
#include "widgets/workload/sharddesign.h"

#include <QWidget>

#include <optional>
#include <vector>

namespace fabricscope {

/// Tensors of a sharded graph, a row each with a cell per dim: given by an annotation solid, propagated dashed, else "whole". The way by which the axes of the current cell (or
/// of the one under the pointer) came is drawn from cell to cell. Arrows walk, Return or a click opens the axes, Delete drops the annotation.
class ShardView : public QWidget
{
    Q_OBJECT
public:
    explicit ShardView(QWidget* parent = nullptr);

    /// Null: `why` is said instead. Keeps the current cell where a tensor of that name still is.
    void setShard(ShardDesignPtr shard, const QString& why = {});

    const std::vector<ShardRow>& rows() const { return m_rows; }
    /// \pre there is such a cell. In widget coordinates.
    QRectF cellRect(int row, int dim) const;
    int currentRow() const { return m_row; }
    int currentDim() const { return m_dim; }
    void setCurrent(int row, int dim);
    /// What the current cell came of, hop by hop, in words; empty: nothing is cut there.
    QString pathText() const;
    /// Tensors of these rows are marked: those of a collective.
    void setMarked(std::vector<TensorId> tensors);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    /// The current cell, or the one under the pointer, is another.
    void currentChanged();
    /// The user, or setCurrent(), went to another cell, which should be in sight.
    void moved();
    /// The axes of a cell are to be chosen; `at`: where on the screen.
    void axesWanted(int row, int dim, QPoint at);
    void dropWanted(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Place {
        int row = -1;
        int dim = -1;
        friend bool operator==(const Place&, const Place&) = default;
    };
    void setTheme(const Theme& theme);
    void measure();
    Place placeAt(const QPointF& point) const;
    Place placeOf(TensorId inProgram, std::size_t dim) const;
    void findPath();
    void paintRow(QPainter& painter, int row) const;
    void paintCell(QPainter& painter, const ShardRow& row, const ShardRow::Cell& cell, const QRectF& box, bool current) const;
    void paintPath(QPainter& painter) const;

    ShardDesignPtr m_shard;
    std::vector<ShardRow> m_rows;
    QString m_why;
    std::vector<TensorId> m_marked;
    int m_row = -1;
    int m_dim = -1;
    Place m_hover;
    std::optional<std::vector<PropagationHop>> m_path; ///< Of the cell under the pointer, else of the current one.
    double m_nameWidth = 0;
    double m_cellWidth = 0;
    double m_noteWidth = 0;
    std::size_t m_mostDims = 0;
    Theme m_theme;
};

} // namespace fabricscope
