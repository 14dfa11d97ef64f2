#pragma once

#include <QLabel>

namespace fabricscope {

/// A line of plain text that gives way: what does not fit ends in "…" and is whole in the tool tip.
class ElidedLabel : public QLabel
{
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    /// Room for the "…".
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QString shownText() const;
};

} // namespace fabricscope
