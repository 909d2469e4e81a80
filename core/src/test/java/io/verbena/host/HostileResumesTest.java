package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.survival.AssociationId;
import io.verbena.survival.AssociationSecret;
import io.verbena.survival.ResumeCodec;
import io.verbena.survival.ResumeMessage;
import io.verbena.survival.ResumePoint;
import io.verbena.survival.ResumeType;
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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Strangers send RESUME to a listener: each is refused with no more bytes than it has sent, and leaves nothing. */
class HostileResumesTest {

    private static final int STRANGERS = 300;
    private static final int REPLY_HEADER = 24;
    private static final int HEADER = 48;
    private static final int CODE = 16;
    private static final int RESULT = 16;

    /** An MPA Request (RFC 5044 section 7.1.1, revision 2 with the depths of RFC 6581) with these private data. */
    private static byte[] request(byte[] data) {
        return ByteBuffer.allocate(REPLY_HEADER + data.length)
                .put("MPA ID Req Frame".getBytes(StandardCharsets.ISO_8859_1))
                .put((byte) 0x50) // CRC, and enhanced data
                .put((byte) 2)
                .putShort((short) (4 + data.length))
                .putShort((short) (0x8000 | 16)) // peer-to-peer
                .putShort((short) (0x4000 | 16)) // a Read may be the first message
                .put(data)
                .array();
    }

    /** A Request with a RESUME of no association. */
    private static byte[] request(Random random) {
        int count = random.nextInt(25);
        byte[] data = new byte[HEADER + count * RESULT + CODE];
        random.nextBytes(data);
        ByteBuffer.wrap(data)
                .putShort((short) 0x5652)
                .put((byte) 1)
                .put((byte) (1 + random.nextInt(4)))
                .put((byte) random.nextInt(2))
                .put((byte) count)
                .putShort((short) data.length)
                .putLong(24, 1 + random.nextLong(1L << 40));
        return request(data);
    }

    private static byte[] answer(InetSocketAddress address, byte[] request) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.getOutputStream().write(request);
            InputStream from = socket.getInputStream();
            return from.readAllBytes();
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
                int bytes = answer(address, request).length;
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

    /** A stranger has no code, and learns nothing: not even whether an association exists. */
    @Test
    void resumeOfAStranger_isUnknown() throws IOException {
        AssociationId id = new AssociationId(1, 2);
        AssociationSecret secret = AssociationSecret.of(new byte[32]);
        byte[] resume = ResumeCodec.encode(new ResumeMessage(ResumeType.RESUME, 0, 5, ResumePoint.none()), id, secret);
        try (Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            for (int i = 0; i < 3; i++) {
                byte[] reply = answer((InetSocketAddress) listener.localAddress(), request(resume));
                byte[] data = Arrays.copyOfRange(reply, REPLY_HEADER, reply.length);
                assertEquals(id, ResumeCodec.id(data).orElseThrow());
                assertEquals(
                        ResumeType.UNKNOWN,
                        ResumeCodec.open(data, secret).orElseThrow().type());
            }
            assertTrue(listener.nextRequest(Duration.ofMillis(1)).isEmpty());
        }
    }
}
