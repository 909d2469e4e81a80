package io.verbena.sim;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The option for guesses reaches the stream: a sender without markers, and a segment that is late. */
class GuessWorldTest {

    private static final int WRITE_BYTES = 10_000;
    private static final long MILLISECOND = 1_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Writes that are placed while the second one is late. */
    private static long placedAfterAGap(boolean guesses) throws IOException {
        World world = new World(1, Profile.CALM, Optional.empty())
                .withSegments(SegmentPlan.calm().withLate(WRITE_BYTES + 5_000, 10 * MILLISECOND));
        RnicOptions options = RnicOptions.defaults()
                .withCrc(true)
                .withIwarp(it -> it.withMaxFpduPayloadBytes(1_000).withGuesses(guesses));
        VirtualHost server = world.addHost(options);
        VirtualHost client = world.addHost(options);
        MemoryRegion target = server.rnic()
                .allocateProtectionDomain()
                .allocate(100_000, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        ProtectionDomain domain = client.rnic().allocateProtectionDomain();
        MemoryRegion source = domain.allocate(WRITE_BYTES, AccessRight.LOCAL_WRITE);
        source.segment().fill((byte) 7);
        QueuePair queuePair =
                domain.createQueuePair(QueuePairOptions.of(client.rnic().createCompletionQueue(16)));
        Listener listener = server.rnic().listen(server.address(7471));
        var connection = client.rnic().startConnect(queuePair, server.address(7471), ConnectionOptions.defaults());
        listener.nextRequest(SECOND)
                .orElseThrow()
                .accept(target.protectionDomain()
                        .createQueuePair(QueuePairOptions.of(server.rnic().createCompletionQueue(16))));
        connection.awaitEstablished(SECOND);
        for (int i = 0; i < 5; i++) {
            queuePair.postWrite(
                    i, source, 0, WRITE_BYTES, target.remote(), (long) i * WRITE_BYTES, WrFlags.UNSIGNALLED);
        }
        world.runFor(5 * MILLISECOND);
        long early = writes(target);
        world.runFor(10 * MILLISECOND);
        assertEquals(5, writes(target), "all in the end");
        world.close();
        return early;
    }

    private static long writes(MemoryRegion target) {
        long whole = 0;
        for (int i = 0; i < 5; i++) {
            byte[] bytes = target.segment()
                    .asSlice((long) i * WRITE_BYTES, WRITE_BYTES)
                    .toArray(JAVA_BYTE);
            int sevens = 0;
            for (byte each : bytes) {
                sevens += each == 7 ? 1 : 0;
            }
            whole += sevens == WRITE_BYTES ? 1 : 0;
        }
        return whole;
    }

    @Test
    void withoutMarkers_writesAfterAGap_waitForIt() throws IOException {
        assertEquals(1, placedAfterAGap(false));
    }

    @Test
    void withoutMarkers_writesAfterAGap_arePlacedWithGuesses() throws IOException {
        assertEquals(4, placedAfterAGap(true));
    }
}
