package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.verbs.Connection;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A connection between two queue pairs of one RNIC, whose sides have the same id. */
class SurvivingOneRnicTest {

    private static final int CUTS = 5;

    @Test
    void cut_continues() throws IOException {
        try (Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = rnic.listen(StreamProbe.loopback(0));
                CuttingForwarder forwarder =
                        new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.localAddress())) {
            SurvivingPair pair = SurvivingPair.connect(rnic, rnic, listener, List.of(forwarder.address()));
            Connection from = pair.from();
            for (int cut = 0; cut < CUTS; cut++) {
                long changes = from.transportChanges().changes();
                forwarder.cut();
                Site.exchange(pair.near(), pair.far(), 10_000, 3);
                Until.holds(
                        "the transport has changed",
                        () -> from.transportChanges().changes() > changes);
            }
            from.disconnect();
            assertTrue(from.awaitClosed(Site.PATIENCE) && pair.to().awaitClosed(Site.PATIENCE));
        }
    }
}
