// What a section says of its fields once is what it reads, writes, checks and what the reference shows.
#include "core/design/computeconfig.h"
#include "core/design/file/sectionfields.h"
#include "core/design/networkconfig.h"
#include "core/design/schedulingconfig.h"
#include "sourcedir.h"
#include "tests/unit/support/testprogram.h"

#include <QFile>
#include <QtTest>

using namespace fabricscope;

namespace {

struct Made {
    enum class Colour : std::uint8_t { Red, Green };
    Colour colour = Colour::Red;
    std::int32_t count = 0;
    double loss = 0.5;
};
constexpr std::array<std::pair<std::string_view, Made::Colour>, 2> kColours{{{"red", Made::Colour::Red}, {"green", Made::Colour::Green}}};

const SectionFields<Made>& madeFields()
{
    static const SectionFields<Made> fields{
        wordField("colour", &Made::colour, kColours, "of all"),
        {"inside", "what is in it", {}, {}, {}, {wholeField("count", &Made::count, 1, 9, "how many"), lossField("loss", &Made::loss, "of it")}},
    };
    return fields;
}

/// What reading says; "": it reads.
template <class Config>
std::string readInto(Config& made, const std::string& text, const SectionFields<Config>& fields)
{
    const auto document = YamlDocument::parse(text, "made.yaml");
    if (!document)
        return document.error().text();
    FieldContext context(document.value());
    readFields(context, document.value().root(), "made", fields, made);
    return context.hasErrors() ? context.firstError()->text() : std::string();
}

} // namespace

class SectionFieldsTest : public QObject {
    Q_OBJECT

private slots:
    void whatIsReadIsWrittenAgain()
    {
        Made made;
        QCOMPARE(readInto(made, "colour: green\ninside: {count: 3, loss: 0.25}\n", madeFields()), std::string());
        QVERIFY(made.colour == Made::Colour::Green);
        QCOMPARE(made.count, 3);
        QCOMPARE(made.loss, 0.25);
        Made again;
        QCOMPARE(readInto(again, renderYaml(fieldsTree(madeFields(), made), false), madeFields()), std::string());
        QVERIFY(again.colour == made.colour && again.count == made.count && again.loss == made.loss);
    }

    void everyKeyOfAFaultIsReadAndWritten()
    {
        for (const std::string text : {"link: d0 0>1\nat: 100 us\nuntil: 2 ms\nfactor: 1/2\n", "npu: 3\nat: 0 ns\nfailed: true\n", "npu: 0\nat: 1 s\nbandwidth: 5 GB/s\n"}) {
            FaultConfig fault;
            QCOMPARE(readInto(fault, text, faultFields()), std::string());
            std::string written;
            for (const YamlEntry& entry : fieldsTree(faultFields(), fault).entries)
                written += entry.key + ": " + entry.value.text + '\n';
            QCOMPARE(QString::fromStdString(written), QString::fromStdString(text));
        }
        FaultConfig fault;
        for (const char* const wrong : {"link: a>b\n", "at: 1 GB\n", "at: 1 us\nnpu: -1\n", "at: 1 us\nfactor: 2/1\n", "at: 1 us\nfailed: perhaps\n", "at: 1 us\nfrom: 2 us\n"})
            QVERIFY2(!readInto(fault, wrong, faultFields()).empty(), wrong);
    }

    /// An entry with every key comes back letter by letter, an empty one empty.
    void everyKeyOfAProtocolIsReadAndWritten()
    {
        const std::string text = "preset: LL\nmin_size: 1 KiB\nmax_size: 64 KiB\ndimension: 1\nlatency: 2 us\nefficiency: 120/128\nslots: 8\nslot_size: 600 KiB\n"
                                 "transfer: get\nsignal: false\nhandshake: true\ncontrol_size: 64 B\n";
        ProtocolConfig protocol;
        QCOMPARE(readInto(protocol, text, protocolFields()), std::string());
        std::string written;
        for (const YamlEntry& entry : fieldsTree(protocolFields(), protocol).entries)
            written += entry.key + ": " + entry.value.text + '\n';
        QCOMPARE(QString::fromStdString(written), QString::fromStdString(text));
        QCOMPARE(protocolFields().size(), std::size_t{12});
        QVERIFY(protocol.get == true && protocol.signal == false && protocol.slotCount == 8 && protocol.efficiency == std::pair(std::int64_t{120}, std::int64_t{128}));
        QVERIFY(fieldsTree(protocolFields(), ProtocolConfig{}).entries.empty());
        for (const char* const wrong : {"slots: -1\n", "efficiency: 3/2\n", "transfer: push\n", "preset: LL256\n", "slot: 8\n", "latency: 2 KiB\n"})
            QVERIFY2(!readInto(protocol, wrong, protocolFields()).empty(), wrong);
    }

    /// Letter by letter again, and in the right place what is wrong.
    void everyKeyOfTheTablesOfComputeIsReadAndWritten()
    {
        const auto again = [](const std::string& text, const auto& fields, auto config) {
            const std::string said = readInto(config, text, fields);
            return said.empty() ? renderYaml(fieldsTree(fields, config), false) : said;
        };
        const auto inLines = [](const std::string& text) { // How a tree is written does not matter here.
            const auto document = YamlDocument::parse(text, "made.yaml");
            return document ? renderYaml(document.value().root(), false) : document.error().text();
        };
        for (const std::string text : {"up_to: 1 GFLOP\nshare: 0.25\n", "share: 1\n"})
            QCOMPARE(again(text, pointFields(Measure::Operations), EfficiencyPoint{}), inLines(text));
        const std::string kind = "name: \"*gemm*\"\noperations: [{up_to: 1 GFLOP, share: 0.5}, {share: 0.75}]\nbytes: [{share: 0.5}]\n";
        QCOMPARE(again(kind, kindFields(), EfficiencyKind{}), inLines(kind));
        const std::string memory = "follow: false\nresident: [{name: a, bytes: 14 GB}, {name: b, bytes: 1 KiB, ranks: 0-7}]\n";
        QCOMPARE(again(memory, memoryFields(), MemoryConfig{}), inLines(memory));
        QCOMPARE(again("resident: 2 GB\n", memoryFields(), MemoryConfig{}), inLines("follow: true\nresident: [{name: resident, bytes: 2 GB}]\n"));

        const auto said = [](const char* text) {
            MemoryConfig config;
            return readInto(config, text, memoryFields());
        };
        for (const auto& [text, place] : {std::pair{"resident: [{bytes: 1 GB, ranks: 7-x}]\n", "made.resident[0].ranks"}, {"resident: [{bytes: 1 GB}, {name: b}]\n", "made.resident[1]"}, {"resident: 2 ns\n", "made.resident"},
                                          {"resident: [{bytes: 1 GB, rank: 7}]\n", "rank"}})
            QVERIFY2(said(text).find(place) != std::string::npos, said(text).c_str());
        MemoryConfig config;
        config.resident = {{"a", Quantity{1, "GB", Measure::Size}, {}}, {"b", Quantity{100, "PB", Measure::Size}, {}}};
        std::vector<std::string> wrong;
        checkFields<MemoryConfig>(memoryFields(), config, [&](const std::string& key, const std::string& message, const std::string&) { wrong.push_back(key + ": " + message); });
        QCOMPARE(wrong, std::vector<std::string>{"resident[1].bytes: not a size"});
    }

    void whatCannotBeIsToldWithItsField()
    {
        Made made;
        for (const auto& [text, part] : {std::pair{"colour: blue\n", "colour"}, {"inside: {count: 10}\n", "made.inside.count"}, {"inside: {lost: 1}\n", "loss"}, {"inside: {loss: much}\n", "made.inside.loss"}}) {
            const std::string said = readInto(made, text, madeFields());
            QVERIFY2(said.find(part) != std::string::npos, said.c_str());
        }
        made = Made{Made::Colour::Red, 10, 1.5};
        std::vector<std::string> wrong;
        checkFields<Made>(madeFields(), made, [&](const std::string& key, const std::string& message, const std::string& expected) { wrong.push_back(key + ": " + message + ", " + expected); });
        QCOMPARE(wrong, (std::vector<std::string>{"inside.count: 10 is not possible here, 1 to 9", "inside.loss: not a share that leaves something, 0 or more and below 1"}));
    }

    /// Every key with its words stands in the example that `examples reference` prints, in its section.
    void theReferenceShowsEveryField_data()
    {
        QTest::addColumn<QString>("section");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("text");
        const auto rows = [](const char* section, const auto& fields, const auto& self) -> void {
            for (const auto& field : fields) {
                QTest::addRow("%s.%s", section, field.key.c_str()) << QString::fromUtf8(section) << QString::fromStdString(field.key) << QString::fromStdString(field.text);
                self(section, field.inner, self);
            }
        };
        rows("scheduling", schedulingFields(), rows);
        rows("slowdown", slowdownFields(), rows);
        rows("compute.memory", memoryFields(), rows);
        rows("compute.memory.resident", residentFields(), rows);
        rows("compute.efficiency.kinds", kindFields(), rows);
        rows("compute.efficiency.operations", pointFields(Measure::Operations), rows);
        rows("compute.efficiency.bytes", pointFields(Measure::Size), rows);
        rows("protocols", protocolFields(), rows);
        rows("faults", faultFields(), rows);
    }
    void theReferenceShowsEveryField()
    {
        QFETCH(const QString, section);
        QFETCH(const QString, key);
        QFETCH(const QString, text);
        QFile file(QStringLiteral(FABRICSCOPE_SOURCE_DIR "/resources/examples/reference.yaml"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
        qsizetype line = 0;
        const auto indent = [](const QString& of) { return of.size() - of.trimmed().size() - (of.endsWith(QLatin1Char(' ')) ? 1 : 0); };
        for (const QString& part : section.split(QLatin1Char('.'))) {
            while (line < lines.size() && !lines[line].trimmed().startsWith(part + QLatin1Char(':')))
                ++line;
        }
        QVERIFY2(line < lines.size(), "no such section");
        const qsizetype outer = indent(lines[line]);
        const auto shown = [&](const QString& in) { return in.contains(QRegularExpression(QStringLiteral("\\b%1:").arg(key))) && in.contains(text); };
        bool found = shown(lines[line]); // A list may stand in its line.
        for (++line; line < lines.size() && !lines[line].trimmed().isEmpty() && indent(lines[line]) > outer; ++line)
            found |= shown(lines[line]);
        QVERIFY2(found, "not with these words in its section");
    }
};

FABRICSCOPE_TEST(SectionFieldsTest)
#include "tst_section_fields.moc"
