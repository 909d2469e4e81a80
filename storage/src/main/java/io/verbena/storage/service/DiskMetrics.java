package io.verbena.storage.service;

import static io.verbena.verbs.Figure.counter;
import static io.verbena.verbs.Figure.gauge;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.subsystem.CommandCounts;
import io.verbena.storage.subsystem.CommandState;
import io.verbena.storage.subsystem.TargetFigures;
import io.verbena.verbs.Figure;
import io.verbena.verbs.Figures;
import java.util.List;
import java.util.Locale;

/** The figures of a storage target under the names of docs/observing.md, for the forms that monitoring systems read. */
public final class DiskMetrics {

    private static final int PERCENT = 100;

    /** Registered memory of the queues of all hosts. Subject {@code disk_target}, to which the others belong. */
    static final Figure MEMORY =
            gauge("verbena.disk_target.memory", "By", "", "Registered memory of the queues of all hosts.");

    static final Figure DROPPED = counter(
            "verbena.disk_target.dropped_capsules",
            "{capsule}",
            "reason",
            "Capsules of all queues that got no response: too_short for a command, closing for a connection that was ending.");
    static final Figure SIZE = gauge("verbena.disk.size", "By", "", "Size of the disk.");
    static final Figure COMMANDS = counter(
            "verbena.disk.commands",
            "{command}",
            "result",
            "Commands for the disk that have ended: read, write, flush and other with success, failed otherwise.");
    static final Figure IO = counter(
            "verbena.disk.io", "By", "direction", "What hosts have read from the disk and written to it: read, write.");
    static final Figure LATENCY = gauge(
            "verbena.disk.latency",
            "ns",
            "percentile",
            "Time from the arrival of a command to its response that this percentage of all commands so far did not exceed.");
    static final Figure QUEUE_COMMANDS = counter(
            "verbena.disk_queue.commands",
            "{command}",
            "result",
            "The same commands, by the queue of a host that they came from.");
    static final Figure QUEUE_IO =
            counter("verbena.disk_queue.io", "By", "direction", "What the host has read and written by the queue.");
    static final Figure OUTSTANDING = gauge(
            "verbena.disk_queue.outstanding", "{command}", "", "Commands that have arrived and are not answered yet.");
    static final Figure HIGHEST =
            gauge("verbena.disk_queue.highest", "{command}", "", "Highest number of such commands so far.");
    static final Figure STATES = gauge(
            "verbena.disk_queue.state_commands",
            "{command}",
            "state",
            "Commands in each state; those that wait in their receives are in none.");
    static final Figure ENTERED =
            counter("verbena.disk_queue.state_entries", "{command}", "state", "Commands that have entered each state.");
    static final Figure LIMIT = gauge("verbena.disk_queue.limit", "{command}", "", "Maximum number of such commands.");

    private DiskMetrics() {}

    /** All definitions, in the order of the documentation. */
    public static List<Figure> all() {
        return List.of(
                MEMORY,
                DROPPED,
                SIZE,
                COMMANDS,
                IO,
                LATENCY,
                QUEUE_COMMANDS,
                QUEUE_IO,
                OUTSTANDING,
                HIGHEST,
                LIMIT,
                STATES,
                ENTERED);
    }

    /** These figures of a target: parts are its disks and the queues of hosts. */
    public static Figures of(TargetFigures figures) {
        Figures.Builder target = Figures.of("disk_target")
                .value(MEMORY, figures.memoryBytes())
                .value(DROPPED, "too_short", figures.drops().tooShort())
                .value(DROPPED, "closing", figures.drops().closing());
        figures.namespaces().forEach(each -> target.part(disk(each)));
        figures.queues().forEach(each -> target.part(queue(each)));
        return target.build();
    }

    private static Figures disk(TargetFigures.OfNamespace each) {
        BlockDevice device = each.namespace().device();
        Figures.Builder disk = Figures.of("disk")
                .identity("subsystem", each.subsystem())
                .identity("number", each.namespace().id())
                .text("uuid", each.namespace().uuid())
                .value(SIZE, device.blocks() * device.blockBytes());
        counts(disk, each.counts(), COMMANDS, IO);
        for (int percentile : new int[] {50, 99}) {
            long timeNs = each.counts().latencies().quantileNs((double) percentile / PERCENT);
            disk.value(LATENCY, String.valueOf(percentile), timeNs);
        }
        return disk.build();
    }

    private static Figures queue(TargetFigures.OfQueue each) {
        Figures.Builder queue = Figures.of("disk_queue")
                .identity("subsystem", each.subsystem())
                .identity("host", each.host())
                .identity("controller", each.controllerId())
                .identity("number", each.queueId())
                .value(OUTSTANDING, each.depth().now())
                .value(HIGHEST, each.depth().most())
                .value(LIMIT, each.depth().entries());
        counts(queue, each.counts(), QUEUE_COMMANDS, QUEUE_IO);
        for (CommandState state : CommandState.values()) {
            String name = state.name().toLowerCase(Locale.ROOT);
            queue.value(STATES, name, each.depth().states().now(state))
                    .value(ENTERED, name, each.depth().states().entered(state));
        }
        return queue.build();
    }

    private static void counts(Figures.Builder figures, CommandCounts counts, Figure commands, Figure io) {
        figures.value(commands, "read", counts.reads().commands())
                .value(commands, "write", counts.writes().commands())
                .value(commands, "flush", counts.flushes())
                .value(commands, "other", counts.others())
                .value(commands, "failed", counts.failures())
                .value(io, "read", counts.reads().bytes())
                .value(io, "write", counts.writes().bytes());
    }
}
