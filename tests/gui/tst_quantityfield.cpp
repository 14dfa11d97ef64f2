// Values with units: what people type, what the keys and the wheel do, and the slider beside them.
#include "widgets/design/logslider.h"
#include "widgets/design/quantityfield.h"
#include "widgets/design/quantityinput.h"
#include "widgets/programs/useprogramdialog.h"
#include "tests/unit/support/testprogram.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include <cmath>

using namespace fabricscope;
using namespace Qt::Literals::StringLiterals;

Q_DECLARE_METATYPE(fabricscope::Measure)

namespace {

Quantity rate(double value, const char* unit = "GB/s")
{
    return {value, unit, Measure::Bandwidth};
}

void wheel(QWidget* widget, int angle, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    const QPointF at(widget->width() / 2.0, widget->height() / 2.0);
    const QPoint delta = modifiers.testFlag(Qt::AltModifier) ? QPoint(angle, 0) : QPoint(0, angle);
    QWheelEvent event(at, widget->mapToGlobal(at), {}, delta, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget, &event);
}

/// A window around the widget, so that focus can leave it.
struct Host {
    QWidget window;
    QLineEdit* other = new QLineEdit(&window);
    explicit Host(QWidget* widget)
    {
        widget->setParent(&window);
        widget->setGeometry(10, 10, 140, 60);
        other->setGeometry(10, 90, 80, 24);
        window.resize(200, 140);
        window.show();
        window.activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(&window));
    }
};

void dragTo(LogSlider& slider, double x, bool release)
{
    const QPoint to(static_cast<int>(std::lround(x)), slider.height() / 2);
    QTest::mouseMove(&slider, to);
    QMouseEvent move(QEvent::MouseMove, to, slider.mapToGlobal(to), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&slider, &move);
    if (release)
        QTest::mouseRelease(&slider, Qt::LeftButton, {}, to);
}

void press(LogSlider& slider)
{
    QTest::mousePress(&slider, Qt::LeftButton, {}, QPoint(static_cast<int>(std::lround(slider.position(slider.value()))), slider.height() / 2));
}

} // namespace

class tst_quantityfield : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void E4_valuesAcceptUnits_data()
    {
        QTest::addColumn<Measure>("measure");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<double>("base"); // bytes/s, seconds, bytes, FLOP/s
        QTest::addColumn<QString>("shown");
        const QString thin(QChar(0x202F));
        const auto rateRow = [&](const char* typed, double base, const QString& shown) { QTest::newRow(typed) << Measure::Bandwidth << QString::fromUtf8(typed) << base << shown; };
        rateRow("400 Gbps", 400e9 / 8, u"400"_s + thin + u"Gbps"_s);
        rateRow("400Gbps", 400e9 / 8, u"400"_s + thin + u"Gbps"_s);
        rateRow("400 Gbit/s", 400e9 / 8, u"400"_s + thin + u"Gbit/s"_s);
        rateRow("50 GB/s", 50e9, u"50"_s + thin + u"GB/s"_s);
        rateRow("50GB/s", 50e9, u"50"_s + thin + u"GB/s"_s);
        rateRow("46.6 GiB/s", 46.6 * 1073741824.0, u"46.6"_s + thin + u"GiB/s"_s);
        rateRow("  12.5 GB/s ", 12.5e9, u"12.5"_s + thin + u"GB/s"_s);
        rateRow("75", 75e9, u"75"_s + thin + u"GB/s"_s); // the field's unit
        rateRow("1 408 GB/s", 1408e9, u"1408"_s + thin + u"GB/s"_s);
        rateRow("900 MB/s", 900e6, u"900"_s + thin + u"MB/s"_s);
        QTest::newRow("thin space") << Measure::Bandwidth << u"25"_s + thin + u"GB/s"_s << 25e9 << u"25"_s + thin + u"GB/s"_s;
        const auto timeRow = [&](const char* typed, double base, const QString& shown) { QTest::newRow(typed) << Measure::Time << QString::fromUtf8(typed) << base << shown; };
        timeRow("0.5us", 0.5e-6, QString::fromUtf8("0.5") + thin + QString::fromUtf8("µs"));
        timeRow("0.5 µs", 0.5e-6, QString::fromUtf8("0.5") + thin + QString::fromUtf8("µs"));
        timeRow("700 ns", 700e-9, u"700"_s + thin + u"ns"_s);
        timeRow("0", 0, u"0"_s + thin + QString::fromUtf8("µs"));
        QTest::newRow("size") << Measure::Size << u"64MiB"_s << 64 * 1048576.0 << u"64"_s + thin + u"MiB"_s;
        QTest::newRow("peak") << Measure::ComputeRate << u"989 TFLOP/s"_s << 989e12 << u"989"_s + thin + u"TFLOP/s"_s;
    }
    void E4_valuesAcceptUnits()
    {
        QFETCH(Measure, measure);
        QFETCH(QString, typed);
        QFETCH(double, base);
        QFETCH(QString, shown);
        auto* field = new QuantityField(measure);
        Host host(field);
        field->setZeroAllowed(true);
        const char* unit = measure == Measure::Time ? "us" : measure == Measure::Size ? "kB" : measure == Measure::ComputeRate ? "GFLOP/s" : "GB/s";
        field->setQuantity({3, unit, measure});
        QSignalSpy edited(field, &QuantityField::edited);
        QSignalSpy finished(field, &QuantityField::finished);
        field->setFocus();
        field->lineEdit()->selectAll();
        field->lineEdit()->insert(typed); // as pasted: a test cannot press keys outside ASCII
        QTest::keyClick(field->lineEdit(), Qt::Key_Return);
        QVERIFY(!field->hasError());
        QCOMPARE(field->text(), shown);
        QCOMPARE(edited.count(), 1);
        QCOMPARE(finished.count(), 1);
        const auto quantity = edited.at(0).at(0).value<Quantity>();
        QVERIFY(std::abs(quantity.base() - base) <= 1e-12 * base);
        QCOMPARE(quantity.measure, measure);
    }

    void E4_whatCannotBeReadStaysWithItsReasonAndEscBringsTheValueBack_data()
    {
        QTest::addColumn<QString>("typed");
        for (const char* bad : {"fast", "50", "-5 GB/s", "50 us", "5 GB", "1e999 GB/s", "0 GB/s", "", "50 GB/s x"}) {
            if (QByteArray(bad) != "50")
                QTest::newRow(bad) << QString::fromLatin1(bad);
        }
    }
    void E4_whatCannotBeReadStaysWithItsReasonAndEscBringsTheValueBack()
    {
        QFETCH(QString, typed);
        auto* field = new QuantityField(Measure::Bandwidth);
        Host host(field);
        field->setQuantity(rate(25));
        const QString before = field->text();
        QSignalSpy edited(field, &QuantityField::edited);
        field->setFocus();
        field->lineEdit()->selectAll();
        QTest::keyClick(field->lineEdit(), Qt::Key_Backspace);
        QTest::keyClicks(field->lineEdit(), typed);
        QTest::keyClick(field->lineEdit(), Qt::Key_Return);
        QVERIFY(field->hasError());
        QVERIFY(field->problem().contains(u"50 GB/s"_s));
        QCOMPARE(field->lineEdit()->property("state").toString(), QStringLiteral("error"));
        QCOMPARE(field->text(), typed);
        QCOMPARE(edited.count(), 0);
        QTest::keyClick(field->lineEdit(), Qt::Key_Escape);
        QVERIFY(!field->hasError());
        QVERIFY(field->problem().isEmpty());
        QCOMPARE(field->text(), before);
    }

    void E4_theReasonIsThatOfTheText_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("reason");
        QTest::newRow("sign") << QStringLiteral("-5 GB/s") << QStringLiteral("\"-5 GB/s\" is negative. Enter a rate such as 50 GB/s");
        QTest::newRow("comma") << QStringLiteral("1,5 GB/s") << QStringLiteral("Write 1.5 with a point. Enter a rate such as 50 GB/s");
        QTest::newRow("size") << QStringLiteral("1e30 GB/s") << QStringLiteral("\"1e30 GB/s\" is too large. Enter a rate such as 50 GB/s");
        QTest::newRow("unit") << QStringLiteral("100 parsecs") << QStringLiteral("\"parsecs\" is not a known unit. Enter a rate such as 50 GB/s");
        QTest::newRow("nothing") << QString() << QStringLiteral("Enter a rate such as 50 GB/s");
    }
    void E4_theReasonIsThatOfTheText()
    {
        QFETCH(const QString, typed);
        QFETCH(const QString, reason);
        QCOMPARE(quantitytext::refusal(typed, Measure::Bandwidth, "GB/s"), reason);
        QVERIFY(quantitytext::refusal(QStringLiteral("1e3 GB/s"), Measure::Bandwidth, "GB/s").isEmpty());
        auto* field = new QuantityField(Measure::Bandwidth);
        Host host(field);
        field->setQuantity(rate(25));
        field->setFocus();
        field->lineEdit()->selectAll();
        QTest::keyClick(field->lineEdit(), Qt::Key_Backspace);
        QTest::keyClicks(field->lineEdit(), typed);
        QTest::keyClick(field->lineEdit(), Qt::Key_Return);
        QCOMPARE(field->problem(), reason);
        QCOMPARE(field->lineEdit()->property("state").toString(), QStringLiteral("error"));
    }

    void leavingTheFieldTakesTheTextOver()
    {
        auto* field = new QuantityField(Measure::Bandwidth);
        Host host(field);
        field->setQuantity(rate(25));
        QSignalSpy edited(field, &QuantityField::edited);
        field->setFocus();
        field->lineEdit()->selectAll();
        QTest::keyClicks(field->lineEdit(), u"30"_s);
        host.other->setFocus();
        QCOMPARE(edited.count(), 1);
        QCOMPARE(field->quantity(), rate(30));
        // Looked at and left: nothing.
        field->setFocus();
        host.other->setFocus();
        QCOMPARE(edited.count(), 1);
    }

    void E4_keysAndWheelChangeTheLastShownDigit()
    {
        auto* field = new QuantityField(Measure::Bandwidth);
        Host host(field);
        field->setQuantity(rate(12.5));
        QSignalSpy edited(field, &QuantityField::edited);
        QSignalSpy finished(field, &QuantityField::finished);
        field->setFocus();
        QTest::keyClick(field->lineEdit(), Qt::Key_Up);
        QCOMPARE(field->quantity(), rate(12.6));
        QTest::keyClick(field->lineEdit(), Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(field->quantity(), rate(11.6));
        for (int i = 0; i < 4; ++i)
            wheel(field->lineEdit(), 120);
        QCOMPARE(field->quantity(), rate(12));
        QCOMPARE(field->text(), u"12.0"_s + QString(QChar(0x202F)) + u"GB/s"_s); // the digit being changed stays
        wheel(field->lineEdit(), 120, Qt::ShiftModifier);
        QCOMPARE(field->quantity(), rate(13));
        wheel(field->lineEdit(), -120, Qt::AltModifier); // turned sideways
        QCOMPARE(field->quantity(), rate(12.9));
        QCOMPARE(edited.count(), 8);
        QCOMPARE(finished.count(), 0);
        host.other->setFocus();
        QCOMPARE(finished.count(), 1);
        wheel(field->lineEdit(), 120); // without focus the wheel is the page's
        QCOMPARE(field->quantity(), rate(12.9));
        field->setQuantity(rate(3));
        field->setFocus();
        for (int i = 0; i < 9; ++i)
            QTest::keyClick(field->lineEdit(), Qt::Key_Down);
        QCOMPARE(field->quantity(), rate(1)); // a rate does not become 0
    }

    void wholeNumbersStayWhole()
    {
        auto* field = new QuantityField(Measure::Count);
        Host host(field);
        field->setWhole(1);
        field->setQuantity({4, "", Measure::Count});
        field->setFocus();
        for (const char* bad : {"0", "2.5", "x"}) {
            field->lineEdit()->selectAll();
            QTest::keyClicks(field->lineEdit(), QString::fromLatin1(bad));
            QTest::keyClick(field->lineEdit(), Qt::Key_Return);
            QVERIFY2(field->hasError(), bad);
            QTest::keyClick(field->lineEdit(), Qt::Key_Escape);
        }
        QTest::keyClick(field->lineEdit(), Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(field->quantity().value, 4.0);
        QTest::keyClick(field->lineEdit(), Qt::Key_Up, Qt::ShiftModifier);
        QCOMPARE(field->quantity().value, 14.0);
    }

    void valuesShowAndReadInTheLocale()
    {
        QLocale::setDefault(QLocale(QLocale::German));
        QCOMPARE(quantitytext::text(rate(12.5)), u"12,5"_s + QString(QChar(0x202F)) + u"GB/s"_s);
        QCOMPARE(quantitytext::parse(u"12,5 GB/s"_s, Measure::Bandwidth, "GB/s").value(), rate(12.5));
        QCOMPARE(quantitytext::parse(u"12.5"_s, Measure::Bandwidth, "GB/s").value(), rate(12.5));
        for (const QString& typed : {u"1,5 MiB"_s, u"1.5 MiB"_s, u"1572864"_s})
            QCOMPARE(typedSize(typed).value().base(), 1572864.0);
        QLocale::setDefault(QLocale::c());
        QCOMPARE(quantitytext::inUnit(rate(50), "Gbit/s").value, 400.0);
        QCOMPARE(quantitytext::decimals(0.125), 3);
    }

    void aDecadeOfTheSliderIs96Pixels()
    {
        LogSlider slider;
        slider.resize(400, 26);
        slider.setValue(20);
        QVERIFY(std::abs(slider.position(100) - slider.position(10) - 96) < 1e-9);
        QVERIFY(std::abs(slider.position(40) - slider.position(20) - 96 * std::log10(2.0)) < 1e-9);
        for (const double value : {5.0, 20.0, 33.0, 180.0, 250.0})
            QVERIFY(std::abs(slider.valueAt(slider.position(value)) / value - 1) <= 0.0251);
    }

    void aDragIsOneChangeAndDetentsCatch()
    {
        auto* slider = new LogSlider;
        Host host(slider);
        slider->setValue(20);
        slider->setDetents({25});
        QSignalSpy moved(slider, &LogSlider::moved);
        QSignalSpy finished(slider, &LogSlider::finished);
        press(*slider);
        QCOMPARE(moved.count(), 0);
        dragTo(*slider, slider->position(25) + 3.4, false);
        QCOMPARE(slider->value(), 25.0);
        dragTo(*slider, slider->position(30), false);
        QVERIFY(slider->value() > 28 && slider->value() < 32);
        QCOMPARE(finished.count(), 0);
        dragTo(*slider, slider->position(25) - 2.4, true);
        QCOMPARE(slider->value(), 25.0);
        QCOMPARE(finished.count(), 1);
        dragTo(*slider, slider->position(30), false); // It is let go.
        QCOMPARE(slider->value(), 25.0);
    }

    void escWhileDraggingReturnsTheValue()
    {
        auto* slider = new LogSlider;
        Host host(slider);
        slider->setFocus();
        slider->setValue(20);
        QSignalSpy moved(slider, &LogSlider::moved);
        QSignalSpy finished(slider, &LogSlider::finished);
        press(*slider);
        dragTo(*slider, slider->position(60), false);
        QVERIFY(slider->value() > 30);
        QTest::keyClick(slider, Qt::Key_Escape);
        QCOMPARE(slider->value(), 20.0);
        QCOMPARE(moved.last().at(0).toDouble(), 20.0);
        QCOMPARE(finished.count(), 1);
        dragTo(*slider, slider->position(40), true); // the rest of that drag does nothing
        QCOMPARE(slider->value(), 20.0);
    }

    void keysMoveTheSliderBothWays()
    {
        LogSlider slider;
        slider.resize(200, 26);
        for (const double start : {1.0, 9.8, 10.0, 20.0, 50.0, 99.0, 0.02}) {
            slider.setValue(start);
            QTest::keyClick(&slider, Qt::Key_Right);
            const double up = slider.value();
            QVERIFY2(up > start && up < start * 1.1, qPrintable(QString::number(up)));
            QTest::keyClick(&slider, Qt::Key_Left);
            QVERIFY(slider.value() < up && slider.value() > start * 0.9);
        }
        slider.setValue(10);
        QTest::keyClick(&slider, Qt::Key_PageUp);
        QVERIFY(slider.value() > 12);
        QVERIFY(!slider.accessibleDescription().isEmpty());
        slider.setValue(0);
        QCOMPARE(slider.position(0), slider.position(1e-30)); // both at the left end
    }
};

FABRICSCOPE_GUI_TEST(tst_quantityfield)
#include "tst_quantityfield.moc"
