#include "tests/unit/support/runs.h"

namespace fabricscope::test {

RunSummary smallRun()
{
    auto record = std::make_shared<RunRecord>();
    record->model = Model::Links;
    record->version = "physical/1";
    record->finish = {41'179'698};
    record->lowerBound = SimTime{40'000'000};
    record->rankCount = 7;
    RankClass slow;
    slow.ranks = RankSet::parse("0-3,6").value();
    slow.times.finish = {41'179'698};
    slow.times.compute = {1'500};
    slow.times.comm = {41'178'000};
    slow.times.exposedComm = {41'178'000};
    auto tasks = std::make_shared<TaskTimes>();
    tasks->issuePs = {0, 1'500, 1'500, -1};
    tasks->endPs = {1'500, 41'179'500, 2'500, -1};
    slow.tasks = tasks;
    RankClass fast = slow;
    fast.ranks = RankSet::parse("4-5").value();
    fast.job = 1;
    fast.times.finish = {40'000'000};
    record->classes = {slow, fast};
    record->finishOrder = {4, 5, 0, 1, 2, 3, 6};
    DimensionUse use;
    use.name = "dimension 0, Ring(7)";
    use.links = 14;
    use.messages = 98;
    use.bytes = 98 << 17;
    use.busyPs = 14 * 41'179'698LL / 4;
    use.peakLinkPs = 41'179'698 / 2;
    use.busy = BusyPyramid::restored(1 << 17, {5, 0, 7});
    record->dimensions = {use};
    record->links = {{3, 7, 7 << 17, 20'589'849}};
    record->fingerprint = {0x0123456789abcdefULL, 0xfedcba9876543210ULL};
    record->events = 1234;
    record->engines = {{"events", 98, 1.0}};

    RunSummary summary;
    summary.name = "Ring of seven";
    summary.workload = "trace step (7 ranks)";
    summary.designHash = "00112233445566778899aabbccddeeff";
    summary.dimensions = {{"50 GiB/s", "100 GiB/s", "500 ns"}};
    summary.parameters = {{"dimension 0 bandwidth", "50 GiB/s", "net.yml", false}, {"endpoint delay", "0 ns", "default", true}};
    Place place;
    place.file = "system.json";
    place.field = "boost-mode";
    summary.diagnostics = {warning("unknown-key", "unknown key, ignored", place), note("piece", "pieces of 256 KiB")};
    summary.record = record;
    return summary;
}

RunSummary stuckRun()
{
    RunSummary summary = smallRun();
    auto record = std::make_shared<RunRecord>(*summary.record);
    record->complete = false;
    record->classes[0].times.finished = false;
    record->lowerBound.reset();
    record->waits = {{0, 4, "ALL_REDUCE 'grad'", "rank 1 has not entered", {1}}, {1, 18446744073709551615ULL, "RECV", "rank 0 has not sent", {0}}};
    summary.record = record;
    return summary;
}

} // namespace fabricscope::test
