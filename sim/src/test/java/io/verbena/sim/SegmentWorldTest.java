package io.verbena.sim;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Two RNICs over a TCP that delivers segments in any order: placement when a segment arrives, delivery in order. */
class SegmentWorldTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long MILLISECOND = 1_000_000;
    private static final int WRITE_BYTES = 1_000;

    /** A byte of the second Write, after the RTR frame and the first Write. */
    private static final long IN_SECOND_WRITE = 1_500;

    private final List<String> log = new ArrayList<>();
    private final World world;
    private final VirtualHost server;
    private final VirtualHost client;
    private final CompletionQueue cq;
    private final CompletionCursor received;
    private final MemoryRegion target;
    private final MemoryRegion source;
    private final QueuePair queuePair;

    SegmentWorldTest() {
        world = new World(1, Profile.CALM, Optional.of(log::add))
                .withSegments(SegmentPlan.calm().withLate(IN_SECOND_WRITE, 10 * MILLISECOND));
        server = world.addHost(RnicOptions.defaults().withCrc(true).withMarkers(true));
        client = world.addHost(RnicOptions.defaults().withCrc(true).withMarkers(true));
        cq = server.rnic().createCompletionQueue(16);
        received = cq.cursor();
        target = server.rnic()
                .allocateProtectionDomain()
                .allocate(100_000, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        ProtectionDomain domain = client.rnic().allocateProtectionDomain();
        source = domain.allocate(100_000, AccessRight.LOCAL_WRITE);
        source.segment().fill((byte) 7);
        queuePair = domain.createQueuePair(QueuePairOptions.of(client.rnic().createCompletionQueue(16)));
    }

    private Connection connect() throws IOException {
        Listener listener = server.rnic().listen(server.address(7471));
        Connection connection =
                client.rnic().startConnect(queuePair, server.address(7471), ConnectionOptions.defaults());
        QueuePair accepted = target.protectionDomain().createQueuePair(QueuePairOptions.of(cq));
        listener.nextRequest(SECOND).orElseThrow().accept(accepted);
        connection.awaitEstablished(SECOND);
        accepted.postReceive(1, target, 90_000, 1_000);
        return connection;
    }

    private void write(int index) {
        queuePair.postWrite(
                index, source, 0, WRITE_BYTES, target.remote(), (long) index * WRITE_BYTES, WrFlags.UNSIGNALLED);
    }

    /** Whether a Write has been placed completely. */
    private boolean placed(int index) {
        byte[] bytes = target.segment()
                .asSlice((long) index * WRITE_BYTES, WRITE_BYTES)
                .toArray(JAVA_BYTE);
        for (byte each : bytes) {
            if (each != 7) {
                return false;
            }
        }
        return true;
    }

    @Test
    void write_afterAGap_isInMemoryBeforeTheGapCloses() throws IOException {
        connect();
        for (int i = 0; i < 5; i++) {
            write(i);
        }
        queuePair.postSend(9, source, 0, 100, WrFlags.SIGNALLED);
        world.runFor(5 * MILLISECOND);
        assertTrue(placed(0));
        assertFalse(placed(1), "the second Write is late");
        assertTrue(placed(2) && placed(3) && placed(4), "the Writes after the gap are placed");
        assertFalse(received.next(), "the Send after the gap is not delivered");
        world.runFor(10 * MILLISECOND);
        assertTrue(placed(1));
        assertTrue(received.next(), "the gap has closed");
        assertEquals(100, received.byteCount());
        world.close();
    }

    @Test
    void close_duringAGap_isGracefulAfterTheGapCloses() throws IOException {
        Connection connection = connect();
        for (int i = 0; i < 5; i++) {
            write(i);
        }
        connection.disconnect();
        world.runFor(5 * MILLISECOND);
        assertFalse(connection.state().ended());
        assertTrue(connection.awaitClosed(SECOND));
        assertTrue(placed(1) && placed(4));
        assertEquals("The connection was closed gracefully.", connection.reason());
        world.close();
        assertEquals(0, world.openStreams());
    }

    @Test
    void linkReset_duringAGap_endsTheConnectionAndDeliversNothing() throws IOException {
        Connection connection = connect();
        write(0);
        write(1);
        queuePair.postSend(9, source, 0, 100, WrFlags.SIGNALLED);
        world.runFor(5 * MILLISECOND);
        world.links().getFirst().reset("the test resets it");
        assertTrue(connection.awaitClosed(SECOND));
        world.runFor(20 * MILLISECOND);
        assertTrue(received.next());
        assertFalse(received.ok(), "the receive is flushed");
        world.close();
        assertEquals(0, world.openStreams());
    }

    @Test
    void frames_defaultSize_fitOneSegmentEach() throws IOException {
        connect();
        queuePair.postWrite(1, source, 0, 90_000, target.remote(), 0, WrFlags.SIGNALLED);
        world.runFor(100 * MILLISECOND);
        Pattern length = Pattern.compile("Write .*len=(\\d+)");
        int frames = 0;
        for (String line : log) {
            Matcher found = length.matcher(line);
            if (found.find()) {
                frames++;
                assertTrue(Integer.parseInt(found.group(1)) <= 1_448 - 30, line);
            }
        }
        assertTrue(frames > 60, frames + " frames");
        world.close();
    }
}
