#include "core/insight/reconcile.h"

#include "core/design/computeconfig.h"
#include "core/design/modelversions.h"
#include "core/insight/variant.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace fabricscope {

namespace {

/// Position in the fixed order in which rules are switched; a reconciliation the other way round is its mirror image.
int placeOf(Model model)
{
    switch (model) {
    case Model::Flow: return -1;
    case Model::Links: return 0;
    case Model::Ideal: return 1;
    case Model::AstraUnaware: return 2;
    case Model::AstraAware: return 3;
    }
    return 0;
}

ReconcileItem itemOf(const RuleSwitch& rule)
{
    ReconcileItem item;
    item.rule = rule.rule;
    item.name = rule.name;
    item.explanation = rule.explanation;
    return item;
}

std::vector<ReconcileItem> itemsOf(const RuleChain& chain, Model a, Model b)
{
    std::vector<ReconcileItem> items;
    for (const RuleSwitch& rule : chain.forward)
        items.push_back(itemOf(rule));
    if (!chain.meets)
        items.push_back(itemOf(remainder(a, b)));
    for (const RuleSwitch& rule : chain.backward)
        items.push_back(itemOf(rule));
    return items;
}

/// Null: it has none.
std::shared_ptr<const Design> withoutKernels(const Design& design)
{
    if (!design.compute || !design.compute->kernels)
        return nullptr;
    ComputeConfig compute = *design.compute;
    compute.kernels.reset();
    auto plain = std::make_shared<Design>(design);
    plain->compute = std::make_shared<const ComputeConfig>(std::move(compute));
    return plain;
}

void turnAround(std::vector<ReconcileItem>& items)
{
    std::reverse(items.begin(), items.end());
    for (ReconcileItem& item : items)
        std::swap(item.from, item.to);
}

/// The chain of one reconciliation while it is run, from the earlier model to the later.
class Walk {
public:
    Walk(const ReconcileOptions& options, const std::stop_token& stop, int runs) : m_options(options), m_stop(stop), m_runs(runs) {}

    Result<RunResultPtr> end(const std::shared_ptr<const Design>& design, const Diagnostics& noticed, Model model)
    {
        auto asked = std::make_shared<Design>(*design);
        if (asked->model.model != model) {
            asked->model.model = model;
            asked->model.version = versionFor(asked->model.model, asked->model.version);
        }
        RunDesignOptions options;
        options.engine = m_options.engine;
        options.seed = m_options.seed;
        options.threads = m_options.threads;
        options.memoryLimit = m_options.memoryLimit;
        options.taskTimes = m_options.taskTimes;
        auto result = runDesign(std::move(asked), noticed, options, m_stop);
        tell();
        if (!result) {
            Error error = std::move(result).error();
            if (error.code != ErrorCode::Cancelled)
                error.message = "under " + std::string(modelName(model)) + ": " + error.message;
            return error;
        }
        if (!result.value()->record().complete)
            return Error{ErrorCode::Stuck, "under " + std::string(modelName(model)) + " the simulation cannot finish: there is no time to compare", {}, {}};
        return result;
    }

    /// Finish of a variant; nothing when it cannot run or cannot finish. Errors: Cancelled, MemoryLimit, Internal.
    Result<std::optional<SimTime>> finishOf(const Variant& variant)
    {
        RunOptions options;
        options.engine = m_options.engine;
        options.seed = m_options.seed;
        options.memoryLimit = m_options.memoryLimit;
        options.taskTimes = false;
        auto record = isAstra(variant.scenario.model) ? simulateAstraVariant(variant.scenario, variant.astra, options, m_stop)
                                                      : simulate(variant.scenario, options, m_stop);
        tell();
        if (!record) {
            const ErrorCode code = record.error().code;
            if (code == ErrorCode::Cancelled || code == ErrorCode::MemoryLimit || code == ErrorCode::Internal)
                return std::move(record).error();
            return std::optional<SimTime>();
        }
        if (!record.value().complete)
            return std::optional<SimTime>();
        constexpr std::int64_t kSlower = 1000;
        const SimTime finish = record.value().finish;
        return std::optional<SimTime>(variant.picoseconds ? SimTime{finish.ps / kSlower} : finish);
    }

    /// Switches rule after rule, starting at a variant with a known finish. Gives the finish after each switch; where one could not be
    /// switched by itself `apart` is false and the finish is that before it.
    Status follow(const std::vector<const RuleSwitch*>& rules, Variant variant, SimTime finish, std::vector<SimTime>& finishes, std::vector<bool>& apart)
    {
        for (const RuleSwitch* rule : rules) {
            Variant next = variant;
            bool single = rule->apply(next);
            if (!single) {
                next = variant;
            } else if (!sameVariant(variant, next)) {
                auto found = finishOf(next);
                if (!found)
                    return std::move(found).error();
                single = found.value().has_value();
                if (single)
                    finish = *found.value();
            } else {
                tell();
            }
            variant = std::move(next); // A switch whose run does not end stays, so that the next one contains it.
            finishes.push_back(finish);
            apart.push_back(single);
        }
        return {};
    }

private:
    void tell()
    {
        ++m_done;
        if (m_options.progress)
            m_options.progress(std::min(m_done, m_runs), m_runs);
    }

    const ReconcileOptions& m_options;
    const std::stop_token& m_stop;
    int m_runs;
    int m_done = 0;
};

/// What cannot be switched apart is no item where it changes nothing, unless it contains others.
void dropEmptyRemainder(std::vector<ReconcileItem>& items)
{
    const auto rest = std::find_if(items.begin(), items.end(), [](const ReconcileItem& item) { return item.rule == kRemainderRule; });
    if (rest == items.end() || rest->delta().ps != 0)
        return;
    const bool contains = (rest != items.begin() && !std::prev(rest)->apart) || (std::next(rest) != items.end() && !std::next(rest)->apart);
    if (!contains)
        items.erase(rest);
}

void explain(ReconcileItem& item, bool apart, const ReconcileItem& container)
{
    item.apart = apart;
    if (!apart)
        item.explanation += "; cannot be switched by itself here, contained in: " + container.name;
}

std::vector<const RuleSwitch*> pointers(const std::vector<RuleSwitch>& rules)
{
    std::vector<const RuleSwitch*> result;
    for (const RuleSwitch& rule : rules)
        result.push_back(&rule);
    return result;
}

} // namespace

std::vector<ReconcileItem> reconcileOrder(Model a, Model b)
{
    const bool turned = placeOf(a) > placeOf(b);
    if (turned)
        std::swap(a, b);
    std::vector<ReconcileItem> items = itemsOf(ruleChain(a, b, nullptr, nullptr), a, b);
    if (turned)
        turnAround(items);
    return items;
}

Result<Reconciliation> reconcile(const std::shared_ptr<const Design>& design, const Diagnostics& noticed, Model modelA, Model modelB,
                                 const ReconcileOptions& options, std::stop_token stop)
{
    const bool turned = placeOf(modelA) > placeOf(modelB);
    const Model first = turned ? modelB : modelA;
    const Model last = turned ? modelA : modelB;
    Walk walk(options, stop, static_cast<int>(reconcileOrder(first, last).size()) + 2);

    auto begin = walk.end(design, noticed, first);
    if (!begin)
        return std::move(begin).error();
    auto end = first == last ? begin : walk.end(design, noticed, last);
    if (!end)
        return std::move(end).error();
    const RunResultPtr& low = begin.value();
    const RunResultPtr& high = end.value();

    const std::shared_ptr<const Design> other = traitsOf(first).npuDetails && !traitsOf(last).npuDetails ? withoutKernels(*design) : nullptr;
    const auto plain = other ? walk.end(other, noticed, first) : Result<RunResultPtr>(RunResultPtr());
    if (!plain)
        return plain.error();
    const RuleChain chain = ruleChain(first, last, low->scenario.get(), high->scenario.get(), other ? plain.value()->scenario.get() : nullptr);
    Reconciliation result;
    result.modelA = modelA;
    result.modelB = modelB;
    result.a = turned ? high : low;
    result.b = turned ? low : high;
    result.items = itemsOf(chain, first, last);

    // From the earlier model forwards, and from the later one backwards, to where they cannot be brought closer.
    std::vector<const RuleSwitch*> forward = pointers(chain.forward);
    if (chain.meets && !forward.empty())
        forward.pop_back(); // The last switch leads to the later model itself.
    std::vector<SimTime> finishes;
    std::vector<bool> apart;
    if (Status status = walk.follow(forward, {*low->scenario, {}, false}, low->record().finish, finishes, apart); !status)
        return std::move(status).error();
    std::vector<const RuleSwitch*> backward = pointers(chain.backward);
    std::reverse(backward.begin(), backward.end());
    std::vector<SimTime> behind;
    std::vector<bool> apartBehind;
    if (Status status = walk.follow(backward, {*high->scenario, {}, false}, high->record().finish, behind, apartBehind); !status)
        return std::move(status).error();

    SimTime at = low->record().finish;
    std::size_t number = 0;
    for (; number < finishes.size(); ++number) {
        ReconcileItem& item = result.items[number];
        item.from = at;
        at = item.to = finishes[number];
        explain(item, apart[number], result.items[number + 1]);
    }
    for (; number < result.items.size(); ++number) {
        // What is left after item k: the switches behind it that have been taken back.
        const std::size_t left = result.items.size() - 1 - number;
        ReconcileItem& item = result.items[number];
        item.from = at;
        at = item.to = left == 0 ? high->record().finish : behind[left - 1];
        if (left < apartBehind.size())
            explain(item, apartBehind[left], result.items[number - 1]);
    }
    dropEmptyRemainder(result.items);
    if (turned)
        turnAround(result.items);
    return result;
}

} // namespace fabricscope
