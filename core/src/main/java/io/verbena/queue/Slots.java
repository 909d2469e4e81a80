package io.verbena.queue;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a ring between one writer and one reader. It is small at first, because most queues of most connections never
 * hold many elements, and grows when the writer needs more slots.
 *
 * <p>Nothing moves when it grows: elements stay where they are, and the elements from the next one on are in a larger part.
 * So the reader can use and change an element while the writer adds others. A part is dropped when the ring has passed it.
 *
 * <pre>
 *    part of 4         |  0  1  2  3 |
 *    part of 16                      |  4  5  6  7  8 ..            from = 4
 * </pre>
 */
final class Slots {

    private static final int GROWTH = 4;
    private static final VarHandle NEWEST;

    static {
        try {
            NEWEST = MethodHandles.lookup().findVarHandle(Slots.class, "newest", Part.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The slots of the elements from one index on. */
    static final class Part {

        /** The slots. */
        final long[] words;

        /** The same memory, for bytes. */
        final MemorySegment bytes;

        private final long from;
        private final int mask;
        private final int wordsPerSlot;

        /** The part before this one; of the reader, which drops it. */
        private @Nullable Part older;

        Part(int slots, int wordsPerSlot, long from, @Nullable Part older) {
            words = new long[Math.multiplyExact(slots, wordsPerSlot)];
            bytes = MemorySegment.ofArray(words);
            mask = slots - 1;
            this.wordsPerSlot = wordsPerSlot;
            this.from = from;
            this.older = older;
        }

        /** The first word of the slot of an element of this part. */
        int at(long index) {
            return ((int) index & mask) * wordsPerSlot;
        }
    }

    private final int depth;
    private final int most;
    private final int wordsPerSlot;

    /** Of the writer: the part of the next element, and the index before which its slots are free. */
    private Part writing;

    private long free;

    @SuppressWarnings("UnusedVariable") // through NEWEST
    private Part newest;

    /**
     * Empty slots.
     *
     * @param depth maximum number of elements at a time, 1 or more
     * @param first slots at first, a power of two
     */
    Slots(int depth, int first, int wordsPerSlot) {
        this.depth = depth;
        most = Integer.highestOneBit(Math.max(1, depth - 1)) << (depth > 1 ? 1 : 0);
        Math.multiplyExact(most, wordsPerSlot); // growing does not fail for this reason
        this.wordsPerSlot = wordsPerSlot;
        writing = new Part(Math.min(first, most), wordsPerSlot, 0, null);
        newest = writing;
        free = Math.min(depth, writing.mask + 1);
    }

    /** Number of slots when it has grown: the depth, rounded up to a power of two. */
    int most() {
        return most;
    }

    /** Size of the slots that the next elements use, in bytes. */
    long bytes() {
        return newest().bytes.byteSize();
    }

    // The writer.

    /** Whether the slot of this element is known to be free. If not, {@link #makeFree} decides. */
    boolean isFree(long index) {
        return index < free;
    }

    /** Makes the slot of the next element free, if the ring is not full. Elements before {@code oldest} have been read. */
    boolean makeFree(long index, long oldest) {
        if (index - oldest >= depth) {
            return false;
        }
        Part currentPart = writing;
        if (index - Math.max(oldest, currentPart.from) > currentPart.mask) {
            currentPart =
                    new Part((int) Math.min(most, (currentPart.mask + 1L) * GROWTH), wordsPerSlot, index, currentPart);
            writing = currentPart;
            NEWEST.setRelease(this, currentPart);
        }
        free = Math.min(oldest + depth, Math.max(oldest, currentPart.from) + currentPart.mask + 1);
        return true;
    }

    /** The part of the next element. */
    Part writing() {
        return writing;
    }

    // The reader.

    private Part newest() {
        return (Part) NEWEST.getAcquire(this);
    }

    /** The part that contains an element, which has been published and not passed. */
    Part reading(long index) {
        Part part = newest();
        while (index < part.from) {
            Part before = part.older;
            assert before != null : "the ring has passed the element " + index;
            part = before;
        }
        return part;
    }

    /** The reader needs no element before this one any more. */
    void passed(long index) {
        Part part = newest();
        if (part.older != null && index >= part.from) {
            part.older = null;
        }
    }
}
