package io.verbena.netty.suite;

import io.netty.bootstrap.Bootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import java.util.List;
import org.junit.jupiter.api.TestInfo;

/**
 * A client alone.
 *
 * <p>Left out: {@code SocketShutdownOutputBySelfTest}, whose server is a {@code java.net.ServerSocket}, which does not speak RDMA. {@code
 * ShutdownOutputTest} does the same with a stream socket.
 */
final class ClientTests {
    private ClientTests() {}
}

class VerbenaSocketChannelNotYetConnectedTest extends SocketChannelNotYetConnectedTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return Transport.clients();
    }

    /** Not a test here: its server is a channel of the JDK, which does not speak RDMA. */
    @Override
    public void readMustBePendingUntilChannelIsActive(TestInfo info) {}
}

class VerbenaSocketConnectionAttemptTest extends SocketConnectionAttemptTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return Transport.clients();
    }
}

class VerbenaWriteBeforeRegisteredTest extends WriteBeforeRegisteredTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return Transport.clients();
    }
}
