package io.verbena.messaging.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Payloads;
import io.verbena.messaging.Ranks;
import io.verbena.messaging.RendezvousMode;
import io.verbena.messaging.ring.Allocations;
import io.verbena.messaging.ring.Registered;
import io.verbena.messaging.transfer.Registrations.Use;
import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What of user memory is registered, and which registration serves again. */
class RegistrationsTest {

    private final World world = new World(1);
    private final Registrations registrations = new Registrations(
            world.addHost(RnicOptions.defaults()).rnic().allocateProtectionDomain(),
            false,
            new Allocations(Optional.empty()));
    private final MemorySegment memory = Arena.ofAuto().allocate(1000, 8);

    @AfterEach
    void close() {
        registrations.close();
        world.close();
    }

    @ParameterizedTest
    @EnumSource
    void shortSliceRegistered_longerSliceAtTheSameAddress_getsARegistrationThatHoldsIt(Use use) {
        registrations.of(memory.asSlice(0, 10), 0, 10, use).release();
        Registered longer = registrations.of(memory, 0, 1000, use);
        assertEquals(0, longer.offsetOf(memory, 0));
        assertEquals(1000, longer.region().length());
    }

    @Test
    void sentFromTheMiddle_peerMayReadTheMessageOnly() {
        Registered slice = registrations.of(memory, 100, 50, Use.READ_BY_PEER);
        assertEquals(50, slice.region().length());
        assertEquals(0, slice.offsetOf(memory, 100));
    }

    @Test
    void sameMessageAgain_readByPeer_isRegisteredOnce() {
        Registered first = registrations.of(memory, 100, 50, Use.READ_BY_PEER);
        first.release();
        assertSame(first, registrations.of(memory.asSlice(100), 0, 50, Use.READ_BY_PEER));
        assertNotSame(first, registrations.of(memory, 100, 49, Use.READ_BY_PEER));
        assertNotSame(first, registrations.of(memory, 101, 49, Use.READ_BY_PEER));
    }

    @Test
    void anotherPartOfTheSegment_withoutAKeyForThePeer_isServedByTheSameRegistration() {
        Registered first = registrations.of(memory, 0, 10, Use.RECEIVED);
        Registered second = registrations.of(memory.asSlice(900), 50, 50, Use.RECEIVED);
        assertSame(first, second);
        assertEquals(950, second.offsetOf(memory.asSlice(900), 50));
        assertNotSame(first, registrations.of(memory, 0, 10, Use.SENT));
    }

    @Test
    void arenaClosed_memoryAtTheSameAddress_isRegisteredAnew() {
        MemorySegment all = MemorySegment.ofAddress(memory.address());
        Registered stale;
        try (Arena arena = Arena.ofShared()) {
            stale = registrations.of(all.reinterpret(100, arena, _ -> {}), 0, 100, Use.RECEIVED);
            stale.release();
        }
        Registered fresh = registrations.of(memory, 0, 100, Use.RECEIVED);
        assertNotSame(stale, fresh);
        assertTrue(fresh.region().valid());
    }

    @Test
    void confinedMemory_isCopied() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocate(100);
            segment.fill((byte) 7);
            Registered copy = registrations.of(segment, 50, 50, Use.READ_BY_PEER);
            assertEquals(0, copy.offsetOf(segment, 50));
            assertEquals(7, copy.region().segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 49));
            copy.release();
            Registered next = registrations.of(segment, 0, 50, Use.READ_BY_PEER);
            assertSame(copy.region(), next.region()); // the memory is kept for the next message
            next.release();
            registrations.close();
            assertFalse(copy.region().valid());
        }
    }

    @ParameterizedTest
    @EnumSource
    void growingSlicesOfOneBuffer_sentAndReceived_arrive(RendezvousMode mode) {
        MessagingOptions options =
                MessagingOptions.defaults().withRendezvous(mode).withTimeout(Duration.ofSeconds(30));
        Ranks.run(2, options, ranks -> {
            MemorySegment buffer = ranks.rank() == 0
                    ? Payloads.segment(400_000, 1)
                    : Arena.ofAuto().allocate(400_000);
            for (int length = 50_000; length <= 400_000; length *= 2) {
                if (ranks.rank() == 0) {
                    ranks.send(buffer.asSlice(0, length), 1, 0);
                } else {
                    ranks.recv(buffer.asSlice(0, length), 0, 0);
                    assertEquals(-1, buffer.asSlice(0, length).mismatch(Payloads.segment(length, 1)));
                }
            }
        });
    }
}
