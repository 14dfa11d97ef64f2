#pragma once

// Model `flow`: explicit graphs and dimensions under real sharing. Version "flow/1" is these rules; where they say nothing, those of
// `links` (tasks, collectives, phases, windows, point to point, groups, routes, ring of waits; manual: models 1 to 4) hold.
//
// 1. Messages of one stream (communicator group or point-to-point pair) from one NPU to another are a *connection*. A connection
//    carries one message at a time, by instant of readiness, then tie rule. A message that is carried is a *flow*.
// 2. A flow crosses the directed links of its route and, where there are budgets, the injection budget of its sender and the ejection
//    budget of its receiver. All of them are resources of a rate C. From the start s of the flow to its end e its bytes cross all of
//    them at once, at one rate.
// 3. Rates are max-min fair over all flows under way, solved again at each instant at which a flow starts or ends, all changes of an instant
//    together: every flow has a resource that is full and on which no flow is faster.
// 4. Rates are whole multiples of 1/U B/s, rounded down; U = 720720 (a multiple of every number up to 16), 5040, 60 or 1: the largest
//    for which the fastest resource stays below 2^62 / U B/s. At least 1/U B/s. What is left of a flow is an exact
//    integer; it ends at the first whole picosecond at which nothing is left. So a flow alone lasts ceil(x 10^12 / min C), and bytes are conserved.
// 5. The sender's buffer is free at e; the message arrives at e + L, L the sum of the latencies of its links (cut-through; latency
//    delays, it occupies nothing). Unloaded: o + L + x / min C, as under `links`.
// 6. A message of x bytes that is reduced, one of k: when its first byte is there (s + L) and the receiver's own part is too, a flow of
//    ceil((k + 2) x / k) bytes starts on the reducer of the receiver, shared by rule 3. Delivered when arrived and reduced: reduction
//    overlaps with arrival and costs extra only where it is slower or shared.
// 7. Use of a link is carried bytes / rate, spread evenly over the time of the flow.
//
// Differences from `links` follow: no pieces, no order of service on a link (so nothing depends on ties but the order inside a connection), a
// flow held up downstream takes no more of its own link than it can use.
