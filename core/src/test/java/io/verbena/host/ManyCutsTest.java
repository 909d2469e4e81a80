package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.CuttingForwarder;
import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Fetch-and-adds of both sides over sockets of this host, through two forwarders that reset connections or go silent
 * after a random number of additions, or while the connection is being resumed. With {@code -Dverbena.full=true} 1,000
 * times, which takes ten minutes.
 */
@Tag(Seeds.TAG)
class ManyCutsTest {

    private static final int CUTS = Rounds.of(20, 1_000);

    /** One of these many cuts is a silence, which is noticed after half a second. */
    private static final int SILENT = 10;

    /** One of these many cuts is followed by another one of the next TCP connection, as soon as there is one. */
    private static final int DOUBLED = 4;

    private static final int MOST_ADDITIONS = Rounds.of(5_000, 60_000);
    private static final int WINDOW = 16;
    private static final long COUNTER = 0;
    private static final long RESULTS = 64;

    /** One side, which adds to the counter of the other one. */
    private static final class Adder {
        private final Site site;
        private final Site peer;
        private long posted;
        private long completed;

        Adder(Site site, Site peer) {
            this.site = site;
            this.peer = peer;
        }

        /** Keeps some additions outstanding, and checks what has returned. */
        void step(boolean more) {
            while (more && posted < completed + WINDOW) {
                site.add(posted, RESULTS + 8 * (posted % WINDOW), peer, COUNTER);
                posted++;
            }
            while (site.cursor.next()) {
                assertTrue(site.cursor.ok(), () -> site.cursor.status() + ": " + site.cursor.reason());
                assertEquals(completed, site.cursor.wrId(), "additions complete in order");
                assertEquals(completed, site.word(RESULTS + 8 * (completed % WINDOW)), "each addition happens once");
                completed++;
            }
        }

        void drain() {
            while (completed < posted) {
                step(false);
                if (completed < posted) {
                    assertTrue(site.cq.await(Site.PATIENCE), () -> completed + " of " + posted + " are complete");
                }
            }
        }
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void cutsAtRandomMoments_bothSumsAreExact() throws Exception {
        Random random = new Random(Seeds.one(1));
        try (Rnic client = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Rnic server = Rnic.open(RnicOptions.defaults().withProvider("iwarp"));
                Listener listener = server.listen(StreamProbe.loopback(0));
                CuttingForwarder one = forwarder("127.0.0.1", listener);
                CuttingForwarder two = forwarder("127.0.0.2", listener)) {
            SurvivingPair pair = SurvivingPair.connect(client, server, listener, List.of(one.address(), two.address()));
            Adder near = new Adder(pair.near(), pair.far());
            Adder far = new Adder(pair.far(), pair.near());
            Cutter cutter = new Cutter(random, List.of(one, two));
            while (cutter.cuts < CUTS) {
                near.step(true);
                far.step(true);
                cutter.step(near.completed);
                Thread.yield();
            }
            near.drain();
            far.drain();
            assertEquals(near.posted, far.site.word(COUNTER));
            assertEquals(far.posted, near.site.word(COUNTER));
            System.out.println(CUTS + " cuts, " + pair.from().transportChanges() + ", " + near.posted + " and "
                    + far.posted + " additions");
        }
    }

    private static CuttingForwarder forwarder(String host, Listener listener) throws IOException {
        return new CuttingForwarder(host, (InetSocketAddress) listener.localAddress());
    }

    /** Cuts when the near side has completed a random number of additions more, or the connection is being resumed. */
    private static final class Cutter {
        private final Random random;
        private final List<CuttingForwarder> forwarders;
        private int cuts;
        private long next;
        private boolean again;
        private int accepted;

        Cutter(Random random, List<CuttingForwarder> forwarders) {
            this.random = random;
            this.forwarders = forwarders;
        }

        void step(long completed) {
            boolean resuming = again && accepted() > accepted;
            if (!resuming && completed < next) {
                return;
            }
            again = !resuming && random.nextInt(DOUBLED) == 0;
            accepted = accepted();
            next = completed + random.nextInt(MOST_ADDITIONS);
            cuts += cut(random.nextInt(SILENT) == 0) ? 1 : 0;
        }

        private int accepted() {
            return forwarders.stream().mapToInt(CuttingForwarder::accepted).sum();
        }

        /** Whether there was a connection. */
        private boolean cut(boolean silent) {
            boolean any = false;
            for (CuttingForwarder each : forwarders) {
                any |= silent ? each.silence() : each.cut();
            }
            return any;
        }
    }
}
