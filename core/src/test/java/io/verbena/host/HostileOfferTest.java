package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener that accepts shared memory, and peers that write its set-up by hand. */
@EnabledOnOs(OS.LINUX)
class HostileOfferTest {

    private static final int OFFER_BYTES = 40;
    private static final int ANSWER_BYTES = 32;
    private static final int OUTCOME = 24;
    private static final int PATIENCE_MS = 20_000;

    private final Rnic rnic = RnicProvider.named("auto").open(RnicOptions.defaults());

    @AfterEach
    void close() {
        rnic.close();
    }

    private static byte[] offer(long process, int handle, int ringBytes) {
        return ByteBuffer.allocate(OFFER_BYTES)
                .put("VRBNSHMO".getBytes(StandardCharsets.US_ASCII))
                .putLong(1)
                .putLong(2)
                .putLong(process)
                .putInt(handle)
                .putInt(ringBytes)
                .array();
    }

    /** An MPA Request of revision 1 without private data. */
    private static byte[] mpaRequest() {
        return ByteBuffer.allocate(20)
                .put("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII))
                .put((byte) 0)
                .put((byte) 1)
                .putShort((short) 0)
                .array();
    }

    private static Socket connect(Listener listener) throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MS);
        socket.connect(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), ((InetSocketAddress) listener.localAddress()).getPort()));
        return socket;
    }

    private static void writeByteByByte(OutputStream out, byte[] bytes) throws IOException {
        for (byte each : bytes) {
            out.write(each);
            out.flush();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void offerThatCannotBeOpened_isAnsweredAndTheSocketIsUsed(boolean torn) throws IOException {
        try (Listener listener = rnic.listen(StreamProbe.loopback(0));
                Socket peer = connect(listener)) {
            byte[] offer = offer(ProcessHandle.current().pid(), Integer.MAX_VALUE, 4096);
            if (torn) {
                writeByteByByte(peer.getOutputStream(), offer);
            } else {
                peer.getOutputStream().write(offer);
            }
            byte[] answer = peer.getInputStream().readNBytes(ANSWER_BYTES);
            assertEquals(1, ByteBuffer.wrap(answer).getInt(OUTCOME));
            peer.getOutputStream().write(mpaRequest());
            ConnectionRequest request = listener.nextRequest(Site.PATIENCE).orElseThrow();
            request.reject(new byte[0]);
            byte[] reply = peer.getInputStream().readNBytes(16);
            assertEquals("MPA ID Rep Frame", new String(reply, StandardCharsets.US_ASCII));
        }
    }

    @Test
    void mpaRequestByteByByte_arrives() throws IOException {
        try (Listener listener = rnic.listen(StreamProbe.loopback(0));
                Socket peer = connect(listener)) {
            writeByteByByte(peer.getOutputStream(), mpaRequest());
            assertTrue(listener.nextRequest(Site.PATIENCE).isPresent());
        }
    }

    /** Frames with damaged bytes, cut or continued: each peer gets an answer or the end, and the next one is served. */
    @Test
    void damagedOffers_listenerGoesOn() throws IOException {
        SplittableRandom random = new SplittableRandom(16);
        try (Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            for (int round = 0; round < 40 * Integer.getInteger("verbena.seeds", 1); round++) {
                byte[] bytes = offer(
                        random.nextBoolean() ? ProcessHandle.current().pid() : random.nextLong(),
                        random.nextInt(256),
                        random.nextBoolean() ? 4096 : random.nextInt());
                if (random.nextBoolean()) {
                    bytes[1 + random.nextInt(OFFER_BYTES - 1)] ^= (byte) (1 + random.nextInt(255));
                }
                bytes = Arrays.copyOf(bytes, 1 + random.nextInt(2 * OFFER_BYTES));
                try (Socket peer = connect(listener)) {
                    peer.getOutputStream().write(bytes);
                    peer.shutdownOutput();
                    byte[] all = peer.getInputStream().readAllBytes();
                    assertTrue(all.length == 0 || all.length == ANSWER_BYTES, () -> all.length + " bytes");
                } catch (IOException e) {
                    // reset: also an end
                }
            }
        }
        Site.connect(new Site(rnic), new Site(rnic));
    }
}
