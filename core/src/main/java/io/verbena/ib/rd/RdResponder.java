package io.verbena.ib.rd;

import io.verbena.base.Digest;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.packet.Opcodes;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.respond.RemoteReads;
import io.verbena.ib.respond.ResponderFault;
import io.verbena.ib.respond.Responses;
import io.verbena.ib.settings.RdSettings;
import io.verbena.wire.ib.Aeth;
import io.verbena.wire.ib.AtomicAckEth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Operation;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.Rdeth;
import io.verbena.wire.ib.Syndrome;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The responder of an end-to-end context: PSNs, message numbers and answers belong to the context; receives, Q_Key and
 * rights belong to the destination queue pair. A message with a wrong Q_Key or queue pair is refused (NAK 64); other
 * messages are not affected.
 *
 * <p>One Read or atomic is kept for duplicates, because a requester has one message in progress. Source: InfiniBand
 * architecture specification, volume 1, sections 9.7.8 and 9.9.3.
 */
final class RdResponder {

    private static final int SILENT_TIMEOUTS = 4;
    private static final long DEFAULT_TIMEOUT_NS = 67_108_864;

    private final RdSettings settings;
    private final RdDomain domain;
    private final RdContext context;
    private final MigratingPath path;
    private final Aeth aeth = new Aeth();
    private final AtomicAckEth atomicAckEth = new AtomicAckEth();
    private final Rdeth rdeth = new Rdeth();

    private int expectedPsn;
    private int msn;
    private boolean refused;

    /** The destination queue pair of the message in progress. */
    private Optional<RdQueuePair> target = Optional.empty();

    // The last Read or atomic.
    private Optional<RdQueuePair> keptOf = Optional.empty();
    private boolean keptAtomic;
    private int keptPsn;
    private int keptPackets;
    private int keptKey;
    private int keptMsn;
    private int keptPeer;
    private long keptAddress;
    private long keptLength;
    private long reads;

    /** Whether the queue pair of the last Read has left the domain, so that its response cannot be repeated. */
    private boolean keptGone;

    // Pending answers.
    private int answerPacket;
    private int answerStart;
    private boolean answering;
    private boolean due;
    private int duePsn;
    private int dueSyndrome;
    private int duePeer;
    private boolean memoryAwaited;

    /** The peer has repeated its request while the response waits for memory; see {@link Responses#requestRepeated}. */
    private boolean notReadyDue;

    RdResponder(RdSettings settings, RdDomain domain, RdContext context, MigratingPath path) {
        this.settings = settings;
        this.domain = domain;
        this.context = context;
        this.path = path;
        expectedPsn = settings.firstReceivePsn();
    }

    void onRequest(IbPacket packet, MemorySegment segment, long nowNs) {
        int psn = packet.bth().psn();
        int ahead = Psn.distance(psn, expectedPsn);
        if (packet.opcode() == IbOpcode.RD_RESYNC) {
            onResync(packet, psn, ahead);
        } else if (ahead > 0) {
            if (!refused) {
                refuse(Syndrome.NAK_PSN_SEQUENCE, packet);
            }
        } else if (ahead < 0) {
            onDuplicate(packet, psn);
        } else {
            refused = false;
            onNext(packet, segment, nowNs);
        }
    }

    /** RESYNC: the requester has abandoned its message; the next one begins after this PSN. */
    private void onResync(IbPacket packet, int psn, int ahead) {
        if (ahead >= 0) {
            abandon();
            answering = false;
            memoryAwaited = false;
            refused = false;
            expectedPsn = Psn.plus(psn, 1);
        }
        if (Psn.plus(psn, 1) == expectedPsn) {
            owe(psn, Syndrome.ACK_WITHOUT_CREDITS, packet);
        }
    }

    private void abandon() {
        target.ifPresent(queuePair -> queuePair.abandon(context));
        target = Optional.empty();
    }

    private void onNext(IbPacket packet, MemorySegment segment, long nowNs) {
        Optional<RdQueuePair> found = domain.find(packet.bth().destQp());
        boolean starts = packet.opcode().starts();
        boolean same = starts
                || target.isPresent() && target.get().number() == packet.bth().destQp();
        if (found.isEmpty()
                || found.get().failure().isPresent()
                || found.get().qKey() != packet.deth().qKey()
                || !same) {
            refuse(Syndrome.NAK_INVALID_RD_REQUEST, packet);
            return;
        }
        RdQueuePair queuePair = found.get();
        if (starts && target.isPresent()) {
            // A message begins inside another message.
            refuse(Syndrome.NAK_INVALID_REQUEST, packet);
            return;
        }
        if (!queuePair.admits(context, starts, SILENT_TIMEOUTS * timeoutNs(), nowNs)) {
            // The queue pair receives a message of another context, or abandoned the message of this context for it.
            refuse(Syndrome.rnrNak(settings.receiverNotReadyCode()), packet);
            return;
        }
        ResponderFault fault = execute(queuePair, packet, segment);
        queuePair.delivered(context, nowNs);
        if (fault != ResponderFault.NONE) {
            onFault(fault, queuePair, packet);
        }
    }

    /** The time-out of a peer whose own is unlimited is the default one. */
    private long timeoutNs() {
        return settings.ackTimeoutNs() == 0 ? DEFAULT_TIMEOUT_NS : settings.ackTimeoutNs();
    }

    private void onFault(ResponderFault fault, RdQueuePair queuePair, IbPacket packet) {
        if (fault.temporary()) {
            refuse(Syndrome.rnrNak(settings.receiverNotReadyCode()), packet);
            return;
        }
        refuse(fault.syndrome() == 0 ? Syndrome.NAK_REMOTE_OPERATION : fault.syndrome(), packet);
        abandon();
        switch (fault) {
            case RECEIVE_PROTECTION, OPERATION, CQ_OVERFLOW, INVALIDATE ->
                queuePair.fail(fault.failure(), fault.receiveStatus());
            default -> {}
        }
    }

    private ResponderFault execute(RdQueuePair queuePair, IbPacket packet, MemorySegment segment) {
        ResponderFault fault = queuePair.message().check(packet, settings.mtuBytes());
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        return switch (packet.opcode().operation()) {
            case SEND, WRITE -> message(queuePair, packet, segment);
            case READ -> read(queuePair, packet);
            default -> atomic(queuePair, packet);
        };
    }

    private ResponderFault message(RdQueuePair queuePair, IbPacket packet, MemorySegment segment) {
        ResponderFault fault = queuePair.message().take(packet, segment);
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        boolean ends = packet.opcode().ends();
        target = ends ? Optional.empty() : queuePair.itself();
        msn = Psn.plus(msn, ends ? 1 : 0);
        if (packet.bth().a()) {
            owe(expectedPsn, Syndrome.ACK_WITHOUT_CREDITS, packet);
        }
        expectedPsn = Psn.plus(expectedPsn, 1);
        return ResponderFault.NONE;
    }

    private ResponderFault read(RdQueuePair queuePair, IbPacket packet) {
        if (!queuePair.memory().mayRead()) {
            return ResponderFault.NOT_ALLOWED;
        }
        long length = Integer.toUnsignedLong(packet.reth().dmaLength());
        ResponderFault fault =
                queuePair.memory().checkRead(packet.reth().rKey(), packet.reth().va(), length, reads + 1);
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        int count = (int) Math.max(1, (length + settings.mtuBytes() - 1) / settings.mtuBytes());
        keep(queuePair, packet, count);
        keptAtomic = false;
        keptAddress = packet.reth().va();
        keptKey = packet.reth().rKey();
        keptLength = length;
        queuePair.memory().accepted(length);
        return ResponderFault.NONE;
    }

    private void keep(RdQueuePair queuePair, IbPacket packet, int count) {
        keptOf = queuePair.itself();
        keptGone = false;
        keptPsn = expectedPsn;
        keptPackets = count;
        keptPeer = packet.deth().srcQp();
        msn = Psn.plus(msn, 1);
        keptMsn = msn;
        reads++;
        expectedPsn = Psn.plus(expectedPsn, count);
        answerFrom(0);
    }

    private void answerFrom(int packet) {
        answering = true;
        answerPacket = packet;
        answerStart = packet;
    }

    private ResponderFault atomic(RdQueuePair queuePair, IbPacket packet) {
        if (!queuePair.memory().mayDoAtomics()) {
            return ResponderFault.NOT_ALLOWED;
        }
        ResponderFault fault = queuePair.memory().atomic(packet.opcode().operation(), packet.atomicEth(), reads + 1);
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        keep(queuePair, packet, 1);
        keptAtomic = true;
        keptAddress = queuePair.memory().original();
        return ResponderFault.NONE;
    }

    // Duplicates.

    private void onDuplicate(IbPacket packet, int psn) {
        notReadyDue = memoryAwaited;
        IbOpcode opcode = packet.opcode();
        if (opcode.operation() == Operation.SEND || opcode.operation() == Operation.WRITE) {
            owe(Psn.plus(expectedPsn, -1), Syndrome.ACK_WITHOUT_CREDITS, packet);
            return;
        }
        int skipped = Psn.distance(psn, keptPsn);
        if (keptOf.isEmpty() || skipped < 0 || skipped >= keptPackets || opcode.atomic() != keptAtomic) {
            return;
        }
        long bytes = (long) skipped * settings.mtuBytes();
        boolean same = keptAtomic
                || packet.reth().rKey() == keptKey
                        && packet.reth().va() == keptAddress + bytes
                        && Integer.toUnsignedLong(packet.reth().dmaLength()) == keptLength - bytes;
        if (same && keptGone && !keptAtomic) {
            owe(psn, Syndrome.NAK_INVALID_RD_REQUEST, packet);
        } else if (same && !(answering && answerPacket <= skipped)) {
            answerFrom(skipped);
        }
    }

    /** A queue pair has left the domain. The original value of an atomic is still known, the memory of a Read is not. */
    void forget(RdQueuePair queuePair) {
        if (target.isPresent() && target.get() == queuePair) {
            target = Optional.empty();
        }
        if (keptOf.isPresent() && keptOf.get() == queuePair) {
            keptGone = true;
            if (answering && !keptAtomic) {
                answering = false;
                memoryAwaited = false;
                due = true;
                duePsn = Psn.plus(keptPsn, answerPacket);
                duePeer = keptPeer;
                dueSyndrome = Syndrome.NAK_INVALID_RD_REQUEST;
            }
        }
    }

    /** The context ends: the message in progress is abandoned, and nothing is answered. */
    void end() {
        abandon();
        answering = false;
        due = false;
    }

    // Answers.

    private void refuse(int syndrome, IbPacket packet) {
        refused = true;
        owe(expectedPsn, syndrome, packet);
    }

    private void owe(int psn, int syndrome, IbPacket packet) {
        due = true;
        duePsn = psn;
        dueSyndrome = syndrome;
        duePeer = packet.deth().srcQp();
    }

    boolean hasWork() {
        return memoryAwaited ? notReadyDue : answering || due;
    }

    /** Builds the next answer. Returns false when no more work can be done now. */
    boolean step(PacketBuilder out) {
        if (memoryAwaited) {
            return notReady(out);
        }
        if (!answering) {
            boolean went = acknowledgement(out, duePeer, duePsn, dueSyndrome);
            due &= !went;
            return went;
        }
        return keptAtomic ? atomicResponse(out) : readResponse(out);
    }

    /** Refuses the packet whose response waits for memory. */
    private boolean notReady(PacketBuilder out) {
        int psn = Psn.plus(keptPsn, answerPacket);
        boolean went = acknowledgement(out, keptPeer, psn, Syndrome.rnrNak(settings.receiverNotReadyCode()));
        notReadyDue &= !went;
        return went;
    }

    private boolean begin(PacketBuilder out, IbOpcode opcode, int peer, int psn, int bytes) {
        if (!path.begin(out, opcode, peer, psn, bytes)) {
            return false;
        }
        rdeth.wrap(out.segment(), out.header(opcode.rdethOffset())).set(settings.remoteContext());
        return true;
    }

    private boolean acknowledgement(PacketBuilder out, int peer, int psn, int syndrome) {
        IbOpcode opcode = IbOpcode.RD_ACKNOWLEDGE;
        if (!begin(out, opcode, peer, psn, 0)) {
            return false;
        }
        aeth.wrap(out.segment(), out.header(opcode.aethOffset())).set(syndrome, msn);
        out.end(path.current());
        return true;
    }

    private boolean atomicResponse(PacketBuilder out) {
        IbOpcode opcode = IbOpcode.RD_ATOMIC_ACKNOWLEDGE;
        if (!begin(out, opcode, keptPeer, keptPsn, 0)) {
            return false;
        }
        aeth.wrap(out.segment(), out.header(opcode.aethOffset())).set(Syndrome.ACK_WITHOUT_CREDITS, keptMsn);
        atomicAckEth
                .wrap(out.segment(), out.header(opcode.atomicAckEthOffset()))
                .originalData(keptAddress);
        out.end(path.current());
        answering = false;
        return true;
    }

    private boolean readResponse(PacketBuilder out) {
        long done = (long) answerPacket * settings.mtuBytes();
        int bytes = (int) Math.min(settings.mtuBytes(), keptLength - done);
        boolean last = answerPacket == keptPackets - 1;
        IbOpcode opcode = Opcodes.readResponse(Service.RD, answerPacket == answerStart, last);
        int psn = Psn.plus(keptPsn, answerPacket);
        if (!begin(out, opcode, keptPeer, psn, bytes)) {
            return false;
        }
        if (bytes > 0 && !copy(out, done, bytes, psn)) {
            out.drop();
            return memoryAwaited && notReadyDue && notReady(out);
        }
        notReadyDue = false;
        if (opcode.hasAeth()) {
            aeth.wrap(out.segment(), out.header(opcode.aethOffset())).set(Syndrome.ACK_WITHOUT_CREDITS, keptMsn);
        }
        out.end(path.current());
        answerPacket++;
        answering = !last;
        return true;
    }

    private boolean copy(PacketBuilder out, long done, int bytes, int psn) {
        RemoteReads memory = keptOf.orElseThrow().memory();
        Moved moved = memory.copyOut(keptKey, keptAddress + done, reads, out, bytes);
        switch (moved) {
            case DONE -> {
                return true;
            }
            case NOT_NOW -> memoryAwaited = true;
            case LOST, REFUSED -> {
                answering = false;
                due = true;
                duePsn = psn;
                duePeer = keptPeer;
                dueSyndrome = moved == Moved.LOST ? Syndrome.NAK_REMOTE_OPERATION : Syndrome.NAK_REMOTE_ACCESS;
            }
        }
        return false;
    }

    void resume() {
        memoryAwaited = false;
    }

    boolean memoryAwaited() {
        return memoryAwaited;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, (long) expectedPsn << 32 | msn);
        d = Digest.mix(d, (long) answerPacket << 2 | (answering ? 1 : 0) | (due ? 2 : 0));
        return Digest.mix(d, (refused ? 1 : 0) | (memoryAwaited ? 2 : 0) | (notReadyDue ? 4 : 0));
    }
}
