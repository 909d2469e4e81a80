package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.context.EngineCores;
import io.verbena.rnic.context.Limits;
import io.verbena.rnic.context.NumberedQueuePair;
import io.verbena.rnic.context.Overruns;
import io.verbena.rnic.context.QueuePairNumbers;
import io.verbena.verbs.PeerNetwork;
import io.verbena.verbs.RnicOptions;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The small parts that an RNIC is made of. */
class RnicPartsTest {

    /** A queue pair of which only the number is real. */
    private static NumberedQueuePair numbered(int number) {
        return (NumberedQueuePair) Proxy.newProxyInstance(
                RnicPartsTest.class.getClassLoader(),
                new Class<?>[] {NumberedQueuePair.class},
                (self, method, arguments) -> switch (method.getName()) {
                    case "number", "hashCode" -> number;
                    case "equals" -> self == arguments[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    // Queue pairs by number.

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void queuePairs_comeAndGo_areFoundByTheirNumbers(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        QueuePairNumbers numbers = new QueuePairNumbers();
        Map<Integer, NumberedQueuePair> model = new HashMap<>();
        ArrayDeque<Integer> gone = new ArrayDeque<>();
        for (int step = 0; step < 20_000; step++) {
            // Waves, so that the table grows, and is rebuilt when it is full of removed entries.
            boolean grows = step / 2500 % 2 == 0;
            if (model.isEmpty() || random.nextInt(10) < (grows ? 6 : 4)) {
                int number = numbers.unused(random::nextLong);
                assertTrue(number > 1 && number < 1 << 24);
                NumberedQueuePair numberedQueuePair = numbered(number);
                assertNull(model.put(number, numberedQueuePair));
                numbers.add(numberedQueuePair);
            } else {
                NumberedQueuePair removed = model.values().iterator().next();
                model.remove(removed.number());
                numbers.remove(removed);
                numbers.remove(removed);
                gone.add(removed.number());
                if (gone.size() > 50) {
                    gone.remove();
                }
            }
            assertEquals(model.size(), numbers.size());
            if (step % 500 == 0) {
                model.forEach((number, queuePair) -> assertSame(queuePair, numbers.lookUp(number)));
                assertEquals(Set.copyOf(model.values()), Set.copyOf(Arrays.asList(numbers.all())));
                gone.stream().filter(number -> !model.containsKey(number)).forEach(number -> {
                    assertNull(numbers.lookUp(number));
                    assertTrue(numbers.find(number).isEmpty());
                });
            }
        }
    }

    @Test
    void numbersThatAreReservedOrUsed_areNotGivenOut() {
        QueuePairNumbers numbers = new QueuePairNumbers();
        numbers.add(numbered(5));
        ArrayDeque<Long> drawn =
                new ArrayDeque<>(List.of(0L, 1L << 32, 5L << 32, 0x0100_0001L << 32, 0x7f00_0002L << 32));
        assertEquals(2, numbers.unused(drawn::remove));
        assertEquals(0, drawn.size());
    }

    // Networks of peers.

    @Test
    void peerNetwork_ipv4IsTheAddress_ipv6ItsFirst64Bits_portsDoNotCount() throws UnknownHostException {
        assertEquals(
                "192.0.2.1",
                PeerNetwork.of(new InetSocketAddress("192.0.2.1", 5)).toString());
        assertEquals(
                PeerNetwork.of(new InetSocketAddress("192.0.2.1", 5)),
                PeerNetwork.of(new InetSocketAddress("192.0.2.1", 6)));
        PeerNetwork one = PeerNetwork.of(new InetSocketAddress(InetAddress.getByName("2001:db8:0:1::1"), 5));
        assertEquals("2001:db8:0:1::/64", one.name());
        assertEquals(one, PeerNetwork.of(new InetSocketAddress(InetAddress.getByName("2001:db8:0:1:ffff::9"), 5)));
        assertNotEquals(one, PeerNetwork.of(new InetSocketAddress(InetAddress.getByName("2001:db8:0:2::1"), 5)));
        assertEquals(
                "no.such.host",
                PeerNetwork.of(InetSocketAddress.createUnresolved("no.such.host", 5))
                        .name());
        assertEquals(
                "/a/socket",
                PeerNetwork.of(UnixDomainSocketAddress.of("/a/socket")).name());
    }

    // Reports of what peers cause.

    @Test
    void overruns_areCountedAlways_andReportedEveryTenSeconds() {
        Overruns overruns = new Overruns();
        long firstNs = Long.MAX_VALUE - 5; // the clock wraps around meanwhile
        assertTrue(overruns.count(firstNs));
        assertFalse(overruns.count(firstNs + 1));
        assertFalse(overruns.count(firstNs + 9_999_999_999L));
        assertTrue(overruns.count(firstNs + 10_000_000_000L));
        assertFalse(overruns.count(firstNs + 10_000_000_001L));
        assertEquals(5, overruns.total());
    }

    // Engines on cores.

    private static EngineCores cores(int engines, String setting) {
        return new EngineCores(
                RnicOptions.defaults().withEngines(engines).withSettings(Map.of(RnicOptions.ENGINE_CORES, setting)));
    }

    @Test
    void engineCores_areAssignedInTurn_andAnEngineBesideACoreIsFound() {
        EngineCores cores = cores(3, "0, 1;2,3");
        assertEquals(Set.of(0, 1), cores.of(0));
        assertEquals(Set.of(2, 3), cores.of(1));
        assertEquals(Set.of(0, 1), cores.of(2));
        assertTrue(cores.any());
        assertEquals(OptionalInt.of(1), cores.beside(Set.of(3, 9), 0));
        assertEquals(OptionalInt.of(0), cores.beside(Set.of(1), 0));
        assertEquals(OptionalInt.of(2), cores.beside(Set.of(1), 1));
        assertEquals(OptionalInt.of(0), cores.beside(Set.of(1), 2));
        assertEquals(OptionalInt.of(2), cores.beside(Set.of(1), -1), "the turn may wrap around");
        assertEquals(OptionalInt.empty(), cores.beside(Set.of(7), 0));
        assertEquals(OptionalInt.empty(), cores.beside(Set.of(), 0));
    }

    @Test
    void engineCores_withoutASetting_orAWrongOne() {
        EngineCores none = new EngineCores(RnicOptions.defaults().withEngines(2));
        assertFalse(none.any());
        assertEquals(Set.of(), none.of(1));
        for (String wrong : new String[] {"a", "0,", "0;;1", "-1", ";"}) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> cores(1, wrong));
            assertTrue(String.valueOf(e.getMessage()).contains("'" + wrong + "'"), e::getMessage);
        }
    }

    // Limits.

    @Test
    void limits_atTheirEdges() {
        Limits.range("x", 1, 1, 3);
        Limits.range("x", 3, 1, 3);
        assertThrows(IllegalArgumentException.class, () -> Limits.range("x", 0, 1, 3));
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Limits.range("x", 4, 1, 3));
        assertEquals("x must be 1 to 3, not 4", e.getMessage());
        Limits.available("things", 2, 3);
        assertThrows(IllegalStateException.class, () -> Limits.available("things", 3, 3));
        assertEquals(Limits.HANDLERS, Limits.handlers(RnicOptions.defaults()));
        assertEquals(1, Limits.handlers(RnicOptions.defaults().withSettings(Map.of("handlers", "1"))));
        assertEquals(1024, Limits.handlers(RnicOptions.defaults().withSettings(Map.of("handlers", "1024"))));
        for (String wrong : new String[] {"0", "1025", "many"}) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Limits.handlers(RnicOptions.defaults().withSettings(Map.of("handlers", wrong))));
        }
    }

    @Test
    void posterMark_twoAtATime_isMisuse() {
        PosterMark mark = new PosterMark();
        assertTrue(mark.begin());
        assertThrows(IllegalStateException.class, mark::begin);
        assertTrue(mark.end());
        assertTrue(mark.begin());
    }
}
