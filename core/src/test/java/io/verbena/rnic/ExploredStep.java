package io.verbena.rnic;

import io.verbena.rnic.iwarp.IwarpView;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.WrFlags;
import java.util.function.BiConsumer;

/**
 * A step in the script of an explored application.
 *
 * @param name for the trace
 * @param whenEstablished whether it waits until the connection is established, or has ended in some way
 */
record ExploredStep(
        String name, boolean whenEstablished, BiConsumer<ExploredSide, ExploredSide> action, ExploredSide peer) {

    private static final int PART = 16;

    boolean possible(ExploredSide side) {
        // Work may be posted once the connection is established; a failed set-up stops the script.
        return !whenEstablished || IwarpView.wasEstablished(side.queuePair);
    }

    void run(ExploredSide side) {
        action.accept(side, peer);
    }

    static ExploredStep receive(ExploredSide peer) {
        return new ExploredStep(
                "receive", false, (me, other) -> me.queuePair.postReceive(me.nextWork(), me.memory, 0, PART), peer);
    }

    static ExploredStep send(ExploredSide peer) {
        return new ExploredStep(
                "send",
                true,
                (me, other) -> me.queuePair.postSend(me.nextWork(), me.memory, PART, 8, WrFlags.SIGNALLED),
                peer);
    }

    static ExploredStep write(ExploredSide peer) {
        return new ExploredStep(
                "write",
                true,
                (me, other) -> {
                    MemoryRegion there = other.memory;
                    me.queuePair.postWrite(
                            me.nextWork(), me.memory, PART, 8, there.remote(), 2 * PART, WrFlags.SIGNALLED);
                },
                peer);
    }

    /** A Write of more than a short message. */
    static ExploredStep longWrite(ExploredSide peer) {
        return new ExploredStep(
                "write of 48 bytes",
                true,
                (me, other) -> me.queuePair.postWrite(
                        me.nextWork(), me.memory, 0, 3 * PART, other.memory.remote(), PART, WrFlags.SIGNALLED),
                peer);
    }

    /** A Write with a bad key, which fits into a short message. */
    static ExploredStep badWrite(ExploredSide peer) {
        return new ExploredStep(
                "write with a bad key",
                true,
                (me, other) -> me.queuePair.postWrite(
                        me.nextWork(),
                        me.memory,
                        0,
                        8,
                        other.memory.address(),
                        other.memory.rkey() + 1,
                        WrFlags.SIGNALLED),
                peer);
    }

    static ExploredStep read(ExploredSide peer) {
        return new ExploredStep(
                "read",
                true,
                (me, other) -> {
                    MemoryRegion there = other.memory;
                    me.queuePair.postRead(
                            me.nextWork(), me.memory, 3 * PART, 8, there.remote(), PART, WrFlags.SIGNALLED);
                },
                peer);
    }

    static ExploredStep add(ExploredSide peer) {
        return new ExploredStep(
                "atomic",
                true,
                (me, other) -> me.queuePair.postFetchAndAdd(
                        me.nextWork(),
                        me.memory,
                        3 * PART,
                        other.memory.address() + 2 * PART,
                        other.memory.rkey(),
                        1,
                        WrFlags.SIGNALLED),
                peer);
    }

    static ExploredStep badRead(ExploredSide peer) {
        return new ExploredStep(
                "read with a bad key",
                true,
                (me, other) -> me.queuePair.postRead(
                        me.nextWork(),
                        me.memory,
                        3 * PART,
                        8,
                        other.memory.address(),
                        other.memory.rkey() + 1,
                        WrFlags.SIGNALLED),
                peer);
    }

    static ExploredStep disconnect(ExploredSide peer) {
        return new ExploredStep("disconnect", false, (me, other) -> me.connection.disconnect(), peer);
    }

    static ExploredStep closeQueuePair(ExploredSide peer) {
        return new ExploredStep("close the queue pair", false, (me, other) -> me.queuePair.close(), peer);
    }

    static ExploredStep error(ExploredSide peer) {
        return new ExploredStep(
                "to ERROR",
                false,
                (me, other) -> me.queuePair
                        .endpoint()
                        .command(() -> me.queuePair.endpoint().fail("The test moved the queue pair to ERROR.")),
                peer);
    }
}
