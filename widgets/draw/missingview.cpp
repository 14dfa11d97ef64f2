#include "widgets/draw/missingview.h"

#include "widgets/base/apptheme.h"
#include "widgets/base/showntexts.h"
#include "widgets/base/texts.h"
#include "widgets/design/quantityfield.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace fabricscope {

namespace {

constexpr int kColumns = 6; ///< Kind, two figures with their words, what is assumed.

QString figureTitle(const std::string& key)
{
    if (key == "latency")
        return MissingView::tr("Latency");
    if (key == "peak")
        return MissingView::tr("Peak");
    return key == "memory_bandwidth" ? MissingView::tr("Memory rate") : MissingView::tr("Rate");
}

const char* usualUnit(Measure measure)
{
    return measure == Measure::Time ? "us" : measure == Measure::ComputeRate ? "TFLOP/s" : "GB/s";
}

QString kindTitle(const MissingFigures& row)
{
    const QString kind = texts::shown(row.kind);
    if (row.links.empty())
        return kind;
    const auto count = static_cast<qsizetype>(row.links.size());
    return count == 1 ? MissingView::tr("%1, 1 link").arg(kind) : MissingView::tr("%1, %2 links").arg(kind, texts::count(count));
}

} // namespace

MissingView::MissingView(QWidget* parent) : QWidget(parent), m_title(new QLabel), m_complete(new QPushButton(tr("Complete"))), m_scroll(new QScrollArea)
{
    setProperty("surface", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Missing numbers"));
    m_title->setObjectName(QStringLiteral("missingTitle"));
    m_complete->setToolTip(tr("Writes what was typed into the design, as one step"));
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setAccessibleName(tr("Kinds of links and nodes"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 4, 12, 4);
    head->addWidget(m_title, 1);
    head->addWidget(m_complete);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_scroll, 1);
    connect(m_complete, &QPushButton::clicked, this, &MissingView::complete);
    followTheme(this, &MissingView::setTheme);
    hide();
}

void MissingView::setTheme(const Theme& theme)
{
    m_title->setFont(theme.font(TextStyle::Section));
    m_scroll->setMaximumHeight(theme.scaled(160));
    m_scroll->setMinimumHeight(theme.scaled(48));
}

void MissingView::setMissing(std::vector<MissingFigures> missing)
{
    if (missing == m_missing)
        return;
    m_missing = std::move(missing);
    m_title->setText(m_missing.size() == 1 ? tr("Numbers are missing for one kind") : tr("Numbers are missing for %1 kinds").arg(m_missing.size()));
    makeRows();
    setVisible(!m_missing.empty());
}

void MissingView::makeRows()
{
    m_fields.clear();
    auto* place = new QWidget;
    auto* rows = new QGridLayout(place);
    rows->setContentsMargins(12, 0, 12, 8);
    rows->setSpacing(8);
    rows->setColumnStretch(kColumns - 1, 1);
    for (std::size_t i = 0; i < m_missing.size(); ++i) {
        const MissingFigures& row = m_missing[i];
        const int line = static_cast<int>(i);
        int column = 0;
        auto* kind = new QLabel;
        kind->setTextFormat(Qt::PlainText); // Names may hold anything.
        kind->setText(kindTitle(row));
        rows->addWidget(kind, line, column++);
        for (const std::string& key : row.keys) {
            const Measure measure = measureOfFigure(key);
            auto* field = new QuantityField(measure);
            field->setAbsent(usualUnit(measure));
            field->setZeroAllowed(measure == Measure::Time);
            field->setName(tr("%1 of %2").arg(figureTitle(key), texts::shown(row.kind)));
            field->setMinimumWidth(90);
            connect(field, &QuantityField::edited, this, &MissingView::showReady);
            rows->addWidget(new QLabel(figureTitle(key)), line, column++);
            rows->addWidget(field, line, column++);
            m_fields.push_back({key, {i, field}});
        }
        auto* taken = new QLabel;
        taken->setTextFormat(Qt::PlainText);
        taken->setText(row.taken.empty() ? QString() : tr("assumed: %1").arg(texts::shown(row.taken)));
        taken->setProperty("role", QStringLiteral("hint"));
        taken->setWordWrap(true);
        rows->addWidget(taken, line, kColumns - 1);
    }
    rows->setRowStretch(static_cast<int>(m_missing.size()), 1);
    if (QWidget* const before = m_scroll->takeWidget()) {
        before->hide();
        before->deleteLater(); // A field of it may be giving its value just now.
    }
    m_scroll->setWidget(place);
    showReady();
}

void MissingView::showReady()
{
    bool any = false;
    for (const auto& [key, field] : m_fields)
        any = any || field.field->hasValue();
    m_complete->setEnabled(any);
}

void MissingView::complete()
{
    std::vector<GivenFigures> given;
    for (const MissingFigures& row : m_missing)
        given.emplace_back(row, std::map<std::string, Quantity>());
    for (const auto& [key, field] : m_fields) {
        if (field.field->hasValue())
            given[field.row].second.emplace(key, field.field->quantity());
    }
    std::erase_if(given, [](const GivenFigures& row) { return row.second.empty(); });
    if (!given.empty())
        emit completed(given);
}

} // namespace fabricscope
