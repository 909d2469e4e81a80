package io.verbena.messaging;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Another rank, as one rank sees it: the channel to it and what waits to go there. */
final class Peer {

    /** Stands for no rank. */
    static final Peer NOBODY = new Peer(-1);

    private static final int MOST_READS = 16;

    private final int rank;

    /** What waits for the channel: sends in their order, and words that rendezvous messages were read. */
    final ArrayDeque<Operation> sends = new ArrayDeque<>();

    final ArrayDeque<Integer> readDone = new ArrayDeque<>();

    /** Receives whose Reads found no room. */
    final ArrayDeque<Operation> reading = new ArrayDeque<>();

    @Nullable
    Channel channel;

    /** Our attempt was turned away in favour of the peer's, which is on its way. */
    boolean awaitsPeer;

    long awaitsSinceNs;
    boolean waits; // in the transport's list of those with something to go

    /** Why nothing goes there any more; empty while it does. */
    String gone = "";

    private @Nullable Registrations registrations;
    private int reads;

    Peer(int rank) {
        this.rank = rank;
    }

    int rank() {
        return rank;
    }

    boolean idle() {
        return sends.isEmpty() && readDone.isEmpty() && reading.isEmpty();
    }

    /** User memory registered for this peer. */
    Registrations registrations() {
        Registrations made = registrations;
        Channel mine = channel;
        if (made == null && mine != null) {
            made = new Registrations(mine.protectionDomain());
            registrations = made;
        }
        if (made == null) {
            throw new IllegalStateException("no channel to rank " + rank);
        }
        return made;
    }

    boolean mayRead() {
        return reads < MOST_READS;
    }

    void readPosted() {
        reads++;
    }

    void readEnded() {
        reads--;
    }

    /** The channel is over. */
    void disconnected() {
        Registrations mine = registrations;
        if (mine != null) {
            mine.close();
        }
        registrations = null;
        channel = null;
        reads = 0;
    }
}
