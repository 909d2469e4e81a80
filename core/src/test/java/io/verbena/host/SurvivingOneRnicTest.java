package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** A connection between two queue pairs of one RNIC, whose sides have the same id. */
class SurvivingOneRnicTest {

    private static final int CUTS = 5;

    @Test
    void cut_continues() throws IOException {
        ConnectionOptions options = ConnectionOptions.defaults().surviving();
        try (Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = rnic.listen(StreamProbe.loopback(0));
                CuttingForwarder forwarder =
                        new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.localAddress())) {
            Site near = new Site(rnic);
            Site far = new Site(rnic);
            Connection from = rnic.startConnect(near.queuePair, forwarder.address(), options);
            Connection to = listener.nextRequest(Site.PATIENCE).orElseThrow().startAccept(far.queuePair, options);
            from.awaitEstablished(Site.PATIENCE);
            to.awaitEstablished(Site.PATIENCE);
            for (int cut = 0; cut < CUTS; cut++) {
                long changes = from.transportChanges().changes();
                forwarder.cut();
                Site.exchange(near, far, 10_000, 3);
                Until.holds(
                        "the transport has changed",
                        () -> from.transportChanges().changes() > changes);
            }
            from.disconnect();
            assertTrue(from.awaitClosed(Site.PATIENCE) && to.awaitClosed(Site.PATIENCE));
        }
    }
}
