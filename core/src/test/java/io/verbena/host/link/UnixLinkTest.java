package io.verbena.host.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.port.LinkEvents;
import io.verbena.port.LinkPort;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Frames over a Unix socket, with a hostile peer as well. */
class UnixLinkTest {

    private static final int HEADER = VirtioNetHeader.LENGTH;

    private final Semaphore woken = new Semaphore(0);
    private final Slab slab = new Slab(LinkPort.MOST_BYTES);
    private final List<AutoCloseable> open = new ArrayList<>();
    private Path folder = Path.of("");
    private Path path = Path.of("");

    /** The path of a Unix socket must be short, so it is not in the folder of the build. */
    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createTempDirectory("vb");
        path = folder.resolve("s");
    }

    @AfterEach
    void removeFolder() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        Files.deleteIfExists(path);
        Files.deleteIfExists(folder);
    }

    /** A link with the frames that it received. */
    private final class End implements LinkEvents {
        private final UnixLink link;
        private final List<Integer> received = new ArrayList<>();
        private String failure = "";
        private boolean writable = true;

        End(String device) throws IOException {
            link = new UnixLink(new UnixPeers(device, woken::release));
            link.attach(this);
            open.add(link::close);
        }

        @Override
        public void onReadable() {
            try {
                int bytes;
                while ((bytes = link.receive(slab, 0)) > 0) {
                    received.add(bytes);
                }
            } catch (IOException e) {
                failure = String.valueOf(e.getMessage());
            }
        }

        @Override
        public void onWritable() {
            writable = true;
        }

        boolean send(int bytes) throws IOException {
            writable = link.send(slab, 0, bytes);
            link.wantWritable(!writable);
            return writable;
        }
    }

    private void await(BooleanSupplier condition, End... ends) throws InterruptedException {
        while (true) {
            for (End each : ends) {
                each.link.serve();
            }
            if (condition.getAsBoolean()) {
                return;
            }
            assertTrue(woken.tryAcquire(20, TimeUnit.SECONDS), "nothing happens");
        }
    }

    private SocketChannel stranger() throws IOException {
        SocketChannel socketChannel = SocketChannel.open(StandardProtocolFamily.UNIX);
        open.add(socketChannel);
        socketChannel.connect(UnixDomainSocketAddress.of(path));
        return socketChannel;
    }

    /** Reads what has arrived; returns its bytes. */
    private static long drain(SocketChannel peer) {
        ByteBuffer sink = ByteBuffer.allocate(1 << 20);
        long bytes = 0;
        try {
            int count;
            while ((count = peer.read(sink.clear())) > 0) {
                bytes += count;
            }
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void twoLinks_exchangeFramesOfAllSizes() throws Exception {
        End server = new End("listen:" + path);
        assertTrue(server.send(HEADER + 60), "a link without a peer loses frames");
        End client = new End(path.toString());
        int[] sizes = {14, 60, 1514, 1514, 65_549};
        for (int each : sizes) {
            await(() -> client.writable, server, client);
            client.send(HEADER + each);
        }
        await(() -> server.received.size() == sizes.length, server, client);
        assertEquals(List.of(24, 70, 1524, 1524, 65_559), server.received);
        server.send(HEADER + 77);
        await(() -> client.received.size() == 1, server, client);
        assertEquals(List.of(HEADER + 77), client.received);
    }

    /** A program may interrupt all threads of its JVM. */
    @Test
    void threadIsInterrupted_framesArrive_andItWaitsAgain() throws Exception {
        End server = new End("listen:" + path);
        Thread thread = Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("verbena-unix-link"))
                .findAny()
                .orElseThrow();
        SocketChannel peer = stranger();
        for (int i = 1; i <= 20; i++) {
            int count = i;
            thread.interrupt();
            peer.write(ByteBuffer.allocate(4 + 60).putInt(0, 60));
            await(() -> server.received.size() == count, server);
        }
        while (thread.isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    /** An error in the engine that is woken ends the link with a reason, and not its thread alone. */
    @Test
    void wakingFails_theLinkStatesIt() throws Exception {
        UnixPeers failing = new UnixPeers("listen:" + path, () -> {
            woken.release();
            throw new OutOfMemoryError("scripted");
        });
        open.add(failing::close);
        stranger();
        assertTrue(woken.tryAcquire(20, TimeUnit.SECONDS), "nothing happens");
        while (Files.exists(path)) {
            Thread.onSpinWait(); // until the thread has closed all
        }
        assertThrows(IOException.class, failing::checkAlive);
    }

    @Test
    void peerThatDoesNotRead_sendingStopsAndContinues() throws Exception {
        End server = new End("listen:" + path);
        SocketChannel peer = stranger();
        peer.write(ByteBuffer.allocate(4 + 60).putInt(0, 60));
        await(() -> server.received.size() == 1, server);
        int sent = 0;
        while (server.send(HEADER + 1514)) {
            sent++;
        }
        assertFalse(server.writable);
        int frames = sent;
        peer.configureBlocking(false);
        long[] left = {frames * 1518L};
        await(() -> (left[0] -= drain(peer)) == 0 && server.writable, server);
        assertTrue(server.send(HEADER + 1514));
    }

    @Test
    void piecesOfFrames_arePutTogether_andAWrongLengthEndsThePeer() throws Exception {
        End server = new End("listen:" + path);
        SocketChannel first = stranger();
        ByteBuffer bytes = ByteBuffer.allocate(200);
        bytes.putInt(0, 100).putInt(104, 60);
        for (int i = 0; i < 168; i++) {
            first.write(bytes.slice(i, 1));
        }
        await(() -> server.received.size() == 2, server);
        assertEquals(List.of(HEADER + 100, HEADER + 60), server.received);
        first.write(ByteBuffer.allocate(4).putInt(0, -1));
        // The next peer is served.
        SocketChannel second = stranger();
        second.write(ByteBuffer.allocate(4 + 14).putInt(0, 14));
        await(() -> server.received.size() == 3, server);
        assertEquals("", server.failure);
    }

    @Test
    void serverGone_theLinkOfAClientFails() throws Exception {
        End server = new End("listen:" + path);
        End client = new End(path.toString());
        assertTrue(client.send(HEADER + 60));
        await(() -> !server.received.isEmpty(), server); // a connection that is not accepted yet would be reset
        server.link.close();
        await(() -> !client.failure.isEmpty(), client);
        assertEquals("the peer has closed the socket", client.failure);
        assertThrows(IOException.class, () -> client.link.send(slab, 0, HEADER + 60));
    }

    @Test
    void noServer_orASecondOne_isRefusedWithASentence() throws Exception {
        IOException none = assertThrows(IOException.class, () -> new End(path.toString()));
        assertTrue(String.valueOf(none.getMessage()).contains("start its server first"), none.getMessage());
        End first = new End("listen:" + path);
        IOException second = assertThrows(IOException.class, () -> new End("listen:" + path));
        assertTrue(String.valueOf(second.getMessage()).contains("remove the file"), second.getMessage());
        assertEquals(path.toString(), first.link.name());
    }
}
