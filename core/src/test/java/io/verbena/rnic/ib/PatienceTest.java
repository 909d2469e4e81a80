package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections with patience: a silent peer may be stopped, and is lost only after that time or when its system says that it has gone. */
class PatienceTest {

    private static final InetSocketAddress A = ManualWorld.roceAddress(1);
    private static final InetSocketAddress B = ManualWorld.roceAddress(2);
    private static final long SECOND_NS = 1_000_000_000L;

    private final ManualWorld world = ManualWorld.roce();
    private final Pair pair = new Pair(
            world,
            RnicOptions.defaults().withInfiniband(options -> options.withPatience(Duration.ofMinutes(15))),
            64,
            options -> options);

    @AfterEach
    void close() {
        world.close();
    }

    private void connect() throws IOException {
        pair.connect(ConnectionOptions.defaults().withKeepAlive(Duration.ofSeconds(30)));
    }

    private void send() {
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, 8, pair.b.memory.remote(), 0, WrFlags.SIGNALLED);
    }

    private ConnectionState state() {
        return pair.fromA.state();
    }

    @Test
    void idle_peerIsSilent_isProbedUntilThePatienceEnds() throws IOException {
        connect();
        world.packets.holds = packet -> true;
        world.advance(890 * SECOND_NS);
        assertEquals(ConnectionState.ESTABLISHED, state());
        world.advance(20 * SECOND_NS);
        assertEquals(ConnectionState.FAILED, state());
        assertTrue(pair.fromA.reason().contains("keep-alive"), pair.fromA.reason());
    }

    @Test
    void working_peerIsSilent_isRepeatedToUntilThePatienceEnds() throws IOException {
        connect();
        world.packets.holds = packet -> true;
        send();
        world.advance(890 * SECOND_NS);
        assertEquals(ConnectionState.ESTABLISHED, state());
        world.advance(20 * SECOND_NS);
        assertEquals(List.of("1 RETRY_EXCEEDED"), pair.a.polled());
    }

    @Test
    void peerContinues_evenAfterMinutes_workCompletes() throws IOException {
        connect();
        world.packets.holds = packet -> true;
        send();
        world.advance(600 * SECOND_NS);
        world.packets.release();
        world.advance(SECOND_NS);
        assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        assertEquals(ConnectionState.ESTABLISHED, state());
        assertEquals(ConnectionState.ESTABLISHED, pair.fromB.state());
    }

    /** A process that was killed: its system answers each packet by a report. */
    @Test
    void peerIsSilent_andItsPortIsReportedGone_isLostAsWithoutPatience() throws IOException {
        connect();
        world.packets.holds = packet -> true;
        world.advance(2 * SECOND_NS);
        world.packets.reportRefused(A, B);
        world.advance(31 * SECOND_NS);
        assertEquals(ConnectionState.FAILED, state());
    }

    @Test
    void working_portIsReportedGone_isLostAfterTheRetries() throws IOException {
        connect();
        world.packets.holds = packet -> true;
        send();
        world.advance(60 * SECOND_NS);
        assertEquals(ConnectionState.ESTABLISHED, state());
        world.packets.reportRefused(A, B);
        world.advance(2 * SECOND_NS);
        assertEquals(List.of("1 RETRY_EXCEEDED"), pair.a.polled());
    }

    /** The path fails for a while, or the report is forged: the peer lives. */
    @Test
    void reports_ofAnUnreachableHost_orOfAPeerThatAnswers_haveNoEffect() throws IOException {
        connect();
        for (int i = 0; i < 10; i++) {
            world.packets.reportRefused(A, B);
            send();
            world.advance(SECOND_NS);
            assertEquals(List.of("1 SUCCESS"), pair.a.polled());
        }
        world.packets.holds = packet -> true;
        send();
        for (int i = 0; i < 60; i++) {
            world.packets.reportUnreachable(A, B);
            world.advance(SECOND_NS);
        }
        assertEquals(ConnectionState.ESTABLISHED, state());
        assertEquals(List.of(), pair.a.polled());
    }
}
