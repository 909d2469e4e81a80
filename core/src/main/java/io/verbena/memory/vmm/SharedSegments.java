package io.verbena.memory.vmm;

import io.verbena.verbs.SegmentOfferOptions;
import io.verbena.verbs.SegmentToken;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;

/** Pinned memory that processes of one host share: where it comes from, and how one process opens that of another. */
public interface SharedSegments {

    /**
     * Creates zeroed memory that other processes can map.
     *
     * @throws IOException with a sentence, if there is not so much, or memory cannot be shared here
     */
    Shareable create(long bytes) throws IOException;

    /**
     * Maps memory of another process.
     *
     * @throws IOException with a sentence, if the token is not valid, or the owner does not respond
     */
    Opened open(SegmentToken token, boolean writable) throws IOException;

    /** Memory of this process. */
    interface Shareable {

        MemorySegment memory();

        /** Makes a token for it. */
        Offered offer(SegmentOfferOptions options) throws IOException;

        /** Ends all offers without waiting, and unmaps the memory. May be repeated. */
        void giveBack();
    }

    /** An offer of this process. */
    interface Offered {

        SegmentToken token();

        /** The processes that have the memory now, one for each opening. */
        List<Long> processes();

        /**
         * Ends the offer and waits, not interruptibly, until no process has the memory any more. May be repeated.
         *
         * @return whether none has it
         */
        boolean end(long timeoutNs);
    }

    /** Memory of another process. */
    interface Opened {

        MemorySegment memory();

        /**
         * Sets what is called, once and on a thread of its own, when the owner has ended the offer or is dead. The memory remains
         * accessible until it is given back.
         *
         * @param listener receives the reason, which continues a sentence
         */
        void onEnd(Consumer<String> listener);

        /** Unmaps the memory, then tells the owner. May be repeated. */
        void giveBack();
    }
}
