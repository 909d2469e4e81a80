package io.verbena.ib.respond;

import io.verbena.base.Digest;
import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.EarlyPackets;
import io.verbena.ib.packet.Opcodes;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.queue.ReceiveQueue;
import io.verbena.wire.ib.Aeth;
import io.verbena.wire.ib.AtomicAckEth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.PathEcho;
import io.verbena.wire.ib.Syndrome;
import java.util.Optional;

/**
 * The pending answers of a responder: responses to Reads and atomics, then one acknowledgement or NAK for everything
 * before it. An acknowledgement is never sent before a pending response, because the peer would conclude that the
 * response was lost. Consecutive acknowledgements are merged.
 */
public final class Responses {

    private static final int MOST_TRIMMED = 32;

    private final RcSettings settings;
    private final ReceiveQueue receives;
    private final MigratingPath path;
    private final ReadResources reads;
    private final RemoteReads memory;
    private final Aeth aeth = new Aeth();
    private final AtomicAckEth atomicAckEth = new AtomicAckEth();

    private final boolean reportsCredits;
    private int reportedCredits = NOT_REPORTED;

    private static final int NOT_REPORTED = -1;

    private Optional<EarlyPackets> selective = Optional.empty();
    private boolean due;
    private int duePsn;
    private int dueMsn;
    private int dueSyndrome;
    private final boolean sprays;
    private final PathEcho pathEcho = new PathEcho();

    /** The path of the next acknowledgement. */
    private int returnPath;

    private int echoedEntropy;
    private int echoedClock;
    private int pathFlags;
    private int markedEntropy;
    private int markedClock;

    /** PSNs of packets that arrived without their payload and have not been reported. */
    private final int[] trimmed = new int[MOST_TRIMMED];

    private int trimmedCount;
    private boolean memoryAwaited;

    /** The peer has repeated a request while a response waits for memory. */
    private boolean notReadyDue;

    private Optional<Failure> failure = Optional.empty();

    public Responses(RcSettings settings, QueuePairWork owner, MigratingPath path, RemoteReads memory) {
        this.settings = settings;
        receives = owner.queues().receive();
        this.path = path;
        this.memory = memory;
        sprays = settings.sprays();
        reads = new ReadResources(settings.inboundReads());
        reportsCredits = settings.options().contains(RcOption.REPORTS_CREDITS) && !receives.isShared();
    }

    ReadResources reads() {
        return reads;
    }

    public Optional<Failure> failure() {
        return failure;
    }

    /** Number of posted receives that are not in use. */
    private int credits() {
        return (int) (receives.posted() - receives.retired());
    }

    /** The syndrome of an acknowledgement, including credits if they are negotiated. */
    private int acknowledgement() {
        if (!reportsCredits) {
            return Syndrome.ACK_WITHOUT_CREDITS;
        }
        reportedCredits = credits();
        return Syndrome.ackWithCredits(reportedCredits);
    }

    /** Whether receives were posted after an acknowledgement had reported none. */
    public boolean creditsGrew() {
        return reportedCredits == 0 && !memoryAwaited && credits() > 0;
    }

    /** Acknowledges all requests up to a PSN. */
    void acknowledge(int psn, int msn) {
        if (due && Syndrome.kind(dueSyndrome) != Syndrome.Kind.ACK && Psn.distance(psn, duePsn) < 0) {
            // The pending NAK also acknowledges these requests.
            return;
        }
        owe(psn, msn, Syndrome.ACK_WITHOUT_CREDITS);
    }

    /** The next acknowledgement takes the path of this packet, and echoes its clock. */
    void echo(int entropy, int clock) {
        returnPath = entropy;
        echoedEntropy = entropy;
        echoedClock = clock;
    }

    /** The next acknowledgement takes this path, and echoes no packet unless one waits for it. */
    void answerOn(int entropy) {
        returnPath = entropy;
        echoedEntropy = due ? echoedEntropy : PathEcho.NO_PATH;
    }

    /** The next acknowledgement reports what has happened, see {@link PathEcho}. */
    void flag(int happened) {
        pathFlags |= happened;
    }

    /** The packet that was echoed last was marked by a router. */
    public void marked() {
        pathFlags |= PathEcho.MARKED;
        markedEntropy = echoedEntropy;
        markedClock = echoedClock;
    }

    /**
     * A packet has arrived without its payload. Of those that wait for an acknowledgement, the first ones are
     * reported.
     */
    void trimmed(int psn) {
        if (trimmedCount < trimmed.length) {
            trimmed[trimmedCount++] = psn;
        }
    }

    /** Refuses the packet of a PSN, and acknowledges everything before it. */
    void refuse(int syndrome, int psn, int msn) {
        owe(psn, msn, syndrome);
    }

    /** Acknowledges everything before a PSN, and reports packets that arrived after it. */
    void acknowledgeSelectively(int expectedPsn, int msn, Optional<EarlyPackets> early) {
        owe(Psn.plus(expectedPsn, -1), msn, Syndrome.ACK_WITHOUT_CREDITS);
        selective = early;
    }

    private void owe(int psn, int msn, int syndrome) {
        selective = Optional.empty();
        due = true;
        duePsn = psn;
        dueMsn = msn;
        dueSyndrome = syndrome;
    }

    /**
     * The peer has repeated a request. While a response waits for memory, "receiver not ready" is the answer to it: a
     * peer that hears nothing would conclude that this side has disappeared.
     */
    void requestRepeated() {
        notReadyDue = memoryAwaited;
    }

    /** Whether a packet can be built now. */
    public boolean hasWork() {
        return memoryAwaited ? notReadyDue : reads.pending() || due;
    }

    /**
     * Whether an answer is due that is sent although the queue pair has ended: a NAK that ends the connection, or the
     * acknowledgement of messages that are complete here. Without it the work of the peer would fail.
     */
    public boolean hasLastAnswer() {
        if (!due || memoryAwaited) {
            return false;
        }
        Syndrome.Kind kind = Syndrome.kind(dueSyndrome);
        return kind == Syndrome.Kind.NAK || kind == Syndrome.Kind.ACK && !reads.pending();
    }

    /** Builds the next packet. Returns false when the list is full, or no work can be done now. */
    public boolean step(PacketBuilder out) {
        if (memoryAwaited) {
            return notReady(out);
        }
        if (!reads.pending()) {
            path.take(returnPath);
            boolean accepted = Syndrome.kind(dueSyndrome) == Syndrome.Kind.ACK;
            return sprays && accepted ? pathAcknowledgement(out) : acknowledgement(out);
        }
        path.take(reads.path());
        return reads.atomic(reads.answer()) ? atomicResponse(out) : readResponse(out);
    }

    private boolean pathAcknowledgement(PacketBuilder out) {
        IbOpcode opcode = IbOpcode.PATH_ACKNOWLEDGE;
        int missing = Psn.plus(duePsn, 1);
        int mapBytes = selective.isPresent() ? selective.get().mapBytes(missing) : 0;
        if (!path.begin(out, opcode, settings.remoteQp(), duePsn, PathEcho.LENGTH + mapBytes)) {
            return false;
        }
        pathEcho.wrap(out.segment(), out.payload());
        boolean marked = (pathFlags & PathEcho.MARKED) != 0;
        int entropy = marked ? markedEntropy : echoedEntropy;
        if (trimmedCount > 0) {
            pathEcho.set(pathFlags | PathEcho.TRIMMED, entropy, trimmed[--trimmedCount]);
        } else {
            pathEcho.set(pathFlags, entropy, marked ? markedClock : echoedClock);
        }
        if (mapBytes > 0) {
            selective.get().writeMap(missing, out.segment(), out.payload() + PathEcho.LENGTH, mapBytes);
        }
        selective = Optional.empty();
        pathFlags = 0;
        aeth.wrap(out.segment(), out.header(opcode.aethOffset())).set(acknowledgement(), dueMsn);
        out.end(path.current());
        due = trimmedCount > 0;
        return true;
    }

    private boolean acknowledgement(PacketBuilder out) {
        boolean some = selective.isPresent();
        IbOpcode opcode = some ? IbOpcode.SELECTIVE_ACKNOWLEDGE : IbOpcode.RC_ACKNOWLEDGE;
        if (!path.begin(out, opcode, settings.remoteQp(), duePsn, some ? EarlyPackets.MAP_BYTES : 0)) {
            return false;
        }
        if (some) {
            selective.get().writeMap(Psn.plus(duePsn, 1), out.segment(), out.payload(), EarlyPackets.MAP_BYTES);
            selective = Optional.empty();
        }
        int syndrome = Syndrome.kind(dueSyndrome) == Syndrome.Kind.ACK ? acknowledgement() : dueSyndrome;
        aeth.wrap(out.segment(), out.header(opcode.aethOffset())).set(syndrome, dueMsn);
        out.end(path.current());
        due = false;
        return true;
    }

    /** Refuses the packet whose response waits for memory. Everything before it is acknowledged. */
    private boolean notReady(PacketBuilder out) {
        long index = reads.answer();
        IbOpcode opcode = IbOpcode.RC_ACKNOWLEDGE;
        if (!path.begin(out, opcode, settings.remoteQp(), Psn.plus(reads.firstPsn(index), reads.answerPacket()), 0)) {
            return false;
        }
        aeth.wrap(out.segment(), out.header(opcode.aethOffset()))
                .set(Syndrome.rnrNak(settings.receiverNotReadyCode()), Psn.plus(reads.msn(index), -1));
        out.end(path.current());
        notReadyDue = false;
        return true;
    }

    private boolean atomicResponse(PacketBuilder out) {
        long index = reads.answer();
        IbOpcode opcode = IbOpcode.RC_ATOMIC_ACKNOWLEDGE;
        if (!path.begin(out, opcode, settings.remoteQp(), reads.firstPsn(index), 0)) {
            return false;
        }
        aeth.wrap(out.segment(), out.header(opcode.aethOffset())).set(acknowledgement(), reads.msn(index));
        atomicAckEth
                .wrap(out.segment(), out.header(opcode.atomicAckEthOffset()))
                .originalData(reads.address(index));
        out.end(path.current());
        reads.packetLeft();
        return true;
    }

    private boolean readResponse(PacketBuilder out) {
        long index = reads.answer();
        int packet = reads.answerPacket();
        long done = (long) packet * settings.mtuBytes();
        int bytes = (int) Math.min(settings.mtuBytes(), Integer.toUnsignedLong(reads.length(index)) - done);
        boolean last = reads.endsHere();
        IbOpcode opcode = Opcodes.readResponse(Service.RC, reads.startsHere(), last);
        int psn = Psn.plus(reads.firstPsn(index), packet);
        if (!path.begin(out, opcode, settings.remoteQp(), psn, bytes)) {
            return false;
        }
        if (bytes > 0 && !copy(out, index, done, bytes)) {
            out.drop();
            return memoryAwaited && notReadyDue && notReady(out);
        }
        notReadyDue = false;
        if (opcode.hasAeth()) {
            aeth.wrap(out.segment(), out.header(opcode.aethOffset())).set(acknowledgement(), reads.msn(index));
        }
        out.end(path.current());
        reads.packetLeft();
        return true;
    }

    private boolean copy(PacketBuilder out, long index, long done, int bytes) {
        switch (memory.copyOut(reads.key(index), reads.address(index) + done, reads.message(index), out, bytes)) {
            case DONE -> {
                return true;
            }
            case NOT_NOW -> memoryAwaited = true;
            case LOST -> fail(ResponderFault.OPERATION, index);
            case REFUSED -> fail(ResponderFault.ACCESS, index);
        }
        return false;
    }

    /** Ends the response with a NAK. */
    private void fail(ResponderFault fault, long index) {
        refuse(fault.syndrome(), Psn.plus(reads.firstPsn(index), reads.answerPacket()), reads.msn(index));
        reads.forget();
        failure = Optional.of(fault.failure());
    }

    /** Memory that was not available may be available now. */
    public void resume() {
        memoryAwaited = false;
    }

    public boolean memoryAwaited() {
        return memoryAwaited;
    }

    public long stateDigest(long digest) {
        long d = reads.stateDigest(digest);
        d = Digest.mix(d, due ? (long) duePsn << 32 | dueSyndrome : 0);
        d = Digest.mix(d, due ? dueMsn : 0);
        d = Digest.mix(
                d, (long) reportedCredits << 3 | Digest.flags(memoryAwaited, notReadyDue, selective.isPresent()));
        if (sprays) {
            d = Digest.mix(Digest.mix(d, (long) echoedEntropy << 32 | echoedClock & 0xffff_ffffL), pathFlags);
            d = Digest.mix(Digest.mix(d, (long) markedEntropy << 32 | markedClock & 0xffff_ffffL), returnPath);
        }
        for (int i = 0; i < trimmedCount; i++) {
            d = Digest.mix(d, trimmed[i]);
        }
        return d;
    }
}
