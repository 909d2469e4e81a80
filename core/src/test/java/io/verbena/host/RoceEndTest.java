package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.Progress;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The end of connections of the provider roce over real UDP sockets. */
class RoceEndTest {

    private static final int ROUNDS = 30;

    @ParameterizedTest
    @CsvSource({"INLINE, INLINE", "INLINE, ENGINE_THREAD", "ENGINE_THREAD, INLINE", "ENGINE_THREAD, ENGINE_THREAD"})
    void receiver_closesWhenItHasPolledTheMessage_sendSucceeds(Progress sending, Progress receiving)
            throws IOException {
        RnicOptions roce = RnicOptions.defaults().withProvider("roce");
        try (Rnic near = Rnic.open(roce.withProgress(sending));
                Rnic far = Rnic.open(roce.withProgress(receiving))) {
            for (int i = 0; i < ROUNDS; i++) {
                Site sender = new Site(near);
                Site receiver = new Site(far);
                Site.connect(sender, receiver);
                assertTrue(receiver.queuePair.postReceive(1, receiver.memory, 0, 100));
                assertTrue(sender.queuePair.postSend(2, sender.memory, 0, 100, WrFlags.SIGNALLED));
                receiver.complete(1);
                receiver.queuePair.close();
                sender.complete(2);
                sender.queuePair.close();
                sender.memory.close();
                receiver.memory.close();
            }
        }
    }

    /** The DREQ of a queue pair leaves through the engine of the port, which is not always that of the queue pair. */
    @ParameterizedTest
    @CsvSource({"1, 0, 30", "2, 0, 30", "3, 0, 30", "1, 5, 5", "2, 5, 5"})
    void queuePairsAndRnic_closeAtOnce_peerSeesEveryEnd(int engines, int loseOneIn, int rounds) throws IOException {
        RnicOptions roce = RnicOptions.defaults().withProvider("roce");
        PacketFaults faults = PacketFaults.none().withLoss(loseOneIn);
        try (Rnic far = Rnic.open(roce)) {
            for (int i = 0; i < rounds; i++) {
                List<Site> receivers = new ArrayList<>();
                try (Rnic near = new RoceProvider().open(roce.withEngines(engines), faults)) {
                    List<Site> senders = new ArrayList<>();
                    for (int k = 0; k < 3; k++) {
                        senders.add(new Site(near));
                        receivers.add(new Site(far));
                        Site.connect(senders.getLast(), receivers.getLast());
                    }
                    senders.forEach(each -> each.queuePair.close());
                }
                for (Site each : receivers) {
                    Until.holds(
                            "the peer sees the end",
                            () -> each.queuePair.state().failed());
                    each.queuePair.close();
                    each.memory.close();
                }
            }
        }
    }

    /** One of two threads moves the queue pair, the other connects it: one of them is refused, and nothing else fails. */
    @Test
    void modifyAndConnect_atTheSameTime_oneIsRefused() throws Exception {
        RnicOptions roce = RnicOptions.defaults().withProvider("roce");
        try (Rnic rnic = Rnic.open(roce)) {
            SocketAddress nobody = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 9);
            for (int i = 0; i < ROUNDS; i++) {
                Site site = new Site(rnic);
                QueuePair queuePair = site.queuePair;
                queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT));
                CompletableFuture<Boolean> moved = CompletableFuture.supplyAsync(() -> {
                    try {
                        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR)
                                .withRemote(
                                        7,
                                        PathAttributes.to(
                                                AddressHandleAttributes.to(InetAddress.ofLiteral("127.0.0.1")))));
                        return true;
                    } catch (IllegalStateException e) {
                        return false;
                    }
                });
                boolean connecting;
                try {
                    rnic.startConnect(queuePair, nobody, ConnectionOptions.defaults());
                    connecting = true;
                } catch (IllegalStateException e) {
                    connecting = false;
                }
                assertFalse(moved.get() && connecting, "both");
                assertNotEquals(InfinibandQueuePairState.ERR, queuePair.state());
                queuePair.close();
                site.memory.close();
            }
            assertEquals(List.of(), rnic.pollAsyncEvents(Duration.ZERO));
        }
    }

    /** The address belongs to the loopback interface, but no RNIC has it. */
    @Test
    void connect_noRnicAtTheAddress_refused() throws Exception {
        RnicOptions roce = RnicOptions.defaults().withProvider("roce");
        try (Rnic rnic = Rnic.open(roce)) {
            Site site = new Site(rnic);
            Connection attempt = rnic.startConnect(
                    site.queuePair,
                    new InetSocketAddress(InetAddress.ofLiteral("127.0.0.253"), 7471),
                    ConnectionOptions.defaults());
            ConnectionException failure =
                    assertThrows(ConnectionException.class, () -> attempt.awaitEstablished(Duration.ofSeconds(8)));
            assertEquals(ConnectionException.Kind.REFUSED, failure.kind());
        }
    }
}
