#pragma once

#include "core/base/quantity.h"
#include "widgets/base/theme.h"
#include "widgets/design/quantitychange.h"

#include <QLabel>
#include <QLineEdit>
#include <QWidget>

namespace fabricscope {

/// A value with its unit in one field: "25 GB/s", the unit fainter. Typing takes any unit of the measure and shows it as typed; a
/// number alone keeps the unit, "+10%" or "*2" change the value. Up, Down and (with focus) the wheel change the last shown digit, with Shift ten of them. Enter and
/// leaving the field take the text over, Esc brings the value back. Text that cannot be read stays, with its reason below.
class QuantityField : public QWidget
{
    Q_OBJECT
public:
    explicit QuantityField(Measure measure, QWidget* parent = nullptr);

    /// Shown unless somebody is typing in the field.
    void setQuantity(const Quantity& quantity);
    /// Nothing is given: the field is empty and says so; a number alone takes `unit`.
    void setAbsent(const std::string& unit);
    /// It stands for several values that differ: the field says so. A change of them ("+10%") is left to changedBy().
    void setMixed(const std::string& unit);
    bool isMixed() const { return m_mixed; }
    /// Is a value shown? Neither absent nor mixed.
    bool hasValue() const { return !m_nothing; }
    /// Without a frame until the pointer or the focus is on it.
    void setPlain(bool plain);
    const Quantity& quantity() const { return m_quantity; }
    Measure measure() const { return m_measure; }
    /// Smallest value allowed, in the shown unit's own counting; 0 may be allowed or not.
    void setZeroAllowed(bool allowed) { m_zeroAllowed = allowed; }
    /// Only whole numbers from `least` on (chunks, sizes). \pre measure is Count
    void setWhole(std::int64_t least) { m_whole = true, m_least = least; }
    /// A problem of the value that is shown, found elsewhere; empty: none.
    void setProblem(const QString& problem);
    QString problem() const { return m_message->isHidden() ? QString() : m_message->text(); }
    bool hasError() const { return m_error; }
    QString text() const;
    QLineEdit* lineEdit() const;
    /// Name for the field; goes to the part that has the focus.
    void setName(const QString& name);

signals:
    /// The user gave another value; several in a row until finished() are one change.
    void edited(const fabricscope::Quantity& quantity);
    /// The user wants to change the values it stands for, which differ; finished() follows.
    void changedBy(const fabricscope::QuantityChange& change);
    void finished();
    /// Enter, with a text that could be taken.
    void returned();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void setTheme(const Theme& theme);

    class Edit;
    void takeText();
    void takeValue(const std::optional<QuantityChange>& change);
    void showNothing(const std::string& unit, bool mixed);
    void step(int digits);
    void show(const Quantity& quantity, int decimals);
    void setError(const QString& message, bool error);

    Measure m_measure;
    Quantity m_quantity;
    int m_decimals = 0;
    bool m_zeroAllowed = false;
    bool m_whole = false;
    std::int64_t m_least = 1;
    bool m_error = false;
    bool m_nothing = true;  ///< No value is shown: none is given, or they differ.
    bool m_mixed = false;
    bool m_typed = false; ///< The text is not the value's.
    bool m_changing = false; ///< edited() without its finished() yet.
    QString m_problem;
    Edit* m_edit;
    QLabel* m_message;
};

} // namespace fabricscope
