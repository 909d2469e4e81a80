package io.verbena.ib.cm;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.base.StateMachine;
import io.verbena.base.Times;

/**
 * One connection of communication management: its state, its numbers, and the message that is repeated until it is
 * answered. {@link CmAgent} and {@link CmPeers} send the messages and signals of each transition.
 */
final class CmConnection extends CmTimer {

    /** 4.096 µs, the unit of all time-out codes. */
    private static final long UNIT_NS = 4_096;

    private static final int LONGEST_CODE = 31;
    private static final int FASTER_REPETITIONS = 4;

    /** The longest silence between two copies of a message is {@code 1 << MOST_DOUBLINGS} times the response time-out. */
    private static final int MOST_DOUBLINGS = 1;

    private static final int UNREPORTED = -1;

    /** Bytes that an address receives for each byte that came from there, until the peer has shown that it receives them. */
    private static final int MOST_ANSWERS = 3;

    private static final int MOST_BYTES_LEFT = 1 << 20;

    private final CmAgent agent;
    private final CmConnections connections;
    private final boolean active;
    private final PacketPath path;
    private final StateMachine<CmState, CmEvent> machine = new StateMachine<>(CmTable.TABLE, CmState.IDLE);
    private int remoteId;
    private long transaction;
    private long remoteGuid;
    private boolean reliableDatagram;
    private boolean peerMayRepeat;
    private int remoteQueuePair;
    private int localQueuePair;
    private int ackTimeoutCode;

    /** Whether the peer has shown that it receives at its address. */
    private boolean confirmed;

    private int bytesLeft;

    private byte[] unanswered = {};
    private byte[] confirmation = {};
    private long silenceNs;
    private long longestSilenceNs;
    private int triesLeft;

    /** When the message in repetition was sent first, and whether its answer is timed. */
    private long sentNs;

    private boolean timed;

    /** Tries that were left when the network last reported the peer as unreachable, and the number of such tries. */
    private int reportedAtTry;

    private int reports;

    // Alternate paths.
    private boolean alternateProposed;
    private long proposalTransaction;
    private long alternateTransaction;
    private byte[] alternateAnswer = {};

    CmConnection(CmAgent agent, CmConnections connections, int localId, boolean active, PacketPath path) {
        super(agent.timers(), localId);
        this.agent = agent;
        this.connections = connections;
        this.active = active;
        this.path = path;
        confirmed = active; // the application has chosen the address
    }

    /** The duration of a time-out code (InfiniBand architecture specification, volume 1, section 12.7). */
    static long timeNs(int code) {
        return UNIT_NS << Math.min(code, LONGEST_CODE);
    }

    /** Whether this side asked for the connection. */
    boolean active() {
        return active;
    }

    /** The path to the peer. */
    PacketPath path() {
        return path;
    }

    CmState state() {
        return machine.state();
    }

    /** Whether an event caused a transition; see {@link StateMachine#on}. */
    boolean on(CmEvent event) {
        CmState before = machine.state();
        if (!machine.on(event)) {
            return false;
        }
        connections.moved(this, before, machine.state());
        return true;
    }

    int remoteId() {
        return remoteId;
    }

    long transaction() {
        return transaction;
    }

    long remoteGuid() {
        return remoteGuid;
    }

    /** Whether the connection is one of end-to-end contexts. The numbers of queue pairs are those of contexts then. */
    boolean reliableDatagram() {
        return reliableDatagram;
    }

    void transportService(int service) {
        reliableDatagram = service == CmOffer.RELIABLE_DATAGRAM;
    }

    /** Whether the peer has ended the connection, and repeats its DREQ if it does not receive the DREP. */
    boolean peerMayRepeat() {
        return peerMayRepeat;
    }

    void peerMayRepeat(boolean value) {
        peerMayRepeat = value;
    }

    int remoteQueuePair() {
        return remoteQueuePair;
    }

    int localQueuePair() {
        return localQueuePair;
    }

    void localQueuePair(int number) {
        localQueuePair = number;
    }

    void transaction(long value) {
        transaction = value;
    }

    /** Stores the peer's number, CA GUID and queue pair. */
    void peer(int id, long guid, int queuePair) {
        remoteId = id;
        remoteGuid = guid;
        remoteQueuePair = queuePair;
        connections.identified(this);
    }

    // The address of the peer.

    /** A request came from the address. */
    void heard(int bytes) {
        bytesLeft = Math.min(bytesLeft + MOST_ANSWERS * bytes, MOST_BYTES_LEFT);
    }

    /** The peer receives at its address. */
    void confirmed() {
        confirmed = true;
    }

    /** Whether a message may be sent; counts it. */
    boolean maySend(int bytes) {
        if (!confirmed && bytesLeft < bytes) {
            return false;
        }
        bytesLeft -= confirmed ? 0 : bytes;
        return true;
    }

    void ackTimeoutCode(int code) {
        ackTimeoutCode = code;
    }

    /** Duration of TIMEWAIT: packets may arrive for this time after the end. */
    long timeWaitNs() {
        return timeNs(ackTimeoutCode);
    }

    // The message in repetition.

    /**
     * Starts to repeat a message that was sent, until it is answered or as much time has passed as {@code retries} repetitions at intervals
     * of {@code everyNs} take. The first silence depends on how long peers took to answer, and each silence is twice the preceding one, up
     * to a limit: a peer without a processor has all copies, and more of them would not make it faster. Each silence counts once, however
     * long it took, so that a process that had no processor itself does not give up.
     */
    void repeat(byte[] message, long everyNs, int retries, long nowNs) {
        long longestNs = everyNs << MOST_DOUBLINGS;
        long firstNs = Math.min(connections.usualFirstSilenceNs(everyNs), longestNs);
        long totalNs = everyNs * (1L + retries) - firstNs;
        int tries = 0;
        for (long nextNs = firstNs; tries < retries && totalNs >= longestNs; tries++) {
            nextNs = Math.min(2 * nextNs, longestNs);
            totalNs -= nextNs;
        }
        repeat(message, firstNs, longestNs, tries, nowNs);
        sentNs = nowNs;
        timed = true;
    }

    /** The message in repetition is answered: the time that this took is the measure for the next ones. */
    void answered(long nowNs) {
        if (timed) {
            timed = false;
            connections.answeredAfter(nowNs - sentNs);
        }
    }

    /** As {@link #repeat}, but the first repetitions follow each other faster: each silence is twice the preceding one. */
    void repeatSoon(byte[] message, long everyNs, int retries, long nowNs) {
        repeat(message, everyNs >> FASTER_REPETITIONS, everyNs, retries + FASTER_REPETITIONS, nowNs);
    }

    private void repeat(byte[] message, long firstNs, long everyNs, int retries, long nowNs) {
        unanswered = message;
        timed = false;
        silenceNs = firstNs;
        longestSilenceNs = everyNs;
        triesLeft = retries;
        reports = 0;
        reportedAtTry = UNREPORTED;
        deadline(Times.after(nowNs, firstNs));
    }

    /**
     * The network has reported the peer as unreachable. Returns the number of copies of the message in repetition for which it
     * has done so.
     */
    int reportUnreachable() {
        if (reportedAtTry != triesLeft) {
            reportedAtTry = triesLeft;
            reports++;
        }
        return reports;
    }

    /** Keeps a message, which is sent again when the peer repeats its message. */
    void keep(byte[] message) {
        unanswered = message;
        deadline(Times.NEVER);
    }

    /** Keeps the RTU, which is sent again when the peer repeats its REP. */
    void confirmation(byte[] rtu) {
        confirmation = rtu;
        deadline(Times.NEVER);
    }

    byte[] confirmation() {
        return confirmation;
    }

    /** The message as it was sent last. */
    byte[] unanswered() {
        return unanswered;
    }

    /** Whether the message may be sent once more; counts it. */
    boolean again(long nowNs) {
        if (triesLeft <= 0) {
            return false;
        }
        triesLeft--;
        silenceNs = Math.min(2 * silenceNs, longestSilenceNs);
        deadline(Times.after(nowNs, silenceNs));
        return true;
    }

    /** The peer needs more time. */
    void wait(long longerNs, long nowNs) {
        deadline(Times.after(nowNs, longerNs + silenceNs));
    }

    /** The peer repeats its request: it waits this much longer for the answer, and so does this side. */
    void extend(long endNs) {
        triesLeft = 0;
        if (deadlineNs() == Times.NEVER || Times.due(deadlineNs(), endNs)) {
            deadline(endNs);
        }
    }

    /** Nothing is repeated; the state ends at this time at the latest. */
    void until(long endNs) {
        triesLeft = 0;
        deadline(endNs);
    }

    // Alternate paths.

    boolean alternateProposed() {
        return alternateProposed;
    }

    /** Whether a message answers the proposal of this side. After the end of the connection the end is repeated, not the proposal. */
    boolean answersProposal(long itsTransaction) {
        return alternateProposed && state() == CmState.ESTABLISHED && itsTransaction == proposalTransaction;
    }

    /** This side proposes an alternate path. */
    void propose(long newTransaction) {
        alternateProposed = true;
        proposalTransaction = newTransaction;
    }

    /** The proposal of this side is answered, or will not be. The connection is established. */
    void proposalEnded() {
        alternateProposed = false;
        keep(unanswered);
    }

    /** The transaction of the last proposal of the peer. */
    long alternateTransaction() {
        return alternateTransaction;
    }

    /** The answer to a proposal of the peer, for its repetition. */
    void alternateAnswer(long newTransaction, byte[] answer) {
        alternateTransaction = newTransaction;
        alternateAnswer = answer;
    }

    byte[] alternateAnswer() {
        return alternateAnswer;
    }

    @Override
    void onDeadline(long nowNs) {
        agent.onDeadline(this, nowNs);
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, (long) localId() << 32 | machine.state().ordinal());
        d = Digest.mix(d, confirmed ? -1 : bytesLeft);
        return Digest.mix(Digest.mix(d, deadlineNs()), (long) reports << Integer.SIZE | triesLeft);
    }
}
