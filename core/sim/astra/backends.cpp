#include "core/sim/astra/backends.h"

#include <algorithm>

namespace fabricscope {

namespace {

std::uint32_t portsOf(const AstraDimension& dimension)
{
    if (dimension.size < 2)
        return 0;
    switch (dimension.shape) {
    case Shape::Ring:
        return dimension.size == 2 ? 1 : 2;
    case Shape::FullyConnected:
        return static_cast<std::uint32_t>(dimension.size - 1);
    case Shape::Switch:
        break;
    }
    return 2;
}

} // namespace

void AstraBusy::add(std::int64_t beginNs, std::int64_t lengthNs, std::int64_t weight)
{
    // What is beyond the horizon of the events ends the run with an error.
    if (lengthNs > AstraQueue::kHorizon || beginNs > AstraQueue::kHorizon - lengthNs)
        return;
    const std::int64_t begin = beginNs * kPsPerNs;
    const std::int64_t end = begin + lengthNs * kPsPerNs;
    if (end <= begin)
        return;
    while ((end - 1) / static_cast<std::int64_t>(BusyPyramid::kBuckets) >= m_width) {
        for (std::size_t i = 0; i < m_busy.size(); i += 2)
            m_busy[i / 2] = m_busy[i] + (i + 1 < m_busy.size() ? m_busy[i + 1] : 0);
        m_busy.resize((m_busy.size() + 1) / 2);
        m_width *= 2;
    }
    const auto last = static_cast<std::size_t>((end - 1) / m_width);
    if (last >= m_busy.size())
        m_busy.resize(last + 1);
    std::int64_t from = begin;
    for (auto at = static_cast<std::size_t>(begin / m_width); at <= last; ++at) {
        const std::int64_t low = static_cast<std::int64_t>(at) * m_width;
        const std::int64_t to = end - low <= m_width ? end : low + m_width;
        m_busy[at] += (to - from) * weight;
        from = to;
    }
}

AstraNetwork::AstraNetwork(AstraQueue& queue, const Platform& platform, bool aware) : m_queue(queue), m_aware(aware)
{
    std::int32_t stride = 1;
    std::uint32_t links = 0;
    for (const Dimension& given : platform.dimensions()) {
        AstraDimension dimension;
        dimension.shape = given.shape;
        dimension.size = given.size;
        dimension.stride = stride;
        dimension.latency = given.latencyNs();
        // Multiplied by 2^30 first: the product with 1.073741824 falls one step short where a size takes a whole number of ns.
        dimension.bytesPerNs = given.linkGibPerSecond() * 1073741824.0 / 1e9;
        stride *= given.size;
        m_firstLink.push_back(links);
        m_ports.push_back(portsOf(dimension));
        links += m_ports.back() * static_cast<std::uint32_t>(platform.npuCount());
        m_dimensions.push_back(dimension);
    }
    m_totals.resize(m_dimensions.size());
    m_npus = platform.npuCount();
    if (aware)
        m_links.resize(links);
}

std::int64_t AstraNetwork::linkCount(const Platform& platform)
{
    std::int64_t links = 0;
    for (const Dimension& given : platform.dimensions()) {
        AstraDimension dimension;
        dimension.shape = given.shape;
        dimension.size = given.size;
        links += std::int64_t{portsOf(dimension)} * platform.npuCount();
    }
    return links;
}

std::int64_t AstraNetwork::estimate(const Platform& platform, bool aware)
{
    return aware ? linkCount(platform) * static_cast<std::int64_t>(sizeof(Link)) : 0;
}

void AstraNetwork::send(std::int32_t from, std::int32_t to, std::int64_t bytes, AstraEvent kind, std::uint32_t a, std::uint32_t b,
                        std::uint32_t c)
{
    if (m_aware) {
        std::uint32_t index = m_freeMessage;
        if (index != kNone) {
            m_freeMessage = m_messages[index].next;
        } else {
            index = static_cast<std::uint32_t>(m_messages.size());
            m_messages.emplace_back();
        }
        Message& message = m_messages[index];
        message = {bytes, from, to, 0, 0, kNone, 0, false, false, kind, a, b, c};
        if (enter(message, 0)) {
            start(nextLink(message), index);
            return;
        }
        m_queue.schedule(0, kind, a, b, c);
        message.next = m_freeMessage;
        m_freeMessage = index;
        return;
    }
    if (m_allDimensions) {
        sendAcross(from, to, bytes, kind, a, b, c);
        return;
    }
    // Only the lowest dimension in which the two differ is charged.
    std::size_t charged = 0;
    std::int32_t source = from;
    std::int32_t target = to;
    for (std::size_t d = 0; d < m_dimensions.size(); ++d) {
        const AstraDimension& dimension = m_dimensions[d];
        source = from / dimension.stride % dimension.size;
        target = to / dimension.stride % dimension.size;
        charged = d;
        if (source != target)
            break;
    }
    const AstraDimension& dimension = m_dimensions[charged];
    sendAlong(charged, dimension.hops(source, target), bytes, static_cast<double>(bytes) / dimension.bytesPerNs, kind, a, b, c);
}

/// Charges every dimension crossed: all latencies, and the serialisation of the slowest (or of each, hop by hop).
void AstraNetwork::sendAcross(std::int32_t from, std::int32_t to, std::int64_t bytes, AstraEvent kind, std::uint32_t a, std::uint32_t b, std::uint32_t c)
{
    double latency = 0;
    double slowest = 0;
    std::int64_t hopByHop = 0;
    for (std::size_t d = 0; d < m_dimensions.size(); ++d) {
        const AstraDimension& dimension = m_dimensions[d];
        const std::int32_t source = from / dimension.stride % dimension.size;
        const std::int32_t target = to / dimension.stride % dimension.size;
        if (source == target && from != to)
            continue;
        const std::int32_t hops = dimension.hops(source, target);
        const double wire = static_cast<double>(bytes) / dimension.bytesPerNs;
        latency += hops * dimension.latency;
        slowest = std::max(slowest, wire);
        hopByHop += hops * wholeNs(dimension.latency + wire);
        count(d, hops, bytes, astraTruncate(wire), 1);
        if (from == to)
            break;
    }
    m_queue.schedule(m_storeAndForward ? hopByHop : wholeNs(latency + slowest), kind, a, b, c);
}

std::int64_t AstraNetwork::leavesAfter(std::int32_t from, std::int32_t to, std::int64_t bytes) const
{
    const auto first = std::find_if(m_dimensions.begin(), m_dimensions.end(), [&](const AstraDimension& dimension) {
        return from / dimension.stride % dimension.size != to / dimension.stride % dimension.size;
    });
    return first == m_dimensions.end() ? 0 : wholeNs(static_cast<double>(bytes) / first->bytesPerNs);
}

/// Points the message at the first dimension from `from` on in which it still has to move; false when it has arrived.
bool AstraNetwork::enter(Message& message, std::size_t from) const
{
    for (std::size_t d = from; d < m_dimensions.size(); ++d) {
        const AstraDimension& dimension = m_dimensions[d];
        const std::int32_t position = message.at / dimension.stride % dimension.size;
        const std::int32_t target = message.to / dimension.stride % dimension.size;
        if (position == target)
            continue;
        message.dimension = static_cast<std::uint8_t>(d);
        message.position = position;
        message.hopsLeft = dimension.hops(position, target);
        if (dimension.shape == Shape::Ring) {
            const std::int32_t clockwise = target > position ? target - position : target - position + dimension.size;
            message.backwards = clockwise > dimension.size - clockwise;
        } else {
            message.position = target;
        }
        return true;
    }
    return false;
}

std::uint32_t AstraNetwork::nextLink(const Message& message) const
{
    const std::size_t d = message.dimension;
    const AstraDimension& dimension = m_dimensions[d];
    std::uint32_t port = 0;
    if (dimension.shape == Shape::Ring)
        port = message.backwards && m_ports[d] == 2 ? 1 : 0;
    else if (dimension.shape == Shape::Switch)
        port = message.inSwitch ? 1 : 0;
    else {
        const std::int32_t position = message.at / dimension.stride % dimension.size;
        const std::int32_t ahead = message.position - position;
        port = static_cast<std::uint32_t>(ahead > 0 ? ahead - 1 : ahead + dimension.size - 1);
    }
    return m_firstLink[d] + static_cast<std::uint32_t>(message.at) * m_ports[d] + port;
}

void AstraNetwork::start(std::uint32_t link, std::uint32_t index)
{
    Link& on = m_links[link];
    Message& message = m_messages[index];
    if (on.busy) {
        message.next = kNone;
        if (on.tail == kNone)
            on.head = index;
        else
            m_messages[on.tail].next = index;
        on.tail = index;
        return;
    }
    const AstraDimension& dimension = m_dimensions[message.dimension];
    const double wire = static_cast<double>(message.bytes) / dimension.bytesPerNs;
    const std::int64_t busy = wholeNs(wire);
    on.busy = true;
    ++on.messages;
    on.bytes += message.bytes;
    on.busyNs += busy;
    count(message.dimension, 1, message.bytes, busy, 1);
    if (m_tell)
        (*m_tell)(static_cast<LinkId>(link), m_queue.now() * kPsPerNs, (m_queue.now() + busy) * kPsPerNs, busy * kPsPerNs);
    if (m_queue.tracking())
        m_queue.setStep(stepOf(message));
    m_queue.schedule(wholeNs(dimension.latency + wire), AstraEvent::Hop, index);
    m_queue.setStep(0);
    m_queue.schedule(busy, AstraEvent::LinkFree, link);
}

/// How far the next device is, as AstraQueue::setStep counts it.
std::int32_t AstraNetwork::stepOf(const Message& message) const
{
    const AstraDimension& dimension = m_dimensions[message.dimension];
    const std::int32_t here = message.at / dimension.stride % dimension.size;
    std::int32_t distance = message.position - here;
    if (dimension.shape == Shape::Ring)
        distance = message.backwards ? -1 : 1;
    return (distance + dimension.size) % dimension.size * dimension.stride;
}

AstraNetwork::Delivery AstraNetwork::hop(std::uint32_t index)
{
    Message& message = m_messages[index];
    const AstraDimension& dimension = m_dimensions[message.dimension];
    --message.hopsLeft;
    if (dimension.shape == Shape::Ring) {
        const std::int32_t step = message.backwards ? -1 : 1;
        std::int32_t position = message.position + step;
        if (position < 0)
            position = dimension.size - 1;
        else if (position == dimension.size)
            position = 0;
        message.at += (position - message.position) * dimension.stride;
        message.position = position;
    } else if (dimension.shape == Shape::FullyConnected || message.inSwitch) {
        if (!message.inSwitch)
            message.at += (message.position - message.at / dimension.stride % dimension.size) * dimension.stride;
        message.inSwitch = false;
    } else {
        // Inside the switch the message belongs to the down-link of its target.
        message.at += (message.position - message.at / dimension.stride % dimension.size) * dimension.stride;
        message.inSwitch = true;
    }
    if (message.hopsLeft > 0 || enter(message, message.dimension + std::size_t{1})) {
        start(nextLink(message), index);
        return {};
    }
    message.next = m_freeMessage;
    m_freeMessage = index;
    return {message.kind, message.a, message.b, message.c};
}

void AstraNetwork::linkFree(std::uint32_t link)
{
    Link& on = m_links[link];
    on.busy = false;
    if (on.head == kNone)
        return;
    const std::uint32_t index = on.head;
    on.head = m_messages[index].next;
    if (on.head == kNone)
        on.tail = kNone;
    start(link, index);
}

void AstraNetwork::count(std::size_t dimension, std::int32_t hops, std::int64_t bytes, std::int64_t busyNs, std::int64_t messages)
{
    Totals& totals = m_totals[dimension];
    const std::int64_t links = hops * messages * m_copies;
    totals.messages += links;
    totals.bytes += links * bytes;
    totals.busyNs += links * busyNs;
    if (totals.sinceNs != m_queue.now() || totals.lengthNs != busyNs) {
        flush(totals);
        totals.sinceNs = m_queue.now();
        totals.lengthNs = busyNs;
    }
    totals.weight += links;
}

void AstraNetwork::flush(Totals& totals)
{
    if (totals.weight > 0)
        totals.busy.add(totals.sinceNs, totals.lengthNs, totals.weight);
    totals.weight = 0;
}

std::vector<DimensionUse> AstraNetwork::use()
{
    std::vector<DimensionUse> result;
    for (std::size_t d = 0; d < m_dimensions.size(); ++d) {
        Totals& totals = m_totals[d];
        flush(totals);
        DimensionUse use;
        use.name = "dimension " + std::to_string(d) + ", " + std::string(shapeName(m_dimensions[d].shape)) + '('
            + std::to_string(m_dimensions[d].size) + ')';
        use.links = std::int64_t{m_ports[d]} * m_npus;
        use.messages = totals.messages;
        use.bytes = totals.bytes;
        use.busyPs = totals.busyNs * kPsPerNs;
        use.busy = totals.busy.pyramid();
        if (m_aware) {
            const std::uint32_t end = m_firstLink[d] + m_ports[d] * static_cast<std::uint32_t>(m_npus);
            for (std::uint32_t link = m_firstLink[d]; link < end; ++link)
                use.peakLinkPs = std::max(use.peakLinkPs, m_links[link].busyNs * kPsPerNs);
        }
        result.push_back(std::move(use));
    }
    return result;
}

std::vector<LinkUse> AstraNetwork::links() const
{
    std::vector<LinkUse> result;
    for (std::size_t link = 0; link < m_links.size(); ++link) {
        const Link& on = m_links[link];
        if (on.messages == 0)
            continue;
        const auto after = std::upper_bound(m_firstLink.begin(), m_firstLink.end(), static_cast<std::uint32_t>(link));
        const std::uint32_t ports = m_ports[static_cast<std::size_t>(after - m_firstLink.begin()) - 1];
        for (std::int64_t npu = 0; npu < m_copies; ++npu)
            result.push_back({static_cast<std::int64_t>(link) + npu * ports, on.messages, on.bytes, on.busyNs * kPsPerNs});
    }
    return result;
}

} // namespace fabricscope
