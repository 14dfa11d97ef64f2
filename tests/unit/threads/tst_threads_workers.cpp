// Work shared between threads: every item once, bounded threads, exceptions of helpers arrive where they can be caught.
#include "core/base/outofmemory.h"
#include "core/base/workers.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>
#include <atomic>
#include <mutex>
#include <new>
#include <pthread.h>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

using namespace fabricscope;

namespace {

/// No thread can be started while one lives: its stack would be larger than any address space.
class NoThreads {
public:
    NoThreads()
    {
        ::pthread_getattr_default_np(&m_before);
        pthread_attr_t huge;
        ::pthread_getattr_default_np(&huge);
        ::pthread_attr_setstacksize(&huge, std::size_t{1} << 55);
        ::pthread_setattr_default_np(&huge);
        ::pthread_attr_destroy(&huge);
    }
    ~NoThreads()
    {
        ::pthread_setattr_default_np(&m_before);
        ::pthread_attr_destroy(&m_before);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;
    static bool holds()
    {
        try {
            std::thread([] {}).join();
            return false;
        } catch (const std::system_error&) {
            return true;
        }
    }

private:
    pthread_attr_t m_before;
};

} // namespace

class TestThreadsWorkers : public QObject {
    Q_OBJECT

private slots:
    void everyItemIsWorkedOnOnce_data()
    {
        QTest::addColumn<int>("items");
        QTest::addColumn<qint64>("threads");
        QTest::newRow("nothing") << 0 << qint64{4};
        QTest::newRow("one item") << 1 << qint64{4};
        QTest::newRow("one thread") << 1000 << qint64{1};
        QTest::newRow("no thread") << 10 << qint64{0};
        QTest::newRow("several threads") << 1000 << qint64{4};
        QTest::newRow("absurdly many threads") << 1000 << qint64{INT64_MAX};
    }
    void everyItemIsWorkedOnOnce()
    {
        QFETCH(const int, items);
        QFETCH(const qint64, threads);
        std::vector<std::atomic<int>> times(static_cast<std::size_t>(items));
        forEachItem(times.size(), threads, [&](std::size_t i) {
            ++times[i];
            return true;
        });
        for (const std::atomic<int>& each : times)
            QCOMPARE(each.load(), 1);
    }

    void threadsAreBoundedByWorkAndCores()
    {
        const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        QCOMPARE(workerCount(1'000'000, INT64_MAX), cores);
        QCOMPARE(workerCount(SIZE_MAX, 1'000'000), cores);
        QCOMPARE(workerCount(1, 64), 1);
        QCOMPARE(workerCount(0, 64), 1);
        QCOMPARE(workerCount(100, -3), 1);
        std::mutex mutex;
        std::set<std::thread::id> seen;
        forEachItem(10'000, 1'000, [&](std::size_t) {
            const std::lock_guard lock(mutex);
            seen.insert(std::this_thread::get_id());
            return true;
        });
        QVERIFY(static_cast<int>(seen.size()) <= cores);
    }

    void exceptionOfAnyThreadReachesTheCaller_data()
    {
        QTest::addColumn<int>("thrower");
        for (const int item : {0, 1, 57, 199})
            QTest::addRow("item %d", item) << item;
    }
    void exceptionOfAnyThreadReachesTheCaller()
    {
        QFETCH(const int, thrower);
        std::atomic<int> begun{0};
        const auto run = [&] {
            forEachItem(200, 4, [&](std::size_t i) {
                ++begun;
                if (static_cast<int>(i) == thrower)
                    throw std::bad_alloc();
                return true;
            });
        };
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, run());
        // All below the one that failed have begun (items are handed out in order).
        QVERIFY(begun.load() > thrower);
    }

    void helperThatRunsOutOfMemoryIsAnErrorOfTheJob()
    {
        const std::thread::id caller = std::this_thread::get_id();
        if (workerCount(2, 2) < 2)
            return; // One core: there are no helper threads.
        // Item 0 and 1 meet, so that they run on two threads; the helper fails.
        std::atomic<int> arrived{0};
        const Status status = catchOutOfMemory([&]() -> Status {
            forEachItem(2, 2, [&](std::size_t) {
                ++arrived;
                while (arrived.load() < 2)
                    std::this_thread::yield();
                if (std::this_thread::get_id() != caller)
                    throw std::bad_alloc();
                return true;
            });
            return {};
        });
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::MemoryLimit);
        QCOMPARE(exitCode(status.error().code), 6);
        QVERIFY(!status.error().message.empty());
    }

    void noFurtherItemsAfterOneThatEndsIt()
    {
        std::atomic<int> begun{0};
        forEachItem(1'000'000'000'000, 4, [&](std::size_t i) {
            ++begun;
            return i < 100;
        });
        // Those below the one that ended it, that one, and at most one more for each other thread.
        QVERIFY(begun.load() >= 101);
        QVERIFY(begun.load() <= 101 + workerCount(1000, 4));
    }

    void withoutThreadsTheCallerDoesEverything()
    {
        const NoThreads none;
        if (!NoThreads::holds())
            return; // Threads start whatever the size of their stacks here: a sanitizer chooses it.
        const std::thread::id caller = std::this_thread::get_id();
        int done = 0;
        forEachItem(100, 8, [&](std::size_t) {
            done += std::this_thread::get_id() == caller ? 1 : 0;
            return true;
        });
        QCOMPARE(done, 100);
    }

    void onlyWantOfMemoryIsCaught()
    {
        const auto of = [](auto thrown) {
            return catchOutOfMemory([&]() -> Status { throw thrown; }).error().code;
        };
        QCOMPARE(of(std::bad_alloc()), ErrorCode::MemoryLimit);
        QCOMPARE(of(std::bad_array_new_length()), ErrorCode::MemoryLimit);
        QCOMPARE(of(std::length_error("vector")), ErrorCode::MemoryLimit);
        QCOMPARE(of(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again))), ErrorCode::MemoryLimit);
        QCOMPARE(of(std::system_error(std::make_error_code(std::errc::not_enough_memory))), ErrorCode::MemoryLimit);
        QVERIFY_THROWS_EXCEPTION(std::system_error, of(std::system_error(std::make_error_code(std::errc::io_error))));
        QVERIFY_THROWS_EXCEPTION(std::logic_error, of(std::logic_error("bug")));
        const Result<int> seven = catchOutOfMemory([]() -> Result<int> { return 7; });
        QCOMPARE(seven.value(), 7);
        const Result<int> refused = catchOutOfMemory([]() -> Result<int> { return Error{ErrorCode::Usage, "no", {}, {}}; });
        QCOMPARE(refused.error().message, std::string("no"));
    }

    void errorOfMemoryIsNoReasonToTrySomethingElse()
    {
        QVERIFY(endsTheJob(outOfMemory()));
        QVERIFY(endsTheJob(Error{ErrorCode::Cancelled, {}, {}, {}}));
        QVERIFY(!endsTheJob(Error{ErrorCode::Unsupported, {}, {}, {}}));
    }
};

FABRICSCOPE_TEST(TestThreadsWorkers)
#include "tst_threads_workers.moc"
