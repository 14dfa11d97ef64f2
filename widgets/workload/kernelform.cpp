#include "widgets/workload/kernelform.h"

#include "core/design/computeconfig.h"
#include "core/design/edits/kerneledits.h"
#include "core/design/plankernels.h"
#include "core/plan/planspec.h"
#include "widgets/base/showntexts.h"
#include "widgets/design/quantityinput.h"

#include <QCoreApplication>

namespace fabricscope::kernelform {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("fabricscope::kernelform", text);
}

QString offText()
{
    return tr("off");
}

QString ownText()
{
    return tr("own terms");
}

const KernelConfig* configOf(const Design& design)
{
    return design.compute && design.compute->kernels ? &*design.compute->kernels : nullptr;
}

QString number(double value)
{
    return quantitytext::text({value, "", Measure::Count});
}

/// "3.4 µs" of seconds, "1979 TFLOP/s" of FLOP/s.
QString inUnit(double base, Measure measure, const char* unit)
{
    return quantitytext::text(quantitytext::inUnit({base, measure == Measure::Time ? "s" : "FLOP/s", measure}, unit));
}

QString peakText(double peak)
{
    return peak > 0 ? inUnit(peak, Measure::ComputeRate, "TFLOP/s") : tr("the peak");
}

} // namespace

QString path()
{
    return QStringLiteral("compute.kernels");
}

QStringList choices()
{
    QStringList words{offText(), ownText()};
    for (const auto& [word, machine] : kFittedMachines)
        words.append(QString::fromLatin1(word.data(), static_cast<qsizetype>(word.size())));
    return words;
}

QString choiceOf(const Design& design)
{
    const KernelConfig* const config = configOf(design);
    if (!config)
        return offText();
    return config->machine ? QString::fromStdString(std::string(keyOf(kFittedMachines, *config->machine))) : ownText();
}

QString sourceOf(const Design& design)
{
    const KernelConfig* const config = configOf(design);
    return config && config->machine ? texts::shown(std::string(fittedKernels(*config->machine).source)) : QString();
}

Status choose(YamlDocument& yaml, const QString& choice)
{
    if (choice == offText())
        return edits::dropKernels(yaml);
    return edits::setKernelMachine(yaml, choice == ownText() ? std::string() : choice.toStdString());
}

std::vector<Term> termsOf(const Design& design)
{
    const KernelConfig* const config = configOf(design);
    if (!config)
        return {};
    const KernelTerms usual = config->machine ? fittedKernels(*config->machine).terms : KernelTerms();
    const auto* const planned = design.workload ? std::get_if<PlannedWorkload>(design.workload.get()) : nullptr;
    const bool trains = planned && planned->plan && !planned->plan->inference;
    std::vector<Term> terms{
        {"start", Measure::Time, "us", tr("Kernel start"), tr("Time that every kernel takes beside its work, as 2 us"), inUnit(usual.start, Measure::Time, "us")},
        {"share", Measure::Count, "", tr("Share of peak"), tr("Of the peak, what products reach while all units work: above 0, at most 1"), number(usual.share)},
        {"attention_share", Measure::Count, "", tr("Attention share"), tr("The same of attention: above 0, at most 1"), number(usual.attention)},
        {"memory_share", Measure::Count, "", tr("Memory share"), tr("Of the memory bandwidth, what kernels reach: above 0, at most 1"), number(usual.memory)},
        {"traffic", Measure::Count, "", tr("Traffic"), tr("Kernels that are no products move so many times the bytes of their tensors: 0.001 to 1000"), number(usual.traffic)},
        {"units", Measure::Count, "", tr("Units"), tr("Among which the tiles of a product are dealt out, as 132 on an H100; 0: products have no tiles"), QString::number(usual.units)},
        {"fp8_peak", Measure::ComputeRate, "TFLOP/s", tr("FP8 peak"), tr("Peak of FP8 products, as 1979 TFLOP/s; empty: that of the machine, or the peak of the NPU"), peakText(usual.fp8Peak)},
        {"fp32_peak", Measure::ComputeRate, "TFLOP/s", tr("FP32 peak"), tr("Peak of models that compute in FP32; empty: the peak of the NPU"), peakText(usual.fp32Peak)},
    };
    if (trains)
        terms.push_back({"layer", Measure::Time, "ms", tr("Host per layer"), tr("Time in which the host launches a layer, forward and backward, of a micro-batch: no pass is shorter"), inUnit(usual.layer, Measure::Time, "ms")});
    return terms;
}

Status setTerm(YamlDocument& yaml, const Term& term, const QString& typed)
{
    if (typed.isEmpty())
        return edits::setKernelTerm(yaml, term.key, {});
    const Result<Quantity> read = quantitytext::parse(typed, term.measure, term.unit);
    if (!read)
        return invalidInput(quantitytext::refusal(typed, term.measure, term.unit).toStdString(), {}, {});
    return edits::setKernelTerm(yaml, term.key, read.value().text());
}

} // namespace fabricscope::kernelform
