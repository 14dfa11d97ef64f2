#pragma once

#include "core/base/result.h"
#include "core/program/program.h"
#include "core/trace/etnode.h"
#include "core/trace/traceset.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricscope {

class OutputFiles;

// A program as a Chakra graph per rank (manual: formats 3.5), for ASTRA-sim's custom collectives and back.
//
// | operation | nodes |
// |---|---|
// | send | COMM_SEND |
// | receive | COMM_RECV |
// | receive_reduce | COMM_RECV, and a COMP that needs it |
// | copy, reduce, compute | COMP |
//
// Nodes are numbered from 0 per rank, in the order of the columns. data_deps: dependencies of the operation (on the last node of each), the receive of
// a receive_reduce, and in a fused group the part before. ctrl_deps: the step before in the lane (its last node). COMP nodes of copies and
// sums have no duration: ASTRA-sim gives them 1 ns.
//
// Attributes of the first node of an operation (lists and words as said, else int32; those marked * only where they are not usual):
//   op (string), tb_id (lane; -1: none), local_time_step (step), msg_chunk_cnt, msg_chunk_idx (first chunk of the large side), total_chunk_cnt, chunk_offset
//   (source offset of sends and local operations, target offset of receives), src_buf, src_off, dst_buf, dst_off (string "i", "o", "s"; absent: none),
//   is_fused* (bool: one step with the operation before), takes_fused* (bool: sends what that one made), slot*, source_id* (uint64), duration_ps* (int64; duration_micros is its rounding), absolute_bytes* (int64),
//   phase*, dimension*, tree*, instance*, start_ps* (int64), route* (int64 list).
// Of messages besides: comm_type (int64), comm_dst or comm_src, comm_tag, comm_size (int64, when a size is given), is_rrc (bool).
// Of sends where the step alone does not put them in order: tie_order (int32), the place of the message in the tie rule among all of the program
// (manual: models 3.6: piece, phase, step, slot), for who reads only the nodes.
// comm_tag is the connection where the lanes keep the messages of every connection in order; else connection * K + k for the k-th of at most K.
//
// Metadata: schema "1.0.2-chakra.0.0.4", collective (the MSCCL name), and fabricscope_program: JSON of the header of the program as in programjson.h, with
// "version": 1, "tag_stride" (K; 0: tags are connections), "places", "receive_slots", "chunk_weights" and "buffers": [[input, output, scratch]] of this rank
// (conditions: rank 0 only).

struct ProgramTrace {
    EtMetadata metadata;
    std::vector<EtNode> nodes;
};

/// One graph per rank. `bytes`: the large side, which fixes comm_size of every message (a receive has that of its send); -1: sizes stay open.
/// Errors (Unsupported): templates, one-sided and switch operations (see toTwoSided), messages that do not pair up, tags over 5e8. Told to stop: Cancelled.
/// O(program).
Result<std::vector<ProgramTrace>> programTraces(const Program& program, std::int64_t bytes, const std::stop_token& stop = {});

/// What the graphs do not keep of a run of the program, as notes; of templates, what writing them out loses. The way back
/// (programOfTraces) loses nothing that an explicit program has; a reader that knows only the nodes (customProgramFromTraces, ASTRA-sim) takes
/// the time of the program where there is no note but for its own network.
///
/// | rule | lost |
/// |---|---|
/// | graph-joint-sums | of templates: sums of several messages in one pass of the memory, or as they come; written out they follow each other |
/// | graph-sums | sums that take the time of the memory, copies that take none: all are COMP nodes of 1 ns |
/// | graph-slots | sends that wait for a free slot of the receiver |
/// | graph-durations | computations of no whole number of microseconds, above 0 |
/// | graph-routes | sends with a way of their own |
/// | graph-sizes | bytes of messages, as no size is given | (in tracenotes.cpp)
Diagnostics programTraceNotes(const Program& program, std::int64_t bytes);

/// Writes PREFIX.0.et, PREFIX.1.et, ... Each file appears whole or not at all. Told to stop: Cancelled.
Status writeProgramTraces(const Program& program, const std::string& prefix, std::int64_t bytes, OutputFiles* files = nullptr,
                          const std::stop_token& stop = {});

/// Was it written by programTraces()?
bool isProgramTrace(const RankTrace& trace);

/// The way back. Errors name rank and node: metadata, attributes or dependencies that are not those of programTraces(). Told to stop: Cancelled. In traceprogram.cpp.
Result<ProgramPtr> programOfTraces(const std::vector<ProgramTrace>& traces, const std::string& prefix, const std::stop_token& stop = {});
/// The same from files. \pre isProgramTrace of rank 0.
Result<ProgramPtr> programOfTraces(const TraceSet& traces, const std::stop_token& stop = {});

} // namespace fabricscope
