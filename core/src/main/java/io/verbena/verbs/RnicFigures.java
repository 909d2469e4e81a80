package io.verbena.verbs;

import static io.verbena.verbs.Figure.counter;
import static io.verbena.verbs.Figure.gauge;

import java.util.List;
import java.util.stream.Stream;

/**
 * The figures of an RNIC and its objects, as {@link Rnic#figures} returns them. A provider may lack some of them. The
 * table in docs/observing.md is generated from these definitions. An interface without methods to implement: the API
 * consists of shapes.
 */
public interface RnicFigures {

    // The RNIC: subject "rnic".

    Figure QUEUE_PAIRS = gauge("verbena.rnic.queue_pairs", "{queue_pair}", "", "Queue pairs that exist.");
    Figure REGIONS = gauge("verbena.memory.regions", "{region}", "", "Registered memory regions.");
    Figure KEYS =
            gauge("verbena.memory.keys", "{key}", "", "Remote keys that are valid: of regions and of bound windows.");
    Figure VIOLATIONS = counter(
            "verbena.memory.violations",
            "{violation}",
            "",
            "Connections that ended because the peer used a wrong key, or a key without the right or beyond its bounds.");
    Figure EVENTS = counter("verbena.rnic.events", "{event}", "type", "Asynchronous events by their type.");

    // Totals of the RNIC, over all its queue pairs and those that were closed: subject "rnic".

    Figure QUEUE_PAIRS_CREATED =
            counter("verbena.rnic.queue_pairs.created", "{queue_pair}", "", "Queue pairs that were created.");
    Figure ALL_OPERATIONS = counter(
            "verbena.rnic.operations",
            "{operation}",
            "operation",
            "As verbena.queue_pair.operations, of all queue pairs of the RNIC and those that were closed.");
    Figure ALL_IO = counter("verbena.rnic.io", "By", "direction", "As verbena.queue_pair.io, of the same.");
    Figure ALL_FAILURES =
            counter("verbena.rnic.failures", "{operation}", "result", "As verbena.queue_pair.failures, of the same.");
    Figure ALL_PEER_OPERATIONS = counter(
            "verbena.rnic.peer.operations",
            "{operation}",
            "operation",
            "As verbena.queue_pair.peer.operations, of the same.");
    Figure ALL_PEER_IO =
            counter("verbena.rnic.peer.io", "By", "direction", "As verbena.queue_pair.peer.io, of the same.");

    // Engines: subject "engine".

    Figure ENDPOINTS = gauge(
            "verbena.engine.endpoints", "{endpoint}", "", "Queue pairs and other endpoints that the engine serves.");
    Figure ROUNDS = counter("verbena.engine.rounds", "{round}", "", "Rounds of the engine that had work.");
    Figure PARKS = counter(
            "verbena.engine.parks",
            "{park}",
            "",
            "How often the engine thread has gone to sleep because there was no work.");
    Figure BUSY = counter(
            "verbena.engine.busy",
            "ns",
            "",
            "Time in rounds of the engine thread that had work. Rounds of a thread that borrows the engine are not included.");

    // Queue pairs: subject "queue_pair".

    Figure OPERATIONS = counter(
            "verbena.queue_pair.operations",
            "{operation}",
            "operation",
            "Work of this side that completed with success, by operation.");
    Figure IO = counter(
            "verbena.queue_pair.io",
            "By",
            "direction",
            "Payload of work of this side that completed with success: transmit for Sends and Writes, receive for receives,"
                    + " Reads and atomic operations. What the peer reads and writes is in verbena.queue_pair.peer.io.");
    Figure FAILURES = counter(
            "verbena.queue_pair.failures",
            "{operation}",
            "result",
            "Work of this side that completed without success: error; flushed, because of an end or an error before; unused, receives"
                    + " that no message used before the end, which is usual.");
    Figure QUEUE_LIMIT = gauge(
            "verbena.queue_pair.queue.limit",
            "{request}",
            "queue",
            "Maximum number of requests in the send and receive queue.");
    Figure QUEUE_POSTED =
            counter("verbena.queue_pair.queue.posted", "{request}", "queue", "Requests that were posted to the queue.");
    Figure QUEUE_OUTSTANDING = gauge(
            "verbena.queue_pair.queue.outstanding",
            "{request}",
            "queue",
            "Requests that were posted and are not complete. For a receive queue: receives that are available to the peer.");

    Figure PEER_OPERATIONS = counter(
            "verbena.queue_pair.peer.operations",
            "{operation}",
            "operation",
            "Operations of the peer on memory of this side: Writes when their last byte is placed, Reads when they are accepted,"
                    + " atomic operations when they are executed. What the peer does alone in shared memory (direct access) is"
                    + " counted by its own queue pair only.");
    Figure PEER_IO = counter(
            "verbena.queue_pair.peer.io",
            "By",
            "direction",
            "Payload of these operations: receive for Writes and atomic operations, transmit for Reads. Nothing of it is"
                    + " included in verbena.queue_pair.io: the sum is what passed through the queue pair.");

    // The path to the peer: subject "queue_pair". Empty for the TCP of the system and for shared memory.

    Figure ROUND_TRIP =
            gauge("verbena.connection.round_trip", "ns", "", "Smoothed round-trip time. For a TCP of the library.");
    Figure WINDOW = gauge(
            "verbena.connection.window",
            "By",
            "window",
            "What may be sent without acknowledgement: congestion, as far as the path permits; send, as far as the peer permits;"
                    + " receive, what this side permits the peer. For a TCP of the library.");
    Figure IN_FLIGHT =
            gauge("verbena.connection.in_flight", "By", "", "What is in the network. For a TCP of the library.");
    Figure PACKETS = gauge(
            "verbena.connection.packets",
            "{packet}",
            "",
            "Packets without an answer, including those of expected responses. For a reliable connection over InfiniBand or RoCE.");
    Figure PACKET_LIMIT = gauge(
            "verbena.connection.packets.limit",
            "{packet}",
            "",
            "Maximum number of packets without an answer, for the same.");
    Figure CREDITS = gauge(
            "verbena.connection.credits",
            "{message}",
            "",
            "Messages that may use a receive of the peer before it reports others. Omitted if it reports no credits.");
    Figure PATH_IO = counter(
            "verbena.connection.path.io",
            "By",
            "path",
            "Bytes sent on a path, with headers and repetitions, by its number. For a connection over RoCE with several paths.");
    Figure TRANSPORT_CHANGES = counter(
            "verbena.connection.transport.changes",
            "{change}",
            "",
            "Changes to another transport. For a connection that survives the end of its transport.");
    Figure TRANSPORT_REQUESTS = counter(
            "verbena.connection.transport.requests",
            "{request}",
            "outcome",
            "Requests that a change of transport affected: repeated ones were sent again, recovered ones had been executed"
                    + " before the change.");
    Figure RETRANSMISSIONS =
            counter("verbena.connection.retransmissions", "{packet}", "", "Segments or packets that were sent again.");
    Figure TIMEOUTS = counter(
            "verbena.connection.timeouts",
            "{timeout}",
            "",
            "How often the peer answered nothing in time. For a reliable connection over InfiniBand or RoCE.");
    Figure HOLES =
            gauge("verbena.connection.holes", "{hole}", "", "Holes in the received stream. For a TCP of the library.");
    Figure HOLES_OPENED = counter(
            "verbena.connection.holes.opened",
            "{hole}",
            "",
            "Holes that appeared in the received stream, for the same.");
    Figure PLACED_EARLY = counter(
            "verbena.connection.placed_early",
            "By",
            "",
            "Payload that was placed in its final buffer while a hole before it was open, for the same.");

    // Completion queues: subject "completion_queue".

    Figure ENTRIES = gauge("verbena.completion_queue.entries", "{entry}", "", "Entries that were not polled yet.");
    Figure ENTRY_LIMIT = gauge("verbena.completion_queue.limit", "{entry}", "", "Maximum number of entries.");
    Figure ENTRIES_HIGHEST = gauge(
            "verbena.completion_queue.highest",
            "{entry}",
            "",
            "Highest number of entries so far, after an engine had served a queue pair; the sum over the engines that use the CQ.");
    Figure POLLED = counter("verbena.completion_queue.polled", "{entry}", "", "Entries that were polled.");
    Figure HANDLER_RUNS =
            counter("verbena.completion_queue.handler.runs", "{run}", "", "Runs of CQ handlers for this CQ.");
    Figure HANDLER_COMPLETIONS = counter(
            "verbena.completion_queue.handler.completions",
            "{entry}",
            "",
            "Entries that CQ handlers polled during their runs.");
    Figure HANDLER_FAILURES = counter(
            "verbena.completion_queue.handler.failures", "{run}", "", "Runs of CQ handlers that threw an exception.");
    Figure HANDLER_TIME =
            counter("verbena.completion_queue.handler.time", "ns", "", "Time in CQ handlers for this CQ.");

    // CQ handlers and their processors: subject "handler". The CQs of a handler name it.

    Figure RUNS = counter("verbena.handler.runs", "{run}", "", "Runs of the CQ handler, for all its CQs.");
    Figure RUN_COMPLETIONS =
            counter("verbena.handler.completions", "{entry}", "", "Entries that the handler polled during its runs.");
    Figure RUN_FAILURES =
            counter("verbena.handler.failures", "{run}", "", "Runs of the handler that threw an exception.");
    Figure RUN_TIME = counter("verbena.handler.time", "ns", "", "Time in the handler.");
    Figure LONGEST_RUN = gauge("verbena.handler.longest", "ns", "", "Longest run of the handler so far.");

    // Listeners: subject "listener".

    Figure WAITING = gauge(
            "verbena.listener.waiting", "{request}", "", "Connection requests that the application has not taken yet.");
    Figure BACKLOG = gauge("verbena.listener.limit", "{request}", "", "Maximum number of waiting connection requests.");
    Figure REFUSED = counter(
            "verbena.listener.refused",
            "{request}",
            "",
            "Connection requests that were refused because the backlog was full.");

    Figure DROPPED = counter(
            "verbena.listener.dropped",
            "{peer}",
            "",
            "Peers that were dropped during the set-up of a connection because others needed their places.");

    // Events: subject "event".

    Figure EVENT_AGE = gauge("verbena.event.age", "ns", "", "Time since a recent asynchronous event.");

    // Virtual memory: subject "virtual_memory".

    Figure FRAMES = gauge(
            "verbena.virtual_memory.frames", "{frame}", "state", "Page frames of the pool: free, or used for a page.");
    Figure SEGMENTS = gauge("verbena.virtual_memory.segments", "{segment}", "", "Virtual segments.");
    Figure MAPPED = gauge("verbena.virtual_memory.mapped", "By", "", "Total length of the segments.");
    Figure FAULTS = counter("verbena.virtual_memory.faults", "{fault}", "", "Page faults.");
    Figure PAGES = counter(
            "verbena.virtual_memory.pages",
            "{page}",
            "operation",
            "Pages by what happened to them: read from files, read_ahead (of these, before an access), evicted, written (of the"
                    + " evicted ones, because they were modified).");
    Figure PAGE_FAILURES = counter(
            "verbena.virtual_memory.failures",
            "{page}",
            "operation",
            "Pages that could not be read, and failed attempts to write one: read, write.");
    Figure PAGES_AWAITED =
            gauge("verbena.virtual_memory.waiting", "{page}", "", "Pages that are being waited for now.");

    /** All definitions, in the order of the documentation. */
    static List<Figure> all() {
        return Stream.of(objects(), connections(), queuesAndMemory())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Figure> objects() {
        return List.of(
                QUEUE_PAIRS,
                REGIONS,
                KEYS,
                VIOLATIONS,
                EVENTS,
                QUEUE_PAIRS_CREATED,
                ALL_OPERATIONS,
                ALL_IO,
                ALL_FAILURES,
                ALL_PEER_OPERATIONS,
                ALL_PEER_IO,
                ENDPOINTS,
                ROUNDS,
                PARKS,
                BUSY,
                OPERATIONS,
                IO,
                FAILURES,
                QUEUE_LIMIT,
                QUEUE_POSTED,
                QUEUE_OUTSTANDING,
                PEER_OPERATIONS,
                PEER_IO);
    }

    private static List<Figure> connections() {
        return List.of(
                ROUND_TRIP,
                WINDOW,
                IN_FLIGHT,
                PACKETS,
                PACKET_LIMIT,
                CREDITS,
                PATH_IO,
                TRANSPORT_CHANGES,
                TRANSPORT_REQUESTS,
                RETRANSMISSIONS,
                TIMEOUTS,
                HOLES,
                HOLES_OPENED,
                PLACED_EARLY);
    }

    private static List<Figure> queuesAndMemory() {
        return List.of(
                ENTRIES,
                ENTRY_LIMIT,
                ENTRIES_HIGHEST,
                POLLED,
                HANDLER_RUNS,
                HANDLER_COMPLETIONS,
                HANDLER_FAILURES,
                HANDLER_TIME,
                RUNS,
                RUN_COMPLETIONS,
                RUN_FAILURES,
                RUN_TIME,
                LONGEST_RUN,
                WAITING,
                BACKLOG,
                REFUSED,
                DROPPED,
                EVENT_AGE,
                FRAMES,
                SEGMENTS,
                MAPPED,
                FAULTS,
                PAGES,
                PAGE_FAILURES,
                PAGES_AWAITED);
    }
}
