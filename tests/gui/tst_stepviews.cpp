#include "tests/gui/stepcase.h"
#include "core/base/index.h"
#include "widgets/step/movecanvas.h"
#include "widgets/step/movelists.h"
#include "widgets/step/chunkmatrix.h"
#include "widgets/step/storyboard.h"
#include "widgets/step/transport.h"
#include "widgets/step/whyview.h"
#include "widgets/step/chunkworkspace.h"
#include "widgets/step/paneheader.h"
#include "tests/gui/support/named.h"
#include "tests/gui/support/withtheme.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QRandomGenerator>
#include <QTableView>
#include <QToolButton>
#include <QXmlStreamReader>

#include <array>
#include <map>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Who holds what of a ring of four, computed by the rule of the ring alone.
struct Held {
    std::array<std::array<int, 4>, 4> contributions{};
    std::array<std::array<bool, 4>, 4> passedOn{};
};

constexpr int mod4(int value)
{
    return ((value % 4) + 4) % 4;
}

Held afterSteps(int steps)
{
    Held held;
    for (auto& row : held.contributions)
        row.fill(1);
    for (int step = 0; step < steps; ++step) {
        const Held before = held;
        for (int rank = 0; rank < 4; ++rank) {
            const int next = mod4(rank + 1);
            if (step < 3) {
                const int part = mod4(rank - step - 1);
                held.contributions[at(next)][at(part)] += before.contributions[at(rank)][at(part)];
                held.contributions[at(rank)][at(part)] = 0;
                held.passedOn[at(rank)][at(part)] = true;
            } else {
                const int part = mod4(rank - (step - 3));
                held.contributions[at(next)][at(part)] = 4;
                held.passedOn[at(next)][at(part)] = false;
            }
        }
    }
    return held;
}

QString plain(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' '));
}

/// Picoseconds of a shown number of nanoseconds with three decimals.
qint64 picoseconds(const QString& shown)
{
    QString digits = shown;
    digits.remove(QChar(0x202F)).remove(QStringLiteral("ns"));
    if (digits.section(QLatin1Char('.'), 1).size() != 3)
        return -1;
    return digits.remove(QLatin1Char('.')).toLongLong();
}

} // namespace

class StepViewsTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<StepWorkspace> m_workspace;

    void open(const LoadedSteps& steps)
    {
        m_workspace = std::make_unique<StepWorkspace>();
        m_workspace->resize(1400, 900);
        m_workspace->showSteps(steps);
        m_workspace->show();
        m_workspace->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_workspace.get()));
        test::part<StepCanvas>(*m_workspace).setFocus();
    }
    QString stepCell(int step, int column) const
    {
        const QAbstractItemModel& model = test::part<StepTableModel>(*m_workspace);
        return plain(model.index(step, column).data().toString());
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void cleanup() { m_workspace.reset(); }

    void C2_everyStepOfARingOfFourFollowsTheScheduleWorkedOutByHand()
    {
        open(stepsOf(allReduce(Shape::Ring, 4, Algorithm::Ring)));
        StepPlayer& player = *m_workspace->player();
        QCOMPARE(player.stepCount(), 6);
        for (int step = 0; step < 6; ++step) {
            QCOMPARE(player.step(), step);
            // Every step waits for the one before it: block over the link, then one hop.
            const qint64 begin = step * (kSendPs + kHopPs);
            QCOMPARE(player.timePs(), begin);
            QCOMPARE(player.currentStep()->beginPs, begin);
            QCOMPARE(player.currentStep()->endPs, begin + kSendPs + kHopPs);
            QCOMPARE(player.currentStep()->bytesEach, kBlock);
            QCOMPARE(stepCell(step, StepTableModel::Number), QString::number(step + 1));
            QCOMPARE(stepCell(step, StepTableModel::Phase), step < 3 ? QStringLiteral("Reduce-scatter") : QStringLiteral("All-gather"));
            QCOMPARE(stepCell(step, StepTableModel::Dimension), QStringLiteral("D0"));
            QCOMPARE(stepCell(step, StepTableModel::Moves), QStringLiteral("4"));
            QCOMPARE(stepCell(step, StepTableModel::Each), QStringLiteral("1 MiB"));
            QCOMPARE(stepCell(step, StepTableModel::Duration), QStringLiteral("1.050")); // 1 049.576 us in ms.

            // Two links leave every NPU of a ring; all moves take the first of each.
            QCOMPARE(test::part<StepCanvas>(*m_workspace).activeLinks(), (std::vector<LinkId>{0, 2, 4, 6}));

            const MoveTableModel& moves = test::part<MoveTableModel>(*m_workspace);
            QCOMPARE(moves.rowCount(), 4);
            for (int row = 0; row < 4; ++row) {
                const ReplayMove& move = player.replay()->moves()[moves.moveAt(row)];
                const int part = mod4(step < 3 ? move.source - step - 1 : move.source - (step - 3));
                QCOMPARE(moves.index(row, MoveTableModel::FromTo).data().toString(), QStringLiteral("%1 → %2").arg(move.source).arg(mod4(move.source + 1)));
                QCOMPARE(moves.index(row, MoveTableModel::Part).data().toString(), QString::number(part));
                QCOMPARE(move.readyPs, begin);
                QCOMPARE(move.leftPs, begin + kSendPs);
                QCOMPARE(move.donePs, begin + kSendPs + kHopPs);
            }

            const Held held = afterSteps(step);
            for (int rank = 0; rank < 4; ++rank)
                for (int part = 0; part < 4; ++part) {
                    const int contributions = held.contributions[at(rank)][at(part)];
                    const bool passedOn = held.passedOn[at(rank)][at(part)];
                    const OwnershipMatrix::Cell cell = test::part<OwnershipMatrix>(*m_workspace).cell(rank, part);
                    const auto look = contributions == 4 ? OwnershipMatrix::Look::Complete : passedOn ? OwnershipMatrix::Look::PassedOn : OwnershipMatrix::Look::Partial;
                    QVERIFY2(cell.look == look, qPrintable(test::part<OwnershipMatrix>(*m_workspace).cellText(rank, part)));
                    QCOMPARE(cell.share, contributions / 4.0);
                }
            QTest::keyClick(&test::part<StepCanvas>(*m_workspace), Qt::Key_Right);
        }
        QCOMPARE(player.timePs(), 6 * (kSendPs + kHopPs));
        for (int rank = 0; rank < 4; ++rank)
            for (int part = 0; part < 4; ++part)
                QVERIFY(test::part<OwnershipMatrix>(*m_workspace).cell(rank, part).look == OwnershipMatrix::Look::Complete);
    }

    void C2_ATokenIsWhereItsMoveIs()
    {
        open(stepsOf(allReduce(Shape::Ring, 4, Algorithm::Ring)));
        StepPlayer& player = *m_workspace->player();
        const auto fromTarget = [&](const StepToken& token) {
            const ReplayMove& move = player.replay()->moves()[token.move];
            return QLineF(token.at, test::part<StepCanvas>(*m_workspace).stepLayout().box(move.target).center()).length();
        };
        QCOMPARE(test::part<StepCanvas>(*m_workspace).tokens().size(), std::size_t{4});
        const double atStart = fromTarget(test::part<StepCanvas>(*m_workspace).tokens().front());
        player.setTime((kSendPs + kHopPs) / 2);
        const std::vector<StepToken> half = test::part<StepCanvas>(*m_workspace).tokens();
        QCOMPARE(half.size(), std::size_t{4});
        QCOMPARE(half.front().progress.along, 0.5);
        QVERIFY(half.front().progress.state == MoveProgress::State::Sending);
        QVERIFY(std::abs(half.front().progress.sent - 0.5 * (kSendPs + kHopPs) / kSendPs) < 1e-9);
        const double atHalf = fromTarget(half.front());
        player.setTime(kSendPs + 1);
        QVERIFY(test::part<StepCanvas>(*m_workspace).tokens().front().progress.state == MoveProgress::State::Arriving);
        const double atEnd = fromTarget(test::part<StepCanvas>(*m_workspace).tokens().front());
        QVERIFY(atStart > atHalf && atHalf > atEnd);
    }

    void C2_messagesOnOneLinkLeaveOneAfterTheOther()
    {
        // Direct over a switch of four: three messages of a rank share its way up; the second waits for the first to leave.
        open(stepsOf(allReduce(Shape::Switch, 4, Algorithm::Direct)));
        StepPlayer& player = *m_workspace->player();
        const MoveTableModel& moves = test::part<MoveTableModel>(*m_workspace);
        QCOMPARE(moves.rowCount(), 12);
        player.setTime(kSendPs / 2);
        int half = 0;
        int waiting = 0;
        for (int row = 0; row < 12; ++row) {
            const QString state = plain(moves.index(row, MoveTableModel::State).data().toString());
            half += state == QLatin1String("50 % sent");
            waiting += state == QLatin1String("waits for link");
        }
        QCOMPARE(half, 4);
        QCOMPARE(waiting, 8);
        QCOMPARE(test::part<StepCanvas>(*m_workspace).tokens().size(), std::size_t{4});
        QCOMPARE(test::part<StepCanvas>(*m_workspace).activeLinks().size(), std::size_t{8}); // Up and down of four NPUs.
    }

    void C3_forwardThenBackRestoresTheExactState()
    {
        open(stepsOf(allReduce(Shape::Ring, 4, Algorithm::Ring, 2)));
        StepPlayer& player = *m_workspace->player();
        std::map<std::pair<int, qint64>, std::vector<PartState>> known;
        QRandomGenerator random(7);
        int comparisons = 0;
        for (int turn = 0; turn < cases(2000); ++turn) {
            const auto state = player.cursor()->state();
            const std::vector<PartState> now(state.begin(), state.end());
            const auto [found, isNew] = known.emplace(std::pair(player.chunk(), player.timePs()), now);
            QVERIFY(found->second == now);
            comparisons += !isNew;
            switch (random.bounded(7)) {
            case 0: QTest::keyClick(&test::part<StepCanvas>(*m_workspace), Qt::Key_Home); break;
            case 1: QTest::keyClick(&test::part<StepCanvas>(*m_workspace), Qt::Key_End); break;
            case 2: player.setChunk(random.bounded(2)); break;
            case 3: player.setTime(player.beginPs() + random.bounded(1000) * ((player.endPs() - player.beginPs()) / 1000)); break;
            case 4: {
                // Back from where forward led: the step that was shown, with what was held.
                player.setStep(random.bounded(player.stepCount()));
                const auto before = player.cursor()->state();
                const std::vector<PartState> kept(before.begin(), before.end());
                const int step = player.step();
                const qint64 time = player.timePs();
                QTest::keyClick(&test::part<StepCanvas>(*m_workspace), Qt::Key_Right);
                QTest::keyClick(&test::part<StepCanvas>(*m_workspace), Qt::Key_Left);
                const auto after = player.cursor()->state();
                QCOMPARE(player.step(), step);
                QCOMPARE(player.timePs(), time);
                QVERIFY(kept == std::vector<PartState>(after.begin(), after.end()));
                break;
            }
            case 5: QTest::keyClick(&test::part<StepCanvas>(*m_workspace), Qt::Key_Right); break;
            default: QTest::keyClick(&test::part<StepCanvas>(*m_workspace), Qt::Key_Left); break;
            }
        }
        QVERIFY(comparisons > cases(500));
    }

    void C5_shownRowsAddUpExactlyForEveryMove()
    {
        for (const ScenarioPtr& scenario : {allReduce(Shape::Ring, 4, Algorithm::Ring, 2), allReduce(Shape::Switch, 4, Algorithm::Direct), allReduce(Shape::Switch, 3, Algorithm::Direct, 3)}) {
            open(stepsOf(scenario));
            StepPlayer& player = *m_workspace->player();
            const MoveWhyPanel& why = test::part<MoveWhyPanel>(*m_workspace);
            for (std::size_t i = 0; i < player.replay()->moves().size(); ++i) {
                player.selectMove(static_cast<qint64>(i));
                const ReplayMove& move = player.replay()->moves()[i];
                const QList<QLabel*> values = why.findChildren<QLabel*>(QStringLiteral("value"));
                QCOMPARE(values.size(), qsizetype{4});
                qint64 sum = 0;
                for (const QLabel* value : values) {
                    QVERIFY(picoseconds(value->text()) >= 0);
                    sum += picoseconds(value->text());
                }
                QCOMPARE(sum, picoseconds(test::tagged<QLabel>(why, "sum").text()));
                QCOMPARE(sum, move.donePs - move.readyPs);
            }
        }
    }

    void C5_theSecondMessageOfALinkWaitsForTheFirstToLeave()
    {
        open(stepsOf(allReduce(Shape::Switch, 4, Algorithm::Direct)));
        StepPlayer& player = *m_workspace->player();
        const auto& why = test::part<MoveWhyPanel>(*m_workspace);
        const QList<QLabel*> values = why.findChildren<QLabel*>(QStringLiteral("value"));
        QCOMPARE(values.size(), qsizetype{4});
        for (std::size_t i = 0; i < 12; ++i) {
            const ReplayMove& move = player.replay()->moves()[i];
            player.selectMove(static_cast<qint64>(i));
            // Slot 1 leaves at once, slot 2 after one block, slot 3 after two.
            QCOMPARE(picoseconds(values[0]->text()), (move.slot - 1) * kSendPs);
            QCOMPARE(picoseconds(values[2]->text()), 2 * kHopPs);
            QVERIFY(picoseconds(values[1]->text()) >= kSendPs);
            QCOMPARE(test::tagged<QLabel>(why, "title").text(), QStringLiteral("%1 → %2, chunk part %2").arg(move.source).arg(move.target));
        }
        const QString slot3 = plain(values[0]->text());
        QVERIFY2(slot3 == QLatin1String("0.000") || slot3 == QLatin1String("1 048 576.000") || slot3 == QLatin1String("2 097 152.000"), qPrintable(slot3));
    }

    void C6_theStoryboardHasAGroupPerStep()
    {
        open(stepsOf(allReduce(Shape::Ring, 4, Algorithm::Ring)));
        const auto& storyboard = test::part<Storyboard>(*m_workspace);
        for (int step = 1; step <= 7; ++step) {
            const QList<QAbstractButton*> buttons = storyboard.findChildren<QAbstractButton*>();
            const auto cards = std::count_if(buttons.begin(), buttons.end(), [step](const QAbstractButton* button) { return button->accessibleName().startsWith(QStringLiteral("Step %1,").arg(step)); });
            QCOMPARE(cards, step <= 6 ? 1 : 0);
        }
        QTemporaryDir folder;
        const auto exported = [&](const char* name) {
            const QString path = folder.filePath(QString::fromUtf8(name));
            QFile file(path);
            return storyboard.exportSvg(path) && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        const QByteArray svg = exported("storyboard.svg");
        QXmlStreamReader reader(svg);
        int groups = 0;
        while (!reader.atEnd())
            if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == QLatin1String("g"))
                ++groups;
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QCOMPARE(groups, 6);
        QCOMPARE(exported("again.svg"), svg);

        QString reason;
        QVERIFY(!storyboard.exportSvg(folder.filePath(QStringLiteral("missing/storyboard.svg")), &reason));
        QVERIFY(!reason.isEmpty());
    }

    void boxesLieApartInsideTheAreaAndPathsJoinThem_data()
    {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("firstSize");
        QTest::addColumn<int>("second");
        QTest::addColumn<int>("secondSize");
        QTest::addColumn<int>("kind");
        const auto row = [](const char* name, Shape first, int firstSize, Shape second, int secondSize, StepLayout::Kind kind) {
            QTest::newRow(name) << static_cast<int>(first) << firstSize << static_cast<int>(second) << secondSize << static_cast<int>(kind);
        };
        row("ring and switch", Shape::Ring, 4, Shape::Switch, 4, StepLayout::Kind::Grid);
        row("two switches", Shape::Switch, 8, Shape::Switch, 4, StepLayout::Kind::Grid);
        row("torus", Shape::Ring, 4, Shape::Ring, 8, StepLayout::Kind::Grid);
        row("ring", Shape::Ring, 12, Shape::Ring, 1, StepLayout::Kind::Track);
        row("fully connected", Shape::FullyConnected, 8, Shape::Ring, 1, StepLayout::Kind::Circle);
        row("wide switch", Shape::Switch, 40, Shape::Ring, 1, StepLayout::Kind::Grid);
        row("large", Shape::Switch, 64, Shape::Switch, 8, StepLayout::Kind::Squares);
    }
    void boxesLieApartInsideTheAreaAndPathsJoinThem()
    {
        QFETCH(int, first);
        QFETCH(int, firstSize);
        QFETCH(int, second);
        QFETCH(int, secondSize);
        QFETCH(int, kind);
        PlatformSpec spec = oneDimension(static_cast<Shape>(first), firstSize);
        std::vector<Algorithm> algorithms{Algorithm::Ring};
        if (secondSize > 1) {
            spec.dimensions.push_back(oneDimension(static_cast<Shape>(second), secondSize).dimensions.front());
            algorithms.push_back(Algorithm::Ring);
        }
        LinksScenario scenario(spec);
        scenario.collectiveByAll(CollectiveOp::AllReduce, kBlock, algorithms);
        const CollectiveReplayPtr replay = stepsOf(std::make_shared<const Scenario>(scenario.build())).replay;
        StepRoutes routes(replay);
        const QRectF area(100, 30, 560, 430);
        const StepLayout layout(*replay, area, 1);
        QCOMPARE(static_cast<int>(layout.kind()), kind);
        QCOMPARE(layout.size(), firstSize * secondSize);
        for (int i = 0; i < layout.size(); ++i) {
            QVERIFY(area.adjusted(-25, -25, 25, 25).contains(layout.box(i)));
            QCOMPARE(layout.positionAt(layout.box(i).center(), 0), i);
            for (int j = 0; j < i; ++j)
                QVERIFY2(!layout.box(i).intersects(layout.box(j)), qPrintable(QStringLiteral("%1 and %2").arg(i).arg(j)));
        }
        const double reach = layout.boxSide() * 0.8 + 8;
        for (std::uint32_t i = 0; i < std::min<std::size_t>(2000, replay->moves().size()); ++i) {
            const ReplayMove& move = replay->moves()[i];
            const QPolygonF path = layout.movePath(move.source, move.target, routes.route(i));
            QVERIFY(path.size() >= 2);
            QVERIFY(QLineF(path.front(), layout.box(move.source).center()).length() <= reach);
            QVERIFY(QLineF(path.back(), layout.box(move.target).center()).length() <= reach);
        }
    }

    void aChipHasRoomAroundItsTextAndAHintGivesWay()
    {
        for (const int pixels : {13, 18}) {
            const WithTheme large(Theme(Theme::Mode::Light, pixels));
            StepHeader head(QStringLiteral("Selected move"));
            head.setHint(QStringLiteral("a hint that says more than there is room for in this head"));
            head.show();
            head.setChip("info", QStringLiteral("in flight"));
            head.resize(300, head.height());
            QVERIFY(QTest::qWaitForWindowExposed(&head));
            const auto labels = head.findChildren<QLabel*>();
            const auto chip = std::find_if(labels.begin(), labels.end(), [](const QLabel* label) { return label->property("chip").isValid(); });
            QVERIFY(chip != labels.end());
            QVERIFY2((*chip)->width() >= (*chip)->fontMetrics().horizontalAdvance(QStringLiteral("in flight")) + 16, qPrintable(QString::number((*chip)->width())));
            QCOMPARE(head.width(), 300);
            QVERIFY(!labels.front()->geometry().intersects((*chip)->geometry()));
        }
    }

    void aTitleIsElidedBeforeAControlIsCut()
    {
        const WithTheme large(Theme(Theme::Mode::Light, 26));
        StepHeader head(QStringLiteral("A title that is longer than its head is wide"));
        auto* button = new QPushButton(QStringLiteral("Use in design"));
        head.addControl(button);
        head.resize(360, head.height());
        head.show();
        QVERIFY(QTest::qWaitForWindowExposed(&head));
        QCOMPARE(head.width(), 360);
        QVERIFY2(button->width() >= button->minimumSizeHint().width(), qPrintable(QString::number(button->width())));
        QVERIFY(head.rect().contains(button->geometry()));
    }

    void headsOfListsGrowWithTheText()
    {
        StepPlayer player;
        StepLists lists(&player);
        lists.resize(400, 500);
        lists.show();
        QVERIFY(QTest::qWaitForWindowExposed(&lists));
        const WithTheme large(Theme(Theme::Mode::Light, 26));
        for (const QTableView* table : lists.findChildren<QTableView*>())
            QVERIFY(table->horizontalHeader()->height() >= QFontMetrics(table->horizontalHeader()->font()).height());
    }

    /// Of less width the ends go, then nothing: what is there is whole.
    void theTransportIsWholeWhereThereIsLittleRoom()
    {
        LinksScenario scenario(oneDimension(Shape::FullyConnected, 8));
        scenario.collectiveByAll(CollectiveOp::AllReduce, kBlock, {Algorithm::Ring});
        StepPlayer player;
        player.setReplay(stepsOf(std::make_shared<const Scenario>(scenario.build())).replay);
        QWidget page; // A window of its own would not become smaller.
        StepTransport transport(&player, &page);
        page.show();
        QVERIFY(QTest::qWaitForWindowExposed(&page));
        const WithTheme large(Theme(Theme::Mode::Light, 26));
        for (const int width : {530, 720, 1000, 1500}) {
            transport.resize(width, transport.height());
            QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
            QCOMPARE(transport.width(), width);
            for (const QWidget* part : transport.findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
                if (qobject_cast<const QComboBox*>(part)) // A choice is as wide as there is room.
                    continue;
                const bool whole = part->width() >= part->minimumSizeHint().width() && transport.rect().contains(part->geometry());
                QVERIFY2(part->isHidden() || whole, qPrintable(QStringLiteral("%1 in %2 px").arg(part->accessibleName()).arg(width)));
            }
        }
    }

    void aLowAreaIsUsedInItsWholeWidth()
    {
        LinksScenario scenario(oneDimension(Shape::FullyConnected, 8));
        scenario.collectiveByAll(CollectiveOp::AllReduce, kBlock, {Algorithm::Ring});
        const CollectiveReplayPtr replay = stepsOf(std::make_shared<const Scenario>(scenario.build())).replay;
        for (const double scale : {1.0, 18.0 / 13}) {
            const QRectF area(14, 26, 480, 130 * scale);
            const StepLayout layout(*replay, area, scale);
            // A token of 20 px on a box leaves the box to be seen, and no box reaches the next.
            QVERIFY2(layout.boxSide() >= 28 * scale, qPrintable(QString::number(layout.boxSide() / scale)));
            for (int i = 0; i < layout.size(); ++i)
                for (int j = 0; j < i; ++j)
                    QVERIFY2(!layout.box(i).intersects(layout.box(j)), qPrintable(QStringLiteral("%1 and %2").arg(i).arg(j)));
        }
    }

    void aMatrixCellSelectsTheMoveThatCarriesIt()
    {
        open(stepsOf(allReduce(Shape::Ring, 4, Algorithm::Ring)));
        OwnershipMatrix& matrix = test::part<OwnershipMatrix>(*m_workspace);
        // Step 1: NPU 2 sends part 1 to NPU 3.
        QTest::mouseClick(&matrix, Qt::LeftButton, Qt::NoModifier, matrix.cellRect(3, 1).center().toPoint());
        const ReplayMove& move = m_workspace->player()->replay()->moves()[at(m_workspace->player()->selectedMove())];
        QCOMPARE(move.source, 2);
        QCOMPARE(move.target, 3);
        QCOMPARE(matrix.accessibleDescription(), QStringLiteral("NPU 3, part 1: 1 of 4 contributions"));
    }

    void largeMatricesTakeRanksAndPartsTogether()
    {
        open(stepsOf(allReduce(Shape::Switch, 96, Algorithm::HalvingDoubling)));
        const OwnershipMatrix& matrix = test::part<OwnershipMatrix>(*m_workspace);
        QVERIFY2(matrix.cellText(47, 0).startsWith(QStringLiteral("NPUs 94–95, ")), qPrintable(matrix.cellText(47, 0))); // Two ranks in a row.
        QCOMPARE(matrix.rows(), 48);
        QCOMPARE(matrix.columns(), 48);
        // One contribution of 96 in every cell.
        QCOMPARE(matrix.cell(0, 0).share, 1.0 / 96);
        m_workspace->player()->last();
        QVERIFY(matrix.cell(47, 47).look == OwnershipMatrix::Look::Complete);
    }

    void manyMessagesBecomeDotsAndLargeGroupsSquares()
    {
        open(stepsOf(allReduce(Shape::Switch, 300, Algorithm::HalvingDoubling)));
        QVERIFY(test::part<StepCanvas>(*m_workspace).stepLayout().kind() == StepLayout::Kind::Squares);
        QCOMPARE(test::part<StepCanvas>(*m_workspace).stepLayout().size(), 300);
        QVERIFY(!m_workspace->grab().isNull());
    }
};

FABRICSCOPE_GUI_TEST(StepViewsTest)
#include "tst_stepviews.moc"
