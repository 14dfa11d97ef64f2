// Every run of tests/digests gives what it gave when the list was written: tests/digests/README.md.
#include "core/design/file/astrainputs.h"
#include "core/design/modelversions.h"
#include "core/report/runjson.h"
#include "core/run/rundesign.h"
#include "core/scenario/lowering.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/goldencase.h"
#include "tests/unit/support/cases/mixeddesign.h"
#include "tests/unit/support/cases/randomcase.h"
#include "tests/unit/support/corpus.h"
#include "tests/unit/support/testprogram.h"

#include <QCryptographicHash>
#include <QtTest/QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sourcedir.h>

using namespace fabricscope;
using namespace fabricscope::test;
namespace fs = std::filesystem;

namespace {

constexpr Model kModels[] = {Model::Links, Model::Ideal, Model::Flow, Model::AstraUnaware, Model::AstraAware};

/// The rules of a model that the lists were first written with.
std::string firstVersion(Model model)
{
    return isAstra(model) ? "astra/2" : model == Model::Flow ? "flow/1" : "physical/1";
}

/// Those and later ones.
std::vector<std::string> versionsOf(Model model)
{
    if (isAstra(model))
        return {firstVersion(model)};
    return {firstVersion(model), versionFor(model, "physical/2")};
}

/// "NAME", and of a later version of the rules "NAME VERSION".
std::string versioned(const std::string& name, Model model, const std::string& version)
{
    return version == firstVersion(model) ? name : name + ' ' + version;
}

ModelConfig asked(ModelConfig config, Model model, const std::string& version)
{
    config.model = model;
    config.version = version;
    return config;
}

/// What is kept of one run or of several one after the other.
class Digests {
public:
    void add(const Result<RunRecord>& record)
    {
        if (!record)
            return refuse(record.error());
        const RunRecord& run = record.value();
        addTimes(run.fingerprint.hex() + ' ' + run.messages.value().hex() + ' ' + std::to_string(run.messages.count()) + ' ' + std::to_string(run.finish.ps)
                 + (run.complete ? " complete" : " incomplete"));
    }
    /// `folder`: where its files are, which the digest must not depend on.
    void add(const RunSummary& summary, const std::string& folder = {})
    {
        add(Result<RunRecord>(*summary.record));
        JsonWriter json;
        writeResult(json, summary, RankRows::All);
        std::string text = json.text();
        for (std::size_t at = folder.empty() ? std::string::npos : text.find(folder); at != std::string::npos; at = text.find(folder, at))
            text.erase(at, folder.size());
        m_result.addData(QByteArray::fromStdString(text));
        m_hasResult = true;
    }
    /// The words of a refusal may become better.
    void refuse(const Error& error) { addTimes("refused " + std::to_string(static_cast<int>(error.code))); }

    /// "TIMES RESULT", RESULT "-" where there was no whole result.
    std::string text() const { return shown(m_times) + ' ' + (m_hasResult ? shown(m_result) : "-"); }

private:
    void addTimes(const std::string& text) { m_times.addData(QByteArray::fromStdString(text + '\n')); }
    static std::string shown(const QCryptographicHash& hash) { return hash.result().toHex().left(16).toStdString(); }

    QCryptographicHash m_times{QCryptographicHash::Sha256};
    QCryptographicHash m_result{QCryptographicHash::Sha256};
    bool m_hasResult = false;
};

void addDesign(Digests& digests, Result<LoadedDesign> read, const std::string& folder = {})
{
    if (!read)
        return digests.refuse(read.error());
    const auto result = runDesign(std::make_shared<const Design>(std::move(read.value().design)), read.value().diagnostics, {});
    if (!result)
        return digests.refuse(result.error());
    digests.add(result.value()->summary, folder);
}

/// The runs of one list by name, to be made when asked for.
using Runs = std::map<std::string, std::function<void(Digests&)>>;

/// Compares every run, under sanitizers every tenth, with its line in tests/digests/LIST.txt; writes the list with FABRICSCOPE_WRITE_DIGESTS.
void compare(const std::string& list, const Runs& runs)
{
    const std::string file = std::string(FABRICSCOPE_SOURCE_DIR) + "/tests/digests/" + list + ".txt";
    const bool write = qEnvironmentVariableIsSet("FABRICSCOPE_WRITE_DIGESTS");
    std::map<std::string, std::string> expected;
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line))
        expected[line.substr(std::min<std::size_t>(line.size(), line.find("  ") + 2))] = line.substr(0, line.find("  "));
    std::string written;
    std::string different;
    const int step = write || cases(10) >= 10 ? 1 : 10;
    int number = 0;
    for (const auto& [name, run] : runs) {
        if (number++ % step != 0)
            continue;
        Digests digests;
        run(digests);
        const std::string found = digests.text();
        written += found + "  " + name + '\n';
        if (const auto entry = expected.find(name); entry == expected.end() || entry->second != found)
            different += "\n  " + name + ": " + found + ", in the list " + (entry == expected.end() ? "not there" : entry->second);
    }
    if (write) {
        std::ofstream out(file, std::ios::binary);
        out << written;
        QVERIFY(out.flush());
        return;
    }
    QVERIFY2(different.empty(), (list + ".txt:" + different).c_str());
    for (const auto& [name, digest] : expected)
        QVERIFY2(runs.contains(name), ("no such run: " + name).c_str());
    QVERIFY(!runs.empty());
}

} // namespace

class TestDigests : public QObject {
    Q_OBJECT

private slots:
    void shippedDesigns()
    {
        Runs runs;
        for (const auto& entry : fs::directory_iterator(FABRICSCOPE_SOURCE_DIR "/resources/examples")) {
            if (entry.path().extension() != ".yaml")
                continue;
            const auto design = readDesign(entry.path().string());
            const bool graph = design && design.value().design.platform && !design.value().design.platform->nodes.empty();
            for (const Model model : kModels) {
                for (const std::string& version : versionsOf(model)) {
                    if (version != firstVersion(model) && !graph)
                        continue; // Dimensions have the same rules.
                    runs[versioned(entry.path().stem().string() + ' ' + std::string(modelName(model)), model, version)] = [path = entry.path(), model, version](Digests& digests) {
                        auto read = readDesign(path.string());
                        if (read)
                            read.value().design.model = asked(read.value().design.model, model, version);
                        addDesign(digests, std::move(read), path.parent_path().string());
                    };
                }
            }
        }
        compare("shipped", runs);
    }

    void mixedDesigns()
    {
        Runs runs;
        for (const Model model : kModels) {
            for (const std::string& version : versionsOf(model)) {
                const std::uint64_t end = version == firstVersion(model) ? 300 : 100;
                for (std::uint64_t first = 0; first < end; first += 10) {
                    runs[versioned(std::string(modelName(model)) + " seeds " + std::to_string(first), model, version)] = [model, version, first](Digests& digests) {
                        MixLimits limits;
                        limits.model = modelName(model);
                        limits.version = version;
                        for (std::uint64_t seed = first; seed < first + 10; ++seed) {
                            limits.single = seed % 3 == 0;
                            addDesign(digests, readDesignText(mixedDesign(seed, limits), "mix.yaml"));
                        }
                    };
                }
            }
        }
        compare("mixed", runs);
    }

    void oracleCases()
    {
        std::map<std::string, RandomLimits> kinds;
        kinds["fabrics"];
        kinds["ties"].ties = true;
        kinds["grid"].ties = kinds["grid"].grid = true;
        kinds["graphs"].explicitGraph = true;
        kinds["programs"].explicitPrograms = true;
        kinds["parts"].explicitPrograms = kinds["parts"].programParts = true;
        kinds["rare"].odd = true;
        kinds["rare"].maxNpus = 9;
        Runs runs;
        for (const auto& [kind, limits] : kinds) {
            for (std::uint64_t first = 20'000'000; first < 20'000'300; first += 10) {
                runs[kind + " seeds " + std::to_string(first)] = [limits = limits, first](Digests& digests) {
                    for (std::uint64_t seed = first; seed < first + 10; ++seed) {
                        const auto scenario = build(randomCase(seed, limits));
                        digests.add(scenario ? simulate(scenario.value()) : Result<RunRecord>(scenario.error()));
                    }
                };
            }
        }
        compare("oracle", runs);
    }

    void goldenCollectives()
    {
        std::ifstream file(goldenFile("golden_collectives.json"));
        const auto rows = nlohmann::json::parse(file);
        Runs runs;
        for (std::size_t row = 0; row < rows.size(); ++row)
            runs["row " + std::to_string(row)] = [entry = rows[row]](Digests& digests) { digests.add(goldenCase(entry).run()); };
        compare("golden", runs);
    }

    void corpusTraces()
    {
        FABRICSCOPE_NEEDS_SHARED(shared);
        Runs runs;
        for (const auto& entry : fs::directory_iterator(shared + "/corpus/chakra")) {
            const fs::path folder = entry.path();
            if (!fs::exists(folder / "workload.0.et") || !fs::exists(folder / "network_1d.yml") || !fs::exists(folder / "system_1d.json"))
                continue;
            for (const Model model : kModels) {
                runs[folder.filename().string() + ' ' + std::string(modelName(model))] = [folder, shared, model](Digests& digests) {
                    AstraInputs inputs;
                    inputs.network = (folder / "network_1d.yml").string();
                    inputs.system = (folder / "system_1d.json").string();
                    inputs.memory = fs::exists(folder / "memory.json") ? (folder / "memory.json").string() : std::string();
                    inputs.workload = (folder / "workload").string();
                    if (fs::exists(folder / "comm_group.json"))
                        inputs.commGroups = (folder / "comm_group.json").string();
                    auto read = designFromAstra(inputs);
                    if (read)
                        read.value().design.model = asked(read.value().design.model, model, firstVersion(model));
                    addDesign(digests, std::move(read), shared);
                };
            }
        }
        compare("corpus", runs);
    }
};

FABRICSCOPE_TEST(TestDigests)
#include "tst_digests.moc"
