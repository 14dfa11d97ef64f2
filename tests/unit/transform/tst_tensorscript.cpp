// Programs of computations and collectives written in Lua: what the words say, and every error with its line.
#include "core/transform/tensorfile.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

using namespace fabricscope;
using namespace fabricscope::transform;

namespace {

const std::string kTail = "\nplatform {dimensions = {{shape = 'switch', size = 4, bandwidth = '100 GB/s', latency = '1 us'}}, npu = {memory_bandwidth = '1000 GB/s', peak = '10 TFLOP/s'}}\n";

} // namespace

class TestTensorScript : public QObject {
    Q_OBJECT

private slots:
    void wordsMakeTheProgram()
    {
        const auto file = readTransformText("ranks(4)\nlocal N, K = size('N', 64), size('K', 16)\nlocal a = scalar('a', 0.5)\n"
                                            "local x = tensor('x', {N, K}, {layout = {sliced = 1}, dtype = 'fp16'})\nlocal k = tensor('k', {K, N}, {layout = 'sliced', dtype = 'fp16'})\nlocal r = tensor('r', {N, N}, {dtype = 'fp16'})\n"
                                            "local y = matmul('y', x, k)\nlocal s = all_reduce('s', y, {kind = 'sum'})\nlocal d = dropout('d', s, {rate = 0.1, seed = 1})\n"
                                            "local o = expr('o', max(-d, 2*(d - a))/sqrt(r + 1.5))\nlocal r1 = update('r1', r, o)\noutputs(o, r1)\nmay_slice(r)\n"
                                            "for _, c in ipairs {s} do split(c) end\nreorder('s.ag', {d, o, r1})\noptions {chunks = 8}\n" + kTail,
                                            "p.lua");
        QVERIFY2(file, file ? "" : file.error().text().c_str());
        const TensorProgram& program = file.value().program;
        QCOMPARE(program.ranks, 4);
        QCOMPARE(program.tensors.size(), std::size_t{3});
        QCOMPARE(program.tensor("x")->value.layout.text(), std::string("sliced(1)"));
        QCOMPARE(program.stages.size(), std::size_t{5});
        QCOMPARE(program.stage("y")->value.layout.text(), std::string("local"));
        const Stage& o = *program.stage("o");
        QCOMPARE(o.expr.text([&](std::int32_t leaf) { return o.in[static_cast<std::size_t>(leaf)].name; }), std::string("max(-d, 2*(d - a))/sqrt(r + 1.5)"));
        QCOMPARE(file.value().schedule.size(), std::size_t{2});
        QCOMPARE(file.value().schedule[1].text(), std::string("reorder s.ag {d, o, r1}"));
        QCOMPARE(file.value().maySlice, std::vector<std::string>{"r"});
        QCOMPARE(file.value().timing.chunks.value_or(0), 8);
        QCOMPARE(program.outputs, (std::vector<std::string>{"o", "r1"}));
    }

    void sizesAndScalarsCanBeSet()
    {
        const std::string text = "ranks(4)\nlocal N = size('N', 64)\nlocal g = tensor('g', {N/4}, {layout = 'local'})\noutputs(all_reduce('s', g))\n" + kTail;
        for (const auto& [value, elements] : {std::pair{"64", 16}, {"128", 32}}) {
            const auto file = readTransformText(text, "p.lua", {{"transform.sizes.N", value}});
            QVERIFY2(file, file ? "" : file.error().text().c_str());
            QCOMPARE(file.value().program.tensor("g")->value.shape, Extents{elements});
        }
    }

    void errorsNameTheLine_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* text, const char* words) { QTest::newRow(words) << QByteArray(text) << QByteArray(words); };
        row("ranks(4)\ntensor('g', {4})\ntensor('g', {4})", "p.lua:3: g is declared twice");
        row("ranks(4)\nlocal g = tensor('g', {4})\nall_reduce('s', g + 1)", "p.lua:3: all_reduce takes a tensor or a stage here, not an expression");
        row("ranks(4)\nlocal g = tensor('g', {4})\nexpr('s', g + {})", "p.lua:3: + cannot take a table");
        row("ranks(4)\nlocal g = tensor('g', {4})\nexpr('s')", "p.lua:3: expr cannot take nothing");
        row("ranks(4)\ntensor({4})", "p.lua:2: tensor takes a name first, not a table");
        row("ranks(4)\nlocal g = tensor('g', {4}, {layuot = 'local'})", "p.lua:2");
        row("ranks(4)\nlocal g = tensor('g', {4})\nfuse(g)", "p.lua:3: fuse takes a list");
        row("ranks(4)\nlocal g = tensor('g', {4}, 'local')", "p.lua:2: Settings are a table");
        row("ranks(4)\nlocal N = size('N', 'x')", "p.lua:2: size takes a number");
        row("ranks(4)\nlocal g = tensor('g', {4})\noutputs(all_gather('s', g))\nplatform {dimensions = {{shape = 'switch', size = 4, bandwidth = '1 GB/s', latency = '1 us'}}}", "p.lua:3");
        row("ranks(4)\nall_redcue('s')", "p.lua:2");
        row("ranks(4)\nlocal function f(...) return 1 end", "p.lua:2: '...'");
        row("ranks(4)\nio.open('x')", "p.lua:2: 'io' is not part of this language");
        row("ranks(4)\nlocal t = {}\nt.t = t\noptions(t)", "p.lua:4: The tables of the script are too large or too deep");
        row("local t = tensor('t', {})\nlocal e = t\nwhile true do e = e + e end", "p.lua:3: An expression grows longer than");
        row("local g = tensor('g', {4})", "ranks");
    }

    void errorsNameTheLine()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, words);
        const auto file = readTransformText(text.toStdString(), "p.lua");
        QVERIFY(!file);
        QVERIFY2(file.error().text().find(words.toStdString()) != std::string::npos, file.error().text().c_str());
    }
};

FABRICSCOPE_TEST(TestTensorScript)
#include "tst_tensorscript.moc"
