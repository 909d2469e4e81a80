package io.verbena.messaging;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.protocol.Contexts;
import io.verbena.messaging.protocol.Revocation;
import io.verbena.messaging.transfer.Operation;
import io.verbena.messaging.transfer.Outbox;
import io.verbena.messaging.transfer.Peer;
import io.verbena.messaging.transfer.Unexpected;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The collective operations of all communicators of one rank, and the numbers of these communicators. */
final class CollectiveEngines {

    private static final int REASON_BITS = 8;
    private static final int MOST_ARRIVING_OF_EACH = 8;

    private record Early(Revocation revocation, String sentence) {}

    final CollectiveHost messenger;
    private final Membership members;
    private final Failures failures;
    private final Outbox outbox;
    private final List<CollectiveEngine> engines = new ArrayList<>();
    private volatile CollectiveEngine[] present = {}; // for events
    private final Map<Integer, CollectiveEngine> byNumber = new HashMap<>();
    private final BitSet used = new BitSet(Contexts.MAX_COMMUNICATORS);

    /** Notices about communicators that other ranks have finished to create, and this rank has not. */
    private final Map<Integer, Early> early = new HashMap<>();

    /** Agreements, also of communicators that were closed after a failure: other ranks may still need answers. */
    private final Map<Integer, Agreements> agreements = new HashMap<>();

    /** What has arrived for agreements and was not handled yet. */
    private final List<Operation> arriving = new ArrayList<>();

    private final BitSet revoked = new BitSet(Contexts.MAX_COMMUNICATORS);
    private final Stray stray = new Stray();
    private boolean advancing;

    CollectiveEngines(CollectiveHost messenger, Membership members, Failures failures, Outbox outbox) {
        this.messenger = messenger;
        this.members = members;
        this.failures = failures;
        this.outbox = outbox;
    }

    /** Adds a communicator. */
    CollectiveEngine create(int number, Group group, int rank) {
        CollectiveEngine engine = new CollectiveEngine(this, number, group, rank);
        engines.add(engine);
        byNumber.put(number, engine);
        present = engines.toArray(CollectiveEngine[]::new);
        used.set(number);
        Early reason = early.remove(number);
        if (reason != null) {
            apply(engine, reason.revocation(), reason.sentence());
        }
        if (failures.anyOf(group)) {
            engine.onDeath();
        }
        return engine;
    }

    /**
     * Removes a communicator. Its number can be used again if all ranks have closed it; otherwise notices and messages that name it may still
     * arrive.
     */
    void remove(CollectiveEngine engine, boolean closedByAll) {
        engines.remove(engine);
        present = engines.toArray(CollectiveEngine[]::new);
        CommunicatorEvent.emit(engine.number(), engine.rank(), engine.figures());
        byNumber.remove(engine.number());
        if (closedByAll) {
            used.clear(engine.number());
            agreements.remove(engine.number());
        }
    }

    Agreements agreements(int number, Group group, int rank) {
        return agreements.computeIfAbsent(number, _ -> new Agreements(messenger, members, group, rank, number));
    }

    /** The numbers that no communicator of this rank has, one bit for each. */
    long[] unused() {
        BitSet free = (BitSet) used.clone();
        free.flip(0, Contexts.MAX_COMMUNICATORS);
        long[] words = new long[Contexts.MAX_COMMUNICATORS / Long.SIZE];
        long[] set = free.toLongArray();
        System.arraycopy(set, 0, words, 0, set.length);
        return words;
    }

    /** Emits the figures of all communicators as events; called by another thread. */
    void emitFigures() {
        for (CollectiveEngine engine : present) {
            CommunicatorEvent.emit(engine.number(), engine.rank(), engine.figures());
        }
    }

    /** A word, and {@link #unused}. */
    long[] unusedAfter(long word) {
        long[] numbers = unused();
        long[] all = new long[1 + numbers.length];
        all[0] = word;
        System.arraycopy(numbers, 0, all, 1, numbers.length);
        return all;
    }

    /** The smallest number that is unused, from an index of the words on. */
    static int firstUnused(long[] words, int from) {
        for (int i = from; i < words.length; i++) {
            if (words[i] != 0) {
                return (i - from) * Long.SIZE + Long.numberOfTrailingZeros(words[i]);
            }
        }
        throw new IllegalStateException("there are " + Contexts.MAX_COMMUNICATORS
                + " communicators, the maximum: close those that are not needed any more");
    }

    // Progress.

    /** Advances all operations as far as possible; returns a measure of the work done. */
    int advance() {
        if (advancing) {
            return 0; // a reduction of the program calls the communicator
        }
        advancing = true;
        try {
            int work = 0;
            for (int i = 0; i < engines.size(); i++) {
                work += engines.get(i).advance();
            }
            work += takeArrived();
            for (int i = 0; i < engines.size(); i++) {
                engines.get(i).agreements().advance();
            }
            if (agreements.size() > engines.size()) {
                agreements.values().forEach(Agreements::advance);
            }
            return work;
        } finally {
            advancing = false;
        }
    }

    /** Hands over what has arrived for agreements. */
    private int takeArrived() {
        int taken = 0;
        for (int i = 0; i < arriving.size(); i++) {
            Operation message = arriving.get(i);
            Agreements found = agreements.get(Contexts.communicator(message.context()));
            if (message.isDone() && (found != null || used.get(Contexts.communicator(message.context())))) {
                arriving.remove(i--);
                taken++;
                if (found != null && message.failure().isEmpty()) {
                    found.arrived(message.source(), message.buffer);
                }
            }
        }
        return taken;
    }

    /** A receive for a message of an agreement that has arrived or was announced; empty if this rank does not take it. */
    Optional<Operation> arrival(int source, int context, long bytes, int size) {
        if (bytes > Agreements.messageBytes(size) || arriving.size() > MOST_ARRIVING_OF_EACH * size) {
            return Optional.empty();
        }
        MemorySegment into = MemorySegment.ofArray(new byte[(int) bytes]);
        Operation message = new MessageRequest(messenger).start(false, into, 0, bytes, source, 0, context);
        arriving.add(message);
        return Optional.of(message);
    }

    /** A message has arrived that no receive waits for; returns whether it has to be kept. */
    boolean admits(int source, int tag, int context) {
        CollectiveEngine engine = byNumber.get(Contexts.communicator(context));
        return engine == null ? !used.get(Contexts.communicator(context)) : engine.admits(source, tag, context);
    }

    // Failures.

    /** A rank has died: communicators that it belongs to have no collective operations any more. */
    void onDeath() {
        for (int i = 0; i < engines.size(); i++) {
            if (failures.anyOf(engines.get(i).group())) {
                engines.get(i).onDeath();
            }
        }
    }

    Failures failures() {
        return failures;
    }

    void connectAll(Group group) {
        members.connectAll(group);
    }

    /** Notifies the other ranks of a communicator that its collective operations have ended here. */
    void revoke(CollectiveEngine engine, Revocation reason) {
        Group group = engine.group();
        members.connectAll(group);
        long word = (long) engine.number() << REASON_BITS | reason.ordinal();
        for (int i = 0; i < group.size(); i++) {
            Peer peer = messenger.peer(group.world(i));
            if (i != engine.rank() && peer.gone.isEmpty()) {
                peer.revoked.addLast(word);
                outbox.schedule(peer);
            }
        }
    }

    /**
     * Notifies a rank that an operation has failed here because of deaths; all ranks are notified of
     * other failures.
     */
    void reportFailure(Peer peer, int context) {
        int number = Contexts.communicator(context);
        CollectiveEngine engine = byNumber.get(number);
        long word = (long) number << REASON_BITS | Revocation.DIED.ordinal();
        if (engine != null && failures.anyOf(engine.group()) && !peer.revoked.contains(word)) {
            peer.revoked.addLast(word);
        }
    }

    /** Another rank has ended the collective operations of a communicator. */
    void onRevoked(Peer peer, Channel channel, long word) {
        long number = word >>> REASON_BITS;
        if (number < 0 || number >= Contexts.MAX_COMMUNICATORS) {
            channel.fail("Rank " + peer.rank() + " revoked the communicator " + number + ", which cannot exist.");
            return;
        }
        Revocation revocation = Revocation.of((int) word & (1 << REASON_BITS) - 1);
        String sentence = revocation.by(peer.rank());
        CollectiveEngine engine = byNumber.get((int) number);
        if (engine != null && engine.group().contains(peer.rank())) {
            apply(engine, revocation, sentence);
        } else if (engine == null && !used.get((int) number)) {
            early.put((int) number, new Early(revocation, sentence));
        }
    }

    private void apply(CollectiveEngine engine, Revocation revocation, String sentence) {
        if (revocation == Revocation.REVOKED) {
            revoke(engine, sentence);
        } else if (revocation == Revocation.DIED) {
            engine.onReportedDeath(sentence);
        } else {
            engine.end(sentence, List.of());
        }
    }

    /** Ends all messages of a communicator, here and at its other ranks. Each rank passes the notice on, since the first one may die. */
    void revoke(CollectiveEngine engine, String sentence) {
        if (engine.revoke(sentence)) {
            revoked.set(engine.number());
            messenger.revoke(engine.number(), sentence);
            revoke(engine, Revocation.REVOKED);
        }
    }

    /** Returns whether a message belongs to a communicator that was revoked. */
    boolean isRevoked(int context) {
        return !revoked.isEmpty()
                && revoked.get(Contexts.communicator(context))
                && Contexts.isRevocable(context, Contexts.communicator(context));
    }

    /** The oldest message of a communicator without a receive that has this tag and not this context; null if there is none. */
    @Nullable
    Unexpected stray(int number, int tag, int context) {
        stray.number = number;
        stray.tag = tag;
        stray.context = context;
        return messenger.first(stray);
    }

    /** A message for the place of an operation in the order of all ranks that belongs to another one; one object, so that no search makes one. */
    private static final class Stray implements Predicate<Unexpected> {
        private int number;
        private int tag;
        private int context;

        @Override
        public boolean test(Unexpected kept) {
            return kept.tag() == tag
                    && kept.context() != context
                    && Contexts.kind(kept.context()) == Contexts.SCHEDULES
                    && Contexts.communicator(kept.context()) == number;
        }
    }

    /** Discards the messages of the collective operations of a communicator. */
    void discard(int number) {
        messenger.discard(kept ->
                Contexts.kind(kept.context()) == Contexts.SCHEDULES && Contexts.communicator(kept.context()) == number);
    }
}
