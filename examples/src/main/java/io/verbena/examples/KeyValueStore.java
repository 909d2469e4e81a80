package io.verbena.examples;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.RdmaPeer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.*;
import java.time.Duration;
import java.util.concurrent.*;
import java.util.zip.CRC32C;

/**
 * A key-value store whose clients read its table by one RDMA Read per key. The store changes values meanwhile, so an entry may be
 * half old and half new when it is read: each has a checksum, and a reader that finds a wrong one reads again.
 */
final class KeyValueStore {

    private static final int ENTRIES = 64;
    private static final int ENTRY_BYTES = 64; // key, value of 48 bytes, checksum of both
    private static final int SUM = 56;
    private static final int READS = 2_000;

    private KeyValueStore() {}

    public static void main(String... args) throws Exception {
        try (RdmaPeer store = RdmaPeer.open(ENTRIES * ENTRY_BYTES, AccessRight.REMOTE_READ);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            SocketAddress address = store.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            MemorySegment table = store.memory().segment();
            for (int key = 0; key < ENTRIES; key++) {
                put(table, key, 0);
            }
            Future<Integer> reading = threads.submit(() -> read(address));
            store.accept(Duration.ofMinutes(1));
            for (int version = 1; !reading.isDone(); version++) {
                put(table, version % ENTRIES, version);
                Thread.yield();
            }
            System.out.println(READS + " values were read, " + reading.get() + " of them twice or more.");
        }
    }

    /** All words of a value are its version. */
    private static void put(MemorySegment table, int key, long version) {
        MemorySegment entry = table.asSlice((long) key * ENTRY_BYTES, ENTRY_BYTES);
        entry.set(ValueLayout.JAVA_LONG, 0, key);
        for (int at = Long.BYTES; at < SUM; at += Long.BYTES) {
            entry.set(ValueLayout.JAVA_LONG, at, version);
        }
        entry.set(ValueLayout.JAVA_LONG, SUM, sum(entry));
    }

    private static long sum(MemorySegment entry) {
        CRC32C crc = new CRC32C();
        crc.update(entry.asSlice(0, SUM).asByteBuffer());
        return crc.getValue();
    }

    private static int read(SocketAddress address) throws Exception {
        int again = 0;
        try (RdmaPeer client = RdmaPeer.open(ENTRY_BYTES, AccessRight.LOCAL_WRITE)) {
            client.connect(address);
            MemorySegment entry = client.memory().segment();
            for (int i = 0; i < READS; i++) {
                int key = i % ENTRIES;
                client.read(0, ENTRY_BYTES, (long) key * ENTRY_BYTES).join();
                if (entry.get(ValueLayout.JAVA_LONG, SUM) != sum(entry)) {
                    again++;
                    i--; // the store was changing it
                    continue;
                }
                Check.that(entry.get(ValueLayout.JAVA_LONG, 0) == key, "another key");
                Check.that(entry.get(ValueLayout.JAVA_LONG, 8) == entry.get(ValueLayout.JAVA_LONG, 48), "a torn value");
            }
        }
        return again;
    }
}
