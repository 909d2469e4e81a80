package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.Payloads;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Creation, failure and end of channels. */
class EndpointTest {

    private static final RnicOptions INLINE = RnicOptions.defaults().withProgress(Progress.INLINE);

    @Test
    void rnicIsClosed_connectFails_nothingIsLeft() {
        Rnic rnic = Rnic.open(INLINE);
        Endpoint endpoint = new Endpoint(rnic, ChannelOptions.defaults(), new Inbox());
        rnic.close();
        for (int i = 0; i < 3; i++) {
            assertThrows(
                    IllegalStateException.class,
                    () -> endpoint.connect(new InetSocketAddress("127.0.0.1", 9), new byte[0]));
        }
        assertTrue(endpoint.channels().isEmpty());
        assertEquals(0, endpoint.registeredBytes());
        endpoint.abort();
    }

    @Test
    void budgetUsedUp_noChannelIsLeft() {
        ChannelOptions poor = ChannelOptions.defaults().withMemory(100, 700);
        try (Rnic rnic = Rnic.open(INLINE);
                Endpoint endpoint = new Endpoint(rnic, poor, new Inbox())) {
            assertThrows(
                    MessagingException.class,
                    () -> endpoint.connect(new InetSocketAddress("127.0.0.1", 9), new byte[0]));
            assertTrue(endpoint.channels().isEmpty());
        }
    }

    /** A rank that is about to sleep asks for it, since no turn of its RNIC shows it. */
    @Test
    void peerWritesDirectly_isSeenBeforeATurn() throws IOException {
        try (Pair pair = Pair.direct()) {
            Pair.Link link = pair.connect();
            boolean seen = false;
            int sent = 0;
            while (!seen && sent < 10_000) { // the first ones go through the ring of the connection
                assertFalse(pair.right.seen());
                int sentNow = link.near().transfer(0, new TransferVector().add(Payloads.segment(8, sent), 0, 8));
                seen = pair.right.seen();
                sent += sentNow;
                int all = sent;
                pair.until(() -> pair.rightInbox.arrived.size() == all);
            }
            assertTrue(seen);
            assertFalse(pair.right.seen());
        }
    }

    @Test
    void slotsAreReturnedDirectly_isSeenBySideThatWaitsForThem() throws IOException {
        try (Pair pair = Pair.direct()) {
            Pair.Link link = pair.connect();
            TransferVector one = new TransferVector();
            for (int i = 0; i < 1_000; i++) {
                pair.until(() -> link.near().transfer(0, again(one)) == 1);
            }
            pair.rounds(100);
            int accepted;
            do {
                accepted = link.near().transfer(0, again(one));
            } while (accepted == 1);
            assertFalse(link.near().seen());
            pair.right.progress();
            assertTrue(link.near().seen());
            assertEquals(1, link.near().transfer(0, again(one)));
            assertFalse(link.near().seen());
        }
    }

    private static TransferVector again(TransferVector vector) {
        return vector.clear().add(Payloads.segment(8, 1), 0, 8);
    }

    @Test
    void listenerClosesTheEndpoint_isRefused_andTheEndpointWorksOn() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            AtomicReference<Throwable> refused = new AtomicReference<>();
            pair.rightInbox.onArrival = () -> {
                try {
                    pair.right.close();
                } catch (IllegalStateException e) {
                    refused.set(e);
                }
            };
            assertEquals(1, link.near().transfer(0, new TransferVector().add(Payloads.segment(8, 1), 0, 8)));
            pair.until(() -> !pair.rightInbox.arrived.isEmpty());
            assertTrue(refused.get() instanceof IllegalStateException);
            pair.rightInbox.expect(Payloads.bytes(8, 1));
        }
    }

    /** The channel is not polled, so that only its completion tells of the element. */
    @Test
    void listenerThrows_elementIsDeliveredAgain() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults().withMaxPolled(1))) {
            SocketAddress address = pair.listen();
            Pair.Link polled = pair.connect(address);
            assertEquals(1, polled.near().transfer(0, new TransferVector().add(Payloads.segment(8, 1), 0, 8)));
            pair.until(() -> pair.right.polledChannels() == 1);
            Pair.Link link = pair.connect(address);
            pair.until(() -> !pair.rightInbox.arrived.isEmpty());
            pair.rightInbox.expect(Payloads.bytes(8, 1));
            pair.rightInbox.onArrival = () -> {
                pair.rightInbox.onArrival = () -> {};
                throw new AssertionError("thrown by the listener");
            };
            assertEquals(1, link.near().transfer(0, new TransferVector().add(Payloads.segment(8, 2), 0, 8)));
            assertThrows(AssertionError.class, () -> pair.until(() -> false));
            pair.until(() -> !pair.rightInbox.arrived.isEmpty());
            pair.rightInbox.expect(Payloads.bytes(8, 2));
        }
    }

    @Test
    void interruptedWhileItCloses_flagStays() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            pair.connect();
            Thread.currentThread().interrupt();
            pair.left.close();
            assertTrue(Thread.interrupted());
            assertTrue(pair.left.channels().isEmpty());
        }
    }
}
