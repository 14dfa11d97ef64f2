#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/scriptcase.h"
#include "tests/unit/support/oracles/programrun.h"

#include "core/base/index.h"
#include "core/draw/programcolumns.h"
#include "core/draw/programdrawing.h"
#include "core/draw/svg.h"
#include "core/program/programbuilder.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

ProgramPtr example(const std::string& name, const std::map<std::string, double>& parameters = {})
{
    return compileText(exampleScript(name), parameters).value().program;
}

/// Columns by going over all waits until nothing changes.
std::vector<std::int32_t> relaxedColumns(const Program& program, const std::vector<std::uint32_t>& partner)
{
    const ExplicitBody& body = program.asExplicit();
    std::vector<std::int32_t> out(body.size(), 0);
    const auto moves = [&](std::uint32_t op) { return body.kind[op] == OpKind::Send || receives(body.kind[op]); };
    for (bool changed = true; changed;) {
        changed = false;
        const auto after = [&](std::uint32_t op, std::uint32_t earlier, int distance) {
            if (out[op] < out[earlier] + distance) {
                out[op] = out[earlier] + distance;
                changed = true;
            }
        };
        for (std::int32_t rank = 0; rank < body.rankCount(); ++rank) {
            for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
                for (std::uint32_t i = body.dependBegin[op]; i < body.dependBegin[op + 1]; ++i)
                    after(op, body.depends[i], moves(body.depends[i]) ? 1 : 0);
                for (std::uint32_t other = body.rankBegin[at(rank)]; other < op; ++other) {
                    if (body.lane[op] >= 0 && body.lane[other] == body.lane[op])
                        after(op, other, moves(other) ? 1 : 0);
                }
                if (receives(body.kind[op]))
                    after(op, partner[op], 0);
            }
        }
    }
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (body.kind[op] == OpKind::Send)
            out[op] = out[partner[op]];
    }
    return out;
}

} // namespace

class ProgramDrawingTest : public QObject {
    Q_OBJECT

private slots:
    void plannedStepsAreColumns()
    {
        const ProgramPtr ring = example("allreduce_ring");
        const ProgramColumns columns = programColumns(*ring);
        QVERIFY(columns.asPlanned);
        QCOMPARE(columns.columns, 14);
        QCOMPARE(columns.column, ring->asExplicit().step);
        for (std::uint32_t op = 0; op < ring->asExplicit().size(); ++op)
            QCOMPARE(columns.partner[columns.partner[op]], op);
    }

    void otherProgramsStandInTheOrderOfWhatTheyWaitFor()
    {
        for (const std::uint32_t seed : Seeds<std::uint32_t>(1, 200)) {
            Program program = randomProgram(seed, 2 + static_cast<int>(seed % 4), 4, 30, seed % 2 == 0);
            ExplicitBody& body = std::get<ExplicitBody>(program.body);
            for (std::uint32_t op = 0; op < body.size(); ++op)
                body.step[op] = static_cast<std::int32_t>(op); // As an import numbers them: the ends of a message differ.
            if (body.size() == 0)
                continue;
            const ProgramColumns columns = programColumns(program);
            QCOMPARE(columns.stuck, 0U);
            if (!columns.asPlanned)
                QCOMPARE(columns.column, relaxedColumns(program, columns.partner));
        }
    }

    void whatCanNeverStartStandsAtTheEnd()
    {
        ProgramBuilder builder(CollectiveOp::AllReduce, 2, 2);
        ProgramBuilder::How how;
        how.sendLane = how.receiveLane = 0;
        // Each rank wants to receive before it sends.
        for (const std::int32_t rank : {0, 1}) {
            ProgramBuilder::Row row;
            row.rank = rank;
            row.peer = 1 - rank;
            row.lane = 0;
            row.kind = OpKind::Receive;
            row.targetBuffer = BufferKind::Scratch;
            builder.add(row);
            row.kind = OpKind::Send;
            row.step = 1;
            row.sourceBuffer = BufferKind::Input;
            row.targetBuffer = BufferKind::None;
            builder.add(row);
        }
        const ProgramPtr program = builder.finish("stuck", "test");
        QCOMPARE(programColumns(*program).stuck, 4U);
        QVERIFY(layoutProgram(*program).note.find("wait for ever") != std::string::npos);
    }

    void everyMessageIsAnArrowToTheRight()
    {
        const ProgramPtr program = example("allreduce_hierarchical");
        const ProgramLayout layout = layoutProgram(*program);
        const ExplicitBody& body = program->asExplicit();
        QCOMPARE(layout.arrows.size(), static_cast<std::size_t>(std::count(body.kind.begin(), body.kind.end(), OpKind::Send)));
        QVERIFY(layout.note.empty());
        QCOMPARE(layout.shownRanks, 8);
        QCOMPARE(layout.shownColumns, layout.columns);
        for (const ProgramArrow& arrow : layout.arrows) {
            const ProgramLayout::Band& column = layout.steps[at(arrow.column)];
            QVERIFY(column.left < arrow.line.x1() && arrow.line.x1() < arrow.line.x2() && arrow.line.x2() <= column.right);
            QCOMPARE(arrow.line.y1(), layout.rowY(arrow.from));
            QCOMPARE(arrow.line.y2(), layout.rowY(arrow.to));
            QCOMPARE(arrow.reduces, body.kind[arrow.receive] == OpKind::ReceiveReduce);
            QVERIFY(arrow.line.x2() < layout.size.width() && arrow.line.y2() < layout.size.height());
        }
    }

    void chunksAndPhasesAreNamed()
    {
        ProgramLayoutOptions options;
        options.phases = {"first", "second", "third", "fourth"};
        const ProgramLayout layout = layoutProgram(*example("allreduce_hierarchical"), options);
        QCOMPARE(layout.phases.size(), std::size_t{4});
        QCOMPARE(layout.phases[0].text, std::string("first"));
        QCOMPARE(layout.phases[3].text, std::string("fourth"));
        QCOMPARE(layout.phases[0].left, layout.steps[0].left);
        QCOMPARE(layout.phases[3].right, layout.steps.back().right);
        std::set<std::string> labels;
        for (const ProgramArrow& arrow : layout.arrows)
            labels.insert(arrow.label);
        QVERIFY(labels.contains("0-1") && labels.contains("7"));
        QVERIFY(layoutProgram(*example("broadcast_tree")).phases.empty());
    }

    void largeProgramsAreFolded()
    {
        const ProgramPtr program = example("allreduce_ring", {{"ranks", 80}});
        ProgramLayoutOptions options;
        options.firstRank = 10;
        options.firstColumn = 5;
        options.mostRanks = 16;
        options.mostColumns = 20;
        const ProgramLayout layout = layoutProgram(*program, options);
        // 15 of the 16 ranks shown send to a rank shown, in each of 20 steps.
        QCOMPARE(layout.arrows.size(), std::size_t{15 * 20});
        QCOMPARE(layout.note, std::string("Shown: ranks 10 to 25 of 80, steps 5 to 24 of 158; not shown: 40 messages"));
        options.mostArrows = 100;
        const ProgramLayout fewer = layoutProgram(*program, options);
        QCOMPARE(fewer.shownColumns, 6);
        QCOMPARE(fewer.arrows.size(), std::size_t{90});
        options.firstRank = 1000;
        options.firstColumn = 1000;
        QCOMPARE(layoutProgram(*program, options).shownRanks, 1);
    }

    void instancesAreFolded()
    {
        const ProgramPtr program = compileText("collective('all_reduce', {ranks = 2}) instances(3) chunk(0, 'input', 0):copy(1)").value().program;
        const ProgramLayout layout = layoutProgram(*program);
        QCOMPARE(layout.arrows.size(), std::size_t{1});
        QCOMPARE(layout.note, std::string("Shown: 1 of 3 instances"));
    }

    void nothingIsDrawnOfNothing()
    {
        const ProgramPtr program = compileText("collective('all_reduce', {ranks = 2})").value().program;
        const ProgramLayout layout = layoutProgram(*program);
        QCOMPARE(layout.shownColumns, 0);
        QVERIFY(!svgText(programFigure(*program, layout)).empty());
    }

    void thePictureIsOfAllShapesAndAlwaysTheSame()
    {
        const ProgramPtr program = example("allreduce_allpairs");
        const std::string svg = svgText(programFigure(*program, layoutProgram(*program)));
        QVERIFY(svg.find("all-pairs all-reduce") != std::string::npos);
        QCOMPARE(svg, svgText(programFigure(*program, layoutProgram(*program))));
    }
};

FABRICSCOPE_TEST(ProgramDrawingTest)
#include "tst_programdrawing.moc"
