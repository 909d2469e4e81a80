package io.verbena.rnic.context;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.WrFlags.SIGNALLED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryNetwork;
import io.verbena.fixture.MemoryStream;
import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.rnic.SoftQueuePair;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.iwarp.IwarpView;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The treatment of peers that guess keys, and the reports to the application and to the peer. */
class ViolationsRnicTest {

    private static final long SECOND_NS = 1_000_000_000L;

    private final ManualWorld world = new ManualWorld();
    private final SoftRnic rnic = world.rnic(
            RnicOptions.defaults().withSettings(Map.of("violation-limit", "3", "violation-decay-seconds", "300")));
    private final ProtectionDomain domain = rnic.allocateProtectionDomain();
    private final CompletionQueue cq = rnic.createCompletionQueue(64);
    private final SoftRnic guesser = world.rnic();
    private final ProtectionDomain guessers = guesser.allocateProtectionDomain();
    private final MemoryRegion memory = guessers.allocate(4096, LOCAL_WRITE);
    private final CompletionQueue guesserCq = guesser.createCompletionQueue(64);

    @AfterEach
    void close() {
        world.close();
    }

    /** Connects, and reads with an unknown key if the connection was accepted. */
    private Connection guess(Listener listener) {
        SoftQueuePair from = (SoftQueuePair) guessers.createQueuePair(QueuePairOptions.of(guesserCq));
        Connection connection = guesser.startConnect(from, listener.localAddress(), ConnectionOptions.defaults());
        Optional<ConnectionRequest> request = listener.nextRequest(Duration.ofMillis(1));
        if (request.isPresent()) {
            request.get().startAccept(domain.createQueuePair(QueuePairOptions.of(cq)), ConnectionOptions.defaults());
            world.settle();
            from.postRead(1, memory, 0, 8, 0x1_0000_0000L, 0x1234, SIGNALLED);
        }
        world.settle();
        return connection;
    }

    @Test
    void peerThatGuessesKeys_isCounted_andRefusedWithASentenceAboveTheLimit() throws IOException {
        try (Listener listener = rnic.listen(world.address())) {
            for (int i = 0; i < 3; i++) {
                assertTrue(guess(listener).termination().isPresent(), "connection " + i);
            }
            for (int i = 0; i < 2; i++) {
                Connection refused = guess(listener);
                assertEquals(ConnectionState.REJECTED, refused.state());
                assertEquals(
                        "The peer at memory:50000 rejected the connection: connections from memory are temporarily"
                                + " refused: its protection violations (wrong keys, rights or bounds) reached the limit"
                                + " of 3; one violation decays every 100 s.",
                        refused.reason());
                assertArrayEquals(
                        new byte[0], refused.privateData(), "the sentence is not private data of an application");
            }
            assertEquals(3, rnic.context().violations().total());
            List<AsyncEvent> observed = rnic.pollAsyncEvents(Duration.ZERO).stream()
                    .filter(event -> event.type() == AsyncEventType.PEER_REFUSED)
                    .toList();
            assertEquals(1, observed.size(), "one event for the address");
            assertSame(rnic, observed.getFirst().subject());
            assertTrue(observed.getFirst().sentence().startsWith("Connections from memory are refused"));
            world.advance(100 * SECOND_NS);
            assertTrue(guess(listener).termination().isPresent(), "one violation has decayed");
            assertEquals(ConnectionState.REJECTED, guess(listener).state());
        }
    }

    @Test
    void otherAddresses_areAcceptedWhileOneIsRefused() throws IOException {
        try (Listener listener = rnic.listen(world.address())) {
            world.network.addresses = MemoryNetwork.host("guesser");
            for (int i = 0; i < 4; i++) {
                guess(listener);
            }
            assertEquals(3, rnic.context().violations().total());
            world.network.addresses = MemoryNetwork.host("neighbour");
            assertTrue(guess(listener).termination().isPresent());
            assertEquals(4, rnic.context().violations().total());
        }
    }

    @Test
    void refusedSilentPeers_holdFewPlacesForOneSecond() throws IOException {
        try (Listener listener = rnic.listen(world.address())) {
            for (int i = 0; i < 3; i++) {
                guess(listener);
            }
            List<MemoryStream> mute = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                mute.add(world.network.dial(listener.localAddress()));
            }
            assertEquals(8, IwarpView.halfOpenCount(listener));
            assertTrue(mute.getLast().in().ended());
            assertFalse(mute.getFirst().in().ended());
            world.advance(SECOND_NS);
            assertTrue(mute.getFirst().in().ended());
            assertEquals(0, IwarpView.halfOpenCount(listener));
        }
    }

    @Test
    void peerThatGuessesKeysToInvalidate_isCounted() throws IOException {
        Pair pair = new Pair(world).connect();
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 8);
        pair.a.queuePair.post(
                pair.a.queuePair.newWorkRequest().sendWithInvalidate(0x1234).gather(pair.a.memory, 0, 8));
        world.settle();
        assertTrue(pair.b.queuePair.state().failed());
        assertEquals(1, pair.b.rnic.context().violations().total());
        assertEquals(List.of(AsyncEventType.QP_ACCESS_ERROR), ManualWorld.events(pair.b.rnic));
    }
}
