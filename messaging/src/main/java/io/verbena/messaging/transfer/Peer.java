package io.verbena.messaging.transfer;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.protocol.ReceiveCredit;
import io.verbena.messaging.protocol.SendCredit;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Another rank, from the point of view of one rank: the channel to it, and what waits to be sent on the channel. */
public final class Peer {

    /** Stands for no rank. */
    public static final Peer NONE = new Peer(-1, 0, 0);

    private static final int MAX_TRANSFERS = 16;

    private final int rank;

    public final SendCredit sendCredit = new SendCredit();
    public final ReceiveCredit receiveCredit;

    /** Sends that wait for the channel, in order. */
    public final ArrayDeque<Operation> sends = new ArrayDeque<>();

    /** Numbers of the peer's sends that have been read. */
    final ArrayDeque<Integer> readDone = new ArrayDeque<>();

    /** Whether the peer must be notified of them now. */
    private boolean awaited;

    /** Numbers of the peer's receives that have been written. */
    final ArrayDeque<Integer> written = new ArrayDeque<>();

    /** Numbers of the peer's sends that this rank does not receive. */
    final ArrayDeque<Integer> declined = new ArrayDeque<>();

    /** Receives whose memory has to be granted to the peer. */
    final ArrayDeque<Operation> granting = new ArrayDeque<>();

    /** Operations whose Reads or Writes have to be posted. */
    final ArrayDeque<Operation> transfers = new ArrayDeque<>();

    /** Accesses to the peer's windows that have to be posted. */
    final ArrayDeque<RemoteAccess> accesses = new ArrayDeque<>();

    /** Ranks whose death has to be reported to the peer. */
    public final ArrayDeque<Integer> died = new ArrayDeque<>();

    /** Sends of failed collective operations that the peer may still read, and the same after the fence was posted. */
    public final ArrayDeque<Operation> abandoned = new ArrayDeque<>();

    final ArrayDeque<Operation> fenced = new ArrayDeque<>();

    /** Communicators whose collective operations have failed here, which has to be reported to the peer. */
    public final ArrayDeque<Long> revoked = new ArrayDeque<>();

    @Nullable
    public Channel channel;

    /** The peer has to be notified that this rank starts no more messages: the contexts that are left, one bit for each. */
    public int leaving;

    /** The contexts of which the peer starts no more messages, one bit for each. */
    public int left;

    /** The peer has to be notified that this rank ends. */
    public boolean farewell;

    /** The peer has announced its end. */
    public boolean saidFarewell;

    /** The peer did not respond to an attempt to connect, which is repeated at {@link #retryNs}. */
    public boolean retries;

    public long retryNs;
    private boolean unanswered;
    private long unansweredSinceNs;

    /** The peer is reported dead, and nothing has arrived from it yet. */
    public boolean doubtful;

    public long doubtfulSinceNs;

    /** The attempt of this rank was rejected because the peer connects itself. */
    public boolean awaitsPeer;

    public long awaitsSinceNs;

    /** Whether the peer is in the {@link Outbox}. */
    boolean scheduled;

    /** Why nothing can be sent to or received from the peer any more; empty while it can. */
    public String gone = "";

    private @Nullable Registrations registrations;
    private int transfersPosted;

    public Peer(int rank, long windowBytes, int maxRequests) {
        this.rank = rank;
        receiveCredit = new ReceiveCredit(windowBytes, maxRequests);
    }

    public int rank() {
        return rank;
    }

    /** Returns whether an attempt to connect has to be started before something can be sent. */
    public boolean unconnected() {
        return channel == null && !awaitsPeer && !retries && gone.isEmpty();
    }

    /** An attempt to connect was not answered; returns whether it should be repeated. */
    public boolean mayRetry(long nowNs, long maxNs) {
        if (!unanswered) {
            unanswered = true;
            unansweredSinceNs = nowNs;
        }
        return nowNs - unansweredSinceNs < maxNs;
    }

    boolean idle() {
        return idleExceptFarewell() && !farewell;
    }

    /** Returns whether nothing but a farewell is left to send. */
    public boolean idleExceptFarewell() {
        return sends.isEmpty()
                && readDone.isEmpty()
                && written.isEmpty()
                && declined.isEmpty()
                && granting.isEmpty()
                && transfers.isEmpty()
                && accesses.isEmpty()
                && abandoned.isEmpty()
                && died.isEmpty()
                && revoked.isEmpty()
                && leaving == 0
                && !awaitsPeer
                && !retries
                && !doubtful
                && !creditDue();
    }

    /** Returns whether the bytes that receives have taken must be reported to the peer. */
    boolean creditDue() {
        return channel != null && receiveCredit.reportDue();
    }

    /** Nothing can be sent to the peer any more. */
    public void clear() {
        sends.clear();
        readDone.clear();
        written.clear();
        declined.clear();
        granting.clear();
        transfers.clear();
        abandoned.clear();
        fenced.clear();
        died.clear();
        revoked.clear();
        leaving = 0;
        farewell = false;
        doubtful = false;
    }

    /** User memory registered for this peer. */
    public Registrations registrations() {
        Registrations currentRegistrations = registrations;
        Channel currentChannel = channel;
        if (currentRegistrations == null && currentChannel != null) {
            currentRegistrations = new Registrations(
                    currentChannel.protectionDomain(), currentChannel.direct(), currentChannel.allocations());
            registrations = currentRegistrations;
        }
        if (currentRegistrations == null) {
            throw new IllegalStateException("no channel to rank " + rank);
        }
        return currentRegistrations;
    }

    /**
     * A send of the peer has been read.
     *
     * @param mayWait whether the peer need not be notified before other sends of it, which are being read, too
     */
    void onRead(int number, boolean mayWait) {
        readDone.addLast(number);
        awaited |= !mayWait;
    }

    /** Returns whether the peer must be notified now of sends that have been read. */
    boolean readDoneDue() {
        if (readDone.isEmpty()) {
            awaited = false;
            return false;
        }
        return awaited || transfersPosted == 0 || readDone.size() >= Rendezvous.MAX_NUMBERS;
    }

    boolean mayTransfer() {
        return transfersPosted < MAX_TRANSFERS;
    }

    void transferPosted() {
        transfersPosted++;
    }

    void transferEnded() {
        transfersPosted--;
    }

    /** The channel has ended. */
    public void disconnected() {
        Registrations currentRegistrations = registrations;
        if (currentRegistrations != null) {
            currentRegistrations.close();
        }
        registrations = null;
        channel = null;
        transfersPosted = 0;
    }
}
