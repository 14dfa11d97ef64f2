#include "widgets/design/quantityfield.h"

#include "widgets/base/apptheme.h"
#include "widgets/design/quantityinput.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyle>
#include <QStyleOptionFrame>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace fabricscope {

/// Draws number and unit in two colours while nobody types.
class QuantityField::Edit : public QLineEdit
{
public:
    using QLineEdit::QLineEdit;
    Theme theme;
    QString number;
    QString unit;
    bool plain = false;

protected:
    void paintEvent(QPaintEvent* event) override
    {
        if (hasFocus() || (number.isEmpty() && (!plain || underMouse() || !text().isEmpty())) || property("state").toString() == QLatin1String("error")) {
            QLineEdit::paintEvent(event);
            return;
        }
        QPainter painter(this);
        QStyleOptionFrame option;
        initStyleOption(&option);
        if (!plain || underMouse())
            style()->drawPrimitive(QStyle::PE_PanelLineEdit, &option, &painter, this);
        QRect rect = style()->subElementRect(QStyle::SE_LineEditContents, &option, this);
        painter.setFont(font());
        if (plain && !underMouse())
            rect.setRight(this->rect().right() - 1); // in line with what has no field
        const auto part = [&](const QString& text, Role role) {
            painter.setPen(isEnabled() ? theme.color(role) : theme.color(Role::Disabled));
            painter.drawText(rect, Qt::AlignRight | Qt::AlignVCenter, text);
            rect.setRight(rect.right() - fontMetrics().horizontalAdvance(text));
        };
        if (!unit.isEmpty()) {
            part(unit, Role::Text3);
            rect.setRight(rect.right() - std::max(theme.scaled(4), fontMetrics().horizontalAdvance(QChar(0x202F))));
        }
        part(number.isEmpty() ? placeholderText() : number, number.isEmpty() ? Role::Text3 : Role::Text);
    }
};

QuantityField::QuantityField(Measure measure, QWidget* parent) : QWidget(parent), m_measure(measure), m_edit(new Edit(this)), m_message(new QLabel(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(m_edit);
    layout->addWidget(m_message);
    m_message->setWordWrap(true);
    m_message->hide();
    m_edit->setAlignment(Qt::AlignRight);
    m_edit->installEventFilter(this);
    setFocusProxy(m_edit);
    followTheme(this, &QuantityField::setTheme);
    connect(m_edit, &QLineEdit::textEdited, this, [this](const QString& typed) {
        m_typed = true;
        if (quantitytext::parse(typed, m_measure, m_quantity.unit) || quantitytext::parseChange(typed))
            setError({}, false); // what is wrong is told when the text is taken over, what is right at once
    });
}

QString QuantityField::text() const
{
    return m_edit->text();
}

QLineEdit* QuantityField::lineEdit() const
{
    return m_edit;
}

void QuantityField::setTheme(const Theme& theme)
{
    m_edit->theme = theme;
    m_edit->setFont(theme.font(TextStyle::Body));
    m_edit->setFixedHeight(theme.scaled(26));
    QPalette palette = m_message->palette();
    palette.setColor(QPalette::WindowText, theme.color(Role::Err));
    m_message->setPalette(palette);
    m_message->setFont(theme.font(TextStyle::Hint));
    m_edit->update();
}

void QuantityField::setName(const QString& name)
{
    m_edit->setAccessibleName(name);
    m_message->setAccessibleName(name);
}

void QuantityField::show(const Quantity& quantity, int decimals)
{
    m_quantity = quantity;
    m_decimals = decimals;
    m_typed = m_nothing = m_mixed = false;
    m_edit->number = quantitytext::number(quantity.value, decimals);
    m_edit->unit = quantitytext::unit(quantity);
    m_edit->setText(m_edit->unit.isEmpty() ? m_edit->number : m_edit->number + QChar(0x202F) + m_edit->unit);
    m_edit->update();
}

void QuantityField::setQuantity(const Quantity& quantity)
{
    if (m_typed && m_edit->hasFocus())
        return;
    const int own = quantitytext::decimals(quantity.value);
    // The digits of a value being stepped stay: 12.9 is followed by 13.0.
    const int decimals = m_edit->hasFocus() && quantity == m_quantity ? std::max(own, m_decimals) : own;
    show(quantity, decimals);
    setError(m_problem, !m_problem.isEmpty());
}

void QuantityField::setAbsent(const std::string& unit)
{
    if (m_typed && m_edit->hasFocus())
        return;
    showNothing(unit, false);
    setError(m_problem, !m_problem.isEmpty());
}

void QuantityField::setMixed(const std::string& unit)
{
    if (m_typed && m_edit->hasFocus())
        return;
    showNothing(unit, true);
    setError(m_problem, !m_problem.isEmpty());
}

void QuantityField::showNothing(const std::string& unit, bool mixed)
{
    show({0, unit, m_measure}, 0);
    m_nothing = true;
    m_mixed = mixed;
    m_edit->number.clear();
    m_edit->unit.clear();
    m_edit->setText({}); // clear() could be undone
    m_edit->setPlaceholderText(mixed ? tr("mixed") : tr("not given"));
}

void QuantityField::setPlain(bool plain)
{
    m_edit->plain = plain;
    m_edit->setAttribute(Qt::WA_Hover, plain);
    m_edit->update();
}

void QuantityField::setProblem(const QString& problem)
{
    m_problem = problem;
    if (!m_typed)
        setError(problem, !problem.isEmpty());
}

void QuantityField::setError(const QString& message, bool error)
{
    m_message->setText(message);
    m_message->setVisible(!message.isEmpty());
    if (error == m_error)
        return;
    m_error = error;
    m_edit->setProperty("state", error ? QVariant(QStringLiteral("error")) : QVariant());
    const QFont font = m_edit->font(); // polishing puts the application's in its place
    m_edit->style()->unpolish(m_edit);
    m_edit->style()->polish(m_edit);
    m_edit->setFont(font);
    m_edit->setFixedHeight(m_edit->theme.scaled(26));
}

void QuantityField::takeText()
{
    if (m_typed) {
        const auto change = quantitytext::parseChange(m_edit->text());
        if (change && m_mixed) {
            showNothing(m_quantity.unit, true);
            setError(m_problem, !m_problem.isEmpty());
            m_changing = true;
            emit changedBy(*change);
        } else {
            takeValue(change);
            if (m_typed)
                return; // It was refused.
        }
    }
    if (m_changing) {
        m_changing = false;
        emit finished();
    }
}

void QuantityField::takeValue(const std::optional<QuantityChange>& change)
{
    const bool changes = change && !m_nothing;
    const auto read = changes ? quantitytext::changed(m_quantity, *change) : quantitytext::parse(m_edit->text(), m_measure, m_quantity.unit);
    QString refusal;
    if (!read && changes)
        refusal = tr("This cannot be the result. %1").arg(quantitytext::example(m_measure));
    else if (!read)
        refusal = change ? tr("There is no value to change. %1").arg(quantitytext::example(m_measure)) : quantitytext::refusal(m_edit->text(), m_measure, m_quantity.unit);
    else if (m_whole && (read.value().value != std::floor(read.value().value) || read.value().value < static_cast<double>(m_least)))
        refusal = tr("Enter a whole number from %1 on").arg(m_least);
    else if (!m_zeroAllowed && !m_whole && !(read.value().value > 0))
        refusal = tr("This cannot be 0. %1").arg(quantitytext::example(m_measure));
    if (!refusal.isEmpty()) {
        setError(refusal, true);
        return;
    }
    const Quantity before = m_quantity;
    const bool nothing = m_nothing;
    show(read.value(), quantitytext::decimals(read.value().value));
    setError(m_problem, !m_problem.isEmpty());
    if (nothing || !(before == m_quantity)) {
        m_changing = true;
        const Quantity now = m_quantity;
        emit edited(now);
    }
}

void QuantityField::step(int digits)
{
    if (m_typed) {
        takeText();
        if (m_error)
            return;
    }
    if (m_mixed)
        return; // There is no one value to count from.
    const double scale = std::pow(10.0, m_decimals);
    const double value = (std::round(m_quantity.value * scale) + digits) / scale;
    const double least = m_whole ? static_cast<double>(m_least) : 0;
    if (value < least || (value <= 0 && !m_zeroAllowed))
        return;
    show({value, m_quantity.unit, m_quantity.measure}, m_decimals);
    m_changing = true;
    const Quantity now = m_quantity;
    emit edited(now);
}

bool QuantityField::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_edit)
        return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::FocusOut) {
        takeText();
        m_edit->update();
    } else if (event->type() == QEvent::FocusIn) {
        m_edit->update();
    } else if (event->type() == QEvent::Wheel && m_edit->hasFocus()) {
        const auto* wheel = static_cast<QWheelEvent*>(event);
        // Shift turns the wheel sideways on some platforms.
        const QPoint delta = wheel->angleDelta();
        const int turned = delta.y() != 0 ? delta.y() : delta.x();
        if (turned != 0)
            step((turned > 0 ? 1 : -1) * (wheel->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1));
        return true;
    } else if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int by = key->modifiers().testFlag(Qt::ShiftModifier) ? 10 : 1;
        switch (key->key()) {
        case Qt::Key_Up: step(by); return true;
        case Qt::Key_Down: step(-by); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            takeText();
            if (!m_error) {
                m_edit->selectAll();
                emit returned();
            }
            return true;
        case Qt::Key_Escape:
            if (!m_typed && !m_error)
                break;
            if (m_nothing)
                showNothing(m_quantity.unit, m_mixed);
            else
                show(m_quantity, m_decimals);
            setError(m_problem, !m_problem.isEmpty());
            return true;
        default: break;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void QuantityField::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::EnabledChange)
        m_edit->update();
}

} // namespace fabricscope
