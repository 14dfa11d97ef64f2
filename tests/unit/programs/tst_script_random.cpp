#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/scriptcase.h"

#include "core/base/index.h"
#include "core/program/programbuilder.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>
#include <array>
#include <map>
#include <random>
#include <tuple>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

using Where = std::tuple<std::int32_t, BufferKind, std::int32_t>;

const char* word(BufferKind buffer)
{
    return buffer == BufferKind::Input ? "'input'" : buffer == BufferKind::Output ? "'output'" : "'scratch'";
}

/// A random script and the same program made by hand with ProgramBuilder: steps, sizes and lanes by the rules of the documentation.
class Twin {
public:
    explicit Twin(std::uint32_t seed)
        : m_random(seed)
        , m_ranks(2 + below(5))
        , m_chunks(1 + below(6))
        , m_builder(CollectiveOp::Custom, m_ranks, m_chunks)
    {
        m_text = "collective('custom', {ranks = " + std::to_string(m_ranks) + ", chunks = " + std::to_string(m_chunks) + ", name = 'twin'})\n";
        m_builder.header().inPlace = false;
        for (std::int32_t rank = 0; rank < m_ranks; ++rank) {
            for (std::int32_t i = 0; i < m_chunks; ++i)
                m_memory[{rank, BufferKind::Input, i}] = {0, 0, i};
        }
        const int operations = below(60);
        for (int i = 0; i < operations; ++i)
            step();
        m_builder.inferDependencies();
        program = m_builder.finish("twin", "script t.lua");
    }

    const std::string& text() const { return m_text; }
    ProgramPtr program;

private:
    struct Cell {
        std::int32_t ready = 0;
        std::int32_t unused = 0;
        std::int32_t chunk = 0;
    };

    std::int32_t below(int most) { return static_cast<std::int32_t>(m_random() % static_cast<std::uint32_t>(most)); }
    bool defined(const Where& place, std::int32_t count) const
    {
        const auto& [rank, buffer, index] = place;
        for (std::int32_t i = 0; i < count; ++i) {
            if (!m_memory.contains({rank, buffer, index + i}))
                return false;
        }
        return true;
    }
    std::int32_t lane(std::int32_t rank, int side, std::int32_t peer, std::int32_t channel)
    {
        auto& lanes = m_lanes[rank];
        return lanes.try_emplace({side, peer, channel}, static_cast<std::int32_t>(lanes.size())).first->second;
    }

    void step()
    {
        const bool reduce = below(2) == 0;
        const std::int32_t count = 1 + below(2);
        const std::int32_t channel = below(2);
        auto begin = m_memory.begin();
        std::advance(begin, below(static_cast<int>(m_memory.size())));
        const auto [fromRank, fromBuffer, fromIndex] = begin->first;
        const std::int32_t toRank = below(m_ranks);
        const BufferKind toBuffer = std::array{BufferKind::Input, BufferKind::Output, BufferKind::Scratch}[at(below(3))];
        const std::int32_t size = toBuffer == BufferKind::Scratch ? 8 : m_chunks;
        if (count > size)
            return;
        const std::int32_t toIndex = below(size - count + 1);
        if (!defined({fromRank, fromBuffer, fromIndex}, count) || (reduce && !defined({toRank, toBuffer, toIndex}, count)))
            return;
        const bool local = fromRank == toRank;
        if (local && fromBuffer == toBuffer && std::abs(fromIndex - toIndex) < count)
            return;
        const auto place = [&](std::int32_t rank, BufferKind buffer, std::int32_t index) {
            return "chunk(" + std::to_string(rank) + ", " + word(buffer) + ", " + std::to_string(index) + ", " + std::to_string(count) + ")";
        };
        const std::string options = "{ch = " + std::to_string(channel) + "}";
        ++m_line;
        if (reduce)
            m_text += place(toRank, toBuffer, toIndex) + ":reduce(" + place(fromRank, fromBuffer, fromIndex) + ", " + options + ")\n";
        else
            m_text += place(fromRank, fromBuffer, fromIndex) + ":copy(" + std::to_string(toRank) + ", " + word(toBuffer) + ", " + std::to_string(toIndex) + ", " + options + ")\n";

        ProgramBuilder::How how;
        how.reduce = reduce;
        how.chunk = m_memory.at({fromRank, fromBuffer, fromIndex}).chunk;
        how.connection = channel;
        how.sourceId = static_cast<std::uint64_t>(m_line);
        for (std::int32_t i = 0; i < count; ++i) {
            how.step = std::max(how.step, m_memory.at({fromRank, fromBuffer, fromIndex + i}).ready);
            const auto target = m_memory.find({toRank, toBuffer, toIndex + i});
            if (target != m_memory.end())
                how.step = std::max({how.step, target->second.ready, target->second.unused});
        }
        const std::int32_t after = how.step + (local ? 0 : 1);
        for (std::int32_t i = 0; i < count; ++i) {
            Cell& source = m_memory.at({fromRank, fromBuffer, fromIndex + i});
            source.unused = std::max(source.unused, after);
            const std::int32_t chunk = reduce ? m_memory.at({toRank, toBuffer, toIndex + i}).chunk : source.chunk;
            m_memory[{toRank, toBuffer, toIndex + i}] = {after, after, chunk};
        }
        const ProgramBuilder::Place from{fromRank, fromBuffer, fromIndex};
        const ProgramBuilder::Place to{toRank, toBuffer, toIndex};
        if (local) {
            how.sendLane = lane(fromRank, 0, 0, channel);
            m_builder.local(from, to, count, how);
        } else {
            how.sendLane = lane(fromRank, 1, toRank, channel);
            how.receiveLane = lane(toRank, 2, fromRank, channel);
            m_builder.transfer(from, to, count, how);
        }
    }

    std::mt19937 m_random;
    std::int32_t m_ranks;
    std::int32_t m_chunks;
    ProgramBuilder m_builder;
    std::string m_text;
    int m_line = 1;
    std::map<Where, Cell> m_memory;
    std::map<std::int32_t, std::map<std::tuple<int, std::int32_t, std::int32_t>, std::int32_t>> m_lanes;
};

} // namespace

class ScriptRandomTest : public QObject {
    Q_OBJECT

private slots:
    void scriptsAreThePrograms()
    {
        for (const std::uint32_t seed : Seeds<std::uint32_t>(1, 2000)) {
            const Twin twin(seed);
            const Result<Script> script = compileText(twin.text());
            QVERIFY2(script, script ? "" : (script.error().text() + "\n" + twin.text()).c_str());
            QVERIFY2(script.value().program->asExplicit() == twin.program->asExplicit(), twin.text().c_str());
            QVERIFY(script.value().program->digest() == twin.program->digest());
        }
    }

    /// What the end of the script promises (no note) is what an executor finds, in any order of execution.
    void programsLeaveWhatTheTraceSays()
    {
        for (const std::uint32_t seed : Seeds<std::uint32_t>(1, 200)) {
            const Twin twin(seed);
            const std::string first = wrongResult(*twin.program);
            QVERIFY2(first.empty(), (first + "\n" + twin.text()).c_str());
        }
    }
};

FABRICSCOPE_TEST(ScriptRandomTest)
#include "tst_script_random.moc"
