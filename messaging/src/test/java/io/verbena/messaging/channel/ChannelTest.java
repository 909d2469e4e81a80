package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.Payloads;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Channels end to end, over real sockets. */
class ChannelTest {

    @Test
    void settled_manyElementsBothWays_arriveInOrder() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            for (int i = 0; i < 200; i++) {
                send(pair, link.near(), i);
                send(pair, link.far(), i + 1000);
                pair.until(() -> !pair.rightInbox.arrived.isEmpty() && !pair.leftInbox.arrived.isEmpty());
                pair.rightInbox.expect(Payloads.bytes(i * 17 % 1700, i));
                pair.leftInbox.expect(Payloads.bytes((i + 1000) * 17 % 1700, i + 1000));
            }
            assertEquals(1, link.near().figures().changes().enlargements());
            assertEquals(1, link.far().figures().changes().enlargements());
        }
    }

    private static void send(Pair pair, Channel channel, int seed) {
        int length = seed * 17 % 1700;
        TransferVector vector = new TransferVector().add(Payloads.segment(length, seed), 0, length);
        pair.until(() -> {
            channel.transfer(0, vector);
            return vector.done();
        });
    }

    @Test
    void peerCloses_whatItSentBefore_isShownThenTheEnd() throws IOException {
        try (Pair pair = new Pair(ChannelOptions.defaults())) {
            Pair.Link link = pair.connect();
            for (int i = 0; i < 3; i++) {
                send(pair, link.near(), 5 + i);
            }
            link.near().close();
            pair.until(() -> !pair.rightInbox.ended.isEmpty() && !pair.leftInbox.ended.isEmpty());
            for (int i = 0; i < 3; i++) {
                pair.rightInbox.expect(Payloads.bytes((5 + i) * 17, 5 + i));
            }
            assertEquals(0, pair.left.registeredBytes());
            assertEquals(0, pair.right.registeredBytes());
            assertFalse(link.far().open());
            assertTrue(pair.right.channels().isEmpty());
        }
    }
}
