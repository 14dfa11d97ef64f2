// The card of the guided tour: its stops by buttons and keys, its place, its end.
#include "tests/gui/support/patience.h"
#include "tests/gui/support/withtheme.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/start/tourcard.h"

#include <QLayout>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QtTest>

using namespace fabricscope;

class TourCardTest : public QObject
{
    Q_OBJECT

private slots:
    void cleanup() { AppTheme::global().set(Theme()); }

    void G1_stopsAreWalkedByKeysAndButtonsAndEnd()
    {
        QWidget window;
        window.resize(1280, 800);
        window.show();
        std::vector<int> shown;
        std::vector<TourStop> stops;
        for (int i = 0; i < 3; ++i)
            stops.push_back({QStringLiteral("stop %1").arg(i), QStringLiteral("text"), [&shown, i] { shown.push_back(i); }});
        QPointer<TourCard> card = new TourCard(std::move(stops), QStringLiteral("F9 goes on."), &window);
        QVERIFY(card->isVisible());
        QTest::keyClick(card->focusWidget(), Qt::Key_Space);
        QCOMPARE(card->stop(), 1);
        QVERIFY(card->accessibleDescription().startsWith(QStringLiteral("stop 1")));
        QTest::keyClick(card, Qt::Key_Right);
        QTest::keyClick(card, Qt::Key_Left);
        QTest::keyClick(card, Qt::Key_Left);
        QTest::keyClick(card, Qt::Key_Left); // Before the first there is none.
        QCOMPARE(card->stop(), 0);
        QCOMPARE(shown, (std::vector<int>{0, 1, 2, 1, 0, 0}));
        card->goTo(2);
        QTest::keyClick(card, Qt::Key_Right);
        QTRY_VERIFY(!card);
    }

    void G1_whatAStopLoadsLaterDoesNotTakeTheFocus()
    {
        QWidget window;
        auto* const edit = new QLineEdit(&window);
        edit->setGeometry(10, 10, 100, 30);
        window.show();
        window.activateWindow();
        QTRY_VERIFY(window.isActiveWindow());
        auto* const card = new TourCard({{QStringLiteral("Title"), QStringLiteral("text"), {}}, {QStringLiteral("Next"), QStringLiteral("text"), {}}}, QStringLiteral("F9 goes on."), &window);
        QWidget* const next = window.focusWidget();
        QVERIFY(card->isAncestorOf(next));
        edit->setFocus(Qt::OtherFocusReason);
        QCOMPARE(window.focusWidget(), next);
        // Who tries what the stop tells of keeps the focus there, until the tour goes on.
        QTest::mouseClick(edit, Qt::LeftButton);
        edit->setFocus(Qt::MouseFocusReason);
        QCOMPARE(window.focusWidget(), edit);
        card->goTo(1);
        edit->setFocus(Qt::OtherFocusReason);
        QCOMPARE(window.focusWidget(), next);
    }

    void G1_theCardStaysInTheWindowAndShowsAllOfItsText()
    {
        QWidget window;
        window.show();
        for (const double pixels : {13.0, 26.0}) {
            AppTheme::global().set(Theme(Theme::Mode::Dark, pixels));
            for (const QSize size : {QSize(1024, 640), QSize(1600, 1000)}) {
                window.resize(size);
                auto* const card = new TourCard({{QStringLiteral("Title"), QString(QStringLiteral("word ")).repeated(50), {}}}, QStringLiteral("F9 goes on."), &window);
                QVERIFY(QRect(QPoint(), size).contains(card->geometry()));
                QVERIFY(card->height() >= card->layout()->totalHeightForWidth(card->width()));
                delete card;
            }
        }
    }
};

FABRICSCOPE_GUI_TEST(TourCardTest)
#include "tst_tourcard.moc"
