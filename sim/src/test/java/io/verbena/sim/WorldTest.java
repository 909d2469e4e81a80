package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorldTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final RnicOptions OPTIONS = RnicOptions.defaults();

    private static QueuePair queuePair(VirtualHost host) {
        CompletionQueue cq = host.rnic().createCompletionQueue(16);
        return host.rnic().allocateProtectionDomain().createQueuePair(QueuePairOptions.of(cq));
    }

    private static Connection connect(VirtualHost from, VirtualHost to) throws IOException {
        Listener listener = to.rnic().listen(to.address(7471));
        Connection connection =
                from.rnic().startConnect(queuePair(from), to.address(7471), ConnectionOptions.defaults());
        listener.nextRequest(SECOND).orElseThrow().accept(queuePair(to));
        connection.awaitEstablished(SECOND);
        return connection;
    }

    @Test
    void events_sameTime_happenInTheOrderOfScheduling() {
        World world = new World(1);
        List<Integer> happened = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int number = i;
            world.after(i % 2 == 0 ? 10 : 5, () -> happened.add(number));
        }
        assertTrue(world.runUntilQuiet(100));
        for (int i = 0; i < 50; i++) {
            assertEquals(2 * i + 1, happened.get(i));
            assertEquals(2 * i, happened.get(50 + i));
        }
    }

    @Test
    void waitThatExpires_eventInItWaitedLonger_clockDoesNotGoBack() {
        World world = new World(1);
        long startNs = world.nowNs();
        world.after(10, () -> world.runFor(1_000));
        world.runFor(100);
        assertEquals(startNs + 1_010, world.nowNs());
    }

    @Test
    void waiting_nothingHappens_passesVirtualTimeOnly() {
        World world = new World(1);
        assertFalse(world.runUntil(() -> false, 3_600_000_000_000L));
        assertEquals(3_600_000_000_000L, world.elapsedNs());
    }

    @Test
    void waiting_insideAnEngine_isRefused() {
        World world = new World(1);
        VirtualHost host = world.addHost(OPTIONS);
        boolean[] entered = new boolean[1];
        host.driver(0).enter(() -> {
            entered[0] = true;
            assertThrows(IllegalStateException.class, world::step);
        });
        assertTrue(entered[0]);
        world.close();
    }

    @Test
    void connection_linkReset_isLostAtBothEnds() throws IOException {
        World world = new World(3);
        VirtualHost server = world.addHost(OPTIONS);
        VirtualHost client = world.addHost(OPTIONS);
        Connection connection = connect(client, server);
        world.links().getFirst().reset("the test resets it");
        assertTrue(connection.awaitClosed(SECOND));
        assertTrue(connection.reason().contains("reset"), connection.reason());
        world.close();
        assertEquals(0, world.openStreams());
    }

    @Test
    void connection_hostDiesSilently_endsWhenTheSystemGivesUp() throws IOException {
        World world = new World(3);
        VirtualHost server = world.addHost(OPTIONS);
        VirtualHost client = world.addHost(OPTIONS);
        Connection connection = connect(client, server);
        server.kill(true);
        assertFalse(connection.awaitClosed(SECOND.dividedBy(2)));
        assertTrue(connection.awaitClosed(Duration.ofMinutes(1)));
        client.rnic().close();
        assertEquals(0, world.openStreams());
    }

    @Test
    void connecting_nobodyListens_isRefused() {
        World world = new World(3);
        VirtualHost server = world.addHost(OPTIONS);
        VirtualHost client = world.addHost(OPTIONS);
        Connection connection =
                client.rnic().startConnect(queuePair(client), server.address(1), ConnectionOptions.defaults());
        ConnectionException failure =
                assertThrows(ConnectionException.class, () -> connection.awaitEstablished(SECOND));
        assertEquals(ConnectionException.Kind.REFUSED, failure.kind());
        world.close();
    }

    @Test
    void listening_addressInUseOrForeign_isRefused() throws IOException {
        World world = new World(3);
        VirtualHost one = world.addHost(OPTIONS);
        VirtualHost two = world.addHost(OPTIONS);
        Listener listener = one.rnic().listen(one.address(80));
        assertThrows(BindException.class, () -> one.rnic().listen(one.address(80)));
        assertThrows(BindException.class, () -> one.rnic().listen(two.address(80)));
        listener.close();
        Listener any = one.rnic().listen(new InetSocketAddress(0));
        assertTrue(((InetSocketAddress) any.localAddress()).getPort() > 0);
        world.close();
    }

    @Test
    void inlineRnics_oneThread_serveEachOther() throws IOException {
        World world = new World(4);
        VirtualHost server = world.addHost(OPTIONS.withProgress(Progress.INLINE));
        VirtualHost client = world.addHost(OPTIONS.withProgress(Progress.INLINE));
        Connection connection = connect(client, server);
        connection.disconnect();
        int rounds = 0;
        while (!connection.state().ended() && rounds++ < 10_000) {
            client.rnic().progress();
        }
        assertTrue(connection.state().ended());
        world.close();
    }

    @Test
    void runThatFailed_closingIt_tellsTheFailureOnce() {
        AssertionError failure = assertThrows(AssertionError.class, () -> {
            try (World world = new World(1)) {
                world.open(RnicOptions.defaults());
                world.after(10, () -> world.fail("on purpose"));
                world.runFor(100);
            }
        });
        assertEquals("on purpose", failure.getMessage());
    }
}
