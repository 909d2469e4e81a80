package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels of the JDK in a selector of the provider. */
class ForeignChannelTest {

    private static final int PATIENCE_MS = 20_000;

    @Test
    void channelOfTheJdk_closedWhileRegistered_endsItsConnectionWithTheNextSelection() throws Exception {
        VerbenaSelectorProvider provider = VerbenaSelectorProvider.of(SocketsOptions.defaults());
        try (Selector selector = provider.openSelector();
                ServerSocketChannel listener = ServerSocketChannel.open().bind(Stage.anyPort());
                SocketChannel closed = SocketChannel.open(listener.getLocalAddress());
                SocketChannel peer = listener.accept()) {
            closed.configureBlocking(false);
            closed.register(selector, SelectionKey.OP_READ);
            selector.selectNow();
            closed.setOption(StandardSocketOptions.SO_LINGER, 0);
            closed.close();
            selector.selectNow();
            peer.socket().setSoTimeout(PATIENCE_MS);
            SocketException reset = assertThrows(
                    SocketException.class, () -> peer.socket().getInputStream().read());
            assertEquals("Connection reset", reset.getMessage());
        }
    }

    /** A selector that waits in that of the JDK forgets the JDK's key first, while the channel still has ours. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void channelOfTheJdk_closedWhileSelectorWaits_givesItsPortBack(boolean selectorCloses) throws Exception {
        VerbenaSelectorProvider provider = VerbenaSelectorProvider.of(SocketsOptions.defaults());
        try (Selector selector = provider.openSelector();
                ServerSocketChannel listener = ServerSocketChannel.open().bind(Stage.anyPort())) {
            SocketAddress address = listener.getLocalAddress();
            listener.configureBlocking(false);
            listener.register(selector, SelectionKey.OP_ACCEPT);
            CompletableFuture<Integer> selection = new CompletableFuture<>();
            Thread waiting = Thread.ofPlatform().start(() -> {
                try {
                    selection.complete(selector.select());
                } catch (IOException | RuntimeException e) {
                    selection.completeExceptionally(e);
                }
            });
            while (Stream.of(waiting.getStackTrace())
                    .noneMatch(frame -> frame.getClassName().equals("sun.nio.ch.EPoll"))) {
                Thread.onSpinWait();
            }
            listener.close();
            if (selectorCloses) {
                selector.close();
                waiting.join(PATIENCE_MS);
            } else {
                selector.wakeup();
                assertEquals(0, selection.get(PATIENCE_MS, TimeUnit.MILLISECONDS));
                selector.selectNow();
            }
            assertThrows(ConnectException.class, () -> SocketChannel.open(address));
        }
    }
}
