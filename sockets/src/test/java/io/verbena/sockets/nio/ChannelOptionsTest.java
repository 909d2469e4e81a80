package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;

/** Options of a channel whose TCP connection belongs to the RNIC. */
class ChannelOptionsTest {

    private static final int SECONDS = 77;

    @Test
    void keepAlive_isThatOfTheTcpConnection_beforeAndAfterTheConversion() throws IOException {
        SelectorProvider provider = SelectorProvider.provider();
        try (ServerSocketChannel listener = provider.openServerSocketChannel()
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel tcp = provider.openSocketChannel()) {
            tcp.connect(listener.getLocalAddress());
            ChannelOptions options = new ChannelOptions(new Networks(provider, SocketsOptions.defaults()), tcp);
            options.set(StandardSocketOptions.SO_KEEPALIVE, true);
            options.onRdma();
            assertTrue(tcp.getOption(StandardSocketOptions.SO_KEEPALIVE));
            options.set(ExtendedSocketOptions.TCP_KEEPIDLE, SECONDS);
            assertEquals(SECONDS, tcp.getOption(ExtendedSocketOptions.TCP_KEEPIDLE));
            options.set(StandardSocketOptions.SO_KEEPALIVE, false);
            assertFalse(tcp.getOption(StandardSocketOptions.SO_KEEPALIVE));
            assertFalse(options.get(StandardSocketOptions.SO_KEEPALIVE));
        }
    }

    @Test
    void keepAlive_withoutATcpConnection_isKept() throws IOException {
        SelectorProvider provider = SelectorProvider.provider();
        try (SocketChannel tcp = provider.openSocketChannel()) {
            ChannelOptions options = new ChannelOptions(new Networks(provider, SocketsOptions.defaults()), tcp);
            options.onRdma();
            tcp.close();
            options.set(StandardSocketOptions.SO_KEEPALIVE, true);
            assertTrue(options.get(StandardSocketOptions.SO_KEEPALIVE));
        }
    }
}
