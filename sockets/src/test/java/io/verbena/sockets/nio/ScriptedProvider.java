package io.verbena.sockets.nio;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;

/** The provider of the JDK, with an action before each socket channel is opened. */
final class ScriptedProvider extends SelectorProvider {

    private final SelectorProvider jdk = JdkProvider.find();
    private final Runnable onOpen;

    ScriptedProvider(Runnable onOpen) {
        this.onOpen = onOpen;
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return jdk.openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return jdk.openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        return jdk.openPipe();
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        return jdk.openSelector();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return jdk.openServerSocketChannel();
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        onOpen.run();
        return jdk.openSocketChannel();
    }
}
