// Why designs differ, in the workspace Compare: the order of the fields, means over orders, names that are told apart, what the colours mean.
#include "tests/gui/support/named.h"
#include "tests/gui/support/runresults.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/compare/designsworkspace.h"
#include "widgets/compare/fieldnames.h"
#include "widgets/compare/waterfallview.h"
#include "widgets/timeline/lanelegend.h"

#include <QComboBox>
#include <QFontMetrics>
#include <QLocale>
#include <QMouseEvent>
#include <QPushButton>
#include <QToolButton>
#include <QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

constexpr int kWhyMs = 60'000;

/// All-gather over a pair after 100 us of compute: 100 + 1 us + size / 2 / rate. 1 MB takes 100 us at 5 GB/s and 50 at 10, 3 MB 300 and 150.
std::string gatherText(const char* rate, const char* size)
{
    return std::string("fabricscope: 1\nname: pair\nplatform:\n  dimensions:\n    - {shape: ring, size: 2, bandwidth: ") + rate
        + ", latency: 1 us}\nworkload:\n  steps:\n    - {compute: 100 us}\n    - {collective: all_gather, size: " + size
        + "}\ncollectives: {default: {algorithm: ring, chunks: 1}}\n";
}

void sendMouse(QWidget& to, QEvent::Type type, const QPointF& at)
{
    const bool move = type == QEvent::MouseMove;
    const bool release = type == QEvent::MouseButtonRelease;
    QMouseEvent event(type, at, to.mapToGlobal(at), move ? Qt::NoButton : Qt::LeftButton, release ? Qt::NoButton : Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&to, &event);
}

} // namespace

class CompareWhyTest : public QObject
{
    Q_OBJECT
    std::unique_ptr<CompareWorkspace> m_compare;
    RunResultPtr m_small;
    RunResultPtr m_large;

    void showBoth()
    {
        m_compare->setCurrent(m_small, QStringLiteral("small"));
        QVERIFY(m_compare->pinCurrent());
        m_compare->setCurrent(m_large, QStringLiteral("large"));
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set(), kWhyMs);
    }

    const Waterfall& made() const { return *m_compare->set()->paths[0].waterfall; }
    WaterfallView& view() const { return *m_compare->waterfall(); }

    /// Is this the field of the first bar, and nothing more on its way?
    bool begins(const char* field) const
    {
        return !m_compare->runner()->isBusy() && view().nameText(1) == QLatin1String(field);
    }

private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        m_small = runText(gatherText("5 GB/s", "1 MB"));
        m_large = runText(gatherText("10 GB/s", "3 MB"));
        QCOMPARE(m_small->record().finish.ps, 201'000'000);
        QCOMPARE(m_large->record().finish.ps, 251'000'000);
    }

    void init()
    {
        m_compare = std::make_unique<CompareWorkspace>();
        m_compare->resize(1200, 800);
        m_compare->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_compare.get()));
    }

    void cleanup() { m_compare.reset(); }

    void K2_aFieldIsMovedByKeysAndButtons()
    {
        showBoth();
        QCOMPARE(view().nameText(1), QStringLiteral("platform.dimensions[0].bandwidth"));
        QCOMPARE(view().nameText(2), QStringLiteral("workload.steps[1].size"));
        QCOMPARE(made().items[0].delta().ps, -50'000'000);
        QCOMPARE(made().items[1].delta().ps, 100'000'000);
        auto& earlier = named<QToolButton>(*m_compare, "Change this field earlier");
        auto& later = named<QToolButton>(*m_compare, "Change this field later");
        QVERIFY(!earlier.isEnabled() && !later.isEnabled()); // No field is current.
        view().setCurrentRow(1);
        QVERIFY(!earlier.isEnabled() && later.isEnabled());
        QTest::keyClick(&view(), Qt::Key_Down, Qt::AltModifier);
        QVERIFY(m_compare->set()); // What was there stays until the other is.
        QTRY_VERIFY_WITH_TIMEOUT(begins("workload.steps[1].size"), kWhyMs);
        QCOMPARE(made().items[0].delta().ps, 200'000'000);
        QCOMPARE(made().items[1].delta().ps, -150'000'000);
        QCOMPARE(view().currentRow(), 2); // The same field.
        QVERIFY(earlier.isEnabled() && !later.isEnabled());
        earlier.click();
        QTRY_VERIFY_WITH_TIMEOUT(begins("platform.dimensions[0].bandwidth"), kWhyMs);
        QCOMPARE(made().items[0].delta().ps, -50'000'000);
        QCOMPARE(view().currentRow(), 1);
    }

    void K2_aFieldIsDraggedToItsPlace()
    {
        showBoth();
        sendMouse(view(), QEvent::MouseButtonPress, view().barRect(1).center());
        sendMouse(view(), QEvent::MouseMove, view().barRect(2).center() + QPointF(0, 5));
        sendMouse(view(), QEvent::MouseButtonRelease, view().barRect(2).center() + QPointF(0, 5));
        QTRY_VERIFY_WITH_TIMEOUT(begins("workload.steps[1].size"), kWhyMs);
        // Let go where it is: nothing happens.
        sendMouse(view(), QEvent::MouseButtonPress, view().barRect(1).center());
        sendMouse(view(), QEvent::MouseMove, view().barRect(1).center() + QPointF(0, 3));
        sendMouse(view(), QEvent::MouseButtonRelease, view().barRect(1).center() + QPointF(0, 3));
        QVERIFY(!m_compare->runner()->isBusy());
        QCOMPARE(m_compare->waterfallChoice().order.front(), std::string("workload.steps[1].size"));
    }

    void K2_theOrderStaysWhenADesignIsEdited()
    {
        showBoth();
        view().setCurrentRow(2);
        QTest::keyClick(&view(), Qt::Key_Up, Qt::AltModifier);
        QTRY_VERIFY_WITH_TIMEOUT(begins("workload.steps[1].size"), kWhyMs);
        m_compare->setCurrent(runText(gatherText("20 GB/s", "3 MB")), QStringLiteral("edited"));
        QTRY_VERIFY_WITH_TIMEOUT(m_compare->set() && begins("workload.steps[1].size"), kWhyMs);
        QCOMPARE(made().items[1].delta().ps, -225'000'000); // 300 to 75 us.
    }

    void K2_meansOverOrdersAddUpAndStayWhereAFieldIsMoved()
    {
        showBoth();
        auto& how = named<QComboBox>(*m_compare, "How the fields are changed");
        how.setCurrentIndex(1);
        QTRY_VERIFY_WITH_TIMEOUT(!m_compare->runner()->isBusy() && made().mean, kWhyMs);
        QCOMPARE(made().items[0].delta().ps, -100'000'000); // Half of 50 + 150 us.
        QCOMPARE(made().items[1].delta().ps, 150'000'000);  // Half of 100 + 200 us.
        QVERIFY(view().timeText(1).isEmpty() && !view().timeText(0).isEmpty());
        view().setCurrentRow(0);
        QVERIFY2(view().accessibleDescription().contains(QStringLiteral("mean over all 2 orders")), qPrintable(view().accessibleDescription()));
        view().setCurrentRow(1);
        QTest::keyClick(&view(), Qt::Key_Down, Qt::AltModifier);
        QVERIFY(begins("workload.steps[1].size")); // At once: nothing is run again.
        QCOMPARE(made().items[0].delta().ps, 150'000'000);
        QCOMPARE(view().currentRow(), 2);
        how.setCurrentIndex(0);
        QTRY_VERIFY_WITH_TIMEOUT(!m_compare->runner()->isBusy() && !made().mean, kWhyMs);
        QCOMPARE(made().items[0].delta().ps, 200'000'000);
    }

    void K2_aStoppedChoiceGoesBackToWhatIsShown()
    {
        showBoth();
        auto& how = named<QComboBox>(*m_compare, "How the fields are changed");
        how.setCurrentIndex(1);
        QVERIFY(m_compare->runner()->isBusy());
        named<QPushButton>(*m_compare, "Stop").click();
        QCOMPARE(how.currentIndex(), 0);
        QVERIFY(!m_compare->waterfallChoice().mean && m_compare->set() && !made().mean);
    }

    void K3_theColoursOfTheRunsAreExplained()
    {
        showBoth();
        const auto& legend = part<TimelineLegend>(*m_compare);
        QVERIFY(legend.isVisible());
        QVERIFY2(legend.entries().contains(QStringLiteral("Compute")) && legend.entries().contains(QStringLiteral("All-gather")), qPrintable(legend.accessibleDescription()));
        QVERIFY(!legend.entries().contains(QStringLiteral("All-reduce")));
    }

    void K3_whatTellsFieldsApartStaysInSight()
    {
        std::vector<DesignChange> changes(4);
        changes[0].field = "platform.overrides.links[3].bandwidth";
        changes[1].field = "platform.overrides.links[4].bandwidth";
        changes[2].field = "platform.overrides.links[3].latency";
        changes[3].field = "platform.dimensions[0].size";
        const auto end = [&](std::size_t i) { return QString::fromStdString(comparing::endThatTellsApart(changes, changes[i].field)); };
        QCOMPARE(end(0), QStringLiteral("links[3].bandwidth"));
        QCOMPARE(end(2), QStringLiteral("latency"));
        QCOMPARE(end(3), QStringLiteral("size"));
        const QFontMetrics metrics(m_compare->font());
        const QString field = QString::fromStdString(changes[0].field);
        const int least = metrics.horizontalAdvance(QStringLiteral("\u2026links[3]\u2026"));
        const int whole = metrics.horizontalAdvance(field);
        for (int width = least + 1; width <= whole + 2; ++width) {
            const QString shown = comparing::elidedField(metrics, field, end(0), width);
            QVERIFY2(shown.contains(QStringLiteral("links[3]")), qPrintable(shown));
            QVERIFY2(metrics.horizontalAdvance(shown) <= width + 2, qPrintable(shown)); // Letters may stand closer beside others.
        }
        QCOMPARE(comparing::elidedField(metrics, field, end(0), whole + 2), field);
    }
};

FABRICSCOPE_GUI_TEST(CompareWhyTest)
#include "tst_comparewhy.moc"
