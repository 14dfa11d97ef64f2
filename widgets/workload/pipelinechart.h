#pragma once

#include "core/plan/pipeline/timing.h"
#include "widgets/base/theme.h"

#include <QStringList>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace fabricscope {

/// What fills the memory of the ranks of one row, in the order of the bars.
struct RowMemory {
    std::int64_t parameters = 0, gradients = 0, optimizer = 0, activations = 0, buffers = 0; ///< Bytes.
    std::int64_t peak = 0; ///< Bytes in all at the worst moment.
};

/// A pipeline as the chart draws it: a row for each place of the pipeline.
struct PipelineDrawing {
    PipelineOrders orders;
    PipelineTimes times;               ///< In picoseconds.
    std::vector<RowMemory> memory;     ///< By row; empty: nothing is known of it.
    std::int64_t capacity = 0;         ///< Bytes of an NPU; 0: not known.
    QStringList names;                 ///< By row: "Stage 0".
    QString title;                     ///< "Pipeline, 1F1B".
    QString foot;                      ///< The sum in words.
};

/// When every place of a pipeline works, forward and backward, and beside it what fills its memory. Left and Right walk through the operations of the current
/// row, Up and Down through rows; W and S zoom, A and D pan, Ctrl+0 shows all.
class PipelineChart : public QWidget
{
    Q_OBJECT
public:
    explicit PipelineChart(QWidget* parent = nullptr);

    /// Null: `why` is said instead.
    void setDrawing(std::shared_ptr<const PipelineDrawing> drawing, const QString& why = {});
    /// What is said instead; empty: there is a drawing.
    const QString& whyText() const { return m_why; }

    int rowCount() const;
    /// \pre 0 <= row < rowCount(). In widget coordinates; of what is out of sight too.
    QRectF operationRect(int row, int place) const;
    QRectF memoryRect(int row) const;
    int currentRow() const { return m_row; }
    int currentPlace() const { return m_place; }
    void setCurrent(int row, int place);
    /// Share of all time that ranks wait, the longest-waiting and the others together.
    double bubbleShare() const;
    /// What stands below the rows: of the current operation, or the sum in words.
    QString footText() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void rowChanged(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void setTheme(const Theme& theme);
    QRectF plot() const;
    QRectF rowRect(int row) const;
    double xOf(std::int64_t ps) const;
    /// The first operation of the row that ends behind a time.
    int firstBehind(int row, std::int64_t ps) const;
    void showRange(double begin, double end);
    void zoom(double factor, double at);
    bool moveCurrent(int key);
    QString operationName(const PipelineOperation& operation) const;
    QString memoryText(int row) const;
    void describe();

    void paintHead(QPainter& painter) const;
    void paintRow(QPainter& painter, int row) const;
    void paintOperation(QPainter& painter, const QRectF& bar, const PipelineOperation& operation, bool current) const;
    void paintMemory(QPainter& painter, int row) const;
    double memoryScale() const;

    std::shared_ptr<const PipelineDrawing> m_drawing;
    QString m_why;
    double m_begin = 0; ///< Shown part, as shares of the makespan.
    double m_end = 1;
    int m_row = -1;
    int m_place = -1;
    Theme m_theme;
};

} // namespace fabricscope
