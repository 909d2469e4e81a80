package io.verbena.messaging.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Payloads;
import io.verbena.messaging.Ranks;
import io.verbena.messaging.RendezvousMode;
import io.verbena.messaging.ring.Allocations;
import io.verbena.messaging.ring.Registered;
import io.verbena.messaging.transfer.Registrations.Use;
import io.verbena.sim.World;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.RnicOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory that a rank has allocated for its program: it is registered once, for all connections. */
class AllocatedMemoryTest {

    private static final int BYTES = 3 << 20;

    private final World world = new World(1);
    private final ProtectionDomain domain =
            world.addHost(RnicOptions.defaults()).rnic().allocateProtectionDomain();
    private final Allocations allocations = new Allocations(Optional.of(domain));
    private final Registrations registrations = new Registrations(domain, true, allocations);

    @AfterEach
    void close() {
        registrations.close();
        world.close();
    }

    @ParameterizedTest
    @CsvSource({"shm,READ", "shm,WRITE", "iwarp,READ", "roce,READ"})
    void messages_fromAnyPart_arrive(String provider, RendezvousMode mode) {
        MessagingOptions defaults = MessagingOptions.defaults();
        MessagingOptions options = defaults.withRnic(defaults.rnic().withProvider(provider))
                .withRendezvous(mode)
                .withTimeout(Duration.ofSeconds(60));
        Ranks.run(3, options, ranks -> {
            MemorySegment sent = ranks.allocate(BYTES);
            MemorySegment received = ranks.allocate(BYTES);
            int from = (ranks.rank() + 2) % 3;
            for (int length : new int[] {8, 1000, 20_000, 70_001, 300_000, BYTES}) {
                int at = BYTES - length;
                sent.asSlice(at).copyFrom(Payloads.segment(length, ranks.rank()));
                MemorySegment into = received.asSlice(0, length);
                ranks.sendrecv(sent.asSlice(at), (ranks.rank() + 1) % 3, 0, into, from, 0);
                assertEquals(-1, into.mismatch(Payloads.segment(length, from)));
            }
        });
    }

    @Test
    void communicatorClosed_memoryIsStillThere() {
        AtomicReference<MemorySegment> kept = new AtomicReference<>(MemorySegment.NULL);
        Ranks.run(1, ranks -> {
            MemorySegment memory = ranks.allocate(BYTES);
            memory.set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 7);
            kept.set(memory);
        });
        assertEquals(7, kept.get().get(ValueLayout.JAVA_BYTE, BYTES - 1));
    }

    @Test
    void message_isRegisteredAlready_andNotCopied() {
        MemorySegment memory = allocations.allocate(100_000);
        Registered sent = registrations.of(memory.asSlice(1000), 24, 50_000, Use.READ_BY_PEER);
        Registered received = registrations.of(memory, 60_000, 40_000, Use.RECEIVED);
        assertSame(sent, received);
        assertNull(sent.bounce());
        assertEquals(1024, sent.offsetOf(memory.asSlice(1000), 24));
        sent.release();
        assertEquals(
                memory.address(),
                registrations.of(memory, 0, 8, Use.SENT).region().segment().address());
    }

    @Test
    void memoryThatThePeerWrites_isRegisteredForItsMessage() {
        MemorySegment memory = allocations.allocate(100_000);
        Registered granted = registrations.of(memory, 100, 50, Use.WRITTEN_BY_PEER);
        assertEquals(50, granted.region().length());
    }

    @Test
    void message_beyondTheMemory_isNotServedByIt() {
        MemorySegment memory = allocations.allocate(100_000);
        assertNotNull(allocations.at(memory, 0, 100_000));
        assertNull(allocations.at(memory, 1, 100_000));
        assertNull(allocations.at(MemorySegment.ofAddress(memory.address() - 8), 0, 16));
        assertNull(allocations.at(MemorySegment.ofAddress(memory.address() + 100_000), 0, 0x7fff_ffff_ffff_ffffL));
    }

    @Test
    void manyPiecesAndShortOnes_areOrdinaryMemory() {
        List<MemorySegment> all = new ArrayList<>();
        int registered = 0;
        for (int i = 0; i < 40; i++) {
            MemorySegment memory = allocations.allocate(16 << 10);
            all.add(memory);
            registered += allocations.at(memory, 0, 1) == null ? 0 : 1;
            memory.fill((byte) i);
        }
        assertEquals(32, registered);
        assertEquals(39, all.getLast().get(ValueLayout.JAVA_BYTE, 100));
        Allocations others = new Allocations(Optional.of(domain));
        assertNull(others.at(others.allocate(1000), 0, 1));
        assertEquals(0, others.allocate(0).byteSize());
        Allocations without = new Allocations(Optional.empty());
        assertNull(without.at(without.allocate(100_000), 0, 1));
    }

    @Test
    void regionsOfTheRnicClosed_memoryIsCopiedAsAnyOther() {
        MemorySegment memory = allocations.allocate(100_000);
        registrations.of(memory, 0, 1, Use.SENT).region().close();
        Registered copy = registrations.of(memory, 0, 50_000, Use.READ_BY_PEER);
        assertNotNull(copy.bounce());
    }
}
