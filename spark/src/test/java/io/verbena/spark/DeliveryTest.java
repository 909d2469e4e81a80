package io.verbena.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks of 10, 0, 20 and 5 bytes that are read into one region. */
class DeliveryTest {

    private static final String[] NAMES = {"shuffle_1_1_0", "shuffle_1_2_0", "shuffle_1_3_0", "shuffle_1_4_0"};
    private static final long[] LENGTHS = {10, 0, 20, 5};

    private final Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("auto"));
    private final RegionPool pool = new RegionPool(
            rnic.allocateProtectionDomain(),
            AccessRight.LOCAL_WRITE,
            new RegionPool.Bounds(1 << 20, 1 << 20),
            new HeldShuffles(),
            new AtomicLong());
    private final List<String> delivered = new ArrayList<>();
    private final List<ManagedBuffer> buffers = new ArrayList<>();
    private final List<Fetch> repeated = new ArrayList<>();
    private final AtomicLong read = new AtomicLong();
    private final Fetch fetch =
            Fetch.of("7", NAMES, new Recording(), Optional.empty()).getFirst();
    private final Delivery delivery = new Delivery(
            fetch, pool.take(35).orElseThrow(), LENGTHS, pool, read::incrementAndGet, (rest, _) -> repeated.add(rest));

    @AfterEach
    void close() {
        rnic.close();
    }

    private final class Recording implements BlockFetchingListener {
        @Override
        public void onBlockFetchSuccess(String name, ManagedBuffer buffer) {
            delivered.add(name);
            buffers.add(buffer.retain());
        }

        @Override
        public void onBlockFetchFailure(String name, Throwable failure) {
            delivered.add("failure of " + name);
        }
    }

    private void release() {
        buffers.forEach(ManagedBuffer::release);
        buffers.clear();
    }

    @Test
    void bytesThatArrive_deliverTheBlocksThatAreComplete() {
        delivery.arrived(9);
        assertEquals(List.of(), delivered);
        delivery.arrived(10);
        assertEquals(List.of(NAMES[0], NAMES[1]), delivered);
        delivery.arrived(29);
        assertEquals(2, delivered.size());
        delivery.arrived(30);
        assertEquals(List.of(NAMES[0], NAMES[1], NAMES[2]), delivered);
        assertEquals(0, read.get());
        delivery.ended(Optional.empty());
        assertEquals(List.of(NAMES), delivered);
        assertEquals(
                List.of(10L, 0L, 20L, 5L),
                buffers.stream().map(ManagedBuffer::size).toList());
        assertEquals(1, read.get());
        assertTrue(pool.takenBytes() > 0);
        release();
        assertEquals(0, pool.takenBytes());
    }

    @Test
    void connectionThatEnds_hasTheRestFetchedAgain() {
        delivery.arrived(12);
        assertEquals(1, fetch.failedOnce());
        delivery.ended(Optional.of(new IOException("it has ended")));
        assertEquals(List.of(NAMES[0], NAMES[1]), delivered);
        Fetch rest = repeated.getFirst();
        assertArrayEquals(new long[] {3, 4}, rest.blocks().maps());
        assertEquals(1, rest.attempts());
        // The blocks that were delivered are in the region.
        assertTrue(pool.takenBytes() > 0);
        release();
        assertEquals(0, pool.takenBytes());
        delivery.arrived(35);
        assertEquals(2, delivered.size());
        rest.failed(new IOException("for good"));
        assertEquals(List.of("failure of " + NAMES[2], "failure of " + NAMES[3]), delivered.subList(2, 4));
    }

    @Test
    void connectionThatEndsBeforeTheFirstByte_hasAllFetchedAgain() {
        delivery.ended(Optional.of(new IOException("it has ended")));
        assertSame(fetch, repeated.getFirst());
        assertEquals(0, pool.takenBytes());
        assertEquals(List.of(), delivered);
    }

    @Test
    void connectionThatEndsAfterTheLastBlock_hasNothingFetchedAgain() {
        delivery.arrived(35);
        delivery.ended(Optional.of(new IOException("it has ended")));
        assertEquals(List.of(), repeated);
        assertEquals(List.of(NAMES), delivered);
    }
}
