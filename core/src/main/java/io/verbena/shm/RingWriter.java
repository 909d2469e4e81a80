package io.verbena.shm;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The writing end of a ring, see {@link SharedLayout}. Nothing that the peer writes is used as an index: the only word read
 * from the peer is checked against positions that this side keeps to itself. One thread at a time.
 */
final class RingWriter {

    /** Maximum payload of a record, so that the reader copies the first record while the second one is written. */
    static final int MOST_RECORD_BYTES = 16 * 1024;

    private final ByteBuffer memory;
    private final int ring;
    private final int size;

    /** Bytes of the ring in use, and whether the reader was behind by half of them, so that they are to double. */
    private int window;

    private boolean growing;
    private final int consumedWord;

    /** Position of the next record to be published, and its place in the ring. */
    private long tail;

    private int slot;

    /** Where a header is that {@link #clearAhead} has cleared; -1 if there is none. */
    private int cleared = -1;

    /** The last position that the peer reported as consumed. */
    private long consumed;

    /** Payload bytes of the record that is being written, and how many it may have. */
    private int filled;

    private int limit;

    private final LoanRecord loan = new LoanRecord();

    RingWriter(ByteBuffer memory, boolean initiator, int ringBytes) {
        this.memory = memory;
        this.ring = SharedLayout.ring(initiator, ringBytes);
        this.size = ringBytes;
        this.window = SharedLayout.firstWindow(ringBytes);
        this.consumedWord = SharedLayout.word(!initiator, SharedLayout.CONSUMED);
    }

    /**
     * Copies bytes to the ring as far as there is space. The peer sees them after {@link #publish} at the latest.
     *
     * @return the number of bytes copied
     * @throws IOException if the peer wrote an impossible position
     */
    int append(ByteBuffer source, int from, int count) throws IOException {
        int done = 0;
        while (done < count) {
            if (filled == limit) {
                publish();
                limit = space();
                if (limit == 0) {
                    break;
                }
            }
            int piece = Math.min(count - done, limit - filled);
            try {
                memory.put(ring + slot + SharedLayout.HEADER + filled, source, from + done, piece);
            } catch (InternalError e) {
                if (done > 0) {
                    break; // the next call reports it, and what was copied before is sent
                }
                throw e;
            }
            filled += piece;
            done += piece;
        }
        return done;
    }

    /** Publishes the record that is being written, if it has any bytes. Returns whether it had. */
    boolean publish() {
        return publish(0);
    }

    private boolean publish(int flags) {
        int length = filled;
        filled = 0;
        limit = 0;
        if (length == 0) {
            return false;
        }
        int at = ring + slot;
        long position = tail;
        tail += SharedLayout.occupied(length);
        slot += SharedLayout.occupied(length);
        int grows = 0;
        if (slot == window && growing && canGrow()) {
            grows = SharedLayout.GROWS;
            growing = false;
            window *= 2;
        } else if (slot == window) {
            slot = 0;
        }
        // The header that follows is within the space kept free, and the reader does not look at it before it has seen
        // this record.
        if (slot != cleared) {
            SharedLayout.WORD.setOpaque(memory, ring + slot, 0L);
        }
        cleared = -1;
        SharedLayout.store(memory, at, SharedLayout.header(position, length | grows | flags));
        return true;
    }

    /**
     * Clears the header that follows the next record if that has one line, after the peer was notified of the records before. The line is in the
     * cache of the peer's processor, and fetching it from there would delay the next record.
     */
    void clearAhead() {
        int next = slot + SharedLayout.LINE == window ? 0 : slot + SharedLayout.LINE;
        if (tail - consumed <= window - 2 * SharedLayout.LINE) {
            SharedLayout.WORD.setOpaque(memory, ring + next, 0L);
            cleared = next;
        }
    }

    /**
     * Copies bytes to a record of their own, from index 0 on, and publishes it.
     *
     * @param flag of the length of the record
     * @return false if there is no space for them in one piece
     */
    boolean appendWhole(ByteBuffer source, int count, int flag) throws IOException {
        assert filled == 0;
        if (space() < count) {
            return false;
        }
        memory.put(ring + slot + SharedLayout.HEADER, source, 0, count);
        filled = count;
        return publish(flag);
    }

    // Loans.

    /** Writes the record that announces a block. Returns false if there is no space for it. */
    boolean announce(int slot, SharedBlock block) throws IOException {
        return write(loan.announcement(slot, block));
    }

    /** Writes the record of a loan. Returns false if there is no space for it. */
    boolean lend(int slot, long offset, int count) throws IOException {
        return write(loan.loan(slot, offset, count));
    }

    /** Writes the record of a block that is lent no more. Returns false if there is no space for it. */
    boolean forget(int slot) throws IOException {
        return write(loan.forget(slot));
    }

    private boolean write(LoanRecord record) throws IOException {
        if (!begins(LoanRecord.LENGTH)) {
            return false;
        }
        record.store(memory, ring + slot + SharedLayout.HEADER);
        return publish(SharedLayout.LOAN);
    }

    /** Begins a record without bytes of the stream. Returns false if there is no space for it. */
    private boolean begins(int length) throws IOException {
        publish();
        if (space() < length) {
            return false;
        }
        filled = length;
        return true;
    }

    // Direct access.

    /** Writes the record that requests a grant. Returns false if there is no space for it. */
    boolean request(int key) throws IOException {
        return write(loan.request(key));
    }

    /** Writes the answer to a request. Returns false if there is no space for it. */
    boolean answer(GrantRecord record) throws IOException {
        if (!begins(GrantRecord.LENGTH)) {
            return false;
        }
        record.store(memory, ring + slot + SharedLayout.HEADER);
        return publish(SharedLayout.LOAN);
    }

    /** Position after what has been published. */
    long position() {
        return tail;
    }

    /** Position up to which the peer has consumed. */
    long consumed() throws IOException {
        free();
        return consumed;
    }

    // Space.

    /** Whether bytes can be written, after a time in which none could: a part of the ring that is worth it is free. */
    boolean hasSpace() throws IOException {
        return free() >= window / 4 || canGrow();
    }

    /** Whether nothing between the tail and the end of the window is unread. That remains so until the tail is there. */
    private boolean canGrow() {
        return window < size && tail - consumed <= slot;
    }

    /** Maximum payload of the record at the tail; 0 if the ring is full. */
    private int space() throws IOException {
        int contiguous = window - slot;
        int free = window - (int) (tail - consumed) - SharedLayout.LINE;
        boolean behind = window < size && free < window / 2;
        if (behind || free < Math.min(contiguous, MOST_RECORD_BYTES + SharedLayout.HEADER)) {
            free = free();
            growing |= window < size && free < window / 2;
        }
        if (growing && canGrow()) {
            free = contiguous;
        } else if (window < size && contiguous > SharedLayout.LINE) {
            contiguous -= SharedLayout.LINE; // whether the window doubles is decided when the rest of it is full
        }
        return Math.max(0, Math.min(Math.min(free, contiguous) - SharedLayout.HEADER, MOST_RECORD_BYTES));
    }

    /** Bytes that the peer has consumed or that were never used, without the line that is kept free. */
    private int free() throws IOException {
        long now = SharedLayout.load(memory, consumedWord);
        long outstanding = tail - now;
        if (now - consumed < 0 || outstanding < 0 || (now & SharedLayout.LINE - 1) != 0) {
            throw new IOException("The peer reported an impossible position in shared memory: " + now + " after "
                    + consumed + ", with " + tail + " written");
        }
        consumed = now;
        return window - (int) outstanding - SharedLayout.LINE;
    }
}
