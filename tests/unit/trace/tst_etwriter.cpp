#include "core/base/index.h"
#include "core/trace/etfile.h"
#include "core/trace/etwriter.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/cases/tracefiles.h"

#include "chakra_et.pb.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest/QtTest>

#include <random>

using namespace fabricscope;
using namespace fabricscope::test;

namespace {

/// Values that a kind can hold, so that reading back must give the same.
std::int64_t fitting(EtKind kind, std::int64_t value)
{
    switch (scalarOf(kind)) {
    case EtKind::Int32:
    case EtKind::Sint32:
    case EtKind::Sfixed32: return static_cast<std::int32_t>(value);
    case EtKind::Uint32:
    case EtKind::Fixed32: return static_cast<std::uint32_t>(value);
    case EtKind::Bool: return value & 1;
    default: return value;
    }
}

class Random {
public:
    explicit Random(unsigned seed) : m_engine(seed) {}
    std::uint64_t below(std::uint64_t limit) { return m_engine() % limit; }
    /// Numbers of every length.
    std::uint64_t number() { return m_engine() >> below(64); }
    std::string text()
    {
        std::string out(below(40), ' ');
        for (char& c : out)
            c = static_cast<char>('a' + below(26));
        return out;
    }

    EtAttribute attribute()
    {
        EtAttribute out;
        out.name = text();
        out.doc = below(4) == 0 ? text() : std::string();
        out.kind = static_cast<EtKind>(3 + below(30));
        const std::uint64_t count = isListKind(out.kind) ? below(5) : 1;
        for (std::uint64_t i = 0; i < count; ++i) {
            if (isTextKind(out.kind))
                out.strings.push_back(text());
            else if (isRealKind(out.kind))
                out.reals.push_back(static_cast<double>(static_cast<float>(number()) / 8));
            else
                out.integers.push_back(fitting(out.kind, static_cast<std::int64_t>(number()) * (below(2) ? 1 : -1)));
        }
        return out;
    }

    EtNode node()
    {
        EtNode out;
        out.id = number();
        out.name = text();
        out.type = static_cast<std::int32_t>(below(8));
        for (std::uint64_t i = below(4); i > 0; --i)
            out.dataDeps.push_back(number());
        for (std::uint64_t i = below(3); i > 0; --i)
            out.ctrlDeps.push_back(number());
        out.startMicros = number() >> 1;
        out.durationMicros = number() >> 1;
        if (below(2))
            out.inputs = {text(), text(), text()};
        if (below(2))
            out.outputs = {text(), {}, text()};
        for (std::uint64_t i = below(6); i > 0; --i)
            out.attributes.push_back(attribute());
        return out;
    }

private:
    std::mt19937_64 m_engine;
};

} // namespace

class EtWriterTest : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    std::string path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)).toStdString(); }

private slots:
    void whatIsWrittenReadsBackWithEveryKindOfAttribute_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("plain") << "random.0.et";
        QTest::newRow("packed") << "random.0.et.gz";
    }
    void whatIsWrittenReadsBackWithEveryKindOfAttribute()
    {
        QFETCH(QString, name);
        const std::string file = path(name.toLatin1().constData());
        Random random(42);
        const EtMetadata metadata{"0.0.4", {random.attribute(), random.attribute()}};
        std::vector<EtNode> nodes;
        for (int i = 0; i < 200; ++i)
            nodes.push_back(random.node());
        auto writer = EtWriter::create(file, metadata);
        QVERIFY(writer);
        for (const EtNode& node : nodes)
            QVERIFY(writer.value().add(node));
        QVERIFY(writer.value().finish());

        const auto trace = readTraceFile(file, 0);

        QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
        QCOMPARE(trace.value().metadata(), metadata);
        QCOMPARE(trace.value().size(), 200U);
        for (std::uint32_t i = 0; i < 200; ++i) {
            QCOMPARE(trace.value().id(i), nodes[i].id);
            QCOMPARE(trace.value().name(i), std::string_view(nodes[i].name));
            QCOMPARE(trace.value().type(i), nodes[i].type);
            QCOMPARE(trace.value().value(i, EtField::Duration), static_cast<std::int64_t>(nodes[i].durationMicros));
            const auto back = readNode(trace.value(), file, i, 0);
            QVERIFY(back);
            QCOMPARE(back.value(), nodes[i]);
        }
    }

    void protobufReadsTheSame()
    {
        Random random(5);
        for (int round = 0; round < cases(500); ++round) {
            const EtNode node = random.node();
            const std::string bytes = etBytes({}, {node});
            // One empty metadata message (a zero byte), then a length of at most three bytes.
            std::size_t begin = 1;
            while (static_cast<unsigned char>(bytes[begin++]) >= 0x80) {
            }
            ChakraProtoMsg::Node oracle;
            QVERIFY(oracle.ParseFromString(bytes.substr(begin)));
            QCOMPARE(std::uint64_t{oracle.id()}, node.id);
            QCOMPARE(oracle.name(), node.name);
            QCOMPARE(oracle.data_deps_size(), static_cast<int>(node.dataDeps.size()));
            QCOMPARE(oracle.ctrl_deps_size(), static_cast<int>(node.ctrlDeps.size()));
            QCOMPARE(std::uint64_t{oracle.duration_micros()}, node.durationMicros);
            QCOMPARE(oracle.inputs().values(), node.inputs.values);
            QCOMPARE(oracle.attr_size(), static_cast<int>(node.attributes.size()));
            for (int i = 0; i < oracle.attr_size(); ++i) {
                const EtAttribute& attribute = node.attributes[at(i)];
                QCOMPARE(static_cast<int>(oracle.attr(i).value_case()), static_cast<int>(attribute.kind));
                if (attribute.kind == EtKind::Sint32)
                    QCOMPARE(std::int64_t{oracle.attr(i).sint32_val()}, attribute.integers[0]);
                if (attribute.kind == EtKind::Fixed64)
                    QCOMPARE(static_cast<std::int64_t>(oracle.attr(i).fixed64_val()), attribute.integers[0]);
                if (attribute.kind == EtKind::FloatList)
                    QCOMPARE(oracle.attr(i).float_list().values_size(), static_cast<int>(attribute.reals.size()));
                if (attribute.kind == EtKind::String)
                    QCOMPARE(oracle.attr(i).string_val(), attribute.strings[0]);
            }
        }
    }

    void noFileIsLeftUnlessFinished()
    {
        {
            auto writer = EtWriter::create(path("half.0.et"), {});
            QVERIFY(writer);
            QVERIFY(writer.value().add(compNode(1, 2)));
        }
        QVERIFY(QDir(m_folder.path()).entryList({QStringLiteral("half*")}).isEmpty());
    }

    void anUnwritableFolderIsNamed()
    {
        const auto writer = EtWriter::create(path("absent/x.0.et"), {});
        QVERIFY(!writer);
        QVERIFY(writer.error().code == ErrorCode::NotWritable);
        QVERIFY(writer.error().text().find("x.0.et") != std::string::npos);
    }
};

FABRICSCOPE_TEST(EtWriterTest)
#include "tst_etwriter.moc"
