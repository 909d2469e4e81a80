package io.verbena.verbs;

import io.verbena.verbs.Figure.Kind;
import java.util.List;

/**
 * The figures of an RNIC and its objects, as {@link Rnic#figures} returns them. A provider may lack some of them. The table in
 * docs/observing.md is generated from these definitions. An interface without methods to implement: the API consists of shapes.
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
                    + " Reads and atomic operations. What a peer reads and writes by itself is not included.");
    Figure FAILURES = counter(
            "verbena.queue_pair.failures",
            "{operation}",
            "result",
            "Work of this side that completed without success: error, or flushed because of an end or an error before.");
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

    // Completion queues: subject "completion_queue".

    Figure ENTRIES = gauge("verbena.completion_queue.entries", "{entry}", "", "Entries that were not polled yet.");
    Figure ENTRY_LIMIT = gauge("verbena.completion_queue.limit", "{entry}", "", "Maximum number of entries.");
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

    /** All definitions, in the order of the documentation. */
    static List<Figure> all() {
        return List.of(
                QUEUE_PAIRS,
                REGIONS,
                KEYS,
                VIOLATIONS,
                EVENTS,
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
                ENTRIES,
                ENTRY_LIMIT,
                POLLED,
                HANDLER_RUNS,
                HANDLER_COMPLETIONS,
                HANDLER_FAILURES,
                HANDLER_TIME,
                WAITING,
                BACKLOG,
                REFUSED,
                DROPPED,
                EVENT_AGE);
    }

    private static Figure counter(String name, String unit, String attribute, String description) {
        return new Figure(name, Kind.COUNTER, unit, attribute, description);
    }

    private static Figure gauge(String name, String unit, String attribute, String description) {
        return new Figure(name, Kind.GAUGE, unit, attribute, description);
    }
}
