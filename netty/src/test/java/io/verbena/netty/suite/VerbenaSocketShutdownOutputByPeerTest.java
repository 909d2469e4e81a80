package io.verbena.netty.suite;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.AbstractSocketShutdownOutputByPeerTest;
import io.verbena.sockets.stream.StreamSocket;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A server alone; the peer is a stream socket.
 *
 * <p>Left out: {@code ServerSocketSuspendTest}, which Netty disables.
 */
class VerbenaSocketShutdownOutputByPeerTest
        extends AbstractSocketShutdownOutputByPeerTest<AtomicReference<StreamSocket>> {

    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
        return Transport.servers();
    }

    @Override
    protected AtomicReference<StreamSocket> newSocket() {
        return new AtomicReference<>();
    }

    @Override
    protected void connect(AtomicReference<StreamSocket> peer, SocketAddress address) throws IOException {
        peer.set(Transport.NETWORK.connect(address));
    }

    @Override
    protected void write(AtomicReference<StreamSocket> peer, int data) throws IOException {
        peer.get().write(ByteBuffer.wrap(new byte[] {(byte) data}));
    }

    @Override
    protected void shutdownOutput(AtomicReference<StreamSocket> peer) throws IOException {
        peer.get().shutdownOutput();
    }

    @Override
    protected void close(AtomicReference<StreamSocket> peer) {
        peer.get().close();
    }
}
