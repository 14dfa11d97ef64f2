#include "core/base/index.h"
#include "core/insight/messagelog.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/draw.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <vector>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Messages as a run tells of them, by when they are delivered. Many do the same at the same time; switches have no number.
std::vector<MessageRecord> drawnMessages(Draw& draw, int ranks)
{
    std::vector<MessageRecord> messages;
    MessageRecord next;
    for (std::int64_t count = draw.from(1, 60); count > 0; --count) {
        if (!draw.oneIn(3)) {
            next.donePs += draw.from(0, 3);
            next.leftPs = next.donePs - draw.from(0, 5);
            next.readyPs = next.leftPs - draw.from(0, 5);
            next.instance = draw.from(-1, 2);
            next.chunk = draw.below(3);
            next.step = draw.below(4);
            next.bytes = draw.from(1, 9);
        }
        next.source = draw.below(ranks);
        next.target = draw.oneIn(8) ? -1 : draw.below(ranks);
        messages.push_back(next);
    }
    return messages;
}

/// Numbers of the messages at one end at that instant, by brute force.
std::vector<std::uint32_t> numbersAt(const std::vector<MessageRecord>& messages, std::int32_t MessageRecord::*end, std::int64_t MessageRecord::*time, std::int32_t rank, std::int64_t ps)
{
    std::vector<std::uint32_t> out;
    for (std::uint32_t number = 0; number < messages.size(); ++number) {
        if (messages[number].*end == rank && messages[number].*time == ps)
            out.push_back(number);
    }
    return out;
}

std::vector<std::uint32_t> listOf(std::span<const std::uint32_t> numbers)
{
    return {numbers.begin(), numbers.end()};
}

} // namespace

class MessageLogTest : public QObject {
    Q_OBJECT

private slots:
    /// Every message comes back as it was told, and is found where and when it arrived and left, those of one instant in the order they came in.
    void everyMessageIsFound()
    {
        for (const std::uint64_t seed : Seeds(1, 100)) {
            Draw draw(seed);
            const int ranks = 1 + draw.below(5);
            const std::vector<MessageRecord> messages = drawnMessages(draw, ranks);
            MessageLog log(messages.size());
            for (const MessageRecord& message : messages)
                log.add(message);
            log.sort(ranks, false);
            QCOMPARE(log.size(), messages.size());
            for (std::uint32_t number = 0; number < messages.size(); ++number)
                QVERIFY(log[number].words() == messages[number].words());
            for (std::int32_t rank = 0; rank < ranks; ++rank) {
                std::size_t arrived = 0;
                std::size_t left = 0;
                for (std::int64_t ps = -20; ps <= messages.back().donePs + 1; ++ps) {
                    const std::vector<std::uint32_t> arriving = numbersAt(messages, &MessageRecord::target, &MessageRecord::donePs, rank, ps);
                    const std::vector<std::uint32_t> leaving = numbersAt(messages, &MessageRecord::source, &MessageRecord::leftPs, rank, ps);
                    QCOMPARE(listOf(log.arrivedAt(rank, ps)), arriving);
                    QCOMPARE(listOf(log.leftAt(rank, ps)), leaving);
                    QCOMPARE(log.arrivedUpTo(rank, ps).size(), arrived += arriving.size());
                    QCOMPARE(log.leftUpTo(rank, ps).size(), left += leaving.size());
                }
            }
            QVERIFY(log.arrivals(ranks).empty() && log.departures(-1).empty());
        }
    }

    /// Rank 0 stands for all: whatever rank is asked for, all messages are there in the order of time.
    void foldedAllRanksAreOne()
    {
        for (const std::uint64_t seed : Seeds(2, 30)) {
            Draw draw(seed);
            const std::vector<MessageRecord> messages = drawnMessages(draw, 3);
            MessageLog log(messages.size());
            for (const MessageRecord& message : messages)
                log.add(message);
            log.sort(3, true);
            std::vector<std::uint32_t> byLeft = listOf(log.arrivals(2));
            QVERIFY(std::ranges::is_sorted(byLeft) && byLeft.size() == messages.size()); // Drawn by when they are delivered.
            std::ranges::stable_sort(byLeft, {}, [&](std::uint32_t number) { return messages[number].leftPs; });
            QCOMPARE(listOf(log.departures(1)), byLeft);
        }
    }

    /// One message too many, and nothing is kept of any until it begins again.
    void moreThanItTakesEmptyIt()
    {
        MessageLog log(2);
        const MessageRecord message{.instance = 0, .source = 0, .target = 1, .bytes = 7};
        for (int i = 0; i < 2; ++i)
            log.add(message);
        QVERIFY(!log.isOver() && log.size() == 2);
        log.add(message);
        QVERIFY(log.isOver() && log.empty());
        log.clear();
        log.add(message);
        QVERIFY(!log.isOver() && log.size() == 1);
    }
};

FABRICSCOPE_TEST(MessageLogTest)
#include "tst_messagelog.moc"
