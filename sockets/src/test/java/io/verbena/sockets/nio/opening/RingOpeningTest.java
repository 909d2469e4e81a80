package io.verbena.sockets.nio.opening;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An offer of rings at the beginning of a connection. */
class RingOpeningTest {

    private static final int RING = 8192;

    private static byte[] offer(int ringBytes) {
        return ByteBuffer.allocate(40)
                .put("VRBNRNGO".getBytes(US_ASCII))
                .putLong(1)
                .putLong(2)
                .putLong(ProcessHandle.current().pid())
                .putInt(0)
                .putInt(ringBytes)
                .array();
    }

    private static ServerOpening agreed(boolean rings) {
        ClientOpening client = new ClientOpening(7);
        ServerOpening server = new ServerOpening(true, rings);
        server.onBytes(ByteBuffer.wrap(client.upgrade()));
        assertEquals(ServerOpening.State.AGREED, server.state());
        client.onBytes(ByteBuffer.wrap(server.takeReply()));
        assertEquals(ClientOpening.State.AGREED, client.state());
        assertEquals(rings, client.rings());
        return server;
    }

    @Test
    void offerByteByByte_isARequest_whenItIsWhole() {
        ServerOpening server = agreed(true);
        byte[] offer = offer(RING);
        for (int i = 0; i < offer.length; i++) {
            assertEquals(ServerOpening.State.AGREED, server.state());
            server.onBytes(ByteBuffer.wrap(offer, i, 1));
        }
        assertEquals(ServerOpening.State.REQUEST, server.state());
        byte[] read = new byte[server.read().remaining()];
        server.read().get(read);
        assertArrayEquals(offer, read);
    }

    @Test
    void withdrawal_isStillOne() {
        ServerOpening server = agreed(true);
        byte[] withdrawal = FirstBytes.withdrawal(7);
        server.onBytes(ByteBuffer.wrap(withdrawal, 0, 4)); // an offer begins so, too
        assertEquals(ServerOpening.State.AGREED, server.state());
        server.onBytes(ByteBuffer.wrap(withdrawal, 4, 12));
        assertEquals(ServerOpening.State.PLAIN, server.state());
    }

    @ValueSource(ints = {0, -1, 4095, 1 << 25})
    @ParameterizedTest
    void offerOfAWrongSize_endsTheConnection(int ringBytes) {
        ServerOpening server = agreed(true);
        server.onBytes(ByteBuffer.wrap(offer(ringBytes)));
        assertEquals(ServerOpening.State.GONE, server.state());
    }

    @Test
    void offerToAServerThatAcceptsNone_endsTheConnection() {
        ServerOpening server = agreed(false);
        server.onBytes(ByteBuffer.wrap(offer(RING)));
        assertEquals(ServerOpening.State.GONE, server.state());
    }

    /** Without an upgrade before, these are bytes of a program. */
    @Test
    void offerAsFirstBytes_isPlain() {
        ServerOpening server = new ServerOpening(true, true);
        server.onBytes(ByteBuffer.wrap(Arrays.copyOf(offer(RING), 40)));
        assertEquals(ServerOpening.State.PLAIN, server.state());
    }
}
