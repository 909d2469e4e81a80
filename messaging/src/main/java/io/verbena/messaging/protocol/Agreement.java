package io.verbena.messaging.protocol;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * One agreement of the living ranks of a communicator. It ends although ranks die meanwhile, and all ranks that end it have the same value,
 * also those that die afterwards. The coordinator is the lowest living rank:
 *
 * <pre>
 *   others -- CONTRIBUTE --> coordinator   once for each coordinator, with the proposal of an earlier one if this rank has it
 *   others &lt;-- PROPOSE --    coordinator   when all living ranks have contributed: an earlier proposal, or all contributions combined
 *   others -- ACCEPT -->     coordinator   this rank has the proposal
 *   others &lt;-- DECIDE --     coordinator   when all living ranks have it
 * </pre>
 *
 * <p>A rank decides only when all living ranks have the proposal, so that a later coordinator repeats it. Ranks that have decided go on to
 * answer. This is a pure state machine: messages arrive by {@link #arrived} and leave through {@link Network}.
 */
public final class Agreement {

    static final int CONTRIBUTE = 0;
    static final int PROPOSE = 1;
    static final int ACCEPT = 2;
    static final int DECIDE = 3;

    /** The other ranks. */
    public interface Network {

        /** Returns whether a rank can still send messages. */
        boolean lives(int rank);

        void send(int to, int kind, boolean proposed, Value value);
    }

    /**
     * What ranks agree on.
     *
     * @param words combined by a bitwise AND
     * @param dead ranks that have died, combined by OR
     */
    public record Value(long[] words, BitSet dead) {

        Value with(Value other) {
            long[] both = words.clone();
            for (int i = 0; i < both.length; i++) {
                both[i] &= other.words[i];
            }
            BitSet all = (BitSet) dead.clone();
            all.or(other.dead);
            return new Value(both, all);
        }
    }

    private final int rank;
    private final Network network;
    private final Value own;
    private final @Nullable Value[] contributions; // to this rank
    private final BitSet accepted = new BitSet(); // ranks that have this rank's proposal
    private @Nullable Value proposal; // of a coordinator, perhaps of this rank
    private boolean coordinates;
    private int contributedTo = -1;
    private boolean decided;

    public Agreement(int rank, int size, Network network, Value own) {
        this.rank = rank;
        this.network = network;
        this.own = own;
        contributions = new @Nullable Value[size];
    }

    public boolean decided() {
        return decided;
    }

    /** The value that all ranks have agreed on. */
    public Value value() {
        Value found = proposal;
        if (!decided || found == null) {
            throw new IllegalStateException("the ranks have not agreed yet");
        }
        return found;
    }

    private int coordinator() {
        for (int i = 0; i < rank; i++) {
            if (network.lives(i)) {
                return i;
            }
        }
        return rank;
    }

    /** Does what the deaths of ranks make necessary. */
    public void advance() {
        if (decided && coordinates || contributedTo >= 0 && network.lives(contributedTo)) {
            return; // as most of the time: lower ranks that have died stay dead
        }
        int coordinator = coordinator();
        if (coordinator != rank) {
            if (contributedTo != coordinator) {
                contributedTo = coordinator;
                Value found = proposal;
                network.send(coordinator, CONTRIBUTE, found != null, found == null ? own : found);
            }
        } else if (!decided) {
            coordinate();
        }
    }

    private void coordinate() {
        if (!coordinates) {
            if (proposal == null && !allHave(contributed())) {
                return;
            }
            coordinates = true;
            propose();
        }
        if (allHave(accepted)) {
            decided = true;
            sendAll(DECIDE);
        }
    }

    private BitSet contributed() {
        BitSet found = new BitSet();
        for (int i = 0; i < contributions.length; i++) {
            found.set(i, contributions[i] != null);
        }
        return found;
    }

    private boolean allHave(BitSet ranks) {
        for (int i = 0; i < contributions.length; i++) {
            if (i != rank && network.lives(i) && !ranks.get(i)) {
                return false;
            }
        }
        return true;
    }

    private void propose() {
        if (proposal == null) {
            Value all = own;
            for (Value each : contributions) {
                all = each == null ? all : all.with(each);
            }
            BitSet gone = new BitSet();
            for (int i = 0; i < contributions.length; i++) {
                gone.set(i, i != rank && !network.lives(i));
            }
            proposal = all.with(new Value(allOnes(all.words().length), gone));
        }
        sendAll(PROPOSE);
    }

    private static long[] allOnes(int count) {
        long[] words = new long[count];
        Arrays.fill(words, -1);
        return words;
    }

    private void sendAll(int kind) {
        Value value = proposal;
        assert value != null : "nothing to send";
        for (int i = 0; i < contributions.length; i++) {
            if (i != rank && network.lives(i)) {
                network.send(i, kind, true, value);
            }
        }
    }

    /** A message of another rank has arrived. */
    public void arrived(int from, int kind, boolean proposed, Value value) {
        switch (kind) {
            case CONTRIBUTE -> onContribution(from, proposed, value);
            case PROPOSE -> {
                if (!decided) {
                    proposal = value;
                }
                network.send(from, ACCEPT, true, value);
            }
            case ACCEPT -> accepted.set(from);
            case DECIDE -> {
                if (!decided) {
                    proposal = value;
                    decided = true;
                    answerContributors();
                }
            }
            default -> {} // of a later version
        }
    }

    /** Ranks that have noticed the death of a coordinator earlier may have contributed to this rank as the next one. */
    private void answerContributors() {
        Value value = value();
        for (int i = 0; i < contributions.length; i++) {
            if (contributions[i] != null && network.lives(i)) {
                network.send(i, DECIDE, true, value);
            }
        }
    }

    private void onContribution(int from, boolean proposed, Value value) {
        contributions[from] = value;
        Value found = proposal;
        if (decided && found != null) {
            network.send(from, DECIDE, true, found);
        } else if (proposed && found == null) {
            proposal = value;
        }
    }
}
