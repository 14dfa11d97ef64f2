#include "core/generate/generate.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/oracles/symbolic.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

std::int32_t productOf(const std::vector<std::int32_t>& axes)
{
    std::int32_t product = 1;
    for (const std::int32_t extent : axes)
        product *= extent;
    return product;
}

QString textOf(const GenerateRequest& request)
{
    QString axes;
    for (const std::int32_t extent : request.axes)
        axes += QString(" %1").arg(extent);
    return QString("%1 %2, axes%3, chunks %4, root %5, radix %6")
        .arg(QString::fromStdString(request.algorithm), QString::fromStdString(std::string(collectiveKey(request.op))), axes)
        .arg(request.chunks)
        .arg(request.root)
        .arg(request.radix);
}

/// The program written out; the reason in `error` where there is none.
ProgramPtr explicitProgram(const GenerateRequest& request, QString& error)
{
    auto program = generateProgram(request);
    if (!program) {
        error = QString::fromStdString(program.error().text());
        return nullptr;
    }
    auto written = expandTemplate(program.value());
    if (!written) {
        error = QString::fromStdString(written.error().text());
        return nullptr;
    }
    return written.value();
}

/// Runs it in every mode the flags claim; empty: all is well.
QString problemOf(const GenerateRequest& request, std::uint64_t seed)
{
    QString error;
    const ProgramPtr program = explicitProgram(request, error);
    if (!program)
        return error;
    if (!program->inPlace && !program->outOfPlace)
        return "works in no mode";
    for (const bool inPlace : {true, false}) {
        if (inPlace ? !program->inPlace : !program->outOfPlace)
            continue;
        const std::string problem = runSymbolically(*program, inPlace, seed);
        if (!problem.empty())
            return QString::fromStdString(problem) + (inPlace ? ", in place" : ", out of place");
    }
    return {};
}

bool isRooted(CollectiveOp op)
{
    return op == CollectiveOp::Broadcast || op == CollectiveOp::Reduce || op == CollectiveOp::Gather || op == CollectiveOp::Scatter;
}

} // namespace

class GenerateTest : public QObject {
    Q_OBJECT

private slots:
    void everyKeyIsFoundOnce()
    {
        std::vector<std::string> keys;
        for (const GeneratorInfo& info : generators()) {
            keys.emplace_back(info.key);
            QVERIFY(findGenerator(info.key) && findGenerator(info.key)->title == info.title);
            QVERIFY(!info.ops.empty() && !info.title.empty() && !info.source.empty() && !info.sizes.empty());
        }
        std::sort(keys.begin(), keys.end());
        QVERIFY(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
        QVERIFY(!findGenerator("no such"));
    }

    void programsDoWhatTheirCollectiveAsks_data()
    {
        QTest::addColumn<QString>("key");
        for (const GeneratorInfo& info : generators())
            QTest::newRow(std::string(info.key).c_str()) << QString::fromStdString(std::string(info.key));
    }
    /// Random sizes, axes, chunks, roots and radices; every collective of the generator.
    void programsDoWhatTheirCollectiveAsks()
    {
        QFETCH(QString, key);
        const GeneratorInfo* const info = findGenerator(key.toStdString());
        std::mt19937_64 random(20 + qHash(key, 0));
        const auto draw = [&random](int first, int last) { return first + static_cast<int>(random() % static_cast<std::uint64_t>(last - first + 1)); };
        int made = 0;
        for (int round = 0; round < cases(4000) && made < cases(40); ++round) {
            GenerateRequest request;
            request.algorithm = key.toStdString();
            request.op = info->ops[random() % info->ops.size()];
            const int limit = made % 10 == 0 ? 65 : 24;
            const int axes = draw(1, 3);
            for (int i = 0; i < axes; ++i) {
                int extent = draw(1, axes == 1 ? limit : 8);
                if (draw(0, 2) == 0) // Many generators take only powers of two.
                    extent = 1 << draw(0, axes == 1 ? 6 : 3);
                request.axes.push_back(extent);
            }
            if (productOf(request.axes) > limit || productOf(request.axes) < 2)
                continue;
            request.chunks = draw(1, 4);
            request.root = isRooted(request.op) && draw(0, 1) ? draw(0, productOf(request.axes) - 1) : 0;
            request.radix = draw(2, std::min(5, productOf(request.axes)));
            request.rings = draw(0, 3);
            if (!checkGenerate(request))
                continue;
            auto program = generateProgram(request);
            if (!program && program.error().code == ErrorCode::Unsupported)
                continue;
            ++made;
            if (program && program.value()->isTemplate() && key == "in_network" && program.value()->asTemplate().axes.size() > 1)
                continue; // Has no explicit form.
            const QString problem = problemOf(request, random());
            QVERIFY2(problem.isEmpty(), qPrintable(textOf(request) + ": " + problem));
        }
        QVERIFY(made > cases(15));
    }
};

FABRICSCOPE_TEST(GenerateTest)
#include "tst_generate.moc"
