#pragma once

#include "widgets/base/theme.h"
#include "widgets/compare/runner.h"

#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QToolButton;

namespace fabricscope {

class WaterfallView;

/// Why the others of a set differ from the baseline: one waterfall at a time, the order of its fields, and whether they are means over orders.
class WhyPane : public QWidget
{
    Q_OBJECT
public:
    explicit WhyPane(QWidget* parent = nullptr);

    /// Null, or of a path without a waterfall: `why` is said instead.
    void setSet(const std::shared_ptr<const DesignSet>& set, const QString& why);
    /// What waterfalls are wanted; the set is of it already, or will be.
    void setChoice(const WaterfallChoice& choice);
    WaterfallView* waterfall() const { return m_waterfall; }

signals:
    /// The order is another, or means are wanted, or no longer.
    void choiceWanted(const fabricscope::WaterfallChoice& choice);

private:
    void setTheme(const Theme& theme);
    void addControls();
    const DesignPath* path() const;
    void showPath();
    void showMoves();
    /// A field of the path on show goes down, below 0 up, among those as they are wanted.
    void move(std::size_t change, int by);

    std::shared_ptr<const DesignSet> m_set;
    QString m_none;
    WaterfallChoice m_choice;
    QLabel* m_why;
    QComboBox* m_how;
    QToolButton* m_up;
    QToolButton* m_down;
    QComboBox* m_paths;
    WaterfallView* m_waterfall;
};

} // namespace fabricscope
