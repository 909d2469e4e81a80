package io.verbena.files;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.protocol.Chunks;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.protocol.FileMessage;
import io.verbena.files.protocol.MessagePort;
import io.verbena.files.protocol.Sums;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * One connection's share of a copy: claims chunks and keeps one in flight per slot. Each slot has its own buffer, so that the
 * checksum is computed from the bytes that move, even if the file changes meanwhile.
 */
abstract class Stripe {

    private static final int MOST_TRIES = 4;

    /** A chunk in flight. */
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

        /** Whether the chunk was not moved before. */
        boolean first() {
            return moves == 0;
        }

        /** Counts one more move of the chunk. */
        void moves() {
            moves++;
        }

        int index() {
            return index;
        }
    }

    /** What the stripes of a copy share. */
    record Transfer(Chunks chunks, CopySettings settings, Tally tally) {}

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

    Stripe(Link link, RemoteRegion remote, Transfer transfer) {
        this.link = link;
        this.remote = remote;
        this.chunks = transfer.chunks();
        this.settings = transfer.settings();
        this.tally = transfer.tally();
        this.slots = new Slot[Math.clamp(chunks.count(), 1, slots(link, settings))];
        Arrays.setAll(slots, Slot::new);
        this.memory = link.register(link.pd().allocate((long) slots.length * chunks.chunkBytes(), LOCAL_WRITE));
    }

    /** At most the negotiated read depth, and at most the number of questions that may be open. */
    private static int slots(Link link, CopySettings settings) {
        int reads = link.queuePair().query().outboundReads();
        return Math.max(1, Math.min(settings.work().depth(), Math.min(reads, MessagePort.SLOTS - 1)));
    }

    /** Starts with a claimed chunk. */
    abstract void begin(Slot slot) throws FileServiceException;

    /** Handles the checksum of the chunk at the server. */
    abstract void onSum(Slot slot, FileMessage.Summed sum) throws FileServiceException;

    /** Handles the confirmation that earlier Writes have been placed. */
    abstract void onArrived(Slot slot) throws FileServiceException;

    /** Handles a complete Read. */
    abstract void onRead(Slot slot) throws FileServiceException;

    /** Checks the attributes of the file at the server after the last chunk. */
    abstract void check(FileAttributes attributes) throws FileServiceException;

    /** What a wait is for, in error messages. */
    abstract String what();

    /** Works until no chunk is left to claim. Gives back chunks that are not done. */
    final void run() throws FileServiceException {
        try {
            link.queuePair().startBatch();
            for (Slot slot : slots) {
                claim(slot);
            }
            link.queuePair().ringDoorbell();
            while (busy > 0) {
                onCompletion(link.next(what()));
            }
            // The answer also confirms that all earlier Writes have been placed.
            check(link.ask(
                            new FileMessage.Stat(),
                            FileMessage.Status.class,
                            "the attributes of the file",
                            settings.patience().timeout())
                    .attributes());
        } finally {
            for (Slot slot : slots) {
                if (slot.chunk >= 0) {
                    chunks.giveBack(slot.chunk);
                }
            }
        }
    }

    private void onCompletion(CompletionCursor completion) throws FileServiceException {
        if (completion.opcode() != CompletionOpcode.RECEIVE) {
            onRead(reading(completion.wrId()));
            return;
        }
        switch (link.answer(completion, FileMessage.class)) {
            case FileMessage.Summed sum -> onSum(asked.remove(), sum);
            case FileMessage.Status status -> onArrived(asked.remove());
            case FileMessage other ->
                throw new FileServiceException("The server answered a question about a chunk with a "
                        + other.getClass().getSimpleName());
        }
    }

    /** The slot of a completed Read. A completion for an idle slot would write its buffer to a wrong place. */
    private Slot reading(long wrId) throws FileServiceException {
        if (wrId < 0 || wrId >= slots.length || slots[(int) wrId].chunk < 0) {
            throw new FileServiceException("A completion arrived for a Read that was not posted");
        }
        return slots[(int) wrId];
    }

    private void claim(Slot slot) throws FileServiceException {
        int chunk = chunks.claim();
        if (chunk >= 0) {
            slot.chunk = chunk;
            slot.moves = 0;
            busy++;
            begin(slot);
        }
    }

    /** Finishes a chunk and claims the next one. */
    protected final void finish(Slot slot) throws FileServiceException {
        int chunk = slot.chunk;
        slot.chunk = -1;
        busy--;
        chunks.finish(chunk);
        claim(slot);
    }

    /** Requests the checksum of the chunk at the server. */
    protected final void askSum(Slot slot) throws FileServiceException {
        asked.add(slot);
        link.send(new FileMessage.Sum(offset(slot), length(slot)));
    }

    /** Requests a confirmation that all earlier Writes have been placed. */
    protected final void askArrived(Slot slot) throws FileServiceException {
        asked.add(slot);
        link.send(new FileMessage.Stat());
    }

    /** Counts a chunk whose checksum is wrong. Fails after the last try. */
    protected final void again(Slot slot) throws FileServiceException {
        tally.again.increment();
        if (slot.moves == MOST_TRIES) {
            throw new FileServiceException("The chunk at offset " + offset(slot) + " had a wrong checksum " + MOST_TRIES
                    + " times: the file is being changed, or the network damages data (--crc protects every frame)");
        }
    }

    protected final long offset(Slot slot) {
        return chunks.offset(slot.chunk);
    }

    protected final int length(Slot slot) {
        return chunks.length(slot.chunk);
    }

    /** The offset of the slot's buffer in {@link #memory}. */
    protected final long bufferOffset(Slot slot) {
        return (long) slot.index * chunks.chunkBytes();
    }

    /** The slot's buffer, as long as its chunk. */
    protected final MemorySegment buffer(Slot slot) {
        return memory.segment().asSlice(bufferOffset(slot), length(slot));
    }

    protected static FileServiceException full() {
        return new FileServiceException("The send queue is full, so a chunk could not be posted");
    }
}
