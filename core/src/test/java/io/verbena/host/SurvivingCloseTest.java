package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.fixture.Rounds;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections over sockets of this host that lose their transport at a random moment of their close. */
class SurvivingCloseTest {

    private static final int ROUNDS = Rounds.of(30, 1_000);
    private static final int REQUESTS = 16;
    private static final int COUNTER = 4096;
    private static final long LONGEST_NS = 1_000_000;

    private final SplittableRandom random = new SplittableRandom(7);

    private static void post(Site from, Site to) {
        for (int i = 0; i < REQUESTS; i++) {
            from.add(i, 8L * i, to, COUNTER);
        }
    }

    private static void complete(Site site, Site other) {
        for (int i = 0; i < REQUESTS; i++) {
            site.complete(i);
            assertEquals(i, site.word(8L * i));
        }
        assertEquals(REQUESTS, other.word(COUNTER));
    }

    @ParameterizedTest
    @ValueSource(strings = {"iwarp", "roce+iwarp"})
    void cutDuringTheClose_allWorkIsCompleteAndBothSidesClose(String provider) throws IOException {
        RnicOptions options = RnicOptions.defaults().withProvider(provider);
        try (Rnic client = Rnic.open(options);
                Rnic server = Rnic.open(options);
                Listener listener = server.listen(StreamProbe.loopback(0));
                CuttingForwarder one = new CuttingForwarder("127.0.0.1", (InetSocketAddress) listener.localAddress());
                CuttingForwarder two = new CuttingForwarder("127.0.0.2", (InetSocketAddress) listener.localAddress())) {
            for (int round = 0; round < ROUNDS; round++) {
                close(SurvivingPair.connect(client, server, listener, List.of(one.address(), two.address())), one, two);
            }
        }
    }

    private void close(SurvivingPair pair, CuttingForwarder one, CuttingForwarder two) {
        post(pair.near(), pair.far());
        post(pair.far(), pair.near());
        int closers = 1 + random.nextInt(3);
        if ((closers & 1) != 0) {
            pair.from().disconnect();
        }
        if ((closers & 2) != 0) {
            pair.to().disconnect();
        }
        long startNs = System.nanoTime();
        long afterNs = random.nextLong(LONGEST_NS);
        while (System.nanoTime() - startNs < afterNs) {
            Thread.onSpinWait();
        }
        one.cut();
        two.cut();
        complete(pair.near(), pair.far());
        complete(pair.far(), pair.near());
        assertTrue(pair.from().awaitClosed(Site.PATIENCE) && pair.to().awaitClosed(Site.PATIENCE), pair::toString);
        assertEquals(ConnectionState.CLOSED, pair.from().state(), pair.from()::reason);
        assertEquals(ConnectionState.CLOSED, pair.to().state(), pair.to()::reason);
        pair.near().queuePair.close();
        pair.far().queuePair.close();
    }
}
