package io.verbena.shm;

import io.verbena.port.ShortMessages;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The reading end of a ring, see {@link SharedLayout}. The peer may write anything at any time: each header is loaded once
 * and checked before it is used, the position is this side's own, and bytes are copied out before anyone interprets them.
 * One thread at a time.
 */
final class RingReader {

    /** Records without bytes that are processed in a row. */
    private static final int MOST_AT_ONCE = 32;

    private static final int FLAGS = SharedLayout.LOAN | SharedLayout.GROWS | SharedLayout.MESSAGE;

    private final ByteBuffer memory;
    private final int ring;
    private final int size;
    private int window;
    private final int consumedWord;

    /** Position of the record that is being read. */
    private long head;

    /** Payload bytes of that record, 0 if its header was not loaded, and how many of them were read. */
    private int length;

    private int taken;
    private boolean grows;

    /** Where that record is in the ring. */
    private int slot;

    /** Bytes of it in the ring; fewer than its payload if that is lent. */
    private int inRing;

    /** Where its payload is. */
    private ByteBuffer source;

    private int sourceAt;
    private boolean lent;

    /** Whether the last read ended before a loan, which can be read to its destination, or before a short message. */
    private boolean stopped;

    /** Whether this side takes short messages. */
    private boolean takesMessages;

    private final Borrower borrower;
    private final DirectAccess direct;
    private final LoanRecord loan = new LoanRecord();
    private final GrantRecord grant = new GrantRecord();

    RingReader(ByteBuffer memory, boolean initiator, int ringBytes, Borrower borrower, DirectAccess direct) {
        this.memory = memory;
        this.borrower = borrower;
        this.direct = direct;
        this.source = memory;
        this.ring = SharedLayout.ring(!initiator, ringBytes);
        this.size = ringBytes;
        this.window = SharedLayout.firstWindow(ringBytes);
        this.consumedWord = SharedLayout.word(initiator, SharedLayout.CONSUMED);
    }

    /** Whether bytes are available. */
    boolean hasBytes() {
        return length != 0 || SharedLayout.load(memory, ring + slot) != 0;
    }

    /** Whether the last read ended before a loan or a short message: more is available. */
    boolean stopped() {
        return stopped;
    }

    /**
     * Copies available bytes to a buffer, from index {@code at} on. What precedes a loan is read separately, so that the caller
     * learns from it where the payload belongs.
     *
     * @return the number of bytes; 0 if none are available
     * @throws IOException if the peer wrote an impossible header
     */
    int read(ByteBuffer target, int at, int count) throws IOException {
        int done = 0;
        stopped = false;
        while (done < count && load()) {
            if (lent && taken == 0 && done > 0) {
                stopped = true;
                break;
            }
            int piece = Math.min(count - done, length - taken);
            target.put(at + done, source, sourceAt + taken, piece);
            if (lent) {
                borrower.checkNotWithdrawn();
            }
            done += piece;
            taken += piece;
            if (taken == length) {
                next();
            }
        }
        return done;
    }

    private boolean load() throws IOException {
        for (int loans = 0; length == 0; loans++) {
            if (loans == MOST_AT_ONCE) {
                stopped = true; // a peer that only announces does not hold the engine up
                return false;
            }
            long header = SharedLayout.load(memory, ring + slot);
            if (header == 0) {
                return false;
            }
            check(header);
            taken = 0;
            if (isMessage(header)) {
                stopped = true; // it is taken whole
                return false;
            }
            if ((int) header < 0) {
                loadLoan(header);
            } else {
                lent = false;
                source = memory;
                sourceAt = ring + slot + SharedLayout.HEADER;
                length = inRing;
            }
        }
        return true;
    }

    /** Checks a header, and notes what it says about the place of the record. */
    private void check(long header) throws IOException {
        int announced = (int) header & ~FLAGS;
        boolean growing = ((int) header & SharedLayout.GROWS) != 0;
        if (announced == 0
                || announced > window - slot - SharedLayout.HEADER
                || SharedLayout.occupied(announced) > window - SharedLayout.LINE
                || growing && (slot + SharedLayout.occupied(announced) != window || window == size)
                || header >>> Integer.SIZE != SharedLayout.number(head)
                || isMessage(header) && (!takesMessages || (int) header < 0 || announced > ShortMessages.MOST_BYTES)) {
            throw impossible(header);
        }
        inRing = announced;
        grows = growing;
    }

    private static boolean isMessage(long header) {
        return ((int) header & SharedLayout.MESSAGE) != 0;
    }

    // Short messages.

    /** The peer may write short messages from now on. */
    void takeMessages() {
        takesMessages = true;
    }

    /** Whether a short message is next. */
    boolean hasMessage() {
        return length == 0 && isMessage(SharedLayout.load(memory, ring + slot));
    }

    /**
     * Copies the short message that is next to a buffer, from index 0 on. Returns its length; 0 if something else is
     * next.
     */
    int message(ByteBuffer target) throws IOException {
        long header = length == 0 ? SharedLayout.load(memory, ring + slot) : 0;
        if (!isMessage(header)) {
            return 0;
        }
        check(header);
        target.put(0, memory, ring + slot + SharedLayout.HEADER, inRing);
        return inRing;
    }

    /** The message that was copied last has been processed. */
    void messageTaken() {
        next();
    }

    private void loadLoan(long header) throws IOException {
        if (inRing == GrantRecord.LENGTH) {
            grant.load(memory, ring + slot + SharedLayout.HEADER);
            direct.answered(grant);
            next();
            return;
        }
        if (inRing != LoanRecord.LENGTH) {
            throw impossible(header);
        }
        loan.load(memory, ring + slot + SharedLayout.HEADER);
        switch (loan.kind()) {
            case LoanRecord.LOAN -> {
                source = borrower.lent(loan);
                sourceAt = (int) loan.offset();
                length = loan.count();
                lent = true;
            }
            case LoanRecord.ANNOUNCEMENT -> {
                borrower.announced(loan);
                next();
            }
            case LoanRecord.FORGET -> {
                borrower.forgotten(loan);
                next();
            }
            case LoanRecord.REQUEST -> {
                direct.requested(loan.slot());
                next();
            }
            default -> throw impossible(header);
        }
    }

    private IOException impossible(long header) {
        return new IOException("The peer wrote an impossible header into shared memory: 0x" + Long.toHexString(header)
                + " at position " + head);
    }

    private void next() {
        int occupied = SharedLayout.occupied(inRing);
        head += occupied;
        slot += occupied;
        if (grows) {
            window *= 2;
        } else if (slot == window) {
            slot = 0;
        }
        length = 0;
        SharedLayout.store(memory, consumedWord, head);
    }

    /** Position up to which the peer may write again. */
    long consumed() {
        return head;
    }

    /** Bytes of the ring that the writer uses now. */
    int window() {
        return window;
    }
}
