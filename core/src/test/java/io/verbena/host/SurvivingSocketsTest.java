package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SurvivalOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections over sockets of this host that lose their transport. */
class SurvivingSocketsTest {

    private static final int CUTS = 50;
    private static final int COUNTER = 0;
    private static final int RESULT = 64;

    /** Two connected sites. */
    private record Pair(Site near, Site far, Connection from, Connection to, Listener listener) {}

    private static Pair connect(Rnic client, Rnic server, Listener listener, List<InetSocketAddress> addresses)
            throws IOException {
        return connect(
                client,
                server,
                listener,
                addresses,
                SurvivalOptions.over(addresses.subList(1, addresses.size()).toArray(InetSocketAddress[]::new)));
    }

    private static Pair connect(
            Rnic client, Rnic server, Listener listener, List<InetSocketAddress> addresses, SurvivalOptions survival)
            throws IOException {
        Site near = new Site(client);
        Site far = new Site(server);
        ConnectionOptions options = ConnectionOptions.defaults().withSurvival(survival);
        Connection from = client.startConnect(near.queuePair, addresses.getFirst(), options);
        ConnectionRequest request = listener.nextRequest(Site.PATIENCE).orElseThrow();
        Connection to = request.startAccept(far.queuePair, options);
        from.awaitEstablished(Site.PATIENCE);
        to.awaitEstablished(Site.PATIENCE);
        assertTrue(from.survives());
        assertTrue(to.survives());
        return new Pair(near, far, from, to, listener);
    }

    private static void add(Site near, Site far, long id) {
        assertTrue(near.queuePair.postFetchAndAdd(
                id,
                near.memory,
                RESULT + 8 * (id % 64),
                far.memory.remote().address() + COUNTER,
                far.memory.rkey(),
                1,
                WrFlags.SIGNALLED));
    }

    private static long word(Site site, long offset) {
        return site.memory.segment().get(ValueLayout.JAVA_LONG, offset);
    }

    @Test
    void cutFiftyTimes_eachAdditionHappensOnce() throws IOException {
        try (Rnic client = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Rnic server = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = server.listen(StreamProbe.loopback(0));
                CuttingForwarder one = new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.localAddress());
                CuttingForwarder two = new CuttingForwarder("127.0.0.2", (InetSocketAddress) listener.localAddress())) {
            Pair pair = connect(client, server, listener, List.of(one.address(), two.address()));
            long id = 0;
            for (int cuts = 0; cuts < CUTS; cuts++) {
                int burst = 1 + cuts % 7;
                for (int i = 0; i < burst; i++) {
                    add(pair.near(), pair.far(), id + i);
                }
                if (cuts % 2 == 0) {
                    pair.near().complete(id++);
                    burst--;
                }
                long changes = pair.from().transportChanges().changes();
                one.cut();
                two.cut();
                for (int i = 0; i < burst; i++) {
                    pair.near().complete(id++);
                    assertEquals(id - 1, word(pair.near(), RESULT + 8 * ((id - 1) % 64)), "results come in order");
                }
                Until.holds(
                        "the transport has changed",
                        () -> pair.from().transportChanges().changes() > changes);
            }
            assertEquals(id, word(pair.far(), COUNTER));
            Site.exchange(pair.near(), pair.far(), 100_000, 3);
            pair.from().disconnect();
            assertTrue(pair.from().awaitClosed(Site.PATIENCE));
            assertTrue(pair.to().awaitClosed(Site.PATIENCE));
        }
    }
}
