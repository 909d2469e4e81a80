package io.verbena.messaging.transfer;

import io.verbena.messaging.channel.ElementKind;
import io.verbena.messaging.protocol.Matching;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Receives that wait for their messages, and messages that wait for their receives. */
public final class Mailbox {

    private static final int MAX_SPARE = 256;

    /** Longer payload arrays are not kept for the next message. */
    private static final int MAX_SPARE_BYTES = 64 << 10;

    /** Number of messages that are examined in a search for one that must not be there. */
    private static final int MOST_EXAMINED = 64;

    private static final int MIN_PAYLOAD_BYTES = 64;

    private final Matching<Operation, Unexpected> matching = new Matching<>();
    private final ArrayDeque<Unexpected> spare = new ArrayDeque<>();

    /** Removes and returns the oldest receive that matches a message; null if there is none. */
    @Nullable
    public Operation receiveFor(int source, int tag, int context) {
        return matching.onMessage(source, tag, context);
    }

    /** Removes and returns the oldest message that a receive matches; null if there is none. */
    @Nullable
    public Unexpected messageFor(Operation receive) {
        return matching.onReceive(receive.source(), receive.tag(), receive.context());
    }

    /** The same for a source, tag and context. */
    @Nullable
    public Unexpected remove(int source, int tag, int context) {
        return matching.onReceive(source, tag, context);
    }

    /** A receive waits for its message. */
    public void post(Operation receive) {
        matching.post(receive);
    }

    public void cancel(Operation receive) {
        matching.cancel(receive);
    }

    /** Stores a message for which there is no receive yet; the caller fills it. */
    public Unexpected keep(int source, int tag, int context, int length) {
        Unexpected kept = spare.pollLast();
        if (kept == null) {
            kept = new Unexpected();
        }
        kept.match(source, tag, context);
        kept.kind = ElementKind.EAGER;
        kept.length = length;
        if (kept.payload.length < length) {
            kept.payload = new byte[Math.max(MIN_PAYLOAD_BYTES, Integer.highestOneBit(Math.max(1, length - 1)) * 2)];
            kept.memory = MemorySegment.ofArray(kept.payload);
        }
        matching.keep(kept);
        return kept;
    }

    /** A message has been received: its object can be used again. */
    public void recycle(Unexpected received) {
        if (spare.size() < MAX_SPARE && received.payload.length <= MAX_SPARE_BYTES) {
            spare.addLast(received);
        }
    }

    /** Returns whether a receive waits for such a message. */
    public boolean awaits(int source, int tag, int context) {
        return matching.awaits(source, tag, context);
    }

    /** Returns the first of the oldest messages without a receive that satisfies a condition; null if there is none. */
    @Nullable
    public Unexpected first(Predicate<Unexpected> which) {
        return matching.unexpected() == 0 ? null : matching.first(which, MOST_EXAMINED);
    }

    /** Removes stored messages. */
    public void discard(Predicate<Unexpected> which) {
        matching.discard(which);
    }

    /** Returns the oldest message that would be received; null if there is none. */
    @Nullable
    public Unexpected find(int source, int tag, int context) {
        return matching.find(source, tag, context);
    }

    /** Removes the receives that satisfy a condition and revokes them. */
    public void revoke(Predicate<Operation> which, String sentence) {
        for (Operation left = matching.take(which); left != null; left = matching.take(which)) {
            left.revoke(sentence);
        }
    }

    /** Fails the receives that satisfy a condition. */
    public void fail(Predicate<Operation> which, Function<Operation, String> sentence, List<Integer> died) {
        for (Operation left = matching.take(which); left != null; left = matching.take(which)) {
            left.fail(sentence.apply(left), died);
        }
    }
}
