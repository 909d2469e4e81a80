package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What it costs to find the descriptor of a channel that other epoll instances watch as well. */
class OwnSocketsTest {

    private static final int CHANNELS = 40;
    private static final int MOST_LOOKS = 3;

    /** The epoll instances of virtual threads were taken for that of the private selector: each search then examined all descriptors. */
    @Test
    void channelsThatVirtualThreadsHaveRead_areFoundWithoutASearch() throws Exception {
        List<SocketChannel> open = new ArrayList<>();
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < CHANNELS; i++) {
                SocketChannel near = SocketChannel.open(listener.getLocalAddress());
                open.add(near);
                SocketChannel far = listener.accept();
                open.add(far);
                Thread reads = Thread.ofVirtual().start(() -> read(near));
                Until.holds("the reader waits", () -> reads.getState() == Thread.State.WAITING, Thread::onSpinWait);
                assertEquals(1, far.write(ByteBuffer.allocate(1)));
                reads.join();
                near.configureBlocking(false);
                long before = OwnSockets.looks();
                OwnSockets.duplicate(near).close(true);
                long looks = OwnSockets.looks() - before;
                assertTrue(i == 0 || looks <= MOST_LOOKS, "channel " + i + ": " + looks);
            }
        } finally {
            for (SocketChannel each : open) {
                each.close();
            }
        }
    }

    private static void read(SocketChannel channel) {
        try {
            channel.read(ByteBuffer.allocate(1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
