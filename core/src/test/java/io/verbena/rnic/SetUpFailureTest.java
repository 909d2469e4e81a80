package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryStream;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An error of the JVM between two stages of a connection: the stream is closed, and both sides are notified. */
class SetUpFailureTest {

    private final ManualWorld world = new ManualWorld();
    private final Pair pair = new Pair(world);

    @BeforeEach
    void expectBugs() {
        world.expectsBugs = true;
    }

    @AfterEach
    void close() {
        world.network.atAttach = () -> {};
        world.atRandom = () -> {};
        world.close();
    }

    private static void outOfMemory() {
        throw new OutOfMemoryError("on purpose");
    }

    /** The initiator has sent its request. */
    private ConnectionRequest request() throws IOException {
        Listener listener = pair.b.rnic.listen(world.address());
        pair.fromA = pair.a.rnic.startConnect(pair.a.queuePair, listener.localAddress(), ConnectionOptions.defaults());
        return listener.nextRequest(Pair.SECOND).orElseThrow();
    }

    private void assertBothFailed(List<MemoryStream> streams) {
        world.settle();
        assertEquals(2, streams.size());
        assertTrue(streams.stream().allMatch(MemoryStream::closed), "both ends are closed");
        for (Connection each : List.of(pair.fromA, pair.fromB)) {
            assertEquals(ConnectionState.FAILED, each.state());
        }
        assertTrue(pair.a.queuePair.state() != IwarpQueuePairState.RTS);
        assertTrue(pair.b.queuePair.state() != IwarpQueuePairState.RTS);
    }

    @Test
    void responderEntersStartUp_error_streamIsClosed() throws IOException {
        ConnectionRequest request = request();
        List<MemoryStream> streams = List.copyOf(world.network.streams);
        world.network.atAttach = SetUpFailureTest::outOfMemory;
        pair.fromB = request.startAccept(pair.b.queuePair, ConnectionOptions.defaults());
        assertBothFailed(streams);
    }

    @Test
    void responderEntersRdmaMode_error_streamIsClosed() throws IOException {
        ConnectionRequest request = request();
        List<MemoryStream> streams = List.copyOf(world.network.streams);
        pair.fromB = request.startAccept(pair.b.queuePair, ConnectionOptions.defaults());
        world.atRandom = SetUpFailureTest::outOfMemory;
        assertBothFailed(streams);
    }

    @Test
    void initiatorEntersRdmaMode_error_streamIsClosed() throws IOException {
        ConnectionRequest request = request();
        List<MemoryStream> streams = List.copyOf(world.network.streams);
        int[] requested = {0};
        world.atRandom = () -> {
            if (++requested[0] == 2) {
                outOfMemory();
            }
        };
        pair.fromB = request.startAccept(pair.b.queuePair, ConnectionOptions.defaults());
        assertBothFailed(streams);
    }
}
