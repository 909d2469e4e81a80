package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.context.Overruns;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log records of a peer that was given up at the keep-alive bound. */
class LostPeerTest {

    private static final Logger LOGGER = Logger.getLogger("io.verbena.rnic");

    private final ManualWorld world = new ManualWorld();
    private final List<String> lines = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    LostPeerTest() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void close() {
        LOGGER.removeHandler(handler);
        world.close();
    }

    @Test
    void silentPeer_isReported_andLogged() throws IOException {
        Pair pair = new Pair(world).connect();
        world.hang(pair.b.rnic, pair.fromB.localAddress());
        world.advance(60_000_000_000L);
        List<AsyncEvent> observed = pair.a.rnic.pollAsyncEvents(Duration.ZERO);
        assertEquals(1, observed.size());
        assertEquals(AsyncEventType.CONNECTION_LOST, observed.getFirst().type());
        List<String> about = lines.stream()
                .filter(line ->
                        line.contains(pair.fromA.remoteAddress().toString().replace("/<unresolved>", "")))
                .toList();
        assertEquals(1, about.size(), lines.toString());
        assertTrue(about.getFirst().endsWith("Peers lost so far: 1."), about.getFirst());
    }

    @Test
    void manySilentPeers_areLoggedEveryTenSeconds() {
        Overruns lost = new Overruns();
        long nowNs = Long.MAX_VALUE - 1;
        assertTrue(lost.count(nowNs));
        int reported = 1;
        for (int i = 1; i < 1000; i++) {
            reported += lost.count(nowNs + i * 30_000_000L) ? 1 : 0;
        }
        assertEquals(3, reported);
        assertEquals(1000, lost.total());
    }
}
