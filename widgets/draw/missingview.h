#pragma once

#include "core/design/edits/missingfigures.h"
#include "widgets/base/theme.h"

#include <QWidget>

#include <utility>
#include <vector>

class QLabel;
class QPushButton;
class QScrollArea;

namespace fabricscope {

class QuantityField;

/// Figures that a fabric lacks, a row for each kind of link or node, with what is assumed meanwhile. What is typed is given together, as one edit.
class MissingView : public QWidget
{
    Q_OBJECT
public:
    explicit MissingView(QWidget* parent = nullptr);

    /// Nothing missing: it hides. The same as before: what was typed stays.
    void setMissing(std::vector<MissingFigures> missing);
    const std::vector<MissingFigures>& missing() const { return m_missing; }

signals:
    /// Kinds for which something was typed.
    void completed(const std::vector<fabricscope::GivenFigures>& given);

private:
    struct Field {
        std::size_t row;
        QuantityField* field;
    };

    void setTheme(const Theme& theme);
    void makeRows();
    void showReady();
    void complete();

    std::vector<MissingFigures> m_missing;
    std::vector<std::pair<std::string, Field>> m_fields; ///< With the key.
    QLabel* m_title;
    QPushButton* m_complete;
    QScrollArea* m_scroll;
};

} // namespace fabricscope
