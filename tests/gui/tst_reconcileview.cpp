#include "tests/gui/support/withtheme.h"
// The waterfall of a reconciliation: geometry, words, keyboard.
#include "tests/gui/support/pictures.h"
#include "widgets/results/reconcileview.h"
#include "tests/unit/support/testprogram.h"

#include <QSignalSpy>
#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

RunResultPtr resultOf(Model model, std::int64_t ps)
{
    auto record = std::make_shared<RunRecord>();
    record->model = model;
    record->finish = SimTime{ps};
    auto result = std::make_shared<RunResult>();
    result->summary.record = record;
    return result;
}

/// 10 us under links, 14 us under astra-unaware: -4, 0, +10, -2 us.
std::shared_ptr<const Reconciliation> sample()
{
    auto made = std::make_shared<Reconciliation>();
    made->modelA = Model::Links;
    made->modelB = Model::AstraUnaware;
    made->a = resultOf(made->modelA, 10'000'000);
    made->b = resultOf(made->modelB, 14'000'001);
    const std::int64_t steps[] = {10'000'000, 6'000'000, 6'000'000, 16'000'000, 14'000'001};
    static const char* const kNames[] = {"sharing of links (phantom bandwidth)", "chunk rounding", "the rest", "whole nanoseconds"};
    for (std::size_t i = 0; i < 4; ++i) {
        ReconcileItem item;
        item.rule = item.name = kNames[i];
        item.explanation = std::string("one model: a rule that says something about ") + kNames[i] + ", at some length, so that the sentence takes more than a line";
        item.from = SimTime{steps[i]};
        item.to = SimTime{steps[i + 1]};
        made->items.push_back(item);
    }
    return made;
}

} // namespace

class ReconcileViewTest : public QObject {
    Q_OBJECT

private slots:
    void barsFloatFromTimeToTime()
    {
        ReconcileView view;
        view.setReconciliation(sample());
        view.resize(view.sizeHint());
        // From 6 to 16 us: 4/10 of the room down, nothing, all of it up, 2/10 down.
        const QRectF whole = view.barRect(2);
        QVERIFY(whole.width() > 50);
        const QRectF first = view.barRect(0);
        QVERIFY(qAbs(first.left() - whole.left()) < 0.01);
        QVERIFY(qAbs(first.width() - 0.4 * whole.width()) < 0.1);
        QCOMPARE(view.barRect(1).width(), 0.0);
        const QRectF last = view.barRect(3);
        QVERIFY(qAbs(last.right() - whole.right()) < 0.01);
        QVERIFY(qAbs(last.width() - 0.2 * whole.width()) < 0.1);
        const QRectF sum = view.barRect(4);
        QVERIFY(qAbs(sum.left() - (whole.left() + 0.4 * whole.width())) < 0.1);
        QVERIFY(qAbs(sum.right() - (whole.left() + 0.8 * whole.width())) < 0.1);
        for (int row = 0; row <= 4; ++row)
            QVERIFY(view.rowRect(row).contains(view.barRect(row).center()));
    }

    void aSmallValueIsStillABar()
    {
        auto small = std::make_shared<Reconciliation>(*sample());
        small->items[1].to = SimTime{6'000'001};
        small->items[2].from = SimTime{6'000'001};
        ReconcileView view;
        view.setReconciliation(small);
        view.resize(view.sizeHint());
        QCOMPARE(view.barRect(1).width(), 1.5);
    }

    void valuesCarryTheirSign()
    {
        ReconcileView view;
        view.setReconciliation(sample());
        QVERIFY(view.valueText(0).startsWith(QStringLiteral("\u25bc \u22124")));
        QCOMPARE(view.valueText(1), QStringLiteral("0"));
        QVERIFY(view.valueText(2).startsWith(QStringLiteral("\u25b2 +10")));
        auto merged = std::make_shared<Reconciliation>(*sample());
        merged->items[1].apart = false;
        view.setReconciliation(merged);
        QCOMPARE(view.valueText(1), QStringLiteral("not apart"));
    }

    void everythingDrawnIsAlsoSaid()
    {
        ReconcileView view;
        QVERIFY(view.accessibleDescription().contains(QStringLiteral("No second model")));
        view.setReconciliation(sample());
        const QString said = view.accessibleDescription();
        for (const char* const part : {"phantom bandwidth", "Chunk rounding: 0", "The rest", "Whole nanoseconds", "links takes", "astra-unaware takes", "4000.001"})
            QVERIFY2(said.contains(QString::fromUtf8(part)), part);
        QVERIFY(!view.accessibleName().isEmpty());
        QVERIFY(view.focusPolicy() == Qt::StrongFocus);
    }

    void keysWalkThroughTheRules()
    {
        ReconcileView view;
        view.setReconciliation(sample());
        QCOMPARE(view.currentRow(), 2); // Worth most.
        QSignalSpy changed(&view, &ReconcileView::currentRowChanged);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.currentRow(), 3);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.currentRow(), 3);
        QTest::keyClick(&view, Qt::Key_Home);
        QCOMPARE(view.currentRow(), 0);
        QTest::keyClick(&view, Qt::Key_Up);
        QCOMPARE(view.currentRow(), 0);
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(changed.count(), 3);
        view.resize(view.sizeHint());
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.rowRect(1).center().toPoint());
        QCOMPARE(view.currentRow(), 1);
        QVERIFY(view.accessibleDescription().startsWith(QStringLiteral("Current rule: Chunk rounding")));
    }

    void noTextIsCutAtOneAndAHalf()
    {
        ReconcileView view;
        view.setReconciliation(sample());
        const test::WithTheme themed(Theme(Theme::Mode::Light, 19.5));
        view.resize(view.minimumSizeHint());
        // The bars keep their room beside names and values, and the last explanation its height.
        QVERIFY(view.barRect(2).width() >= 90 * 1.5 - 2);
        QVERIFY(view.barRect(2).left() > 0 && view.barRect(2).right() < view.width());
        QVERIFY(view.rowRect(4).bottom() < view.height());
    }

    void pictures()
    {
        const test::Pictures out;
        const QString folder = out.folder();
        for (const bool dark : {false, true}) {
            for (const bool large : {false, true}) {
                ReconcileView view;
                const test::WithTheme themed(Theme(dark ? Theme::Mode::Dark : Theme::Mode::Light, large ? 19.5 : 13.0));
                view.setReconciliation(sample());
                view.resize(large ? view.minimumSizeHint() : view.sizeHint());
                QVERIFY(view.grab().save(QStringLiteral("%1/reconcile_%2_%3.png").arg(folder, dark ? QStringLiteral("dark") : QStringLiteral("light"), large ? QStringLiteral("large") : QStringLiteral("normal"))));
            }
        }
    }
};

FABRICSCOPE_GUI_TEST(ReconcileViewTest)
#include "tst_reconcileview.moc"
