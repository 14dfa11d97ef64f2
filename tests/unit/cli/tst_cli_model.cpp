// fabricscope-cli model: presets, checkpoints and model files worked out.
#include "tests/unit/support/clirun.h"
#include "tests/unit/support/testprogram.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fabricscope::test;
using nlohmann::json;

class TestCliModel : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(writeFile(m_folder.filePath("config.json"), "{\"architectures\": [\"LlamaForCausalLM\"], \"torch_dtype\": \"bfloat16\", \"num_hidden_layers\": 2, \"house_style\": \"blue\"}"));
        QVERIFY(writeFile(m_folder.filePath("mamba.json"), "{\"architectures\": [\"MambaForCausalLM\"]}"));
        QVERIFY(writeFile(m_folder.filePath("m.yaml"), "model:\n  preset: llama-3-8b\n  transformer:\n    layerz: 2\n"));
    }

    void everyModelIsListedWithItsParameters()
    {
        const CliResult text = run("model list");
        QVERIFY2(text.exit == 0, text.err);
        QVERIFY(text.out.contains("deepseek-v3"));
        const json rows = parsed(run("model list --json"))["result"];
        QVERIFY(rows.size() >= 50);
        for (const json& row : rows) {
            QVERIFY(row["parameters"].get<std::int64_t>() > 0);
            if (row["name"] == "llama-3-8b")
                QCOMPARE(row["parameters"].get<std::int64_t>(), 8030261248);
        }
    }

    void aPassIsWorkedOutAsJson()
    {
        const json train = parsed(run("model show gpt2-124m --batch 2 --seq 128 --json"))["result"];
        QCOMPARE(train["parameters"].get<std::int64_t>(), 124439808);
        // 24 B s h^2 + 4 B s^2 h in each of 12 layers, and the logits 2 B s h V.
        const std::int64_t B = 2, s = 128, h = 768;
        QCOMPARE(train["flops_forward"].get<std::int64_t>(), 12 * (24 * B * s * h * h + 4 * B * s * s * h) + 2 * B * s * h * 50257);
        QCOMPARE(train["macs_forward"].get<std::int64_t>() * 2, train["flops_forward"].get<std::int64_t>());
        const json decode = parsed(run("model show llama-3-70b --mode decode --batch 16 --seq 4096 --json"))["result"];
        QCOMPARE(decode["linear_flops"].get<std::int64_t>(), 2224054861824);
        QCOMPARE(decode["kv_bytes_read"].get<std::int64_t>(), 21474836480);
        const json chunk = parsed(run("model show llama-3-70b --mode prefill --seq 2048 --offset 2048 --json"))["result"];
        QCOMPARE(chunk["attention_flops"].get<std::int64_t>(), 16495358771200);
        const json images = parsed(run("model show resnet50 --batch 4 --json"))["result"];
        QCOMPARE(images["parameters"].get<std::int64_t>(), 25557032);
    }

    void aStepBeyondSixtyThreeBitsIsStillPrinted()
    {
        // 5.1391e19 with 3072 sequences (2021 table of Megatron-LM).
        const CliResult result = run("model show megatron-1t --batch 3072 --recompute full");
        QVERIFY2(result.exit == 0, result.err);
        QVERIFY2(result.out.contains("51.39 EFLOP (5139"), result.out);
    }

    void aCheckpointIsShownAndImported()
    {
        const CliResult shown = run("model show config.json --json");
        QCOMPARE(shown.exit, 0);
        QVERIFY(shown.err.contains("house_style"));
        const CliResult strict = run("model show config.json --strict");
        QCOMPARE(strict.exit, 1);
        QCOMPARE(run("model import config.json --out own.yaml").exit, 0);
        QCOMPARE(parsed(run("model show own.yaml --json"))["result"]["parameters"], parsed(shown)["result"]["parameters"]);
        QVERIFY(run("model import config.json").out.contains("layers: 2"));
    }

    void aCheckpointWithAPredictionLayerStoresCopies()
    {
        QVERIFY(writeFile(m_folder.filePath("v3.json"), "{\"architectures\": [\"DeepseekV3ForCausalLM\"], \"torch_dtype\": \"bfloat16\", \"num_nextn_predict_layers\": 1, "
                                                        "\"quantization_config\": {\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]}}"));
        // The published sum of the safetensors files.
        QCOMPARE(parsed(run("model show v3.json --predict-layers --json"))["result"]["checkpoint"]["bytes"].get<std::int64_t>(), 688574839360);
        QVERIFY(!parsed(run("model show v3.json --json"))["result"].contains("checkpoint"));
    }

    void whatIsWrongIsNamed_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QByteArray>("named");
        const std::pair<const char*, const char*> rows[] = {{"model", "list, show or import"}, {"model show", "MODEL"}, {"model show lama-3-8b", "nearest: llama-3-8b"}, {"model show none.json", "none.json"},
                                                            {"model show mamba.json", "MambaForCausalLM"}, {"model show m.yaml", "m.yaml:4:5"}, {"model show gpt2 --mode fast", "train"},
                                                            {"model show gpt2 --seq 2048", "1024"}, {"model show gpt2 --batch 0", "--batch"}, {"model show resnet50 --seq 4", "--seq"},
                                                            {"model show resnet50 --mode decode", "--mode"}, {"model show gpt2 --offset 4", "--offset"}, {"model show gpt2 --recompute all", "selective"},
                                                            {"model show gpt2 --recompute full --mode decode", "--recompute"}, {"model show gpt2 --predict-layers", "--predict-layers"},
                                                            {"model import resnet50", "convnet"}, {"model import none.json", "none.json"}};
        for (const auto& [line, named] : rows)
            QTest::newRow(line) << QString::fromUtf8(line) << QByteArray(named);
    }

    void whatIsWrongIsNamed()
    {
        QFETCH(QString, line);
        QFETCH(QByteArray, named);
        const CliResult result = run(line);
        QCOMPARE(result.exit, 2);
        QVERIFY2(result.err.contains(named), result.err);
        QVERIFY(result.out.isEmpty());
    }

private:
    CliResult run(const QString& line) { return runCli(line.split(QLatin1Char(' '), Qt::SkipEmptyParts), m_folder.path()); }
    static json parsed(const CliResult& result) { return json::parse(result.out.toStdString()); }

    QTemporaryDir m_folder;
};

FABRICSCOPE_TEST(TestCliModel)
#include "tst_cli_model.moc"
