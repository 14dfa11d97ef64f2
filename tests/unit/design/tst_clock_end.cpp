// Runs that last as long as the clock of 63 bits of picoseconds reaches, and longer: a time in closed form, or an error that says why.
#include "tests/unit/support/cases/networkcase.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// A send between two NPUs over one link of 1 kB/s: where it ends, ps, or the error.
std::pair<std::int64_t, std::string> sent(const std::string& model, const std::string& size)
{
    const Scenario scenario = scenarioOf("fabricscope: 1\nplatform: {topology: \"FullyConnected(2)\", bandwidth: 1 kB/s, latency: 1 us}\nmodel: {name: " + model
                                         + "}\nworkload: {steps: [{send: " + size + ", to: 1, ranks: 0}, {receive: " + size + ", from: 0, ranks: 1}]}\n");
    const auto record = simulate(scenario, {});
    return record ? std::pair{record.value().finish.ps, std::string()} : std::pair{std::int64_t{-1}, record.error().text()};
}

} // namespace

class TestClockEnd : public QObject {
    Q_OBJECT

private slots:
    void longRunsEndInTimeOrWithAnError()
    {
        constexpr std::int64_t kLatency = 1'000'000;
        for (const std::string model : {"links", "ideal"}) {
            // 5 GB take 5 * 10^6 s: past the half of the clock.
            QCOMPARE(sent(model, "5 GB").first, 5'000'000'000'000'000'000 + kLatency);
            for (const std::string size : {"10 GB", "20 GB", "60 GB", "1 PB"}) {
                const auto [end, said] = sent(model, size);
                QCOMPARE(end, -1);
                QVERIFY2(said.find(size + " over a link of 1 kB/s") != std::string::npos && said.find("106 days") != std::string::npos && said.find("9.205 GB") != std::string::npos, said.c_str());
            }
        }
        QCOMPARE(sent("flow", "60 GB").first, -1);
    }

    void astraModelsEndToo()
    {
        for (const std::string model : {"astra-unaware", "astra-aware"}) {
            for (const std::string size : {"9 GB", "60 GB", "1 PB"}) {
                const auto [end, said] = sent(model, size);
                QCOMPARE(end, -1);
                QVERIFY2(said.find("104 days") != std::string::npos, said.c_str());
            }
        }
    }
};

FABRICSCOPE_TEST(TestClockEnd)
#include "tst_clock_end.moc"
