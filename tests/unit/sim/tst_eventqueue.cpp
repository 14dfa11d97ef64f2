#include "tests/unit/support/heapqueue.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <map>
#include <random>

using namespace fabricscope;

namespace {

/// Pushes random delays, some far beyond any level of a wheel, and compares every instant with an ordered multimap.
template <typename Queue>
bool agreesWithOrderedMap(std::uint64_t seed, int steps)
{
    std::mt19937_64 random(seed);
    Queue queue;
    std::multimap<std::int64_t, std::int32_t> expected;
    std::vector<Event> batch;
    std::int64_t now = -1;
    std::int32_t next = 0;
    for (int step = 0; step < steps; ++step) {
        const int pushes = static_cast<int>(random() % 4);
        for (int i = 0; i < pushes || expected.empty(); ++i) {
            const std::int64_t range = std::int64_t{1} << (random() % 40);
            const std::int64_t time = now + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range));
            Event event;
            event.time = time;
            event.object = next;
            queue.push(event);
            expected.emplace(time, next++);
        }
        batch.clear();
        const std::int64_t time = queue.takeInstant(batch);
        if (time <= now || time != expected.begin()->first)
            return false;
        now = time;
        std::multimap<std::int64_t, std::int32_t> taken;
        for (const Event& event : batch)
            taken.emplace(event.object, event.object);
        const auto [first, last] = expected.equal_range(time);
        if (batch.size() != static_cast<std::size_t>(std::distance(first, last)))
            return false;
        for (auto it = first; it != last; ++it) {
            if (taken.count(it->second) != 1)
                return false;
        }
        expected.erase(first, last);
        if (queue.size() != expected.size())
            return false;
    }
    return true;
}

} // namespace

class EventQueueTest : public QObject {
    Q_OBJECT

private slots:
    void heapHandsOutInstantsInOrder() { QVERIFY(agreesWithOrderedMap<HeapQueue>(1, 50000)); }
    void wheelHandsOutInstantsInOrderAtEveryDigitWidth()
    {
        QVERIFY(agreesWithOrderedMap<WheelQueue<4>>(2, 50000));
        QVERIFY(agreesWithOrderedMap<WheelQueue<6>>(3, 50000));
        QVERIFY(agreesWithOrderedMap<WheelQueue<8>>(4, 50000));
        QVERIFY(agreesWithOrderedMap<WheelQueue<11>>(5, 50000));
    }
    void wheelKeepsTheFarthestTime()
    {
        WheelQueue<8> queue;
        queue.push({INT64_MAX, 1, 0, 0});
        queue.push({5, 2, 0, 0});
        std::vector<Event> batch;

        QCOMPARE(queue.takeInstant(batch), std::int64_t{5});
        QCOMPARE(queue.takeInstant(batch), INT64_MAX);

        QVERIFY(queue.empty());
        QCOMPARE(batch.size(), std::size_t{2});
    }
};

FABRICSCOPE_TEST(EventQueueTest)
#include "tst_eventqueue.moc"
