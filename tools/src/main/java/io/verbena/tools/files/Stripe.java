package io.verbena.tools.files;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * One connection's share of a copy: claims chunks and keeps as many under way as it has slots. Each slot has a buffer of
 * its own, so that a checksum is of the bytes that move, whatever happens to the file meanwhile.
 */
abstract class Stripe {

    private static final int MOST_TRIES = 4;

    /** A chunk under way. */
    protected static final class Slot {

        private final int index;
        private int chunk = -1;
        private int moves;
        private int crc32c;

        private Slot(int index) {
            this.index = index;
        }

        int chunk() {
            return chunk;
        }

        int crc32c() {
            return crc32c;
        }

        void crc32c(int value) {
            crc32c = value;
        }

        /** Whether the chunk has not gone before. */
        boolean first() {
            return moves == 0;
        }

        /** It goes, perhaps once more. */
        void moves() {
            moves++;
        }

        int index() {
            return index;
        }
    }

    protected final Link link;
    protected final Chunks chunks;
    protected final CopySettings settings;
    protected final RemoteRegion remote;
    protected final Tally tally;
    protected final Sums sums = new Sums();
    protected final MemoryRegion memory;
    private final Slot[] slots;
    private final Deque<Slot> asked = new ArrayDeque<>();
    private int busy;

    Stripe(Link link, RemoteRegion remote, Chunks chunks, CopySettings settings, Tally tally) {
        this.link = link;
        this.remote = remote;
        this.chunks = chunks;
        this.settings = settings;
        this.tally = tally;
        this.slots = new Slot[Math.clamp(chunks.count(), 1, slots(link, settings))];
        Arrays.setAll(slots, Slot::new);
        this.memory = link.register(link.pd().allocate((long) slots.length * chunks.chunkBytes(), LOCAL_WRITE));
    }

    /** No more than the peer lets us read at once, nor than we may ask at once. */
    private static int slots(Link link, CopySettings settings) {
        int reads = link.queuePair().query().outboundReads();
        return Math.max(1, Math.min(settings.depth(), Math.min(reads, MessagePort.SLOTS - 1)));
    }

    /** A chunk was claimed: starts with it. */
    abstract void begin(Slot slot) throws Failure;

    /** The server told the checksum of its side. */
    abstract void onSum(Slot slot, FileMessage.Summed sum) throws Failure;

    /** The server knows what was written before. */
    abstract void onArrived(Slot slot) throws Failure;

    /** The Read is complete. */
    abstract void onRead(Slot slot) throws Failure;

    /** The file at the server after the last chunk. */
    abstract void check(FileAttributes attributes) throws Failure;

    /** What to call a wait. */
    abstract String what();

    /** Works until there is nothing left to claim. What is not done is given back. */
    final void run() throws Failure {
        try {
            link.queuePair().startBatch();
            for (Slot slot : slots) {
                claim(slot);
            }
            link.queuePair().ringDoorbell();
            while (busy > 0) {
                onCompletion(link.next(what()));
            }
            // The answer also says that everything written before it has arrived.
            check(link.ask(
                            new FileMessage.Stat(),
                            FileMessage.Status.class,
                            "the server's last word",
                            settings.timeout())
                    .attributes());
        } finally {
            for (Slot slot : slots) {
                if (slot.chunk >= 0) {
                    chunks.giveBack(slot.chunk);
                }
            }
        }
    }

    private void onCompletion(CompletionCursor completion) throws Failure {
        if (completion.opcode() != CompletionOpcode.RECEIVE) {
            onRead(reading(completion.wrId()));
            return;
        }
        switch (link.answer(completion, FileMessage.class)) {
            case FileMessage.Summed sum -> onSum(asked.remove(), sum);
            case FileMessage.Status status -> onArrived(asked.remove());
            case FileMessage other ->
                throw new Failure("The server answered with a "
                        + other.getClass().getSimpleName() + " to a question about a chunk");
        }
    }

    /** The slot of a completed Read; a completion for an idle one would have its buffer written to a wrong place. */
    private Slot reading(long wrId) throws Failure {
        if (wrId < 0 || wrId >= slots.length || slots[(int) wrId].chunk < 0) {
            throw new Failure("A Read completed that was not under way");
        }
        return slots[(int) wrId];
    }

    private void claim(Slot slot) throws Failure {
        int chunk = chunks.claim();
        if (chunk >= 0) {
            slot.chunk = chunk;
            slot.moves = 0;
            busy++;
            begin(slot);
        }
    }

    /** The chunk is done. */
    protected final void finish(Slot slot) throws Failure {
        int chunk = slot.chunk;
        slot.chunk = -1;
        busy--;
        chunks.finish(chunk);
        claim(slot);
    }

    /** Asks for the checksum of the server's side. */
    protected final void askSum(Slot slot) throws Failure {
        asked.add(slot);
        link.send(new FileMessage.Sum(offset(slot), length(slot)));
    }

    /** Asks for a sign that everything before has arrived. */
    protected final void askArrived(Slot slot) throws Failure {
        asked.add(slot);
        link.send(new FileMessage.Stat());
    }

    /** The checksum makes one more try necessary; there is an end to that. */
    protected final void again(Slot slot) throws Failure {
        tally.again.increment();
        if (slot.moves == MOST_TRIES) {
            throw new Failure(
                    "The bytes from " + offset(slot) + " on arrived wrong " + MOST_TRIES
                            + " times; the file is being changed, or something on the way damages it (--crc checks every frame)");
        }
    }

    protected final long offset(Slot slot) {
        return chunks.offset(slot.chunk);
    }

    protected final int length(Slot slot) {
        return chunks.length(slot.chunk);
    }

    /** Where the slot's buffer starts in {@link #memory}. */
    protected final long bufferOffset(Slot slot) {
        return (long) slot.index * chunks.chunkBytes();
    }

    /** The slot's buffer, as long as its chunk. */
    protected final MemorySegment buffer(Slot slot) {
        return memory.segment().asSlice(bufferOffset(slot), length(slot));
    }

    protected static Failure full() {
        return new Failure("The send queue takes no work although there is room");
    }
}
