#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "core/sim/common/runoptions.h"
#include "core/sim/common/folding.h"

#include <stop_token>

namespace fabricscope {

// The symmetry engine where some ranks stand for others: on graphs, and of plans also on dimensions. The event engine runs one rank of each class. On a rail-optimised pod the
// hosts of one unit and one of their rails may stand for all units and rails; the hosts of a unit differ, since the last one sends to the next unit. Of a plan with
// pipeline stages, copies along data and tensor stand for one another, as far as the platform treats them alike; stages differ.
//
// Why that is exact. Say every rank r has one that stands for it, c(r), and every link l that is used c(l), such that
// (1) each stands for as many, k; ranks that one stands for have the same parameters and the same tasks, but for whom these send to and receive from; their groups have the
//     same collectives in the same order and members of the same classes, and where blocks differ in size they see the same sizes from where they are; links that one
//     stands for have the same rate and latency and, of dimensions, are of one dimension;
// (2) for every kind of message (collective, chunk, phase, step, slot; or task) the ranks that one stands for all send one or none, of the same size, to k different
//     ranks of one class, over as many links, and at every hop over k different links of one class, so that each link of the class is crossed once;
// (3) what tasks of a rank send to one rank goes to one rank at every copy of it, and to different ones where it goes to different ones: the pairs (sender, receiver) form
//     classes too. What the copies of a rank receive by one task comes from pairs of one class.
// Then by induction over the instants all members of a class are in the same state: at every link of a class the same messages meet, one of each
// kind, sender's class and hop, at the same instants; and messages of a pair are the k-th of their tag at all copies at once, as sends and receives are numbered in the order
// of tasks. It remains that they are served in the same order. The tie rule (manual: models 3.6) looks at what
// the kind says, the piece and the hop first, which are the same at all links of a class, then at the input port, then at the order at the link before. Of two
// messages that meet, the ports are compared at all links of the class when the tie gets that far (Folding::comparePorts()); if the comparison is not the
// same at all of them, the run is given up and another engine does it. If the ports are equal at all, the messages came over the same link at all of them, where
// their order was the same by induction. Streams, which share an own link in turns, are groups and pairs: they are told apart at one rank as at its copies by (1) and (3).
// So one rank of each class is simulated, on its own links; a message that it would send to a rank, or over a link, that another one stands for goes to, or
// over, that one: there it plays the message that the copy of the sender sends. Times of a class are those of its one; counts are k times those of one.
//
// Classes are found in graphclasses.h by trying and checking (1) to (3) on all tasks, groups and ways. A slow link, a removed NPU, another size on one rank or a start that differs
// break (1) or (2). Policies that keep a state or draw, protocols, faults and jitter are not folded, nor are receives that must be posted first.

/// Runs a scenario with the ranks of foldGraph(). The record is that of simulateEvents() in every field but `events` and `engines`, and but for
/// the warning "order-sensitive": of messages of different senders that wait for each other it is not known whether they are of one group at every copy. Errors: those of
/// simulateEvents(); Unsupported when the ranks cannot finish, when sizes of a send and its receive differ, or when ports that differ from copy to copy would decide a tie.
/// \pre !options.messageDigest && !options.message && !options.ways
Result<RunRecord> simulateFoldedGraph(const Scenario& scenario, const Folding& folding, const RunOptions& options, std::stop_token stop);

} // namespace fabricscope
