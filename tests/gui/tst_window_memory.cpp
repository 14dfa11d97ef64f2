// Too little memory: whatever a job or an event throws becomes a sentence, the document stays, and the program goes on.
#include "app/desktop/application.h"
#include "app/desktop/filecommands.h"
#include "app/desktop/mainwindow.h"
#include "app/desktop/runcontroller.h"
#include "core/run/memorylimit.h"
#include "tests/gui/support/patience.h"
#include "tests/unit/support/sanitized.h"
#include "widgets/base/background.h"
#include "widgets/design/document.h"
#include "tests/unit/support/testprogram.h"

#include <QtTest>

#include <QMessageBox>
#include <QProcess>
#include <QTemporaryDir>

#include <cstdio>
#include <stdexcept>

using namespace fabricscope;

namespace {

using fabricscope::test::kLongMs;

QByteArray smallDesign()
{
    return "fabricscope: 1\nname: Small\nplatform: {dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}]}\nworkload: {collective: all_reduce, size: 1 MiB}\n";
}

/// 65,536 ranks whose computations all last differently: every task of every rank is one of its own.
QByteArray largeDesign()
{
    return "fabricscope: 1\nname: Large\nplatform:\n  dimensions:\n    - {shape: ring, size: 256, bandwidth: 50 GB/s, latency: 500 ns}\n    - {shape: ring, size: 256, bandwidth: 25 GB/s, latency: 1 us}\n"
           "workload:\n  steps:\n    - repeat: 200\n      steps:\n        - {compute: 10 us}\n        - {collective: all_reduce, size: 16 MiB}\n"
           "network: {jitter: {compute: {distribution: uniform, deviation: 0.01}}}\nmodel: {name: links}\n";
}

template <class Condition>
bool waitFor(const Condition& condition)
{
    return QTest::qWaitFor(condition, kLongMs);
}

/// The window with little room: a large design, then a small one.
int runChild(int argc, char** argv)
{
    Application application(argc, argv);
    MainWindow window;
    window.show();
    window.files().setDecide([](const QString&) { return QMessageBox::Discard; });
    std::optional<Error> failure;
    QObject::connect(&window.runs(), &RunController::failed, [&failure](const Error& error) { failure = error; });
    constexpr std::int64_t kRoom = std::int64_t{700} << 20;
    enforceMemoryLimit(kRoom);
    window.runs().setMemoryLimit(0); // The limit of the process is the only one.
    // Qt's raster painter does not look whether it was given memory (6.4): one run in twenty five, it painted while there was none. What is tried here is ours.
    window.setUpdatesEnabled(false);
    const QByteArray large = largeDesign();
    window.files().openText(large, QStringLiteral("large.yaml"));
    if (!waitFor([&] { return failure.has_value(); }))
        return 10;
    window.setUpdatesEnabled(true);
    std::printf("%d %s\n", exitCode(failure->code), failure->message.c_str());
    if (window.document().text() != large.toStdString())
        return 11;
    window.files().openText(smallDesign(), QStringLiteral("small.yaml"));
    if (!waitFor([&] { return window.history().current() && !window.runs().isBusy(); }))
        return 12;
    return 0;
}

/// Throws when it is told to.
class Thrower : public QObject
{
public:
    bool event(QEvent* event) override
    {
        if (event->type() != QEvent::User)
            return QObject::event(event);
        throw std::bad_alloc();
    }
};

} // namespace

class WindowMemoryTest : public QObject
{
    Q_OBJECT

    template <class Work>
    static Answer<Work> answerOf(Work work)
    {
        QObject receiver;
        std::optional<Answer<Work>> answer;
        inBackground(&receiver, work, [&answer](Answer<Work> given) { answer.emplace(std::move(given)); });
        QTest::qVerify(waitFor([&answer] { return answer.has_value(); }), "an answer comes", "", __FILE__, __LINE__);
        return std::move(*answer);
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void whateverAJobThrowsIsAnAnswer()
    {
        const auto five = answerOf([] { return 5; });
        QVERIFY(five);
        QCOMPARE(five.value(), 5);
        QCOMPARE(answerOf([]() -> int { throw std::bad_alloc(); }).error().code, ErrorCode::MemoryLimit);
        QCOMPARE(answerOf([]() -> Result<int> { throw std::length_error("long"); }).error().code, ErrorCode::MemoryLimit);
        QCOMPARE(answerOf([]() -> Status { throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)); }).error().code, ErrorCode::MemoryLimit);
        QCOMPARE(answerOf([]() -> int { throw std::runtime_error("a bug"); }).error().message, std::string("a bug"));
        QCOMPARE(answerOf([]() -> int { throw 1; }).error().code, ErrorCode::Internal);
        QCOMPARE(answerOf([]() -> Result<int> { return invalidInput("no"); }).error().message, std::string("no"));
    }

    void whatAnEventThrowsIsToldAndTheLoopGoesOn()
    {
        auto* application = qobject_cast<Application*>(QCoreApplication::instance());
        QVERIFY(application);
        Thrower thrower;
        std::vector<Error> told;
        connect(application, &Application::failed, this, [&told](const Error& error) { told.push_back(error); });
        for (int i = 0; i < 3; ++i)
            QCoreApplication::postEvent(&thrower, new QEvent(QEvent::User));
        QVERIFY(waitFor([&told] { return !told.empty(); }));
        QCOMPARE(told.size(), std::size_t{1});
        QCOMPARE(told[0].code, ErrorCode::MemoryLimit);
    }

    void aRunWithoutMemoryIsSaidAndTheDocumentAndTheWindowStay()
    {
        if (fabricscope::test::kSanitized)
            return; // Limits of memory do not hold.
        const QTemporaryDir home;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("FABRICSCOPE_HOME"), home.path());
        environment.insert(QStringLiteral("FABRICSCOPE_TEST_CHILD"), QStringLiteral("memory"));
        QProcess child;
        child.setProcessEnvironment(environment);
        child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("tst_window_memory")});
        QVERIFY(child.waitForFinished(2 * kLongMs));
        const QByteArray said = child.readAllStandardOutput() + child.readAllStandardError();
        QCOMPARE(child.exitStatus(), QProcess::NormalExit);
        QVERIFY2(child.exitCode() == 0, said + QByteArray::number(child.exitCode()));
        QVERIFY2(said.startsWith("6 ") && said.contains("memory"), said);
    }

    void aLimitOfTheRunsIsSaidInTheWindow()
    {
        const QTemporaryDir home;
        qputenv("FABRICSCOPE_HOME", home.path().toUtf8());
        MainWindow window;
        window.files().setDecide([](const QString&) { return QMessageBox::Discard; });
        std::optional<Error> failure;
        connect(&window.runs(), &RunController::failed, this, [&failure](const Error& error) { failure = error; });
        window.runs().setMemoryLimit(1);
        QByteArray design = smallDesign();
        window.files().openText(design, QStringLiteral("small.yaml"));
        QVERIFY(waitFor([&] { return failure.has_value() || window.history().current() != nullptr; }));
        QVERIFY(failure);
        QCOMPARE(failure->code, ErrorCode::MemoryLimit);
        QCOMPARE(window.document().text(), design.toStdString());
        window.runs().setMemoryLimit(defaultMemoryLimit());
        window.files().openText(design, QStringLiteral("small.yaml"));
        QVERIFY(waitFor([&] { return window.history().current() && !window.runs().isBusy(); }));
    }
};

static int begin(int argc, char** argv)
{
    if (qEnvironmentVariableIsSet("FABRICSCOPE_TEST_CHILD"))
        return runChild(argc, argv);
    return fabricscope::test::runTest<WindowMemoryTest, Application>(argc, argv);
}

FABRICSCOPE_TEST_BEGINS(begin)

#include "tst_window_memory.moc"
