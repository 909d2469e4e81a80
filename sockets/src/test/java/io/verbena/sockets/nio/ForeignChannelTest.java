package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

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
}
