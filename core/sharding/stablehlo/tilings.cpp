#include "core/sharding/stablehlo/tilings.h"

#include "core/base/showntext.h"
#include "core/sharding/stablehlo/mlirscan.h"

#include <algorithm>
#include <numeric>

namespace fabricscope::mlir {

namespace {

constexpr std::size_t kMostTilings = 4096;
constexpr std::int64_t kMostListed = std::int64_t{1} << 16; ///< Devices of a mesh with an order of its own.

Place placeIn(const Span& span, const std::string& file)
{
    Place place;
    place.file = file;
    place.line = span.line;
    place.column = span.column;
    return place;
}

std::int64_t productOf(const std::vector<std::int64_t>& sizes)
{
    std::int64_t product = 1;
    for (const std::int64_t size : sizes) {
        if (size < 1 || size > Mesh::kMaxDevices / product)
            return 0;
        product *= size;
    }
    return product;
}

bool isOrder(std::vector<std::int64_t> ids)
{
    std::ranges::sort(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] != static_cast<std::int64_t>(i))
            return false;
    }
    return true;
}

/// Behind "devices=".
Status readDevices(Scanner& scanner, Tiling& tiling)
{
    const Error broken = invalidInput("the tiles cannot be read", {}, "such as devices=[2,4]<=[8]");
    const auto list = [&](std::vector<std::int64_t>& into) {
        const auto read = integersOf(scanner.balanced().text);
        if (read)
            into = *read;
        return read && !into.empty() && productOf(into) > 0;
    };
    if (scanner.peek() != '[' || !list(tiling.sizes))
        return broken;
    if (scanner.accept("<=")) {
        if (scanner.peek() != '[' || !list(tiling.reshape) || productOf(tiling.reshape) != tiling.devices())
            return broken;
        tiling.permuted.resize(tiling.reshape.size());
        std::iota(tiling.permuted.begin(), tiling.permuted.end(), 0);
        if (scanner.accept("T")) {
            const std::string_view order = scanner.peek() == '(' ? scanner.balanced().text : std::string_view{};
            const auto read = order.size() < 2 ? std::nullopt : integersOf("[" + std::string(order.substr(1, order.size() - 2)) + "]");
            if (!read || read->size() != tiling.reshape.size() || !isOrder(*read))
                return broken;
            tiling.permuted = *read;
        }
        return {};
    }
    const std::size_t begin = scanner.position();
    while (!scanner.word().empty() && scanner.accept(",")) {}
    const auto ids = integersOf("[" + std::string(scanner.textFrom(begin)) + "]");
    if (!ids || static_cast<std::int64_t>(ids->size()) != tiling.devices() || !isOrder(*ids))
        return invalidInput("the devices are no order of " + std::to_string(tiling.devices()), {}, "every device once");
    tiling.ids = *ids;
    return {};
}

Status readLast(Scanner& scanner, Tiling& tiling)
{
    if (scanner.accept("last_tile_dim_replicate"))
        tiling.last = {false};
    else if (scanner.accept("last_tile_dims=")) {
        for (const Span& kind : itemsOf(scanner.balanced())) {
            if (kind.text != "replicated" && kind.text != "unreduced")
                return Error{ErrorCode::Unsupported, "devices of kind " + fabricscope::shownText(kind.text, 40) + " are not read", {}, "replicated or unreduced"};
            tiling.last.push_back(kind.text == "unreduced");
        }
    }
    if (scanner.accept("metadata="))
        scanner.balanced();
    return {};
}

/// Digits of a position, minor to major.
std::vector<DeviceDigit> digitsOfIota(const Tiling& tiling)
{
    std::vector<DeviceDigit> digits;
    for (std::size_t k = tiling.permuted.size(); k-- > 0;) {
        const auto axis = static_cast<std::size_t>(tiling.permuted[k]);
        std::int64_t stride = 1;
        for (std::size_t i = axis + 1; i < tiling.reshape.size(); ++i)
            stride *= tiling.reshape[i];
        if (tiling.reshape[axis] > 1)
            digits.push_back({stride, tiling.reshape[axis]});
    }
    return digits;
}

std::int64_t deviceOf(const std::vector<DeviceDigit>& digits, std::int64_t position)
{
    std::int64_t device = 0;
    for (const DeviceDigit& digit : digits) {
        device += position % digit.size * digit.stride;
        position /= digit.size;
    }
    return device;
}

/// The same of a list; none where it is no order of digits. O(list * digits).
std::optional<std::vector<DeviceDigit>> digitsOfList(const std::vector<std::int64_t>& ids)
{
    std::vector<DeviceDigit> digits;
    const auto count = static_cast<std::int64_t>(ids.size());
    for (std::int64_t block = 1; block < count;) {
        const std::int64_t stride = ids[static_cast<std::size_t>(block)];
        std::int64_t size = 1;
        while ((size + 1) * block <= count && ids[static_cast<std::size_t>(size * block)] == size * stride)
            ++size;
        if (size == 1 || count % (block * size) != 0)
            return std::nullopt;
        digits.push_back({stride, size});
        block *= size;
    }
    for (std::int64_t position = 0; position < count; ++position) {
        if (deviceOf(digits, position) != ids[static_cast<std::size_t>(position)])
            return std::nullopt;
    }
    return digits;
}

/// Gives every entry of `sizes` its digits; false where one would have to be cut into parts that are no integers.
bool share(Tiling& tiling, std::vector<DeviceDigit> digits)
{
    tiling.digits.assign(tiling.sizes.size(), {});
    std::size_t next = 0;
    for (std::size_t d = tiling.sizes.size(); d-- > 0;) {
        std::int64_t wanted = tiling.sizes[d];
        while (wanted > 1) {
            DeviceDigit& digit = digits[next];
            const std::int64_t taken = std::gcd(wanted, digit.size);
            if (taken != wanted && taken != digit.size)
                return false;
            tiling.digits[d].insert(tiling.digits[d].begin(), {digit.stride, taken});
            wanted /= taken;
            digit.stride *= taken;
            digit.size /= taken;
            next += digit.size == 1 ? 1 : 0;
        }
    }
    return true;
}

/// A digit in axes of the mesh, major to minor; none where an axis would have to be cut into parts that are no integers.
std::optional<AxisList> axesOf(const Mesh& mesh, const DeviceDigit& digit)
{
    AxisList list;
    std::int64_t stride = 1;
    std::int64_t covered = 1;
    for (std::size_t i = mesh.axes.size(); i-- > 0;) {
        const std::int64_t end = stride * mesh.axes[i].size;
        const std::int64_t low = std::max(stride, digit.stride);
        const std::int64_t high = std::min(end, digit.stride * digit.size);
        if (low < high) {
            if (low % stride != 0 || high % low != 0 || end % high != 0)
                return std::nullopt;
            list.insert(list.begin(), {static_cast<std::int32_t>(i), end / high, high / low});
            covered *= high / low;
        }
        stride = end;
    }
    return covered == digit.size ? std::optional(list) : std::nullopt;
}

} // namespace

std::int64_t Tiling::devices() const
{
    return kind == Kind::Tiled ? productOf(sizes) : 1;
}

Result<Tiling> readTiling(std::string_view text)
{
    text = trimmed(text);
    Tiling tiling;
    if (text.size() < 2 || text.front() != '{' || text.back() != '}')
        return invalidInput("the sharding cannot be read", {}, "such as {devices=[2,4]<=[8]}");
    Scanner scanner(text.substr(1, text.size() - 2));
    if (scanner.accept("replicated")) {
        tiling.kind = Tiling::Kind::Replicated;
    } else if (scanner.accept("unknown")) {
        tiling.kind = Tiling::Kind::Unknown;
    } else if (scanner.accept("manual")) {
        tiling.kind = Tiling::Kind::Manual;
    } else if (scanner.accept("maximal")) {
        tiling.kind = Tiling::Kind::Maximal;
        if (scanner.accept("device="))
            scanner.word();
    } else if (scanner.accept("devices=")) {
        tiling.kind = Tiling::Kind::Tiled;
        if (Status status = readDevices(scanner, tiling); !status)
            return status.error();
    } else {
        return Error{ErrorCode::Unsupported, "this kind of sharding is not read", {}, "devices, replicated or maximal"};
    }
    if (Status status = readLast(scanner, tiling); !status)
        return status.error();
    if (!scanner.atEnd() || tiling.last.size() > tiling.sizes.size())
        return Error{ErrorCode::Unsupported, "\"" + std::string(text.substr(scanner.position() + 1, 40)) + "\" in the sharding is not read", {}, "devices=[...], <=, T(...), last_tile_dim_replicate"};
    return tiling;
}

const Tiling* Tilings::find(std::string_view text) const
{
    const auto found = m_known.find(text);
    return found == m_known.end() ? nullptr : &found->second.first;
}

Result<Tilings> Tilings::of(const std::vector<Span>& texts, const Mesh& named, const std::string& file)
{
    Tilings all;
    all.m_mesh = named;
    std::int64_t devices = named.axes.empty() ? 0 : named.devices();
    for (const Span& span : texts) {
        const auto text = stringOf(span.text);
        if (!text)
            return invalidInput("mhlo.sharding needs a text", placeIn(span, file), "such as \"{devices=[2,4]<=[8]}\"");
        if (all.m_known.contains(*text))
            continue;
        Result<Tiling> tiling = readTiling(*text);
        if (!tiling) {
            Error error = std::move(tiling).error();
            error.place = placeIn(span, file);
            return error;
        }
        if (all.m_known.size() >= kMostTilings)
            return invalidInput("there are too many different shardings", placeIn(span, file), "at most " + std::to_string(kMostTilings));
        if (tiling.value().kind == Tiling::Kind::Tiled && devices == 0)
            devices = tiling.value().devices();
        if (tiling.value().kind == Tiling::Kind::Tiled && tiling.value().devices() != devices)
            return invalidInput("the sharding is over " + std::to_string(tiling.value().devices()) + " devices, others are over " + std::to_string(devices), placeIn(span, file), "one number of devices");
        all.m_known.emplace(*text, std::pair{std::move(tiling).value(), span});
    }
    if (Status status = all.findDigits(file); !status)
        return status.error();
    if (named.axes.empty() && devices > 0)
        all.makeMesh();
    return all;
}

Status Tilings::findDigits(const std::string& file)
{
    std::vector<std::int64_t> places; // Of a device; empty: its number.
    const auto setOrder = [&](const std::vector<std::int64_t>& order) {
        places.resize(order.size());
        for (std::size_t q = 0; q < order.size(); ++q)
            places[static_cast<std::size_t>(order[q])] = static_cast<std::int64_t>(q);
    };
    if (!m_mesh.deviceOrder.empty())
        setOrder({m_mesh.deviceOrder.begin(), m_mesh.deviceOrder.end()});
    for (const auto& [text, known] : m_known) {
        if (m_mesh.axes.empty() && places.empty() && !known.first.ids.empty() && !digitsOfList(known.first.ids)) {
            setOrder(known.first.ids);
            m_mesh.deviceOrder.assign(known.first.ids.begin(), known.first.ids.end());
        }
    }
    for (auto& [text, known] : m_known) {
        Tiling& tiling = known.first;
        if (tiling.kind != Tiling::Kind::Tiled)
            continue;
        std::optional<std::vector<DeviceDigit>> digits = digitsOfIota(tiling);
        if (!places.empty() && tiling.devices() > kMostListed)
            return invalidInput("a mesh with an order of its own has too many devices", placeIn(known.second, file), "at most " + std::to_string(kMostListed));
        if (!places.empty() || !tiling.ids.empty()) {
            std::vector<std::int64_t> list(static_cast<std::size_t>(tiling.devices()));
            for (std::size_t q = 0; q < list.size(); ++q) {
                list[q] = tiling.ids.empty() ? deviceOf(*digits, static_cast<std::int64_t>(q)) : tiling.ids[q];
                list[q] = places.empty() ? list[q] : places[static_cast<std::size_t>(list[q])];
            }
            digits = digitsOfList(list);
        }
        if (!digits || !share(tiling, *digits))
            return Error{ErrorCode::Unsupported, "the order of devices in \"" + fabricscope::shownText(text, 80) + "\" does not go together with that of other shardings", placeIn(known.second, file), "one mesh"};
    }
    return {};
}

void Tilings::makeMesh()
{
    std::vector<std::int64_t> cuts;
    std::int64_t devices = 1;
    for (const auto& [text, known] : m_known) {
        devices = std::max(devices, known.first.devices());
        for (const auto& list : known.first.digits) {
            for (const DeviceDigit& digit : list) {
                cuts.push_back(digit.stride);
                cuts.push_back(digit.stride * digit.size);
            }
        }
    }
    cuts.push_back(devices);
    std::ranges::sort(cuts);
    std::vector<std::int64_t> sizes; // Minor to major.
    std::int64_t last = 1;
    bool chain = true;
    for (const std::int64_t cut : cuts) {
        chain = chain && cut % last == 0;
        if (cut > last && chain) {
            sizes.push_back(cut / last);
            last = cut;
        }
    }
    if (!chain)
        sizes = {devices}; // Parts of one axis say all of them.
    for (std::size_t i = 0; i < sizes.size(); ++i)
        m_mesh.axes.push_back({"axis_" + std::to_string(i), sizes[sizes.size() - 1 - i]});
    if (m_mesh.axes.empty())
        m_mesh.axes.push_back({"axis_0", 1});
}

Result<TensorAnnotation> Tilings::read(const Span& text, const Mesh& mesh, std::size_t dims, const std::string& file) const
{
    TensorAnnotation note;
    note.place = placeIn(text, file);
    const Tiling* tiling = find(stringOf(text.text).value_or(""));
    if (!tiling)
        return invalidInput("the sharding cannot be read", note.place, "a text");
    note.priority.assign(dims, 0);
    note.closed.assign(dims, tiling->kind == Tiling::Kind::Unknown ? 0 : 1);
    if (tiling->kind != Tiling::Kind::Unknown)
        note.dims.emplace(dims);
    if (tiling->kind != Tiling::Kind::Tiled)
        return note;
    if (tiling->sizes.size() != dims + tiling->last.size())
        return invalidInput("the sharding is for " + std::to_string(tiling->sizes.size() - tiling->last.size()) + " dims", note.place, std::to_string(dims) + ", as the tensor has");
    for (std::size_t d = 0; d < tiling->sizes.size(); ++d) {
        AxisList list;
        for (const DeviceDigit& digit : tiling->digits[d]) {
            const auto part = axesOf(mesh, digit);
            if (!part)
                return Error{ErrorCode::Unsupported, "the sharding cannot be said in axes of the mesh", note.place, "parts of its axes"};
            list = appended(std::move(list), *part);
        }
        if (d < dims)
            (*note.dims)[d] = joined(list);
        else if (tiling->last[d - dims])
            note.unreduced = appended(std::move(note.unreduced), joined(list));
    }
    return note;
}

} // namespace fabricscope::mlir
