package io.verbena.netty.suite;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.ServerSocketSuspendTest;
import io.netty.testsuite.transport.socket.SocketShutdownOutputByPeerTest;
import java.util.List;

/** One side only. */
final class ServerTests {
    private ServerTests() {}
}

class VerbenaServerSocketSuspendTest extends ServerSocketSuspendTest {
    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
        return Transport.servers();
    }
}

class VerbenaSocketShutdownOutputByPeerTest extends SocketShutdownOutputByPeerTest {
    @Override
    protected List<BootstrapFactory<ServerBootstrap>> newFactories() {
        return Transport.servers();
    }
}
