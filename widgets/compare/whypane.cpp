#include "widgets/compare/whypane.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/elidedlabel.h"
#include "widgets/base/icons.h"
#include "widgets/compare/letters.h"
#include "widgets/compare/waterfallview.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace fabricscope {

WhyPane::WhyPane(QWidget* parent)
    : QWidget(parent), m_why(new ElidedLabel), m_how(new QComboBox), m_up(new QToolButton), m_down(new QToolButton), m_paths(new QComboBox), m_waterfall(new WaterfallView)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 4, 12, 4);
    head->addWidget(m_why, 1);
    for (QWidget* const control : {static_cast<QWidget*>(m_up), static_cast<QWidget*>(m_down), static_cast<QWidget*>(m_how), static_cast<QWidget*>(m_paths)})
        head->addWidget(control);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setAccessibleName(tr("Waterfall"));
    scroll->setWidget(m_waterfall);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(scroll, 1);
    addControls();
    followTheme(this, &WhyPane::setTheme);
    showMoves();
}

void WhyPane::addControls()
{
    m_how->addItem(tr("In this order"));
    m_how->addItem(tr("Mean over orders"));
    m_how->setAccessibleName(tr("How the fields are changed"));
    m_how->setProperty("setting", true);
    m_how->setToolTip(tr("One field after the other, or what each changes as the mean over orders"));
    m_how->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_up->setAccessibleName(tr("Change this field earlier"));
    m_up->setToolTip(tr("Change this field earlier (Alt+Up)"));
    m_down->setAccessibleName(tr("Change this field later"));
    m_down->setToolTip(tr("Change this field later (Alt+Down)"));
    m_paths->setAccessibleName(tr("Design that the waterfall leads to"));
    connect(m_paths, &QComboBox::currentIndexChanged, this, &WhyPane::showPath);
    connect(m_how, &QComboBox::currentIndexChanged, this, [this](int index) {
        WaterfallChoice choice = m_choice;
        choice.mean = index == 1;
        emit choiceWanted(choice);
    });
    connect(m_up, &QToolButton::clicked, this, [this] { m_waterfall->askToMove(-1); });
    connect(m_down, &QToolButton::clicked, this, [this] { m_waterfall->askToMove(1); });
    connect(m_waterfall, &WaterfallView::currentRowChanged, this, &WhyPane::showMoves);
    connect(m_waterfall, &WaterfallView::moveWanted, this, &WhyPane::move);
}

void WhyPane::setTheme(const Theme& theme)
{
    m_why->setFont(theme.font(TextStyle::Section));
    m_how->setMinimumWidth(theme.scaled(64)); // In a narrow window or with large text it gives way.
    m_up->setIcon(icon("collapse", theme));
    m_down->setIcon(icon("expand", theme));
}

const DesignPath* WhyPane::path() const
{
    const auto number = static_cast<std::size_t>(std::max(m_paths->currentIndex(), 0));
    return m_set && number < m_set->paths.size() ? &m_set->paths[number] : nullptr;
}

void WhyPane::setSet(const std::shared_ptr<const DesignSet>& set, const QString& why)
{
    m_set = set;
    m_none = why;
    {
        const QSignalBlocker quiet(m_paths);
        const int before = m_paths->currentIndex();
        m_paths->clear();
        for (std::size_t i = 0; m_set && i < m_set->paths.size(); ++i)
            m_paths->addItem(tr("%1 to %2").arg(comparing::letter(m_set->baseline), comparing::letter(m_set->paths[i].to)));
        m_paths->setCurrentIndex(std::clamp(before, 0, std::max(m_paths->count() - 1, 0)));
    }
    m_paths->setVisible(m_paths->count() > 1);
    showPath();
}

void WhyPane::setChoice(const WaterfallChoice& choice)
{
    m_choice = choice;
    const QSignalBlocker quiet(m_how);
    m_how->setCurrentIndex(choice.mean ? 1 : 0);
}

void WhyPane::showPath()
{
    QString why = m_none;
    QString title = tr("Why");
    const DesignPath* const shown = path();
    if (shown) {
        const QString a = comparing::letter(m_set->baseline);
        const QString b = comparing::letter(shown->to);
        why = tr("One of the two never ends: there is no time to compare.");
        if (shown->waterfall) {
            const auto order = shown->waterfall->b <=> shown->waterfall->a;
            title = (order < 0 ? tr("Why %1 is faster than %2") : order > 0 ? tr("Why %1 is slower than %2") : tr("%1 takes as long as %2")).arg(b, a);
        }
    }
    m_why->setText(title);
    m_waterfall->setPath(m_set, static_cast<std::size_t>(std::max(m_paths->currentIndex(), 0)), why);
}

void WhyPane::showMoves()
{
    m_up->setEnabled(m_waterfall->canMove(-1));
    m_down->setEnabled(m_waterfall->canMove(1));
}

void WhyPane::move(std::size_t change, int by)
{
    const DesignPath* const shown = path();
    if (!shown)
        return;
    // Among those as they are wanted: keys may come faster than runs.
    std::vector<std::size_t> rows = orderOf(shown->changes, m_choice.order);
    const auto at = std::find(rows.begin(), rows.end(), change);
    const std::ptrdiff_t from = at - rows.begin();
    const std::ptrdiff_t to = std::clamp<std::ptrdiff_t>(from + by, 0, static_cast<std::ptrdiff_t>(rows.size()) - 1);
    if (at == rows.end() || from == to)
        return;
    if (from < to)
        std::rotate(at, at + 1, rows.begin() + to + 1);
    else
        std::rotate(rows.begin() + to, at, at + 1);
    WaterfallChoice choice = m_choice;
    std::vector<std::string> order;
    for (const std::size_t row : rows)
        order.push_back(shown->changes.rows()[row].field);
    // Fields of other designs keep their places after these.
    std::erase_if(choice.order, [&](const std::string& field) { return std::find(order.begin(), order.end(), field) != order.end(); });
    order.insert(order.end(), choice.order.begin(), choice.order.end());
    choice.order = std::move(order);
    emit choiceWanted(choice);
}

} // namespace fabricscope
