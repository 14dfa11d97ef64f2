// A program written as Chakra graphs takes the time it takes itself: read back, and as the nodes alone say, in `links` and in ASTRA-sim's custom-collective path.
#include "core/base/index.h"
#include "core/generate/generate.h"
#include "core/program/programbuilder.h"
#include "core/programio/programtraces.h"
#include "core/scenario/programruns.h"
#include "core/sim/events/events.h"
#include "core/trace/etfile.h"
#include "core/trace/etwriter.h"
#include "core/verify/carriedbytes.h"
#include "core/workload/customcollective.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/astracase.h"
#include "tests/unit/support/cases/linkscase.h"
#include "tests/unit/support/cases/mscclcorpus.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/oracles/programrun.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <array>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::vector<ProgramTrace> graphsOf(const Program& program, std::int64_t bytes)
{
    auto traces = programTraces(program, bytes);
    if (!traces)
        qFatal("%s", traces.error().text().c_str());
    return std::move(traces).value();
}

/// The graphs as ASTRA-sim's reader of their files sees them.
TraceSet written(const std::vector<ProgramTrace>& graphs)
{
    std::vector<std::shared_ptr<const RankTrace>> ranks;
    for (const ProgramTrace& trace : graphs) {
        auto read = readTraceBytes(etBytes(trace.metadata, trace.nodes));
        if (!read)
            qFatal("%s", read.error().text().c_str());
        ranks.push_back(std::make_shared<const RankTrace>(std::move(read).value()));
    }
    return TraceSet::fromRanks(std::move(ranks), "memory");
}

ProgramPtr expect(Result<ProgramPtr> program)
{
    if (!program)
        qFatal("%s", program.error().text().c_str());
    return std::move(program).value();
}

/// Where programs run, drawn from a number.
struct Network {
    std::string shape;
    double bandwidth = 50;
    double latency = 500;
    std::optional<std::int64_t> memory; ///< Reducers, bytes/s.
    Model model = Model::Links;
};

Network networkOf(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    Network network;
    network.shape = std::array{"Ring", "Switch", "FullyConnected"}[random() % 3];
    network.bandwidth = std::array{50.0, 12.5, 333.3}[random() % 3];
    network.latency = std::array{500.0, 20.0, 3000.0}[random() % 3];
    if (random() % 2 == 0)
        network.memory = std::array{std::int64_t{30'000'000'000}, std::int64_t{1'777'777'777'777}}[random() % 2];
    network.model = random() % 4 == 0 ? Model::Ideal : Model::Links;
    return network;
}

/// Finish in ps; -1: it cannot finish.
std::int64_t finishOf(const ProgramPtr& program, std::int64_t bytes, const Network& network)
{
    LinksScenario scenario(astraPlatform(network.shape + '(' + std::to_string(program->ranks) + ')', {network.bandwidth}, {network.latency}));
    scenario.model = network.model;
    scenario.reducerRate = network.memory;
    const std::vector<std::int32_t> axes = program->isTemplate() ? program->asTemplate().axes : std::vector<std::int32_t>{program->ranks};
    for (std::int32_t rank = 0; rank < program->ranks; ++rank)
        scenario.collective(rank, 0, bytes, program, axes);
    const auto record = simulateEvents(scenario.build(), {}, {});
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return record.value().complete ? record.value().finish.ps : -1;
}

bool has(const Diagnostics& notes, const std::string& rule)
{
    return std::any_of(notes.begin(), notes.end(), [&](const Diagnostic& each) { return each.rule == rule; });
}

constexpr std::int64_t kNs = 1000;
constexpr std::int64_t kMicro = 1'000'000;

/// What a computation lasts as a node: whole microseconds, 1 ns where that is nothing.
std::int64_t nodeDuration(std::int64_t ps)
{
    const std::int64_t micros = (ps + kMicro / 2) / kMicro;
    return micros > 0 ? micros * kMicro : kNs;
}

/// Order of all sends in the tie rule: by piece (instance, or chunk where there are no tags), phase, step, slot.
std::vector<std::int32_t> tieOrder(const ExplicitBody& body)
{
    const auto key = [&](std::uint32_t op) {
        const OpTags tags = body.tagsOf(op);
        return std::array{body.tags.empty() ? std::max(body.chunk[op], 0) : std::max<std::int32_t>(tags.instance, 0), std::max<std::int32_t>(tags.phase, 0), body.step[op], body.slotOf(op)};
    };
    std::map<std::array<std::int32_t, 4>, std::int32_t> places;
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (body.kind[op] == OpKind::Send)
            places[key(op)] = 0;
    }
    std::int32_t next = 0;
    for (auto& place : places)
        place.second = next++;
    std::vector<std::int32_t> out(body.size(), 0);
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        if (body.kind[op] == OpKind::Send)
            out[op] = places[key(op)];
    }
    return out;
}

/// The program as the notes say that nodes have it, made without any graph: sums and copies of 1 ns, bytes fixed, no slots, no ways, no steps fused.
ProgramPtr plainNodes(const Program& program, std::int64_t bytes)
{
    const ExplicitBody& body = program.asExplicit();
    const OperationBytes sizes = carriedBytes(program, bytes);
    const std::vector<std::int32_t> order = tieOrder(body);
    ExplicitBody out;
    std::vector<std::uint32_t> first(body.size());
    std::vector<std::uint32_t> last(body.size());
    // A receive has the size of the send it meets: connections in order.
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::deque<std::int64_t>> sent;
    const auto ofRank = [&](std::int32_t rank, auto visit) {
        for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op)
            visit(op);
    };
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        ofRank(rank, [&](std::uint32_t op) {
            if (body.kind[op] == OpKind::Send)
                sent[{rank, body.peer[op], body.connection[op]}].push_back(sizes.of(op));
        });
    }
    out.rankBegin.push_back(0);
    for (std::int32_t rank = 0; rank < program.ranks; ++rank) {
        ofRank(rank, [&](std::uint32_t op) {
            const OpKind kind = body.kind[op];
            const bool message = kind == OpKind::Send || receives(kind);
            first[op] = out.size();
            const auto add = [&](OpKind node, std::int64_t size, std::int64_t duration) {
                out.kind.push_back(node);
                out.peer.push_back(node == OpKind::Compute ? -1 : body.peer[op]);
                out.connection.push_back(node == OpKind::Compute ? 0 : body.connection[op]);
                out.lane.push_back(body.lane[op]);
                out.step.push_back(order[op]);
                out.bytes.push_back(size);
                out.duration.push_back(duration);
            };
            if (kind == OpKind::Send) {
                add(OpKind::Send, sizes.of(op), 0);
            } else if (message) {
                auto& queue = sent[{body.peer[op], rank, body.connection[op]}];
                add(OpKind::Receive, queue.front(), 0);
                queue.pop_front();
            }
            if (!message || kind == OpKind::ReceiveReduce)
                add(OpKind::Compute, 0, kind == OpKind::Compute ? nodeDuration(body.durationOf(op)) : kNs);
            last[op] = out.size() - 1;
        });
        out.rankBegin.push_back(out.size());
    }
    out.dependBegin.push_back(0);
    for (std::uint32_t op = 0; op < body.size(); ++op) {
        for (std::uint32_t k = body.dependBegin[op]; k < body.dependBegin[op + 1]; ++k)
            out.depends.push_back(last[body.depends[k]]);
        if (body.isFused(op))
            out.depends.push_back(last[op - 1]);
        out.dependBegin.push_back(static_cast<std::uint32_t>(out.depends.size()));
        if (last[op] != first[op]) {
            out.depends.push_back(first[op]);
            out.dependBegin.push_back(static_cast<std::uint32_t>(out.depends.size()));
        }
    }
    const std::size_t size = out.size();
    out.chunk.assign(size, -1);
    out.count.assign(size, 0);
    out.sourceBuffer.assign(size, BufferKind::None);
    out.targetBuffer.assign(size, BufferKind::None);
    out.sourceOffset.assign(size, 0);
    out.targetOffset.assign(size, 0);
    auto made = std::make_shared<Program>();
    made->op = CollectiveOp::Custom;
    made->ranks = program.ranks;
    made->body = std::move(out);
    return made;
}

/// When the custom collective ends in ASTRA-sim's congestion-unaware back end, in ns, from the rules alone (manual: astra 2 and 9): a node starts when all it needs
/// have ended; a message takes floor(hops * latency + bytes / rate); the send ends with it; a receive then or when it starts; sums and copies take 1 ns.
std::int64_t astraFinish(const Program& program, std::int64_t bytes, const Network& network)
{
    const ProgramPtr nodes = plainNodes(program, bytes);
    const ExplicitBody& body = nodes->asExplicit();
    const auto n = static_cast<std::int32_t>(program.ranks);
    const auto hops = [&](std::int32_t a, std::int32_t b) {
        const std::int32_t ahead = ((b - a) % n + n) % n;
        return network.shape == "Ring" ? std::min(ahead, n - ahead) : network.shape == "Switch" ? 2 : 1;
    };
    const std::uint32_t count = body.size();
    std::vector<std::vector<std::uint32_t>> after(count);  // Starts when this one has ended.
    std::vector<std::uint32_t> receiveOf(count, UINT32_MAX);
    std::vector<std::int32_t> missing(count, 0);
    std::vector<std::int64_t> start(count, 0);
    std::vector<std::int64_t> arrival(count, -1);
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::array<std::vector<std::uint32_t>, 2>> ends;
    std::vector<std::int32_t> rankOf(count);
    for (std::int32_t rank = 0; rank < n; ++rank) {
        std::map<std::int32_t, std::uint32_t> lanes;
        for (std::uint32_t op = body.rankBegin[at(rank)]; op < body.rankBegin[static_cast<std::size_t>(rank) + 1]; ++op) {
            rankOf[op] = rank;
            const auto need = [&](std::uint32_t earlier) {
                after[earlier].push_back(op);
                ++missing[op];
            };
            for (std::uint32_t k = body.dependBegin[op]; k < body.dependBegin[op + 1]; ++k)
                need(body.depends[k]);
            if (body.lane[op] >= 0) {
                if (const auto [found, added] = lanes.try_emplace(body.lane[op], op); !added) {
                    need(found->second);
                    found->second = op;
                }
            }
            if (body.kind[op] == OpKind::Send)
                ends[{rank, body.peer[op], body.connection[op]}][0].push_back(op);
            else if (body.kind[op] == OpKind::Receive)
                ends[{body.peer[op], rank, body.connection[op]}][1].push_back(op);
        }
    }
    for (const auto& entry : ends) {
        for (std::size_t k = 0; k < entry.second[0].size(); ++k) {
            receiveOf[entry.second[0][k]] = entry.second[1][k];
            ++missing[entry.second[1][k]]; // The arrival.
        }
    }
    std::deque<std::uint32_t> ready;
    for (std::uint32_t op = 0; op < count; ++op) {
        if (missing[op] == 0)
            ready.push_back(op);
    }
    std::int64_t finish = 0;
    std::uint32_t done = 0;
    while (!ready.empty()) {
        const std::uint32_t op = ready.front();
        ready.pop_front();
        ++done;
        std::int64_t end = start[op];
        if (body.kind[op] == OpKind::Compute) {
            end += body.durationOf(op) / kNs;
        } else if (body.kind[op] == OpKind::Send) {
            const double rate = network.bandwidth * 1.073741824;
            end += static_cast<std::int64_t>(hops(rankOf[op], body.peer[op]) * network.latency + static_cast<double>(body.bytesOf(op)) / rate);
            const std::uint32_t receive = receiveOf[op];
            arrival[receive] = end;
            if (--missing[receive] == 0)
                ready.push_back(receive);
        } else {
            end = std::max(end, arrival[op]);
        }
        finish = std::max(finish, end);
        for (const std::uint32_t next : after[op]) {
            start[next] = std::max(start[next], end);
            if (--missing[next] == 0)
                ready.push_back(next);
        }
    }
    return done == count ? finish : -1;
}

/// The same by the simulator, from the graphs.
std::int64_t astraRun(const TraceSet& graphs, std::int32_t ranks, const Network& network)
{
    AstraCase run(network.shape + '(' + std::to_string(ranks) + ')', std::to_string(network.bandwidth), std::to_string(network.latency));
    run.model = Model::AstraUnaware;
    run.system.custom[0] = "graph";
    run.customPrograms = {{"graph", expect(customProgramFromTraces(graphs, CollectiveOp::AllReduce))}};
    run.runCollective(CollectiveOp::AllReduce, 12345); // The graph has its own sizes.
    const auto record = run.run();
    if (!record)
        qFatal("%s", record.error().text().c_str());
    return record.value().complete ? record.value().finish.ps / kNs : -1;
}

/// How often each comparison was made, so that none is empty.
struct Tally {
    int back = 0;
    int nodes = 0;
    int same = 0;
    int astra = 0;
    int stuck = 0;
};

/// What differs between a program and its graphs; empty: nothing but what is noted.
std::string difference(const ProgramPtr& program, std::int64_t bytes, const Network& network, Tally& tally)
{
    const auto told = [](const char* what, std::int64_t a, std::int64_t b) { return std::string(what) + ": " + std::to_string(a) + " ps itself, " + std::to_string(b) + " ps its graphs"; };
    const Diagnostics notes = programTraceNotes(*program, bytes);
    const std::vector<ProgramTrace> graphs = graphsOf(*program, bytes);
    // Itself, with the slots of its protocol as a design runs it; and read back, the same way.
    const auto asRun = [](const ProgramPtr& each) { return withSlots(each, slotsOf(each->protocol)); };
    const std::int64_t itself = finishOf(asRun(program), bytes, network);
    const std::int64_t back = finishOf(asRun(expect(programOfTraces(graphs, "graphs"))), bytes, network);
    ++tally.back;
    if (back != itself)
        return told("read back", itself, back);
    if (itself < 0) { // Its protocol has too few slots for it: both stop. With any number neither does.
        ++tally.stuck;
        const std::int64_t free = finishOf(program, bytes, network);
        if (slotsOf(program->protocol) == 0 || free < 0 || free != finishOf(expect(programOfTraces(graphs, "graphs")), bytes, network))
            return told("without slots", free, -1);
    }
    // The nodes alone.
    const TraceSet read = written(graphs);
    const std::int64_t nodes = finishOf(expect(customProgramFromTraces(read)), bytes, network);
    const std::int64_t noted = finishOf(plainNodes(*program, bytes), bytes, network);
    ++tally.nodes;
    if (nodes != noted)
        return told("nodes", noted, nodes);
    if (notes.empty()) {
        ++tally.same;
        if (nodes != itself)
            return told("nodes, and nothing is noted", itself, nodes);
    }
    if (network.latency != 500) // The rest once for a third of the programs.
        return {};
    const std::int64_t rules = astraFinish(*program, bytes, network);
    const std::int64_t custom = astraRun(read, program->ranks, network);
    ++tally.astra;
    return rules < 0 || custom != rules ? told("ASTRA-sim, ns", rules, custom) : std::string();
}

} // namespace

class TestProgramTracesRun : public QObject {
    Q_OBJECT

private slots:
    void generatorsTakeTheSameTime();
    void theCorpusTakesTheSameTime();
    void randomProgramsTakeTheSameTime();
    void templatesTakeTheSameTimeUnlessTheySumJointly();
    void whatIsLostIsSaid();
};

void TestProgramTracesRun::generatorsTakeTheSameTime()
{
    std::mt19937_64 random(seeded(41));
    const auto draw = [&random](int first, int last) { return first + static_cast<int>(random() % static_cast<std::uint64_t>(last - first + 1)); };
    Tally tally;
    for (const GeneratorInfo& info : generators()) {
        if (info.key == "in_network")
            continue; // Graphs have no nodes for what switches do: programTraces() refuses it.
        int made = 0;
        for (int attempt = 0; attempt < cases(400, 400) && made < cases(9, 9); ++attempt) {
            GenerateRequest request;
            request.algorithm = info.key;
            request.op = info.ops[at(draw(0, static_cast<int>(info.ops.size()) - 1))];
            const int axes = draw(1, 2);
            std::int32_t ranks = 1;
            for (int i = 0; i < axes; ++i) {
                request.axes.push_back(draw(0, 1) ? draw(2, axes == 1 ? 12 : 4) : 1 << draw(1, axes == 1 ? 3 : 2));
                ranks *= request.axes.back();
            }
            request.chunks = draw(1, 3);
            request.root = draw(0, 1) ? draw(0, ranks - 1) : 0;
            request.radix = draw(2, std::min(4, ranks));
            if (!checkGenerate(request))
                continue;
            const auto program = generateProgram(request);
            if (!program)
                continue;
            const ProgramPtr written = expect(expandTemplate(program.value()));
            const std::int64_t bytes = draw(0, 1) ? draw(1, 5'000'000) : std::int64_t{ranks} * request.chunks * 5040 * draw(1, 40);
            const std::uint64_t seed = random();
            const std::string problem = difference(written, bytes, networkOf(seed), tally);
            QVERIFY2(problem.empty(), (std::string(info.key) + ' ' + std::string(collectiveKey(request.op)) + " of " + std::to_string(ranks) + ", " + std::to_string(bytes) + " bytes, network "
                                          + std::to_string(seed) + ": " + problem).c_str());
            ++made;
        }
        QVERIFY2(made >= cases(6, 6), std::string(info.key).c_str());
    }
    QVERIFY2(tally.back > 200 && tally.nodes > 200 && tally.same > 40 && tally.astra > 50,
             qPrintable(QStringLiteral("%1 %2 %3 %4").arg(tally.back).arg(tally.nodes).arg(tally.same).arg(tally.astra)));
}

void TestProgramTracesRun::theCorpusTakesTheSameTime()
{
    FABRICSCOPE_NEEDS_SHARED(shared);
    Tally tally;
    std::uint64_t seed = 0;
    for (const std::string& path : mscclCorpus(shared)) {
        const ProgramPtr program = mscclProgram(path);
        ++seed;
        const std::string problem = difference(program, 1'000'003 + static_cast<std::int64_t>(seed) * 77'777, networkOf(seed), tally);
        QVERIFY2(problem.empty(), (path + ": " + problem).c_str());
    }
    // manual: formats 4.4: the all-gather on the 4 x 4 torus needs 4 slots, Simple has 2.
    QVERIFY2(tally.back > 30 && tally.astra > 8 && tally.stuck == 1, qPrintable(QStringLiteral("%1 %2 %3").arg(tally.back).arg(tally.astra).arg(tally.stuck)));
}

void TestProgramTracesRun::randomProgramsTakeTheSameTime()
{
    Tally tally;
    for (std::uint32_t seed = 0; seed < static_cast<std::uint32_t>(cases(600)); ++seed) {
        Program program = randomProgram(seed, 2 + static_cast<int>(seed % 5), 4, static_cast<int>(seed % 40), seed % 2 == 0);
        if (seed % 3 != 0)
            program.protocol = WireProtocol::Any; // Without slots.
        const std::string problem = difference(std::make_shared<const Program>(std::move(program)), 100'000 + seed * 997, networkOf(seed), tally);
        QVERIFY2(problem.empty(), ("seed " + std::to_string(seed) + ": " + problem).c_str());
    }
    QVERIFY(tally.back == cases(600) && tally.astra > cases(150));
}

/// A template itself, against the graphs of what it is written out as.
void TestProgramTracesRun::templatesTakeTheSameTimeUnlessTheySumJointly()
{
    int joint = 0;
    int same = 0;
    for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::Direct, Algorithm::HalvingDoubling}) {
        for (const CollectiveOp op : {CollectiveOp::AllReduce, CollectiveOp::ReduceScatter, CollectiveOp::AllGather}) {
            for (const std::int32_t ranks : {2, 3, 4, 7, 8}) {
                const ProgramPtr program = templateProgram(op, {ranks}, {algorithm}, 2);
                const std::int64_t bytes = std::int64_t{ranks} * 2 * 65536;
                const std::vector<ProgramTrace> graphs = graphsOf(*expect(expandTemplate(program)), bytes);
                for (const bool slow : {false, true}) {
                    Network network;
                    network.shape = "Switch";
                    if (slow)
                        network.memory = 20'000'000'000;
                    const std::int64_t itself = finishOf(program, bytes, network);
                    const std::int64_t back = finishOf(expect(programOfTraces(graphs, "graphs")), bytes, network);
                    const bool noted = has(programTraceNotes(*program, bytes), "graph-joint-sums");
                    QCOMPARE(noted, op != CollectiveOp::AllGather && ranks > 2 && (algorithm == Algorithm::Direct || (algorithm == Algorithm::HalvingDoubling && ranks % 4 != 0)));
                    if (noted && slow) {
                        QVERIFY(back != itself);
                        ++joint;
                    } else {
                        QVERIFY2(back == itself, qPrintable(QStringLiteral("%1 %2 of %3: %4, %5").arg(int(algorithm)).arg(int(op)).arg(ranks).arg(itself).arg(back)));
                        ++same;
                    }
                }
            }
        }
    }
    QVERIFY(joint == 12 && same == 78);
}

ProgramBuilder::Op compute(ProgramBuilder& builder, std::int32_t rank, std::int64_t ps)
{
    ProgramBuilder::Row row;
    row.rank = rank;
    row.kind = OpKind::Compute;
    row.count = 0;
    row.duration = ps;
    return builder.add(row);
}

/// Every way in which a graph is not the program has its note, and makes a difference; without it there is none.
void TestProgramTracesRun::whatIsLostIsSaid()
{
    const auto rules = [](const ProgramPtr& program, std::int64_t bytes) {
        std::vector<std::string> out;
        for (const Diagnostic& each : programTraceNotes(*program, bytes)) {
            out.push_back(each.rule);
            if (each.severity != Severity::Note || each.message.empty())
                out.push_back("no note");
        }
        return out;
    };
    using Rules = std::vector<std::string>;
    const std::int64_t bytes = 1 << 20;
    Network network;
    network.shape = "Ring";
    const auto nodesOf = [&](const ProgramPtr& program) { return finishOf(expect(customProgramFromTraces(written(graphsOf(*program, bytes)))), bytes, network); };
    // Rank 0 sends two chunks; rank 1 needs a computation before it takes the first.
    const auto pair = [&](const std::function<void(ProgramBuilder&)>& change) {
        ProgramBuilder builder(CollectiveOp::Custom, 4, 2);
        const ProgramBuilder::Op work = compute(builder, 1, 90 * kMicro);
        ProgramBuilder::How how;
        how.sendLane = how.receiveLane = 0;
        for (int i = 0; i < 2; ++i) {
            const auto transfer = builder.transfer({0, BufferKind::Input, i}, {1, BufferKind::Output, i}, 1, how);
            if (i == 0)
                builder.depend(transfer.receive, work);
        }
        change(builder);
        return builder.finish("pair", "test");
    };
    const ProgramPtr plain = pair([](ProgramBuilder&) {});
    QCOMPARE(rules(plain, bytes), Rules{});
    QCOMPARE(nodesOf(plain), finishOf(plain, bytes, network));
    QCOMPARE(rules(plain, -1), Rules{"graph-sizes"});

    const ProgramPtr limited = pair([](ProgramBuilder& builder) { builder.extras().receiveSlots = 1; });
    QCOMPARE(rules(limited, bytes), Rules{"graph-slots"});
    QVERIFY(nodesOf(limited) < finishOf(limited, bytes, network));
    QCOMPARE(rules(pair([](ProgramBuilder& builder) { builder.header().protocol = WireProtocol::LL; }), bytes), Rules{"graph-slots"});

    const ProgramPtr durations = pair([](ProgramBuilder& builder) { compute(builder, 2, 900 * kMicro + 400'000); });
    QCOMPARE(rules(durations, bytes), Rules{"graph-durations"});
    QCOMPARE(finishOf(durations, bytes, network), 900 * kMicro + 400'000);
    QCOMPARE(nodesOf(durations), 900 * kMicro);

    const ProgramPtr sums = pair([](ProgramBuilder& builder) {
        ProgramBuilder::How how;
        how.reduce = true;
        const ProgramBuilder::Op received = 4; // The second receive.
        builder.depend(builder.local({1, BufferKind::Output, 0}, {1, BufferKind::Output, 1}, 1, how), received);
    });
    QCOMPARE(rules(sums, bytes), Rules{"graph-sums"});
    QCOMPARE(nodesOf(sums), finishOf(sums, bytes, network) + kNs);

    // The long way round: over 3 and 2.
    const auto platform = Platform::create(astraPlatform("Ring(4)", {50}, {500}));
    QVERIFY(platform);
    const ProgramPtr routed = pair([&](ProgramBuilder& builder) {
        builder.extras().routes = {{*platform.value().ringLink(0, 0, RingDirection::Minus), *platform.value().ringLink(0, 3, RingDirection::Minus), *platform.value().ringLink(0, 2, RingDirection::Minus)}};
        ProgramBuilder::How how;
        how.connection = 1;
        how.route = 0;
        builder.transfer({0, BufferKind::Input, 0}, {1, BufferKind::Scratch, 0}, 1, how);
    });
    QCOMPARE(rules(routed, bytes), Rules{"graph-routes"});
}

FABRICSCOPE_TEST(TestProgramTracesRun)
#include "tst_programtraces_run.moc"
