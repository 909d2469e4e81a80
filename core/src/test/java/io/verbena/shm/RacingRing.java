package io.verbena.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Both ends of one ring and the words of both sides, for the races of the module {@code stress}: the initiator writes, and the acceptor reads.
 * A record has one line, and its payload is one number repeated.
 */
public final class RacingRing {

    /** Result of {@link #read} if the bytes of a record are not those that were written together. */
    public static final int TORN = -1;

    private static final int NUMBERS = 7;
    private static final int BYTES = NUMBERS * Long.BYTES;
    private static final int RING = SharedLayout.LEAST_RING_BYTES;

    /** Bytes that no race looks at, of all rings. */
    private static final ByteBuffer WASTE = ByteBuffer.allocate(RING);

    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(SharedLayout.bytes(RING)).order(ByteOrder.nativeOrder());
    private final ByteBuffer source = ByteBuffer.allocate(BYTES);
    private final ByteBuffer target = ByteBuffer.allocate(BYTES);
    private final RingWriter writer = new RingWriter(memory, true, RING);
    private final RingReader reader = new RingReader(
            memory,
            false,
            RING,
            new Borrower(SharedBlocks.NONE, memory, false),
            new DirectAccess(SharedBlocks.NONE, memory, false, false));
    private int filler;
    private final SideWords ofWriter = new SideWords(memory, true);
    private final SideWords ofReader = new SideWords(memory, false);

    /** Writes two records with the number 1, and another one that fills the ring. Before the race. */
    public RacingRing full() {
        write(1);
        write(1);
        try {
            filler = writer.append(WASTE, 0, RING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        writer.publish();
        return this;
    }

    // The side that writes.

    /** Publishes a record with a positive number. Returns false if there is no space for it. */
    public boolean write(int number) {
        for (int i = 0; i < NUMBERS; i++) {
            source.putLong(i * Long.BYTES, number);
        }
        try {
            int done = writer.append(source, 0, BYTES);
            writer.publish();
            writer.clearAhead();
            return done == BYTES;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Falls asleep until there is space. Returns whether it found space, and need not sleep. */
    public boolean sleepForSpace() {
        ofWriter.asleep(SharedLayout.FOR_ROOM);
        VarHandle.fullFence();
        try {
            return writer.hasSpace();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the reader sleeps, and the writer has to wake it for what was published. */
    public boolean takeReader() {
        return ofWriter.takeSleeper(SharedLayout.FOR_BYTES);
    }

    /** States that the end of the process is to be read as a reset. */
    public void killed() {
        ofWriter.killed(SharedLayout.RESET);
    }

    /** Ends the stream in order. */
    public void end() {
        ofWriter.end(SharedLayout.ENDED);
    }

    // The side that reads.

    /** The number of the next record; 0 if there is none, {@link #TORN} if its bytes are not those of one record. */
    public int read() {
        try {
            int done = reader.read(target, 0, BYTES);
            if (done == 0) {
                return 0;
            }
            long number = target.getLong(0);
            for (int i = 1; i < NUMBERS; i++) {
                if (done != BYTES || target.getLong(i * Long.BYTES) != number) {
                    return TORN;
                }
            }
            return (int) number;
        } catch (IOException e) {
            return TORN;
        }
    }

    /** Reads what fills the ring. */
    public void readFiller() {
        try {
            reader.read(WASTE, 0, filler);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Falls asleep until there are bytes. Returns whether it found some, and need not sleep. */
    public boolean sleepForBytes() {
        ofReader.asleep(SharedLayout.FOR_BYTES);
        VarHandle.fullFence();
        return reader.hasBytes();
    }

    /** Whether the writer sleeps, and the reader has to wake it for the space it has made. */
    public boolean takeWriter() {
        return ofReader.takeSleeper(SharedLayout.FOR_ROOM);
    }

    /** Whether the writer has stated how the end of its process is to be read. */
    public boolean seesKilled() {
        return ofReader.killedThere() == SharedLayout.RESET;
    }

    /** Whether the writer has ended the stream. */
    public boolean seesEnd() {
        return ofReader.endingThere() == SharedLayout.ENDED;
    }
}
