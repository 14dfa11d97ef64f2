#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <vector>

namespace fabricscope::python {

/// `count` numbers from `first` on, `stride` bytes apart, as an array of numpy that shares their memory, keeps its owner alive and cannot be written to.
template <typename Number>
pybind11::array sharedView(const Number* first, std::size_t count, std::size_t stride, std::shared_ptr<const void> owner)
{
    using Owner = std::shared_ptr<const void>;
    auto kept = std::make_unique<Owner>(std::move(owner));
    const pybind11::capsule capsule(kept.get(), [](void* held) { const std::unique_ptr<Owner> released(static_cast<Owner*>(held)); });
    [[maybe_unused]] Owner* const taken = kept.release(); // By the capsule.
    pybind11::array view(pybind11::dtype::of<Number>(), {static_cast<pybind11::ssize_t>(count)}, {static_cast<pybind11::ssize_t>(stride)}, first, capsule);
    view.attr("flags").attr("writeable") = false;
    return view;
}

template <typename Number>
pybind11::array sharedView(const std::vector<Number>& numbers, std::shared_ptr<const void> owner)
{
    return sharedView(numbers.data(), numbers.size(), sizeof(Number), std::move(owner));
}

/// A number of every row: `member(row)` is a reference to it.
template <typename Row, typename Member>
pybind11::array sharedColumn(const std::vector<Row>& rows, const Member& member, std::shared_ptr<const void> owner)
{
    using Number = std::remove_cvref_t<decltype(member(rows.front()))>;
    return sharedView(rows.empty() ? static_cast<const Number*>(nullptr) : &member(rows.front()), rows.size(), sizeof(Row), std::move(owner));
}

} // namespace fabricscope::python
