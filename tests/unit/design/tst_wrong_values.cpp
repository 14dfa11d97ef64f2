// Every value of every design that ships, in turn replaced by one of another kind: reading ends, with a design or with an error that has a place.
#include "core/design/design.h"
#include "sourcedir.h"
#include "core/yaml/tree.h"
#include "tests/unit/support/sanitized.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace fabricscope;
namespace fs = std::filesystem;

namespace {

/// Sections that no shipped design has.
const std::vector<std::pair<std::string, std::string>> kOthers{
    {"synthesis", R"(fabricscope: 1
platform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]}
workload: {collective: all_reduce, size: 1 MiB}
collectives: {rules: [{op: all_reduce, synthesis: {method: greedy, seed: 3, tries: 2, pieces: 2}}, {op: all_to_all, script: a.lua, parameters: {n: 4}}],
  candidates: {all_gather: [{algorithm: ring}, {synthesis: {method: exact}}]}}
)"},
    {"blueprints", R"(fabricscope: 1
platform:
  blueprints:
    - name: box
      topology: Switch(4)
      bandwidth: 400 GB/s
      latency: 700 ns
      npu: {peak: 100 TFLOP/s}
  fabric:
    of: box
    levels: [{leaf_spine: {count: 4, leaves: 4, spines: 2}}]
workload: {collective: all_reduce, size: 1 MiB}
)"},
    {"removed", R"(fabricscope: 1
platform:
  nodes: [{name: a}, {name: b}, {name: c, kind: switch, in_network: {reduction: 400 GB/s, multicast: 400 GB/s, buffer: 32 MiB, latency: 200 ns}}]
  links: [{between: [a, c], bandwidth: 50 GB/s, latency: 1 us}, {from: b, to: c, bandwidth: 50 GB/s, latency: 1 us}, {from: c, to: b, bandwidth: 50 GB/s, latency: 1 us}]
workload: {steps: [{send: 1 MiB, from: 0, to: 1}]}
)"},
};

/// Values of every kind, and numbers no field takes.
const std::vector<std::string> kValues{"null", "[]", "{}", "''", "-1", "1e300", "[null]", "{x: null}", "[[]]", "[{}]", "~"};

struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
};

void addSpans(const YamlNode& node, std::vector<Span>& out)
{
    out.push_back({node.valueBegin, node.end});
    for (const YamlNode& item : node.items)
        addSpans(item, out);
    for (const YamlEntry& entry : node.entries)
        addSpans(entry.value, out);
}

std::string contents(const fs::path& path)
{
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
}

} // namespace

class WrongValuesTest : public QObject {
    Q_OBJECT

private slots:
    void everyValueOfAnotherKind_data()
    {
        QTest::addColumn<QString>("text");
        for (const auto& [name, text] : kOthers)
            QTest::newRow(name.c_str()) << QString::fromStdString(text);
        for (const auto& entry : fs::directory_iterator(FABRICSCOPE_SOURCE_DIR "/resources/examples")) {
            if (entry.path().extension() == ".yaml")
                QTest::newRow(entry.path().stem().c_str()) << QString::fromStdString(contents(entry.path()));
        }
    }

    void everyValueOfAnotherKind()
    {
        QFETCH(QString, text);
        const std::string whole = text.toStdString();
        const auto document = YamlDocument::parse(whole, "made.yaml");
        QVERIFY(document);
        std::vector<Span> spans;
        addSpans(document.value().root(), spans);
        QVERIFY(spans.size() > 10);
        // Under a sanitizer every place meets every fourth value, and each value many places.
        const std::size_t every = test::kSanitized && !qEnvironmentVariableIsSet("FABRICSCOPE_LONG") ? 4 : 1;
        std::size_t turn = 0;
        std::size_t tried = 0;
        std::size_t refused = 0;
        for (const Span& span : spans) {
            for (const std::string& value : kValues) {
                if (turn++ % every != 0)
                    continue;
                ++tried;
                const std::string changed = whole.substr(0, span.begin) + ' ' + value + whole.substr(span.end);
                const LoadedDesign read = inspectDesignText(changed, "made.yaml", {}, false);
                bool fails = false;
                for (const Diagnostic& entry : read.diagnostics) {
                    if (entry.severity != Severity::Error)
                        continue;
                    fails = true;
                    QVERIFY2(!entry.message.empty() && entry.place.line > 0, changed.c_str());
                }
                refused += fails ? 1 : 0;
            }
        }
        QVERIFY2(refused > tried / 2, std::to_string(refused).c_str());
    }
};

FABRICSCOPE_TEST(WrongValuesTest)

#include "tst_wrong_values.moc"
