package io.verbena.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.nio.SocketsOptions.SetUpLimits;
import io.verbena.sockets.proxy.ProxyLimits;
import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Times that no nanosecond clock can count: as long, or as far in the past, as a Duration can be. */
class LongTimesTest {

    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final Duration NEVER = Duration.ofSeconds(Long.MIN_VALUE);
    private static final long YEAR_NS = Duration.ofDays(365).toNanos();

    @Test
    void limits_ofASetUp_canBeCounted() {
        SetUpLimits longest = new SetUpLimits(FOREVER, FOREVER);
        assertEquals(YEAR_NS, longest.silence().toNanos());
        assertEquals(YEAR_NS, longest.patience().toNanos());
        SetUpLimits shortest = new SetUpLimits(NEVER, NEVER);
        assertEquals(Duration.ZERO, shortest.silence());
        assertEquals(Duration.ZERO, shortest.patience());
    }

    @Test
    void limits_ofAProxy_canBeCounted() {
        assertEquals(
                YEAR_NS, ProxyLimits.defaults().withConnect(FOREVER).connect().toNanos());
        assertThrows(
                IllegalArgumentException.class, () -> ProxyLimits.defaults().withConnect(NEVER));
    }

    @Test
    void options_ofStreams_refuseThem() {
        for (Duration each : new Duration[] {FOREVER, NEVER}) {
            StreamOptions options = StreamOptions.defaults();
            assertThrows(IllegalArgumentException.class, () -> options.withConnectTimeout(each));
            assertThrows(IllegalArgumentException.class, () -> options.withPatience(each));
            assertThrows(IllegalArgumentException.class, () -> options.withExitTimeout(each));
        }
    }

    @Test
    void waits_ofANetwork_takeThem() throws IOException, InterruptedException {
        try (StreamNetwork network = StreamNetwork.open(RnicOptions.defaults(), StreamOptions.defaults());
                StreamListener listener =
                        network.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
            assertTrue(network.awaitEmpty(FOREVER));
            assertTrue(network.awaitEmpty(NEVER));
            assertEquals(Optional.empty(), listener.accept(NEVER));
        }
    }
}
