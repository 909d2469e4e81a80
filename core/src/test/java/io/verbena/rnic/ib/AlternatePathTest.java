package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.PathMigration;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Alternate paths through the verbs: proposed by connection management (LAP, APR), armed by packets, and used. */
class AlternatePathTest {

    private static final AddressHandleAttributes PRIMARY =
            AddressHandleAttributes.to(ManualWorld.roceAddress(2).getAddress());

    /** The RNICs of this world have one address, so that the paths differ in their traffic class. */
    private static final AddressHandleAttributes SECOND = PRIMARY.withTrafficClass(0x20);

    private final ManualWorld world = ManualWorld.roce();

    @AfterEach
    void close() {
        world.close();
    }

    private Pair connected() throws IOException {
        return new Pair(world).connect();
    }

    private void exchange(Pair pair) {
        pair.b.queuePair.postReceive(1, pair.b.memory, 0, 64);
        pair.a.queuePair.postSend(2, pair.a.memory, 0, 64, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("2 SUCCESS"), pair.a.polled());
        assertEquals(List.of("1 SUCCESS"), pair.b.polled());
    }

    private static QueuePairChange migrate() {
        return QueuePairChange.none()
                .withPath(PathAttributes.to(PRIMARY).withAlternate(SECOND, PathMigration.MIGRATED));
    }

    @Test
    void proposal_isLoadedByBothSides_armedByPackets_andUsedByRequest() throws IOException {
        Pair pair = connected();
        pair.fromA.proposeAlternatePath(SECOND);
        assertThrows(IllegalStateException.class, () -> pair.a.queuePair.modify(migrate()));
        world.settle();
        exchange(pair);
        assertEquals(List.of(), ManualWorld.events(pair.a.rnic));
        pair.a.queuePair.modify(migrate());
        assertEquals(List.of(AsyncEventType.PATH_MIGRATED), ManualWorld.events(pair.a.rnic));
        exchange(pair);
        assertEquals(List.of(AsyncEventType.PATH_MIGRATED), ManualWorld.events(pair.b.rnic));
        exchange(pair);
        pair.fromB.proposeAlternatePath(
                AddressHandleAttributes.to(ManualWorld.roceAddress(1).getAddress()));
        world.settle();
        exchange(pair);
        exchange(pair);
        pair.a.queuePair.modify(migrate());
        assertEquals(List.of(AsyncEventType.PATH_MIGRATED), ManualWorld.events(pair.a.rnic));
        exchange(pair);
    }

    @Test
    void proposal_twiceOrWithoutAnswer_fails() throws IOException {
        Pair pair = connected();
        world.packets.vanish(ManualWorld.roceAddress(2));
        pair.fromA.proposeAlternatePath(SECOND);
        assertThrows(IllegalStateException.class, () -> pair.fromA.proposeAlternatePath(SECOND));
        world.advance(20_000_000_000L);
        assertTrue(ManualWorld.events(pair.a.rnic).contains(AsyncEventType.PATH_MIGRATION_FAILED));
    }

    /** A third host that a peer names would receive everything that the peer reads; an RNIC has one address. */
    @Test
    void proposal_ofAThirdHost_isRefused_nothingIsSentThere() throws IOException {
        Pair pair = connected();
        InetSocketAddress victim = new InetSocketAddress(
                InetAddress.ofLiteral("10.0.0.77"), ManualWorld.roceAddress(1).getPort());
        pair.fromA.proposeAlternatePath(SECOND.withSourceAddress(victim.getAddress()));
        world.settle();
        assertEquals(List.of(AsyncEventType.PATH_MIGRATION_FAILED), ManualWorld.events(pair.a.rnic));
        assertThrows(IllegalStateException.class, () -> pair.b.queuePair.modify(migrate()));
        exchange(pair);
        assertEquals(List.of(), ManualWorld.events(pair.b.rnic));
    }

    @Test
    void proposal_ofAnAddressThatIsNotOfThePeer_isRefused() throws IOException {
        Pair pair = connected();
        for (String source : List.of("239.1.1.1", "0.0.0.0", "2001:db8::1", "10.0.0.77")) {
            pair.fromA.proposeAlternatePath(SECOND.withSourceAddress(InetAddress.ofLiteral(source)));
            world.settle();
            assertEquals(List.of(AsyncEventType.PATH_MIGRATION_FAILED), ManualWorld.events(pair.a.rnic), source);
        }
        exchange(pair);
        assertThrows(IllegalStateException.class, () -> pair.b.queuePair.modify(migrate()));
        exchange(pair);
    }

    @Test
    void proposal_ofAnotherServiceOrAClosedConnection_isRejected() throws IOException {
        Pair unreliable = new Pair(
                        world, RnicOptions.defaults(), 64, it -> it.withService(TransportService.UNRELIABLE_CONNECTION))
                .connect();
        assertThrows(UnsupportedOperationException.class, () -> unreliable.fromA.proposeAlternatePath(SECOND));
        Pair pair = connected();
        pair.fromA.close();
        assertThrows(IllegalStateException.class, () -> pair.fromA.proposeAlternatePath(SECOND));
    }
}
