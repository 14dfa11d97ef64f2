// The page of a sharded graph: cells and the way of their axes, collectives, edits by click that are steps of undo, offers that remove a collective.
#include "core/base/index.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/design/document.h"
#include "widgets/results/table.h"
#include "widgets/workload/shardpage.h"
#include "widgets/workload/shardview.h"
#include "widgets/workload/pagechoice.h"

#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace fabricscope;

namespace {

/// One feed-forward block: h takes y from w1, w2 takes it from h; z is partial over y and summed.
constexpr const char* kShardDesign = R"(fabricscope: 1
platform:
  dimensions: [{shape: ring, size: 2, bandwidth: 10 GB/s, latency: 1 us}, {shape: ring, size: 4, bandwidth: 10 GB/s, latency: 1 us}]
  npu: {peak: 10 TFLOP/s, memory_bandwidth: 1 TB/s}
workload:
  shard:
    mesh: {x: 4, y: 2}
    tensors: {x: [16, 8, 32], w1: [32, 64], w2: [64, 32]}
    ops:
      - {name: h, op: einsum, eq: "bsm,mh->bsh", in: [x, w1]}  # kept
      - {name: z, op: einsum, eq: "bsh,hm->bsm", in: [h, w2]}
    annotations:
      - {tensor: x, dims: [[x], [], []]}  # the batch
      - {tensor: w1, dims: [[], [y]]}
)";

class ShardPageTest : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        m_document = std::make_unique<DesignDocument>();
        m_page = std::make_unique<ShardPage>();
        m_page->resize(1400, 900);
        connect(m_document.get(), &DesignDocument::changed, m_page.get(), &ShardPage::showDesign);
    }

    void cleanup()
    {
        m_page.reset();
        m_document.reset();
    }

    void S1_cellsSayWhatIsGivenAndWhatFollows()
    {
        open(kShardDesign);
        const std::vector<ShardRow>& rows = m_page->view()->rows();
        QCOMPARE(rows.size(), std::size_t{5});
        const ShardRow& w1 = rowOf("w1");
        QCOMPARE(w1.cells[1].size, QStringLiteral("h 64"));
        QCOMPARE(w1.cells[1].axes, QStringLiteral("y"));
        QVERIFY(w1.cells[1].given);
        const ShardRow& w2 = rowOf("w2");
        QCOMPARE(w2.cells[0].axes, QStringLiteral("y"));
        QVERIFY(!w2.cells[0].given && !w2.annotated);
        QCOMPARE(w2.cells[1].axes, QString());
        QCOMPARE(rowOf("z").partial, QStringLiteral("y"));
        QCOMPARE(m_page->collectives()->view()->model()->rowCount(), 1);
        QCOMPARE(m_page->problemText(), QString());
    }

    void S1_theWayOfAnAxisIsSaidWithItsRules()
    {
        open(kShardDesign);
        m_page->view()->setCurrent(indexOf("w2"), 0);
        // w1 -> h by the first product, h -> w2 by the second, where h is summed.
        QCOMPARE(m_page->pathText().split(QLatin1Char('\n')).size(), 3);
        QVERIFY2(m_page->pathText().contains(QStringLiteral("From w1, dim 1")), qPrintable(m_page->pathText()));
        QVERIFY(m_page->pathText().contains(QStringLiteral("to h, dim 2: einsum h: h is pass-through")));
        QVERIFY(m_page->pathText().contains(QStringLiteral("to w2, dim 0: einsum z: h is reduction")));
        m_page->view()->setCurrent(indexOf("w1"), 1);
        QCOMPARE(m_page->pathText(), QStringLiteral("Given by an annotation."));
    }

    void S1_aCellThatIsClickedTakesAxesAsOneStepOfUndo()
    {
        open(kShardDesign);
        const std::string before = m_document->text();
        const QRectF cell = m_page->view()->cellRect(indexOf("w2"), 1);
        QTest::mouseClick(m_page->view(), Qt::LeftButton, Qt::NoModifier, cell.center().toPoint());
        auto* const menu = m_page->findChild<QMenu*>();
        QVERIFY(menu);
        QTRY_VERIFY(menu->isVisible());
        const QList<QAction*> actions = menu->actions();
        const auto choice = std::find_if(actions.begin(), actions.end(), [](const QAction* action) { return action->text() == QStringLiteral("x"); });
        QVERIFY(choice != actions.end());
        (*choice)->trigger();
        menu->close();
        QTRY_VERIFY(m_page->isSettled());
        const QString text = QString::fromStdString(m_document->text());
        QVERIFY2(text.contains(QStringLiteral("{tensor: w2, dims: [[y], [x]]}")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("# kept")) && text.contains(QStringLiteral("# the batch")));
        QCOMPARE(m_document->undoStack().count(), 1);
        QVERIFY(rowOf("w2").annotated && rowOf("w2").cells[1].given);
        // Delete takes it away again.
        m_page->view()->setCurrent(indexOf("w2"), 1);
        QTest::keyClick(m_page->view(), Qt::Key_Delete);
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(m_document->text(), before);
        m_document->undoStack().undo();
        m_document->undoStack().undo();
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(m_document->text(), before);
        // An annotation that is there keeps its comment.
        m_page->setAxes(indexOf("x"), 1, {wholeAxis(Mesh{{{"x", 4}, {"y", 2}}, {}}, 0)});
        QVERIFY2(QString::fromStdString(m_document->text()).contains(QStringLiteral("{tensor: x, dims: [[], [x], []]}  # the batch")), m_document->text().c_str());
    }

    void S1_anOfferRemovesTheCollectiveAndIsOneStep()
    {
        open(kShardDesign);
        QVERIFY(!m_page->offered().empty());
        QVERIFY(m_page->offered().front().text.size() > 5);
        m_page->take(0);
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(m_document->undoStack().count(), 1);
        const QAbstractItemModel* const rows = m_page->collectives()->view()->model();
        for (int row = 0; row < rows->rowCount(); ++row)
            QVERIFY(rows->index(row, 0).data().toString() != QStringLiteral("all-reduce") || rows->index(row, 1).data().toString() != QStringLiteral("z"));
    }

    void aGraphInAFileIsCopiedBeforeItIsEdited()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("graph.yaml")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const QByteArray text(kShardDesign);
        QByteArray section = text.mid(text.indexOf("    mesh"));
        file.write("fabricscope: 1\nshard:\n" + section);
        file.close();
        open((text.left(text.indexOf("\n    mesh")) + ' ' + file.fileName().toUtf8() + '\n').constData());
        QCOMPARE(m_page->view()->rows().size(), std::size_t{5});
        QSignalSpy refused(m_page.get(), &ShardPage::refused);
        const std::string before = m_document->text();
        m_page->drop(indexOf("w1"));
        QCOMPARE(refused.count(), 1);
        QCOMPARE(m_document->text(), before);
        auto* const bring = m_page->findChild<QPushButton*>(QStringLiteral("bringGraph"));
        QVERIFY(bring && bring->isVisibleTo(m_page.get()));
        bring->click();
        QTRY_VERIFY(m_page->isSettled());
        QVERIFY(!bring->isVisibleTo(m_page.get()));
        m_page->drop(indexOf("w1"));
        QTRY_VERIFY(m_page->isSettled());
        QVERIFY(!rowOf("w1").annotated);
    }

    /// Another document while the page shows the first: neither its graph nor an annotation of it gets into the new one.
    void nothingOfTheDesignBeforeGetsIntoTheNextOne()
    {
        open(kShardDesign);
        QCOMPARE(m_page->view()->rows().size(), std::size_t{5});
        QByteArray other(kShardDesign);
        other.replace("w1", "v1").replace("{x: 4, y: 2}", "{x: 2, y: 4}");
        const std::string text = other.toStdString();
        QVERIFY(m_document->setText(text, QStringLiteral("other.yaml")));
        QVERIFY(!m_page->isSettled());
        QVERIFY(m_page->view()->rows().empty());
        auto* const bring = m_page->findChild<QPushButton*>(QStringLiteral("bringGraph"));
        bring->click();
        m_page->take(0);
        QCOMPARE(m_document->text(), text);
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(m_page->view()->rows()[at(indexOf("v1"))].name, QStringLiteral("v1"));
    }

    void whileADesignIsWorkedOutEditsAreRefusedAloud()
    {
        open(kShardDesign);
        QSignalSpy refused(m_page.get(), &ShardPage::refused);
        m_page->drop(indexOf("w1"));
        QVERIFY(!m_page->isSettled());
        auto* const state = m_page->findChild<QLabel*>(QStringLiteral("shardState"));
        QVERIFY(state && state->isVisible());
        QCOMPARE(refused.count(), 0);
        const std::string once = m_document->text();
        m_page->drop(indexOf("x"));
        m_page->setAxes(indexOf("w2"), 1, {});
        m_page->take(0);
        QCOMPARE(refused.count(), 3);
        auto* const bring = m_page->findChild<QPushButton*>(QStringLiteral("bringGraph"));
        bring->click();
        QCOMPARE(refused.count(), 4);
        QCOMPARE(m_document->text(), once);
        QTRY_VERIFY(m_page->isSettled());
        QVERIFY(!state->isVisible());
        m_page->drop(indexOf("x"));
        QCOMPARE(refused.count(), 4);
        QVERIFY(m_document->text() != once);
    }

    void anErrorFromTheStartIsSaidOnThePage()
    {
        QByteArray wrong(kShardDesign);
        wrong.replace("tensor: w1", "tensor: nobody");
        open(wrong.constData());
        QVERIFY(m_page->view()->rows().empty());
        QVERIFY2(m_page->problemText().contains(QStringLiteral("nobody")), qPrintable(m_page->problemText()));
        QVERIFY2(m_page->problemText().startsWith(QStringLiteral("Line 14")), qPrintable(m_page->problemText()));
        // It is this page that the workspace shows.
        QVERIFY(workloadtext::saysGraph(*m_document) && !workloadtext::saysPlan(*m_document));
        wrong.replace("  shard:\n", "  plan:\n");
        QVERIFY(m_document->editText(QStringLiteral("Type"), wrong.toStdString()));
        QVERIFY(!workloadtext::saysGraph(*m_document) && workloadtext::saysPlan(*m_document));
    }

    /// A chain of products, longer than the page is high.
    void theCurrentCellStaysInSightWhereTheKeysGo()
    {
        QByteArray text(kShardDesign);
        QByteArray ops;
        QByteArray last = "x";
        for (int i = 0; i < 40; ++i) {
            const QByteArray name = "t" + QByteArray::number(i);
            ops += "      - {name: " + name + ", op: tanh, in: [" + last + "]}\n";
            last = name;
        }
        text.replace("    ops:\n", "    ops:\n" + ops);
        open(text.constData());
        ShardView* const view = m_page->view();
        QCOMPARE(view->rows().size(), std::size_t{45});
        const auto sees = [&] { return view->visibleRegion().boundingRect().contains(view->cellRect(view->currentRow(), view->currentDim()).toAlignedRect()); };
        view->setCurrent(0, 0);
        QVERIFY(sees());
        for (int i = 0; i < 44; ++i) {
            QTest::keyClick(view, Qt::Key_Down);
            QVERIFY2(sees(), qPrintable(QString::number(view->currentRow())));
        }
        QCOMPARE(view->currentRow(), 44);
        for (int i = 0; i < 44; ++i)
            QTest::keyClick(view, Qt::Key_Up);
        QCOMPARE(view->currentRow(), 0);
        QVERIFY(sees());
    }

    /// The graph that stays on show is that before the error.
    void aDesignWithAnErrorIsNotEditedFromTheGraphBefore()
    {
        open(kShardDesign);
        QByteArray wrong(kShardDesign);
        wrong.replace("tensor: w1", "tensor: nobody");
        QVERIFY(m_document->editText(QStringLiteral("Type"), wrong.toStdString()));
        QTRY_VERIFY(m_page->isSettled());
        QVERIFY2(m_page->problemText().contains(QStringLiteral("nobody")), qPrintable(m_page->problemText()));
        QCOMPARE(m_page->view()->rows().size(), std::size_t{5});
        QSignalSpy refused(m_page.get(), &ShardPage::refused);
        m_page->drop(indexOf("x"));
        m_page->findChild<QPushButton*>(QStringLiteral("bringGraph"))->click();
        QCOMPARE(refused.count(), 2);
        QCOMPARE(m_document->text(), wrong.toStdString());
        m_document->undoStack().undo();
        QTRY_VERIFY(m_page->isSettled());
        QCOMPARE(m_page->problemText(), QString());
        m_page->drop(indexOf("x"));
        QCOMPARE(refused.count(), 2);
    }

private:
    const ShardRow& rowOf(const char* name) const { return m_page->view()->rows()[at(indexOf(name))]; }
    int indexOf(const char* name) const
    {
        const std::vector<ShardRow>& rows = m_page->view()->rows();
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const ShardRow& one) { return one.name == QString::fromUtf8(name); });
        if (row == rows.end())
            qFatal("no row %s", name);
        return static_cast<int>(row - rows.begin());
    }
    void open(const char* text)
    {
        QVERIFY(m_document->setText(text, QStringLiteral("graph.yaml")));
        m_page->setDocument(m_document.get());
        m_page->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get()));
        QTRY_VERIFY(m_page->isSettled());
    }

    std::unique_ptr<DesignDocument> m_document;
    std::unique_ptr<ShardPage> m_page;
};

} // namespace

FABRICSCOPE_GUI_TEST(ShardPageTest)
#include "tst_shardpage.moc"
