// Texts and cells of Step have room: tokens between boxes, figures in their columns, rows in the matrix.
#include "core/base/index.h"
#include "tests/gui/stepcase.h"
#include "tests/gui/support/named.h"
#include "tests/unit/support/testprogram.h"
#include "widgets/base/apptheme.h"
#include "widgets/step/chunkmatrix.h"
#include "widgets/step/chunkworkspace.h"
#include "widgets/step/movecanvas.h"
#include "widgets/step/movelists.h"
#include "widgets/step/movemodels.h"
#include "widgets/step/movetexts.h"

#include <QHeaderView>
#include <QTableView>
#include <QtTest>

#include <algorithm>

using namespace fabricscope;
using namespace fabricscope::test;

class tst_stepfit : public QObject
{
    Q_OBJECT

    std::unique_ptr<StepWorkspace> m_workspace;

    void open(const LoadedSteps& steps)
    {
        m_workspace = std::make_unique<StepWorkspace>();
        m_workspace->resize(1400, 900);
        m_workspace->showSteps(steps);
        m_workspace->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_workspace.get()));
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void cleanup() { m_workspace.reset(); }

    /// A ring of four has long links; of 60 the boxes stand close together.
    void C2_tokensAreDotsWhereBoxesLeaveNoRoomForWords()
    {
        for (const int size : {4, 60}) {
            open(stepsOf(allReduce(Shape::Ring, size, Algorithm::Ring)));
            m_workspace->player()->setTime(kSendPs / 2);
            StepCanvas& canvas = part<StepCanvas>(*m_workspace);
            const std::vector<StepToken> tokens = canvas.tokens();
            QVERIFY(!tokens.empty());
            QCOMPARE(canvas.tokensAreDots(tokens), size == 60);
            QVERIFY(!canvas.grab().isNull());
        }
    }

    void C2_columnsOfStepsAreAsWideAsTheirTexts()
    {
        AppTheme::global().set(Theme()); // Which puts room around the words of headers.
        open(stepsOf(allReduce(Shape::Ring, 7, Algorithm::Ring)));
        const StepTableModel& model = part<StepTableModel>(*m_workspace);
        for (QTableView* table : m_workspace->findChildren<QTableView*>()) {
            if (table->model() != &model)
                continue;
            const QFontMetrics metrics(table->font());
            for (const int column : {int{StepTableModel::Number}, int{StepTableModel::Each}, int{StepTableModel::Duration}}) {
                for (int row = 0; row < model.rowCount(); ++row) {
                    const QString text = model.index(row, column).data().toString();
                    QVERIFY2(table->columnWidth(column) >= metrics.horizontalAdvance(text) + 10, qPrintable(text)); // 5 on either side.
                }
            }
            for (int column = 0; column < model.columnCount(); ++column) {
                const QString head = model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
                QVERIFY2(table->isColumnHidden(column) || column == StepTableModel::Dimension || table->columnWidth(column) >= table->horizontalHeader()->sectionSizeHint(column), qPrintable(head));
            }
        }
    }

    /// A third of 64 MiB is 22,369,621 bytes; of 64,000,001 bytes, which are no whole KiB, 21,333,333.
    void C2_partsAreCountedInTheUnitsOfTheWhole()
    {
        constexpr std::int64_t kMiB = std::int64_t{1} << 20;
        const auto shown = [](std::int64_t bytes, std::int64_t whole) { return steptexts::buffer(bytes, whole).replace(QChar(0x202F), QLatin1Char(' ')); };
        QCOMPARE(shown(64 * kMiB / 3, 64 * kMiB), QStringLiteral("21.33 MiB"));
        QCOMPARE(shown(64 * kMiB, 64 * kMiB), QStringLiteral("64 MiB"));
        QCOMPARE(shown(64'000'001 / 3, 64'000'001), QStringLiteral("21.33 MB"));
        QCOMPARE(shown(500, 64 * kMiB), QStringLiteral("500 B"));
    }

    void C4_theMatrixStaysInItsPanelHoweverLowThatIs()
    {
        open(stepsOf(allReduce(Shape::Switch, 96, Algorithm::HalvingDoubling)));
        OwnershipMatrix matrix;
        matrix.setPlayer(m_workspace->player());
        for (const QSize& size : {QSize(452, 520), QSize(452, 260), QSize(240, 140)}) {
            matrix.resize(size);
            matrix.show();
            QVERIFY(matrix.grab().height() > 0);
            const QRectF last = matrix.cellRect(matrix.rows() - 1, matrix.columns() - 1);
            QVERIFY2(last.bottom() <= matrix.height() && last.right() <= matrix.width(), qPrintable(QStringLiteral("%1 x %2 cells in %3 x %4").arg(matrix.columns()).arg(matrix.rows()).arg(size.width()).arg(size.height())));
            QVERIFY(matrix.rows() > 1);
            QVERIFY(matrix.cellText(matrix.rows() - 1, 0).contains(QStringLiteral("95"))); // No rank is left out.
        }
    }

    /// Gaps between pods are for what fits with them: at every height the last row is whole and has the legend below it.
    void C4_theMatrixOfATorusStaysInItsPanelAtEveryHeight()
    {
        PlatformSpec torus = oneDimension(Shape::Ring, 4);
        torus.dimensions.resize(3, torus.dimensions.front());
        LinksScenario scenario(torus);
        scenario.collectiveByAll(CollectiveOp::AllReduce, kBlock * 64, {Algorithm::Ring, Algorithm::Ring, Algorithm::Ring}, 1);
        open(stepsOf(std::make_shared<const Scenario>(scenario.build())));
        OwnershipMatrix matrix;
        matrix.setPlayer(m_workspace->player());
        QVERIFY(matrix.columns() > 0);
        for (int height = 240; height <= 700; height += 20) {
            matrix.resize(452, height);
            QVERIFY(!matrix.grab().isNull());
            const double last = matrix.cellRect(matrix.rows() - 1, 0).bottom();
            QVERIFY2(last <= height - 30, qPrintable(QStringLiteral("%1 rows end at %2 of %3").arg(matrix.rows()).arg(last).arg(height)));
        }
    }

    void C4_theFocusedCellOfTheMatrixIsOfTheSameRankAndPartInEverySize()
    {
        open(stepsOf(allReduce(Shape::Switch, 96, Algorithm::HalvingDoubling)));
        OwnershipMatrix matrix;
        matrix.setPlayer(m_workspace->player());
        matrix.resize(900, 900);
        matrix.show();
        const int rows = matrix.rows();
        const int column = std::min(20, matrix.columns() - 1);
        for (int i = 0; i < 20; ++i) {
            QTest::keyClick(&matrix, Qt::Key_Down);
            QTest::keyClick(&matrix, Qt::Key_Right);
        }
        QCOMPARE(matrix.accessibleDescription(), matrix.cellText(20, column));
        const auto ranksPerRow = [&] { return (96 + matrix.rows() - 1) / matrix.rows(); };
        const int rank = 20 * ranksPerRow();
        matrix.resize(240, 140);
        QVERIFY(matrix.rows() < rows);
        bool inItsRow = false;
        for (int i = 0; i < matrix.columns(); ++i)
            inItsRow = inItsRow || matrix.accessibleDescription() == matrix.cellText(rank / ranksPerRow(), i);
        QVERIFY2(inItsRow, qPrintable(matrix.accessibleDescription()));
        matrix.resize(900, 900);
        QCOMPARE(matrix.accessibleDescription(), matrix.cellText(20, column));
    }
};

FABRICSCOPE_GUI_TEST(tst_stepfit)
#include "tst_stepfit.moc"
