package io.verbena.messaging;

import io.verbena.messaging.protocol.ReceiveCredit;
import io.verbena.messaging.protocol.SendCredit;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Another rank, as one rank sees it: the channel to it and what waits to go there. */
final class Peer {

    /** Stands for no rank. */
    static final Peer NOBODY = new Peer(-1, 0);

    private static final int MOST_TRANSFERS = 16;

    private final int rank;

    final SendCredit sendCredit = new SendCredit();
    final ReceiveCredit receiveCredit;

    /** What waits for the channel: sends in their order, and numbers of messages that were read or written. */
    final ArrayDeque<Operation> sends = new ArrayDeque<>();

    final ArrayDeque<Integer> readDone = new ArrayDeque<>();
    final ArrayDeque<Integer> written = new ArrayDeque<>();

    /** Receives whose memory is still to be granted to the peer. */
    final ArrayDeque<Operation> granting = new ArrayDeque<>();

    /** Operations whose Reads or Writes are still to be posted. */
    final ArrayDeque<Operation> transfers = new ArrayDeque<>();

    @Nullable
    Channel channel;

    /** Ranks of whose death the peer is to be told. */
    final ArrayDeque<Integer> died = new ArrayDeque<>();

    /** The peer is to be told that this rank ends. */
    boolean farewell;

    /** The peer has said that it ends. */
    boolean saidFarewell;

    /** It did not answer, and is called again. */
    boolean retries;

    long retryNs;
    private boolean called;
    private long calledSinceNs;

    /** Our attempt was turned away in favour of the peer's, which is on its way. */
    boolean awaitsPeer;

    long awaitsSinceNs;
    boolean waits; // in the transport's list of those with something to go

    /** Why nothing goes there any more; empty while it does. */
    String gone = "";

    private @Nullable Registrations registrations;
    private int transfersPosted;

    Peer(int rank, long windowBytes) {
        this.rank = rank;
        receiveCredit = new ReceiveCredit(windowBytes);
    }

    int rank() {
        return rank;
    }

    /** Whether an attempt to connect has to be made before something can go there. */
    boolean unconnected() {
        return channel == null && !awaitsPeer && !retries && gone.isEmpty();
    }

    /** An attempt was not answered: whether another one is worth it. */
    boolean mayRetry(long nowNs, long longestNs) {
        if (!called) {
            called = true;
            calledSinceNs = nowNs;
        }
        return nowNs - calledSinceNs < longestNs;
    }

    boolean idle() {
        return idleButFarewell() && !farewell;
    }

    /** Whether nothing but a farewell is left to say. */
    boolean idleButFarewell() {
        return sends.isEmpty()
                && readDone.isEmpty()
                && written.isEmpty()
                && granting.isEmpty()
                && transfers.isEmpty()
                && died.isEmpty()
                && !awaitsPeer
                && !retries
                && !tellDue();
    }

    /** Whether the peer is to be told what receives have taken. */
    boolean tellDue() {
        return channel != null && receiveCredit.tellDue();
    }

    /** Nothing goes there any more. */
    void forgetAll() {
        sends.clear();
        readDone.clear();
        written.clear();
        granting.clear();
        transfers.clear();
        died.clear();
        farewell = false;
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

    boolean mayTransfer() {
        return transfersPosted < MOST_TRANSFERS;
    }

    void transferPosted() {
        transfersPosted++;
    }

    void transferEnded() {
        transfersPosted--;
    }

    /** The channel is over. */
    void disconnected() {
        Registrations mine = registrations;
        if (mine != null) {
            mine.close();
        }
        registrations = null;
        channel = null;
        transfersPosted = 0;
    }
}
