// Texts of the plain part of YAML are read without yaml-cpp: whatever the text, the tree is the one yaml-cpp gives.
#include "core/yaml/builder.h"
#include "core/yaml/plainscan.h"
#include "tests/unit/support/cases.h"
#include "tests/unit/support/testprogram.h"

#include <QTest>

#include <random>

using namespace fabricscope;
using fabricscope::test::cases;
using fabricscope::test::seeded;

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t count)
{
    return static_cast<std::size_t>(random() % count);
}

bool isPlain(const std::string& text)
{
    YamlCost cost(text.size());
    YamlBuilder builder(cost);
    try {
        return scanPlainYaml(text, builder);
    } catch (const YamlRefusal&) {
        return false;
    }
}

/// Every field of a node and of all below it.
void describe(const YamlNode& node, std::string& out)
{
    out += '(';
    for (const std::size_t number : {static_cast<std::size_t>(node.kind), std::size_t{node.quoted}, std::size_t{node.flow}, std::size_t{node.shared},
                                     static_cast<std::size_t>(node.line), static_cast<std::size_t>(node.column), node.begin, node.valueBegin, node.end,
                                     node.marker, node.anchor})
        out += std::to_string(number) + ' ';
    out += node.text + '|' + node.origin + '|';
    for (const YamlNode& item : node.items)
        describe(item, out);
    for (const YamlEntry& entry : node.entries) {
        out += entry.key + ' ' + std::to_string(entry.line) + ' ' + std::to_string(entry.column) + ' ' + std::to_string(entry.keyBegin) + ' '
            + std::to_string(entry.keyEnd) + ' ' + std::to_string(entry.colon);
        describe(entry.value, out);
    }
    out += ')';
}

/// What reading gives, and whether the result can be edited.
std::string outcome(const std::string& text)
{
    auto document = YamlDocument::parse(text, "test.yaml");
    if (!document)
        return "refused: " + document.error().text();
    std::string out;
    describe(document.value().root(), out);
    return out + (document.value().insert("0", YamlNode::scalar("x")) ? " list" : "") + (document.value().set("newkey", "x") ? " map" : "");
}

/// A comment behind the end that is not ASCII, which leaves the text to yaml-cpp and changes nothing else.
std::string leftToYamlCpp(const std::string& text)
{
    return text + (text.empty() || text.back() == '\n' ? "" : "\n") + "# \xc3\xa9\n";
}

std::string oneOf(Random& random, std::initializer_list<const char*> words)
{
    return *(words.begin() + static_cast<std::ptrdiff_t>(below(random, words.size())));
}

std::string scalar(Random& random)
{
    return oneOf(random, {"a", "50 GB/s", "-5", "1.5e-3", "g12", "npu", "500 ns", "x_y.z/w", "Ring(4)_Switch(8)", "'quoted: # text'", "\"two  words\"", "''", "null", "~", "true",
                          "d0 0>1", "\"a\"", "0x1F", "100%", "a;b", "a-b"});
}

std::string flow(Random& random, int depth)
{
    const std::size_t kind = depth > 2 ? 0 : below(random, 4);
    if (kind < 2)
        return scalar(random);
    std::string out = kind == 2 ? "[" : "{";
    const std::size_t count = below(random, 4);
    for (std::size_t i = 0; i < count; ++i)
        out += (i > 0 ? oneOf(random, {", ", ",", " , "}) : "") + (kind == 2 ? "" : "k" + std::to_string(i) + ": ") + flow(random, depth + 1);
    return out + (kind == 2 ? "]" : "}");
}

std::string comment(Random& random)
{
    return oneOf(random, {"", "", "", " # note: [", "  ", "   #"}) + "\n" + oneOf(random, {"", "", "", "\n", "# line\n", "      # far\n", "  \n"});
}

void block(Random& random, std::size_t indent, int depth, std::string& out)
{
    const std::string margin(indent, ' ');
    const bool list = below(random, 2) == 0;
    const std::size_t count = 1 + below(random, 4);
    for (std::size_t i = 0; i < count; ++i) {
        out += (i > 0 || out.empty() || out.back() == '\n' ? margin : "") + (list ? "-" : "key" + std::to_string(i) + oneOf(random, {":", ":", ":", ":", " :"}));
        const std::size_t kind = depth > 3 ? 0 : below(random, 4);
        if (kind == 0) {
            out += " " + scalar(random) + comment(random);
        } else if (kind == 1) {
            out += oneOf(random, {" ", "  "}) + flow(random, 0) + comment(random);
        } else if (kind == 2 && list) {
            out += " ";
            block(random, indent + 2, depth + 1, out);
        } else {
            out += comment(random);
            block(random, indent + (list ? 1 + below(random, 3) : below(random, 4)), depth + 1, out);
        }
    }
}

std::string document(Random& random)
{
    std::string out = oneOf(random, {"", "", "# head\n", "\n"});
    block(random, 0, 0, out);
    return out;
}

} // namespace

class PlainYamlTest : public QObject {
    Q_OBJECT

private slots:
    void filesThatProgramsWriteArePlain_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("links") << "fabricscope: 1\nplatform:\n  nodes:\n    - {name: g0}\n    - {name: s0, kind: switch}\n  links:\n"
                                  "    - {between: [g0, s0], bandwidth: 50 GB/s, latency: 500 ns}\n";
        QTest::newRow("block lists") << "edges:\n- ep1:\n    component: nic[0]\n    instance: dgx[3]\n  scheme: one2one # as listed\n  link: eth\n";
        QTest::newRow("quotes") << "name: \"A pod\"\nlist: ['cpu[0]', \"x\"]\n";
        QTest::newRow("list at the key") << "a:\n- 1\n- - 2\n  - 3\nb: {}\nc: []\n";
        QTest::newRow("without a last line end") << "a: 1\nb: x:y";
    }

    void filesThatProgramsWriteArePlain()
    {
        QFETCH(QString, text);
        QVERIFY(isPlain(text.toStdString()));
        QVERIFY(!isPlain(leftToYamlCpp(text.toStdString())));
        QCOMPARE(outcome(text.toStdString()), outcome(leftToYamlCpp(text.toStdString())));
    }

    void whatIsNotPlainIsLeftToYamlCpp_data()
    {
        QTest::addColumn<QString>("text");
        int number = 0;
        for (const char* const text : {"", "a", "a:\n", "a: ~\n", "a: b\n  c\n", "a: &x b\n", "a: *x\n", "a: !t b\n", "a: |\n  b\n", "? a\n: b\n", "a:\tb\n", "a: [1,\n 2]\n", "---\na: 1\n",
                                       "a: 1\n...\n", "%YAML 1.2\n---\na: 1\n", "'a': 1\n", "a: 'it''s'\n", "a: \"\\n\"\n", "a: [b: c]\n", "a: {b}\n", "a: [1, ]\n", "a: b: c\n", "a: - b\n",
                                       "- a\nb: 1\n", "a: 1\n b: 2\n", "a:\n    b: 1\n  c: 2\n", "a: 1\na: 2\n", "a: [1]]\n", "a: b#c\n", "a: \"b\"#c\n", "a : 1\n"})
            QTest::addRow("%d", number++) << text;
        QTest::addRow("long line") << QString::fromStdString("a: " + std::string(kPlainLine, 'x') + "\n");
        QTest::addRow("long key") << QString::fromStdString(std::string(1100, 'x') + ": 1\n");
    }

    void whatIsNotPlainIsLeftToYamlCpp()
    {
        QFETCH(QString, text);
        QVERIFY(!isPlain(text.toStdString()));
    }

    void theTreeIsThatOfYamlCpp()
    {
        Random random(seeded(41));
        int plain = 0;
        const int count = cases(4000, 100);
        for (int i = 0; i < count; ++i) {
            const std::string text = document(random);
            plain += isPlain(text);
            const std::string expected = outcome(leftToYamlCpp(text));
            if (outcome(text) != expected)
                QFAIL((text + "\n" + outcome(text) + "\n" + expected).c_str());
        }
        QVERIFY2(plain > count / 10, qPrintable(QString::number(plain)));
    }

    void aBrokenTextIsToldAsYamlCppDoes()
    {
        Random random(seeded(43));
        int plain = 0;
        const int count = cases(8000, 200);
        for (int i = 0; i < count; ++i) {
            std::string text = document(random);
            for (std::size_t changes = 1 + below(random, 2); changes > 0; --changes) {
                const std::size_t at = below(random, text.size() + 1);
                const std::string inserted = oneOf(random, {" ", "  ", "\n", ":", ": ", "-", "- ", "#", " #", ",", "[", "]", "{", "}", "'", "\"", "?", "&", "*", "!", "|", ">", "%", "@", "a", "\n\n",
                                                            "--", "<<", "=", "."});
                if (below(random, 3) == 0 && at < text.size())
                    text.erase(at, 1 + below(random, 3));
                else
                    text.insert(at, inserted);
            }
            plain += isPlain(text);
            if (!isPlain(text))
                continue; // The other way reads it in any case.
            const std::string expected = outcome(leftToYamlCpp(text));
            if (outcome(text) != expected)
                QFAIL((text + "\n" + outcome(text) + "\n" + expected).c_str());
        }
        QVERIFY2(plain > count / 40, qPrintable(QString::number(plain)));
    }
};

FABRICSCOPE_TEST(PlainYamlTest)
#include "tst_plainyaml.moc"
