package io.verbena.ib.cm;

import io.verbena.base.Digest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The connections of a port in memory that outlives the process, such as a mapped file. A peer learns from nothing else that a process
 * was killed: packets to an unknown queue pair are dropped silently (InfiniBand architecture specification, volume 1, section 9.6),
 * and a DREQ has to name numbers that only the killed process knew. A peer that retries for seconds would notice the restart that late.
 *
 * <pre>
 *         +-----------------------------------------------+
 *       0 | magic and version                             |
 *         +-----------------------------------------------+
 *  64 * n | local number          | remote number         |   one slot for each connection, in host byte order
 *         | remote queue pair     | 0                     |
 *         | address of the peer, 16 bytes                 |
 *         | check: a digest of the above; 0 if free       |
 *         +-----------------------------------------------+
 * </pre>
 */
public final class CmRecord {

    /** Numbers of a connection that an earlier process did not end. */
    record Entry(int localId, int remoteId, int remoteQueuePair, long addressHigh, long addressLow) {

        private long check() {
            long numbers = Digest.mix((long) localId << Integer.SIZE | remoteId & 0xffff_ffffL, remoteQueuePair);
            long digest = Digest.mix(Digest.mix(numbers, addressHigh), addressLow);
            return digest == 0 ? 1 : digest;
        }
    }

    /** Bytes of memory for 4,095 connections. Further ones are not recorded. */
    public static final int BYTES = 1 << 18;

    private static final int SLOT_BYTES = 64;
    private static final long MAGIC = 0x5645_5242_434d_0001L; // VERBCM, version 1

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final int REMOTE_ID = 4;
    private static final int QUEUE_PAIR = 8;
    private static final int ADDRESS_HIGH = 16;
    private static final int ADDRESS_LOW = 24;
    private static final int CHECK = 32;

    private final MemorySegment memory;
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private final Map<Integer, Integer> slots = new HashMap<>();
    private final List<Entry> earlier = new ArrayList<>();

    private CmRecord(MemorySegment memory) {
        this.memory = memory;
        for (int slot = 1; slot < memory.byteSize() / SLOT_BYTES; slot++) {
            Entry entry = read(slot);
            if (stored(slot, CHECK) == entry.check() && slots.putIfAbsent(entry.localId(), slot) == null) {
                earlier.add(entry);
            } else {
                clear(slot);
            }
        }
    }

    /** No record: nothing outlives the process. */
    public static CmRecord none() {
        return new CmRecord(MemorySegment.ofArray(new byte[SLOT_BYTES]));
    }

    /** Whether memory is empty or has a record, so that {@link #in} may write there. */
    public static boolean fits(MemorySegment memory) {
        return memory.byteSize() == BYTES && (memory.get(LONG, 0) == MAGIC || memory.get(LONG, 0) == 0);
    }

    /** The record in this memory, which an earlier process may have left. */
    public static CmRecord in(MemorySegment memory) {
        if (!fits(memory)) {
            throw new IllegalArgumentException(
                    "the memory has no record of connections: use " + BYTES + " bytes of zeros for a new one");
        }
        memory.set(LONG, 0, MAGIC);
        return new CmRecord(memory);
    }

    /** The connections of the earlier process, once. They remain recorded until they are removed. */
    List<Entry> takeEarlier() {
        List<Entry> taken = List.copyOf(earlier);
        earlier.clear();
        return taken;
    }

    /** Records a connection; a connection for which no slot is free is not recorded. */
    void add(Entry entry) {
        if (slots.containsKey(entry.localId()) || free.isEmpty()) {
            return;
        }
        int slot = free.pop();
        slots.put(entry.localId(), slot);
        long at = (long) slot * SLOT_BYTES;
        memory.set(INT, at, entry.localId());
        memory.set(INT, at + REMOTE_ID, entry.remoteId());
        memory.set(INT, at + QUEUE_PAIR, entry.remoteQueuePair());
        memory.set(LONG, at + ADDRESS_HIGH, entry.addressHigh());
        memory.set(LONG, at + ADDRESS_LOW, entry.addressLow());
        memory.set(LONG, at + CHECK, entry.check());
    }

    /** The connection has ended. */
    void remove(int localId) {
        Integer slot = slots.remove(localId);
        if (slot != null) {
            clear(slot);
        }
    }

    /** Number of recorded connections. */
    int size() {
        return slots.size();
    }

    private void clear(int slot) {
        memory.set(LONG, (long) slot * SLOT_BYTES + CHECK, 0);
        free.push(slot);
    }

    private Entry read(int slot) {
        long at = (long) slot * SLOT_BYTES;
        return new Entry(
                memory.get(INT, at),
                memory.get(INT, at + REMOTE_ID),
                memory.get(INT, at + QUEUE_PAIR),
                stored(slot, ADDRESS_HIGH),
                stored(slot, ADDRESS_LOW));
    }

    private long stored(int slot, int field) {
        return memory.get(LONG, (long) slot * SLOT_BYTES + field);
    }
}
