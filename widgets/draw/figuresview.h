#pragma once

#include "core/platform/fabric/figures.h"

#include <QWidget>

#include <optional>

class QLabel;

namespace fabricscope {

class StepHeader;
class ValueRows;

/// What a fabric consists of and how far apart its NPUs are: the figures of `fabricscope-cli fabric`, a row each, and what speaks against it.
class FiguresView : public QWidget
{
    Q_OBJECT
public:
    explicit FiguresView(QWidget* parent = nullptr);

    /// `found` absent: what arithmetic gives, while the others are looked for.
    void setFabric(const Fabric& fabric, const std::optional<FabricFigures>& found);
    /// There is none, or it has no such figures: nothing is on show.
    void clear();

private:
    StepHeader* m_header;
    ValueRows* m_rows;
    QLabel* m_warnings;
};

} // namespace fabricscope
