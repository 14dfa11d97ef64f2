#pragma once

#include "widgets/design/document.h"
#include "widgets/design/logslider.h"
#include "widgets/design/quantityfield.h"

#include <QLabel>
#include <QPointer>

#include <map>

namespace fabricscope {

/// Bandwidth and latency of one dimension: "D2 Switch, was 20 GB/s", a slider and a field each. A drag is one undo step.
class DimensionSliders : public QWidget
{
    Q_OBJECT
public:
    explicit DimensionSliders(QWidget* parent = nullptr);
    void setDocument(DesignDocument* document);
    /// -1: none; the widget is hidden then.
    void setDimension(int dimension);
    int dimension() const { return m_dimension; }


private:
    void setTheme(const Theme& theme);
    struct Row {
        QLabel* label = nullptr;
        LogSlider* slider = nullptr;
        QuantityField* field = nullptr;
        std::map<int, Quantity> before; ///< By dimension: the value before the last change.
        std::map<int, Quantity> shown;  ///< By dimension: as last read.
    };
    void makeRow(Row& row, Measure measure);
    void read();
    void reset();
    void update();
    void set(std::size_t row, const Quantity& value);
    Quantity valueOf(std::size_t row, int dimension) const;
    void edited(std::size_t row, double value);

    QPointer<DesignDocument> m_document;
    int m_dimension = -1;
    int m_gesture = 0; ///< Of the values shown.
    int m_lastRow = -1;   ///< Which value changed last; -1: none.
    std::size_t m_count = 0;
    QLabel* m_title;
    QLabel* m_was;
    Row m_rows[2];
};

} // namespace fabricscope
