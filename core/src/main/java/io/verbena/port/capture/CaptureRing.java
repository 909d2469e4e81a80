package io.verbena.port.capture;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Buffers the bytes of captured streams between the engines and the writing thread. It never makes an engine wait for
 * that thread: bytes that do not fit are omitted and counted, and the next record states how much is missing before it.
 *
 * <pre>
 *   record   | size | connection | kind side | time | bytes missing | records missing | length | captured | bytes, padded to 8 |
 * </pre>
 *
 * Engines enter one at a time, each for one copy; one thread at a time removes records.
 */
final class CaptureRing {

    /** Kinds of records. */
    static final byte PAD = 0;

    static final byte OPEN = 1;
    static final byte DATA = 2;
    static final byte FIN = 3;
    static final byte RST = 4;

    private static final int HEADER_BYTES = 48;
    private static final int CONNECTION = 4;
    private static final int KIND = 8;
    private static final int SIDE = 9;
    private static final int TIME = 16;
    private static final int MISSING_BYTES = 24;
    private static final int MISSING_RECORDS = 32;
    private static final int LENGTH = 40;
    private static final int CAPTURED = 44;

    /** Space that payload leaves for the records that open and end connections. */
    private static final int RESERVE_BYTES = 8 * 1024;

    /** One direction of a connection, from the view of its engine; guarded by the ring. */
    static final class Direction {
        final int connection;
        final byte side;
        private long missingBytes;
        private long position;
        private long end;

        Direction(int connection, byte side) {
            this.connection = connection;
            this.side = side;
        }
    }

    /** Stream position of the next record of a direction, counted from its first byte. */
    synchronized long position(Direction from) {
        return from.position;
    }

    /** Moves a direction whose segments arrive in any order; the next record shows the distance as missing bytes. */
    void seek(Direction from, long position) {
        from.missingBytes += position - from.position;
        from.position = position;
    }

    /** Moves a direction to its last byte. */
    void seekEnd(Direction from) {
        seek(from, from.end);
    }

    /** A record for the thread that writes. */
    @FunctionalInterface
    interface Sink {
        void record(Record head, MemorySegment ring, long offset);
    }

    /** The head of a record; one object for all. */
    static final class Record {
        int connection;
        byte kind;
        byte side;
        long timeNs;
        long missingBytes;
        long missingRecords;
        int length;
        int captured;
    }

    private final int capacity;
    private final int snapBytes;
    private final ByteBuffer memory;
    private final MemorySegment segment;
    private final Record head = new Record();

    /**
     * Stream positions, counted from the beginning: of the first byte that was not removed, and of the first that is
     * not filled.
     */
    private volatile long taken;

    private volatile long filled;

    // Guarded by this.
    private int recordAt;
    private int recordLeft;
    private int recordBytes;
    private long missingRecords;
    private long droppedRecords;
    private long droppedBytes;

    /**
     * An empty ring.
     *
     * @param capacity bytes, a multiple of 8
     * @param snapBytes most bytes of a record that are kept
     */
    CaptureRing(int capacity, int snapBytes) {
        this.capacity = capacity;
        this.snapBytes = snapBytes;
        memory = ByteBuffer.allocateDirect(capacity).order(ByteOrder.nativeOrder());
        segment = MemorySegment.ofBuffer(memory);
    }

    /**
     * Starts a record. The caller holds the monitor of the ring, then puts the bytes and ends the record. Returns false
     * if the record does not fit; it is then counted, and the caller must do nothing more.
     */
    boolean begin(Direction from, byte kind, int length, long timeNs) {
        return begin(from, kind, 0, length, timeNs);
    }

    /** As above; the first {@code fixed} bytes do not count for the capture limit. */
    boolean begin(Direction from, byte kind, int fixed, int length, long timeNs) {
        int captured = fixed + Math.min(length - fixed, snapBytes);
        from.position += length;
        from.end = Math.max(from.end, from.position);
        int size = HEADER_BYTES + (captured + 7 & ~7);
        int at = (int) (filled % capacity);
        int pad = capacity - at < size ? capacity - at : 0;
        long room = capacity - (filled - taken) - pad - (kind == DATA ? RESERVE_BYTES : 0);
        if (room < size) {
            from.missingBytes += length;
            missingRecords++;
            droppedRecords++;
            droppedBytes += length;
            return false;
        }
        if (pad > 0) {
            memory.putInt(at, pad);
            if (pad > KIND) {
                memory.put(at + KIND, PAD);
            }
            publish(pad);
            at = 0;
        }
        memory.putInt(at, size).putInt(at + CONNECTION, from.connection);
        memory.put(at + KIND, kind).put(at + SIDE, from.side);
        memory.putLong(at + TIME, timeNs);
        memory.putLong(at + MISSING_BYTES, from.missingBytes).putLong(at + MISSING_RECORDS, missingRecords);
        memory.putInt(at + LENGTH, length).putInt(at + CAPTURED, captured);
        from.missingBytes = 0;
        missingRecords = 0;
        recordAt = at + HEADER_BYTES;
        recordLeft = captured;
        recordBytes = captured;
        return true;
    }

    /**
     * Appends the next bytes of the record, up to the capture limit. The limit of the source is beyond them; its
     * position is unchanged.
     */
    void put(ByteBuffer source, int from, int count) {
        int kept = Math.min(count, recordLeft);
        memory.put(recordAt, source, from, kept);
        recordAt += kept;
        recordLeft -= kept;
    }

    /** Completes the current record. */
    void end() {
        publish(HEADER_BYTES + (recordBytes + 7 & ~7));
    }

    /** Only the thread that writes records changes {@code filled}, so the update need not be atomic. */
    private void publish(int bytes) {
        long next = filled + bytes;
        filled = next;
    }

    /** Removes all complete records and returns their number. One thread at a time. */
    int drain(Sink sink) {
        int records = 0;
        long end = filled;
        while (taken != end) {
            int at = (int) (taken % capacity);
            int size = memory.getInt(at);
            boolean pad = capacity - at < HEADER_BYTES || memory.get(at + KIND) == PAD;
            if (!pad) {
                head.connection = memory.getInt(at + CONNECTION);
                head.kind = memory.get(at + KIND);
                head.side = memory.get(at + SIDE);
                head.timeNs = memory.getLong(at + TIME);
                head.missingBytes = memory.getLong(at + MISSING_BYTES);
                head.missingRecords = memory.getLong(at + MISSING_RECORDS);
                head.length = memory.getInt(at + LENGTH);
                head.captured = memory.getInt(at + CAPTURED);
                sink.record(head, segment, (long) at + HEADER_BYTES);
                records++;
            }
            long next = taken + size;
            taken = next;
        }
        return records;
    }

    /** Number of records that did not fit. */
    synchronized long droppedRecords() {
        return droppedRecords;
    }

    /** Their bytes. */
    synchronized long droppedBytes() {
        return droppedBytes;
    }
}
