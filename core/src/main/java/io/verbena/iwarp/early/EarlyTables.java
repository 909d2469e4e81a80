package io.verbena.iwarp.early;

import io.verbena.base.Digest;
import io.verbena.iwarp.frame.FpduReader;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Ulpdu;
import io.verbena.work.EarlyMemory;
import java.lang.foreign.MemorySegment;

/**
 * The tables of one stream for what arrives after holes, and their bounds. They grow when they are needed, within the limits of
 * the stream and of the RNIC.
 */
public final class EarlyTables {

    private static final int KEPT_MESSAGES = 24;
    private static final int KEPT_BYTES = KEPT_MESSAGES * EarlyMessages.MAX_BYTES;

    /** Maximum memory for holes, records and kept messages of a stream. */
    public static final int MAX_TABLE_BYTES =
            Holes.MAX_HOLES * Holes.HOLE_BYTES + EarlyRecords.MAX_RECORDS * EarlyRecords.RECORD_BYTES + KEPT_BYTES;

    /** Maximum memory for the bytes of scraps of a stream. */
    static final int MAX_SCRAP_BYTES = Scraps.MAX_BYTES;

    static {
        assert MAX_TABLE_BYTES <= 64 * 1024;
    }

    public final Holes holes = new Holes();
    public final EarlyRecords records;
    public final Guesses guesses;
    public final EarlyMessages messages = new EarlyMessages(KEPT_MESSAGES);
    public final Scraps scraps = new Scraps();
    public final HoleFigures figures = new HoleFigures();
    private final EarlyMemory memory;
    private int tableBytes;
    private int scrapBytes;

    public EarlyTables(boolean guessing, FpduReader reader, EarlyMemory memory) {
        int guessed = guessing ? Guesses.MOST : 0;
        records = new EarlyRecords(reader, EarlyRecords.MAX_RECORDS - guessed);
        guesses = new Guesses(guessing, reader);
        this.memory = memory;
    }

    public boolean isEmpty() {
        return holes.isEmpty();
    }

    /** Whether nothing after the bytes in order was placed, not even as a guess. */
    public boolean nothingPlaced() {
        return holes.isEmpty() && guesses.isEmpty();
    }

    /** The first stream offset after those in order at which something was placed; there is one. */
    public long firstPlaced() {
        if (holes.isEmpty()) {
            return guesses.first();
        }
        long certain = holes.hole(0).to();
        return guesses.isEmpty() ? certain : Math.min(certain, guesses.first());
    }

    // Bounds.

    /** Whether a range can be covered, and a record added; grows the tables if necessary. */
    boolean roomFor(long from, long to) {
        return counted(roomForHole(from, to) && roomIn(records));
    }

    /** Whether a guess can be added. */
    boolean roomForGuess() {
        return counted(roomIn(guesses.records()));
    }

    private boolean roomForHole(long from, long to) {
        return !holes.splits(from, to) || holes.count() < holes.capacity() || growHoles();
    }

    private boolean roomForNext(long to) {
        boolean hole = !holes.splitsNext(to) || holes.count() < holes.capacity() || growHoles();
        return counted(hole && roomIn(records));
    }

    private boolean growHoles() {
        int more = holes.nextCapacity() - holes.capacity();
        if (more == 0 || !take(more * Holes.HOLE_BYTES)) {
            return false;
        }
        holes.grow();
        return true;
    }

    private boolean roomIn(EarlyRecords table) {
        if (table.count() < table.capacity()) {
            return true;
        }
        int more = table.nextCapacity() - table.capacity();
        if (more == 0 || !take(more * EarlyRecords.RECORD_BYTES)) {
            return false;
        }
        table.grow();
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
    public void release() {
        memory.give((long) tableBytes + scrapBytes);
        tableBytes = 0;
        scrapBytes = 0;
    }

    // Changes.

    /** Bytes in a hole, or after all holes, were taken. */
    void cover(long next, long from, long to) {
        withdraw(from, to);
        coverHole(next, from, to);
        figures.takenBytes += to - from;
    }

    private void coverHole(long next, long from, long to) {
        int before = holes.count();
        holes.cover(next, from, to);
        if (holes.count() > before) {
            figures.holes++;
            figures.mostHoles = Math.max(figures.mostHoles, holes.count());
        }
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

    /** A Write that may be an FPDU was placed. */
    void addGuess(long from, long to, Ulpdu u, MemorySegment segment) {
        guesses.add(from, to, u, segment);
        figures.takenBytes += to - from;
        figures.guessedBytes += to - from;
        figures.placedBytes += u.payloadLength();
    }

    /** Withdraws the guesses that contain one of these bytes. */
    public void withdraw(long from, long to) {
        if (!guesses.isEmpty()) {
            figures.withdrawnBytes += guesses.withdraw(from, to);
        }
    }

    /**
     * It is certain that an FPDU starts at {@code at}: a guess that starts there becomes a record. Returns the offset after it;
     * {@code at} if there is none.
     *
     * @param next stream offset of the first missing byte; it may be {@code at}
     * @param inOrder whether the bytes before {@code at} were delivered or will be, without anything early between them
     */
    public long confirm(long next, long at, boolean inOrder) {
        int index = guesses.startingAt(at);
        if (index < 0) {
            return at;
        }
        EarlyRecords from = guesses.records();
        long end = from.end(index);
        if (!(inOrder ? roomForNext(end) : roomFor(at, end))) {
            return at;
        }
        if (inOrder) {
            holes.coverNext(at, end);
        } else {
            coverHole(next, at, end);
        }
        records.move(from, index);
        return end;
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

    public long stateDigest(long digest) {
        long d = guesses.stateDigest(holes.stateDigest(digest));
        return isEmpty() ? d : Digest.mix(scraps.stateDigest(records.stateDigest(d)), scraps.count());
    }
}
