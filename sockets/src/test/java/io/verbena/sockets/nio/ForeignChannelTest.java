package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.sockets.nio.select.SelectorWait;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
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
            Thread waiting = waitIn(selector, selection);
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

    /** The end of a connection wakes the selector of the JDK, which then finds a key ready that is cancelled in the same moment. */
    @Test
    void channelsOfTheJdk_closedWhileReady_selectionGoesOn() throws Exception {
        VerbenaSelectorProvider provider = VerbenaSelectorProvider.of(SocketsOptions.defaults());
        CompletableFuture<Integer> selections = new CompletableFuture<>();
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(Stage.anyPort())) {
            Selector selector = provider.openSelector();
            Thread selecting = Thread.ofPlatform().start(() -> {
                try {
                    while (selector.isOpen()) {
                        selector.select();
                        selector.selectedKeys().clear();
                    }
                    selections.complete(0);
                } catch (ClosedSelectorException _) {
                    selections.complete(0);
                } catch (IOException | RuntimeException e) {
                    selections.completeExceptionally(e);
                }
            });
            for (int i = 0; i < 500; i++) {
                try (SocketChannel closed = SocketChannel.open(listener.getLocalAddress());
                        SocketChannel peer = listener.accept()) {
                    closed.configureBlocking(false).register(selector, SelectionKey.OP_READ);
                    selector.wakeup();
                    peer.close();
                }
            }
            selector.close();
            selecting.join(PATIENCE_MS);
            assertEquals(0, selections.get(PATIENCE_MS, TimeUnit.MILLISECONDS));
        }
    }

    /** A thread that selects, once it waits in the selector of the JDK. */
    private static Thread waitIn(Selector selector, CompletableFuture<Integer> selection) {
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                selection.complete(selector.select());
            } catch (IOException | RuntimeException e) {
                selection.completeExceptionally(e);
            }
        });
        List<String> frames;
        do {
            frames = Stream.of(waiting.getStackTrace())
                    .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                    .toList();
        } while (!frames.contains("sun.nio.ch.EPoll.wait")
                || !frames.contains(SelectorWait.class.getName() + ".both")
                || frames.contains(SelectorWait.class.getName() + ".poll"));
        return waiting;
    }
}
