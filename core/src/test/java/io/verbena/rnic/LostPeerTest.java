package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.context.Overruns;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log records of a peer that was given up at the keep-alive bound. */
class LostPeerTest {

    private final ManualWorld world = new ManualWorld();
    private final Notices notices = new Notices();
    private final List<String> lines = notices.lines();

    @AfterEach
    void close() {
        notices.close();
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
    void silentPeer_withWork_theLineSaysHowMuchIsLost() throws IOException {
        Pair pair = new Pair(world).connect();
        world.hang(pair.b.rnic, pair.fromB.localAddress());
        pair.a.queuePair.postRead(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        pair.a.queuePair.postRead(2, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.advance(60_000_000_000L);
        assertEquals(List.of("1 CONNECTION_LOST", "2 FLUSHED"), pair.a.polled());
        assertTrue(lines.getFirst().contains("Send requests that did not succeed: 2."), lines.toString());
    }

    /** It has everything, as TCP ends FIN-WAIT-2 in silence. */
    @Test
    void closedBeforeThePeerBecameSilent_isNotLogged() throws IOException {
        Pair pair = new Pair(world).connect();
        world.hang(pair.b.rnic, pair.fromB.localAddress());
        pair.fromA.disconnect();
        world.advance(60_000_000_000L);
        assertEquals(IwarpQueuePairState.ERROR, pair.a.queuePair.state());
        assertEquals(List.of(), lines);
    }

    @Test
    void closedBeforeThePeerBecameSilent_itHasNotTakenAll_isLogged() throws IOException {
        world.network.pipeBytes = 1000;
        Pair pair = new Pair(world).connect();
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 4000, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
        world.hang(pair.b.rnic, pair.fromB.localAddress());
        pair.fromA.disconnect();
        world.advance(60_000_000_000L);
        assertEquals(List.of("1 CONNECTION_LOST"), pair.a.polled());
        assertEquals(1, lines.size(), lines.toString());
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
