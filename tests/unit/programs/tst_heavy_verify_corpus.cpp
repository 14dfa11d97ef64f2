// The verifier on all real MSCCL XML files, and on thousands of mutations of them.
#include "core/program/conditions.h"
#include "core/programio/mscclxml.h"
#include "core/verify/verify.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/mscclbreaks.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/oracles/orderproof.h"
#include "tests/unit/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QtTest>
#include <map>
#include <random>
#include <set>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Fewest slots as the table of the corpus says (its README); others need one.
const std::map<std::string, std::int32_t> kSlots = {
    {"allgather_torus2d_4x4", 4},     {"allreduce_hierarchical_4x4", 2}, {"allreduce_hierarchical_8x4", 2},
    {"allreduce_rccl_ring_both_modes_16r", 2}, {"allreduce_ring_32r", 2}, {"allreduce_ring_4r", 2},
};

QByteArray said(const Verification& result)
{
    QByteArray text;
    for (const VerifyFinding& finding : result.findings)
        text += QByteArray::fromStdString(finding.rule + " " + finding.message + "\n");
    return text;
}

/// With what alltonext means where the file is custom.
Program withCondition(const Program& read)
{
    Program program = read;
    if (program.op == CollectiveOp::Custom)
        program.conditions = std::make_shared<Conditions>(allToNext(program.ranks, program.chunks, false));
    return program;
}

struct Outcome {
    bool caught = false;
    std::optional<Program> program; ///< Where there is one.
    Verification result;
};

Outcome outcomeOf(const QByteArray& text)
{
    Outcome out;
    const auto read = parseMsccl({text.constData(), static_cast<std::size_t>(text.size())}, "mutant.xml");
    if (!read || !read.value().program || !read.value().valid()) {
        out.caught = true;
        return out;
    }
    out.program = withCondition(*read.value().program);
    VerifyOptions options;
    options.hints = false;
    out.result = verify(*out.program, options);
    out.caught = !out.result.valid;
    return out;
}

/// The value of an attribute of a line changed by `change`; false where it has none or stays.
bool changeAttribute(QByteArray& line, const char* name, const std::function<int(int)>& change)
{
    return line.contains(QByteArray(" ") + name + "=\"") && setAttribute(line, name, QByteArray::number(change(attribute(line, name))));
}

/// Are all errors of the kinds that take the proof to confirm? Then messages have their partners and operations are inside their buffers.
bool isAboutOrders(const Verification& result)
{
    return std::all_of(result.findings.begin(), result.findings.end(), [](const VerifyFinding& finding) {
        return finding.severity != Severity::Error || finding.rule == "V12" || finding.rule == "V14" || finding.rule == "V15" || finding.rule == "V16";
    });
}

/// What the reader and the verifier say, by rule and severity.
std::map<std::pair<std::string, Severity>, std::set<std::string>> findingsOf(const QByteArray& text)
{
    std::map<std::pair<std::string, Severity>, std::set<std::string>> said;
    const auto read = parseMsccl({text.constData(), static_cast<std::size_t>(text.size())}, "broken.xml");
    if (!read)
        return said;
    for (const Diagnostic& diagnostic : read.value().findings)
        said[{diagnostic.rule, diagnostic.severity}].insert(diagnostic.message);
    if (!read.value().program)
        return said;
    for (const VerifyFinding& finding : verify(*read.value().program).findings)
        said[{finding.rule, finding.severity}].insert(finding.message);
    return said;
}

/// In every mode it claims.
bool isProvedRight(const Program& program)
{
    bool any = false;
    for (const bool inPlace : {false, true}) {
        if (!(inPlace ? program.inPlace : program.outOfPlace))
            continue;
        any = true;
        if (!proveOrders(program, inPlace).right())
            return false;
    }
    return any;
}

} // namespace

class TestHeavyVerifyCorpus : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        const QDir folder(QString::fromStdString(shared) + QStringLiteral("/corpus/msccl_xml"));
        for (const QString& name : folder.entryList({QStringLiteral("*.xml")})) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            m_files.emplace_back(name.chopped(4).toStdString(), file.readAll());
        }
        QCOMPARE(m_files.size(), std::size_t{31});
    }
    void allFilesAreValidWithTheSlotsTheTableSays()
    {
        for (const auto& [name, text] : m_files) {
            const auto read = parseMsccl({text.constData(), static_cast<std::size_t>(text.size())}, name);
            QVERIFY2(read && read.value().program && read.value().valid(), name.c_str());
            const Program& program = *read.value().program;
            VerifyOptions options;
            options.slotCounts = {1, 2, 8};
            const Verification result = verify(program, options);
            QVERIFY2(result.valid, (QByteArray::fromStdString(name) + "\n" + said(result)).constData());
            const auto known = kSlots.find(name);
            QCOMPARE(result.minimumSlots, known == kSlots.end() ? 1 : known->second);
            QCOMPARE(result.postcondition, Postcondition::Holds); // Of the custom one by its name.
            QCOMPARE(result.worksInPlace, program.inPlace);
            QCOMPARE(result.worksOutOfPlace, program.outOfPlace);
            const Verification known2 = verify(withCondition(program));
            QVERIFY2(known2.valid && known2.postcondition == Postcondition::Holds, said(known2));
        }
    }
    void everyRuleIsBrokenOnceInEveryFile()
    {
        std::map<std::string, int> broken;
        std::map<std::string, QByteArrayList> unbroken;
        for (const auto& [name, text] : m_files) {
            auto before = findingsOf(text); // The torus needs more slots than its protocol has: that is said with another number then.
            for (const MscclBreak& one : mscclBreaks()) {
                const std::optional<QByteArray> wrong = one.apply(text);
                if (!wrong) {
                    unbroken[one.rule] << QByteArray::fromStdString(name);
                    continue;
                }
                const std::pair key{one.rule, one.severity};
                const auto after = findingsOf(*wrong);
                const auto has = after.find(key);
                const bool named = has != after.end()
                    && std::any_of(has->second.begin(), has->second.end(), [&](const std::string& message) { return !before[key].contains(message); });
                QVERIFY2(named, (name + ": " + one.rule + " is not named").c_str());
                ++broken[one.rule];
            }
        }
        int all = 0;
        QByteArray list;
        for (const auto& [rule, count] : broken) {
            list += " " + QByteArray::fromStdString(rule) + " " + QByteArray::number(count);
            all += count;
        }
        qInfo("%d breaks of %d files, all named:%s", all, static_cast<int>(m_files.size()), list.constData());
        // Sizes of these collectives need not be multiples of anything.
        QCOMPARE(unbroken.size(), std::size_t{1});
        QCOMPARE(unbroken["V18"].size(), qsizetype{17});
        for (const QByteArray& name : unbroken["V18"])
            QVERIFY2(name.startsWith("allreduce") || name.startsWith("broadcast") || name.startsWith("alltonext"), name.constData());
        qInfo("V18 cannot be broken in %s", unbroken["V18"].join(", ").constData());
        QCOMPARE(broken.size(), std::size_t{20});
    }
    void mutationsAreCaughtOrProvedEquivalent()
    {
        std::mt19937 random(seeded(5));
        std::map<std::string, std::pair<int, int>> counts; // By kind: caught, not.
        int provedWrong = 0;
        for (const auto& [name, text] : m_files) {
            const QList<QByteArray> lines = text.split('\n');
            std::vector<qsizetype> steps;
            for (qsizetype i = 0; i < lines.size(); ++i) {
                if (lines[i].contains("<step "))
                    steps.push_back(i);
            }
            const auto rounds = cases<std::size_t>(text.size() > 400'000 ? 10 : text.size() > 100'000 ? 30 : 100);
            for (const char* kind : {"dependency", "swap", "srcoff", "dstoff", "peer", "type", "cnt"}) {
                for (std::size_t round = 0; round < rounds; ++round) {
                    QList<QByteArray> mutant = lines;
                    bool changed = false;
                    for (int attempt = 0; attempt < 200 && !changed; ++attempt) {
                        const qsizetype at = steps[random() % steps.size()];
                        changed = mutate(mutant, at, kind, random);
                    }
                    if (!changed)
                        continue;
                    const Outcome outcome = outcomeOf(mutant.join('\n'));
                    auto& count = counts[kind];
                    ++(outcome.caught ? count.first : count.second);
                    const std::string what = name + ": " + kind + ", round " + std::to_string(round);
                    if (!outcome.caught) {
                        QVERIFY2(isProvedRight(*outcome.program), what.c_str());
                    } else if (outcome.program && isAboutOrders(outcome.result)) {
                        ++provedWrong;
                        QVERIFY2(!isProvedRight(*outcome.program), (what + "\n" + said(outcome.result).toStdString()).c_str());
                    }
                }
            }
        }
        int caught = 0;
        int all = 0;
        for (const auto& [kind, count] : counts) {
            qInfo("%s: %d caught, %d proved equivalent", kind.c_str(), count.first, count.second);
            caught += count.first;
            all += count.first + count.second;
        }
        qInfo("%d of %d mutations caught (%.1f %%), the other %d proved equivalent; of those caught %d broke no rule of structure, and were proved wrong", caught, all,
              100.0 * caught / all, all - caught, provedWrong);
        QVERIFY(all > cases(10'000));
        QVERIFY(provedWrong > cases(1000));
    }

private:
    static bool mutate(QList<QByteArray>& lines, qsizetype at, const std::string& kind, std::mt19937& random)
    {
        QByteArray& line = lines[at];
        const bool nop = line.contains("type=\"nop\"");
        if (kind == "dependency") {
            if (nop || line.contains("depid=\"-1\""))
                return false;
            changeAttribute(line, "depid", [](int) { return -1; });
            return changeAttribute(line, "deps", [](int) { return -1; });
        }
        if (kind == "swap") { // With the next step of the thread block; numbers stay.
            if (at + 1 >= lines.size() || !lines[at + 1].contains("<step "))
                return false;
            QByteArray& other = lines[at + 1];
            const auto number = [](const QByteArray& text) { return text.mid(text.indexOf(" s=\"") + 4).split('"')[0].toInt(); };
            const int first = number(line);
            const int second = number(other);
            std::swap(line, other);
            changeAttribute(line, "s", [&](int) { return first; });
            changeAttribute(other, "s", [&](int) { return second; });
            return true;
        }
        if (nop)
            return false;
        if (kind == "srcoff" || kind == "dstoff")
            return changeAttribute(line, kind.c_str(), [&](int value) { return value == 0 ? 1 : random() % 2 == 0 ? value - 1 : value + 1; });
        if (kind == "cnt")
            return changeAttribute(line, "cnt", [](int value) { return value + 1; });
        if (kind == "type") {
            static const std::vector<QByteArray> types = {"s", "r", "rcs", "rrc", "rrcs", "rrs", "cpy", "re"};
            const qsizetype begin = line.indexOf(" type=\"") + 7;
            const qsizetype end = line.indexOf('"', begin);
            const QByteArray before = line.mid(begin, end - begin);
            const QByteArray after = types[random() % types.size()];
            line.replace(begin, end - begin, after);
            return after != before;
        }
        // Peer of the thread block the step is in.
        qsizetype block = at;
        while (block > 0 && !lines[block].contains("<tb "))
            --block;
        return changeAttribute(lines[block], random() % 2 == 0 ? "send" : "recv", [](int value) { return value < 0 ? value : value == 0 ? 1 : value - 1; });
    }

    std::vector<std::pair<std::string, QByteArray>> m_files;
};

FABRICSCOPE_TEST(TestHeavyVerifyCorpus)
#include "tst_heavy_verify_corpus.moc"
