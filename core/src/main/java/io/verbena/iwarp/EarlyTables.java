package io.verbena.iwarp;

import io.verbena.base.Digest;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Ulpdu;
import io.verbena.work.EarlyMemory;
import java.lang.foreign.MemorySegment;

/**
 * The tables of one stream for what arrives after holes, and their bounds. They grow when they are needed, within the limits of
 * the stream and of the RNIC.
 */
final class EarlyTables {

    private static final int KEPT_MESSAGES = 24;
    private static final int KEPT_BYTES = KEPT_MESSAGES * EarlyMessages.MAX_BYTES;

    /** Maximum memory for holes, records and kept messages of a stream. */
    static final int MAX_TABLE_BYTES =
            Holes.MAX_HOLES * Holes.HOLE_BYTES + EarlyRecords.MAX_RECORDS * EarlyRecords.RECORD_BYTES + KEPT_BYTES;

    /** Maximum memory for the bytes of scraps of a stream. */
    static final int MAX_SCRAP_BYTES = Scraps.MAX_BYTES;

    static {
        assert MAX_TABLE_BYTES <= 64 * 1024;
    }

    final Holes holes = new Holes();
    final EarlyRecords records;
    final EarlyMessages messages = new EarlyMessages(KEPT_MESSAGES);
    final Scraps scraps = new Scraps();
    final HoleFigures figures = new HoleFigures();
    private final EarlyMemory memory;
    private int tableBytes;
    private int scrapBytes;

    EarlyTables(FpduReader reader, EarlyMemory memory) {
        records = new EarlyRecords(reader);
        this.memory = memory;
    }

    boolean isEmpty() {
        return holes.isEmpty();
    }

    // Bounds.

    /** Whether a range can be covered, and a record added; grows the tables if necessary. */
    boolean roomFor(long from, long to) {
        return counted(roomForHole(from, to) && roomForRecord());
    }

    private boolean roomForHole(long from, long to) {
        return !holes.splits(from, to) || holes.count() < holes.capacity() || growHoles();
    }

    private boolean growHoles() {
        int more = holes.nextCapacity() - holes.capacity();
        if (more == 0 || !take(more * Holes.HOLE_BYTES)) {
            return false;
        }
        holes.grow();
        return true;
    }

    private boolean roomForRecord() {
        if (records.count() < records.capacity()) {
            return true;
        }
        int more = records.nextCapacity() - records.capacity();
        if (more == 0 || !take(more * EarlyRecords.RECORD_BYTES)) {
            return false;
        }
        records.grow();
        return true;
    }

    /** Whether a scrap of this range can be stored, and a record for it later. */
    boolean roomForScrap(long from, long to) {
        int bytes = (int) (to - from);
        return counted(scraps.hasFree()
                && scraps.usedBytes() + bytes <= Scraps.MAX_BYTES
                && roomForHole(from, to)
                && growScraps(scraps.usedBytes() + bytes));
    }

    private boolean growScraps(int needed) {
        while (scraps.capacity() < needed) {
            int more = scraps.nextCapacity() - scraps.capacity();
            if (!memory.take(more)) {
                return false;
            }
            scrapBytes += more;
            scraps.grow();
        }
        return true;
    }

    /** A free slot for a kept message; -1 if there is none. */
    int freeSlot() {
        if (!messages.isAllocated() && take(KEPT_BYTES)) {
            messages.allocate();
        }
        int slot = messages.free();
        counted(slot >= 0);
        return slot;
    }

    private boolean take(int bytes) {
        if (!memory.take(bytes)) {
            return false;
        }
        tableBytes += bytes;
        figures.mostTableBytes = tableBytes;
        return true;
    }

    private boolean counted(boolean room) {
        figures.refusedByBound += room ? 0 : 1;
        return room;
    }

    /** The stream has ended: its part of the RNIC's memory is free. */
    void release() {
        memory.give((long) tableBytes + scrapBytes);
        tableBytes = 0;
        scrapBytes = 0;
    }

    // Changes.

    /** Bytes in a hole, or after all holes, were taken. */
    void cover(long next, long from, long to) {
        int before = holes.count();
        holes.cover(next, from, to);
        if (holes.count() > before) {
            figures.holes++;
            figures.mostHoles = Math.max(figures.mostHoles, holes.count());
        }
        figures.takenBytes += to - from;
    }

    /** An FPDU whose bytes are covered was taken as a record. */
    void add(long from, long to, int kind, Ulpdu u, MemorySegment segment, int slot) {
        records.add(from, to, kind, u, segment, slot);
        figures.mostRecords = Math.max(figures.mostRecords, records.count());
        Hole hole = holes.before(from);
        count(hole, u);
        if (UlpduSink.carriesData(u)) {
            hole.placedBytes += u.payloadLength();
            figures.placedBytes += u.payloadLength();
        }
    }

    private static void count(Hole hole, Ulpdu u) {
        if (!u.last()) {
            return;
        }
        RdmapOpcode opcode = u.opcode();
        switch (opcode) {
            case READ_REQUEST -> hole.requests++;
            case ATOMIC_REQUEST -> hole.atomics++;
            case READ_RESPONSE, ATOMIC_RESPONSE -> hole.responses++;
            case SEND, SEND_SE, SEND_INVALIDATE, SEND_SE_INVALIDATE, IMMEDIATE, IMMEDIATE_SE -> hole.sends++;
            case WRITE, TERMINATE, RESERVED -> {}
        }
    }

    /** Stores bytes of an FPDU that is incomplete. Returns the index of the scrap that contains them. */
    int addScrap(long next, long from, MemorySegment source, int sourceAt, int bytes, boolean fpduStart) {
        cover(next, from, from + bytes);
        figures.scrapCopies += bytes;
        int index = scraps.add(from, source, sourceAt, bytes, fpduStart);
        figures.mostScrapBytes = Math.max(figures.mostScrapBytes, scraps.usedBytes());
        return index;
    }

    long stateDigest(long digest) {
        long d = holes.stateDigest(digest);
        return isEmpty() ? d : Digest.mix(scraps.stateDigest(records.stateDigest(d)), scraps.count());
    }
}
