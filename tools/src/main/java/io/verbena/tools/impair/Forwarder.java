package io.verbena.tools.impair;

import io.verbena.base.Times;
import io.verbena.host.engine.EngineLoop;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Drives an {@link Impairment} with the packets of a {@link Bridge}, in the thread of the caller. */
final class Forwarder {

    /** A request to end is noticed after this time. */
    private static final long LOOK_NS = 20_000_000;

    /** Packets that wait for an end that accepts none; further ones are lost. */
    private static final int MOST_WAITING = 4096;

    private final EngineLoop loop;
    private final Bridge bridge;
    private final Impairment impairment;

    /** By the side from which they came: an end that accepts nothing does not stop the other. */
    private final List<ArrayDeque<Impairment.Passing>> waiting = List.of(new ArrayDeque<>(), new ArrayDeque<>());

    private long refused;

    Forwarder(EngineLoop loop, Bridge bridge, Impairment impairment) {
        this.loop = loop;
        this.bridge = bridge;
        this.impairment = impairment;
    }

    /** Packets that were lost because an end accepted none for too long. */
    long refused() {
        return refused;
    }

    /**
     * Forwards until the end is requested.
     *
     * @param progress is called in each turn, with the time
     * @throws IOException if an end is gone, with a sentence
     */
    void run(BooleanSupplier ends, LongConsumer progress) throws IOException {
        while (!ends.getAsBoolean()) {
            long nowNs = System.nanoTime();
            boolean busy = bridge.receive((from, packet) -> impairment.offer(from, packet, nowNs));
            impairment.turn(nowNs);
            busy |= send();
            progress.accept(nowNs);
            if (busy) {
                loop.poll();
            } else {
                loop.select(Math.min(LOOK_NS, Times.leftNs(impairment.nextDeadlineNs(), System.nanoTime())));
            }
        }
    }

    private boolean send() throws IOException {
        Optional<Impairment.Passing> due = impairment.poll(System.nanoTime());
        while (due.isPresent()) {
            ArrayDeque<Impairment.Passing> queue = waiting.get(due.get().from().ordinal());
            if (queue.size() < MOST_WAITING) {
                queue.addLast(due.get());
            } else {
                refused++;
            }
            due = impairment.poll(System.nanoTime());
        }
        boolean some = false;
        for (ArrayDeque<Impairment.Passing> queue : waiting) {
            Impairment.Passing first = queue.peekFirst();
            while (first != null && bridge.send(first)) {
                some = true;
                queue.removeFirst();
                first = queue.peekFirst();
            }
        }
        return some;
    }
}
