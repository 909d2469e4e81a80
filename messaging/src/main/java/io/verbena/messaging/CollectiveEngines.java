package io.verbena.messaging;

import io.verbena.messaging.channel.Channel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The collective operations of all communicators of one rank, and the numbers of these communicators. */
final class CollectiveEngines {

    private static final int REASON_BITS = 8;

    final CollectiveHost messenger;
    private final Membership members;
    private final Failures failures;
    private final Outbox outbox;
    private final List<CollectiveEngine> engines = new ArrayList<>();
    private final Map<Integer, CollectiveEngine> byNumber = new HashMap<>();
    private final BitSet used = new BitSet(Contexts.MAX_COMMUNICATORS);

    /** Notices about communicators that other ranks have finished to create, and this rank has not. */
    private final Map<Integer, String> early = new HashMap<>();

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
        used.set(number);
        String reason = early.remove(number);
        if (reason != null) {
            engine.end(reason, List.of());
        }
        if (failures.anyOf(group)) {
            engine.onDeath();
        }
        return engine;
    }

    /** Removes a communicator; its number can be used again. */
    void remove(CollectiveEngine engine) {
        engines.remove(engine);
        byNumber.remove(engine.number());
        used.clear(engine.number());
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
            return work;
        } finally {
            advancing = false;
        }
    }

    /** A message has arrived that no receive waits for; returns whether it has to be kept. */
    boolean admits(int source, int tag, int context) {
        CollectiveEngine engine = byNumber.get(Contexts.communicator(context));
        return engine == null || engine.admits(source, tag, context);
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

    /** Another rank has ended the collective operations of a communicator. */
    void onRevoked(Peer peer, Channel channel, long word) {
        long number = word >>> REASON_BITS;
        if (number < 0 || number >= Contexts.MAX_COMMUNICATORS) {
            channel.fail("Rank " + peer.rank() + " revoked the communicator " + number + ", which cannot exist.");
            return;
        }
        String sentence = Revocation.of((int) word & (1 << REASON_BITS) - 1).by(peer.rank());
        CollectiveEngine engine = byNumber.get((int) number);
        if (engine == null) {
            early.put((int) number, sentence);
        } else if (engine.group().contains(peer.rank())) {
            engine.end(sentence, List.of());
        }
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
