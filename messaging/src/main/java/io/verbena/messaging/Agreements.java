package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.protocol.Agreement;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.transfer.Awaited;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The agreements of one communicator, one after the other, and their messages:
 *
 * <pre>
 *   long 0   kind (8) | proposed (8) | words (16) | number of the agreement (32)
 *   long 1   the words, then the dead ranks, one bit for each
 * </pre>
 */
final class Agreements implements Agreement.Network, Awaited {

    /** Words of a value: a flag of the program, and the unused numbers of communicators. */
    static final int WORDS = 1 + Contexts.MAX_COMMUNICATORS / Long.SIZE;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** A message for an agreement that this rank has not started. */
    private record Early(int from, int kind, boolean proposed, Agreement.Value value) {}

    private final CollectiveHost messenger;
    private final Membership members;
    private final Group group;
    private final int rank;
    private final int context;
    private final List<Early> early = new ArrayList<>(); // for the next agreement; others cannot be further
    private @Nullable Agreement agreement; // the last one that this rank has started
    private int number;

    Agreements(CollectiveHost messenger, Membership members, Group group, int rank, int communicator) {
        this.messenger = messenger;
        this.members = members;
        this.group = group;
        this.rank = rank;
        context = Contexts.agreement(communicator);
    }

    /** Longest message of a group of this size. */
    static int messageBytes(int size) {
        return Long.BYTES * (1 + WORDS + (size + Long.SIZE - 1) / Long.SIZE);
    }

    /** Starts the next agreement: {@link #isDone} returns whether it has ended, {@link #value} what it has. */
    void start(long[] words) {
        Agreement last = agreement;
        if (last != null && !last.decided()) {
            throw new IllegalStateException("the last agreement has not ended: this rank has given up waiting for it");
        }
        BitSet dead = new BitSet();
        for (int i = 0; i < group.size(); i++) {
            dead.set(i, !lives(i));
        }
        number++;
        Agreement next = new Agreement(rank, group.size(), this, new Agreement.Value(words, dead));
        agreement = next;
        List<Early> arrived = List.copyOf(early);
        early.clear();
        for (Early each : arrived) {
            next.arrived(each.from(), each.kind(), each.proposed(), each.value());
        }
        members.connectAll(group); // the coordinator must notice the death of every rank
        next.advance();
    }

    /** Number of agreements that this rank has started. */
    int started() {
        return number;
    }

    /** What the last agreement has. */
    Agreement.Value value() {
        Agreement last = agreement;
        if (last == null) {
            throw new IllegalStateException("there was no agreement");
        }
        return last.value();
    }

    void advance() {
        Agreement last = agreement;
        if (last != null) {
            last.advance();
        }
    }

    @Override
    public boolean isDone() {
        Agreement last = agreement;
        return last != null && last.decided();
    }

    @Override
    public void checkBounds(long startNs) {
        if (messenger.waiter().longSince(startNs)) {
            members.connectAll(group);
        }
        if (messenger.waiter().timedOut(startNs)) {
            throw new MessagingException("The ranks did not agree in time: a living rank takes no part.");
        }
    }

    // Messages.

    @Override
    public boolean lives(int other) {
        return other == rank || messenger.peer(group.world(other)).gone.isEmpty();
    }

    @Override
    public void send(int to, int kind, boolean proposed, Agreement.Value value) {
        long[] dead = value.dead().toLongArray();
        long[] longs = new long[1 + WORDS + dead.length];
        longs[0] = kind | (proposed ? 1L << 8 : 0) | (long) dead.length << 16 | (long) number << 32;
        System.arraycopy(value.words(), 0, longs, 1, WORDS);
        System.arraycopy(dead, 0, longs, 1 + WORDS, dead.length);
        MemorySegment message = MemorySegment.ofArray(longs);
        int peer = group.world(to);
        if (!messenger.sendNow(message, 0, message.byteSize(), peer, 0, context)) {
            messenger.send(new MessageRequest(messenger)
                    .start(true, message, 0, message.byteSize(), peer, 0, context)
                    .in(group));
        }
    }

    /** A message of a rank of the job has arrived, which may have sent anything; false if it is malformed. */
    boolean arrived(int worldRank, MemorySegment message) {
        int from = group.rankOf(worldRank);
        if (from == Group.NONE || message.byteSize() < Long.BYTES * (1L + WORDS)) {
            return false;
        }
        long head = message.get(LONG, 0);
        int deadWords = (int) (head >>> 16) & 0xffff;
        if (message.byteSize() != Long.BYTES * (1L + WORDS + deadWords)
                || deadWords > (group.size() + Long.SIZE - 1) / Long.SIZE) {
            return false;
        }
        long[] all = message.toArray(LONG);
        long[] words = new long[WORDS];
        System.arraycopy(all, 1, words, 0, WORDS);
        long[] dead = new long[deadWords];
        System.arraycopy(all, 1 + WORDS, dead, 0, deadWords);
        Agreement.Value value = new Agreement.Value(words, BitSet.valueOf(dead));
        int kind = (int) head & 0xff;
        boolean proposed = (head >>> 8 & 0xff) != 0;
        int of = (int) (head >>> 32);
        Agreement last = agreement;
        if (of == number && last != null) {
            last.arrived(from, kind, proposed, value);
        } else if (of == number + 1 && early.size() < 2 * group.size()) {
            early.add(new Early(from, kind, proposed, value));
        }
        return true;
    }
}
