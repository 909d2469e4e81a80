package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.verbs.Connection;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicFigures;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Strangers send RESUME to a listener: each is refused with no more bytes than it has sent, and leaves nothing. */
class HostileResumesTest {

    private static final int STRANGERS = 300;
    private static final int HEADER = 48;
    private static final int CODE = 16;
    private static final int RESULT = 16;

    /**
     * An MPA Request (RFC 5044 section 7.1.1, revision 2 with the depths of RFC 6581) with a RESUME of
     * no association.
     */
    private static byte[] request(Random random) {
        int count = random.nextInt(25);
        int length = HEADER + count * RESULT + CODE;
        ByteBuffer frame = ByteBuffer.allocate(24 + length);
        frame.put("MPA ID Req Frame".getBytes(StandardCharsets.ISO_8859_1))
                .put((byte) 0x50) // CRC, and enhanced data
                .put((byte) 2)
                .putShort((short) (4 + length))
                .putShort((short) (0x8000 | 16)) // peer-to-peer
                .putShort((short) (0x4000 | 16)); // a Read may be the first message
        byte[] rest = new byte[length];
        random.nextBytes(rest);
        ByteBuffer.wrap(rest)
                .putShort((short) 0x5652)
                .put((byte) 1)
                .put((byte) (1 + random.nextInt(4)))
                .put((byte) random.nextInt(2))
                .put((byte) count)
                .putShort((short) length)
                .putLong(24, 1 + random.nextLong(1L << 40));
        return frame.put(rest).array();
    }

    private static int answer(InetSocketAddress address, byte[] request) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(request);
            InputStream from = socket.getInputStream();
            return from.readAllBytes().length;
        }
    }

    private static long endpoints(Rnic rnic) {
        return rnic.figures().parts().stream()
                .filter(each -> each.subject().equals("engine"))
                .mapToLong((Figures each) -> each.number(RnicFigures.ENDPOINTS))
                .sum();
    }

    @Test
    void strangers_getNoMoreThanTheySend_andLeaveNothing_andTheConnectionStillSurvives() throws IOException {
        Random random = new Random(7);
        RnicOptions rnic = RnicOptions.defaults().withProvider("iwarp");
        try (Rnic client = Rnic.open(rnic);
                Rnic server = Rnic.open(rnic);
                Listener listener = server.listen(StreamProbe.loopback(0));
                CuttingForwarder forwarder =
                        new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.localAddress())) {
            SurvivingPair pair = SurvivingPair.connect(client, server, listener, List.of(forwarder.address()));
            Connection to = pair.to();
            InetSocketAddress address = (InetSocketAddress) listener.localAddress();
            for (int i = 0; i < STRANGERS; i++) {
                byte[] request = request(random);
                int bytes = answer(address, request);
                assertTrue(bytes > 0 && bytes <= request.length, bytes + " bytes for " + request.length);
            }
            assertEquals(Optional.empty(), listener.nextRequest(Duration.ZERO), "the program sees none of them");
            Until.holds("the strangers have left", () -> endpoints(server) == 1);
            assertEquals(0, to.transportChanges().changes());
            forwarder.cut();
            Site.exchange(pair.near(), pair.far(), 10_000, 3);
            Until.holds("the transport has changed", () -> to.transportChanges().changes() > 0);
        }
    }
}
