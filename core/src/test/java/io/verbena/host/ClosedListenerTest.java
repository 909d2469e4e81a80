package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After a listener was closed, the system refuses connections, at once and for every kind of socket. */
class ClosedListenerTest {

    private static final String SOCKETS = "io.verbena.sockets";

    @ParameterizedTest
    @ValueSource(strings = {"jdk", ""})
    void closed_connectionsAreRefusedFromThenOn(String kind) throws IOException {
        System.setProperty(SOCKETS, kind);
        try (Rnic servers = new IwarpProvider().open(RnicOptions.defaults().withProgress(Progress.ENGINE_THREAD));
                Rnic clients = new IwarpProvider().open(RnicOptions.defaults())) {
            Site site = new Site(clients);
            for (int i = 0; i < 100; i++) {
                Listener listener = servers.listen(StreamProbe.loopback(0));
                InetSocketAddress address = (InetSocketAddress) listener.localAddress();
                listener.close();
                assertThrows(ConnectException.class, () -> new Socket(address.getAddress(), address.getPort()).close());
            }
            Listener listener = servers.listen(StreamProbe.loopback(0));
            listener.close();
            ConnectionException refused = assertThrows(
                    ConnectionException.class, () -> clients.connect(site.queuePair, listener.localAddress()));
            assertEquals(ConnectionException.Kind.REFUSED, refused.kind());
        } finally {
            System.clearProperty(SOCKETS);
        }
    }
}
