package io.verbena.ib.respond;

import io.verbena.base.Digest;
import io.verbena.ib.endpoint.Failure;
import io.verbena.ib.endpoint.PsnGuard;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.EarlyPackets;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Operation;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import io.verbena.wire.ib.PathEcho;
import io.verbena.wire.ib.PathEth;
import io.verbena.wire.ib.Syndrome;
import io.verbena.work.OutlivingWork;
import io.verbena.work.OutlivingWork.Served;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The responder of a reliable connection: executes requests in the order of their PSNs, each once.
 *
 * <p>A request passes a chain of named checks: its PSN, the order of opcodes, its length, the operations that the queue
 * pair permits, a receive if one is needed, the key. The first check that fails determines the answer ({@link
 * ResponderFault}), and the packet has no effect. {@link Responses} builds the answers. Source: InfiniBand architecture
 * specification, volume 1, sections 9.7.4.1, 9.7.5.1 and 9.9.3.
 */
public final class Responder {

    /** Most packets that a peer repeats. A guessed PSN is one of them with a probability of 1 in 4,096. */
    private static final int MOST_REPEATED = 1 << 12;

    private static final int NONE = -1;

    private final RcSettings settings;
    private final Responses responses;
    private final PsnGuard guard;
    private final RemoteReads memory;
    private final InboundMessage message;
    private final Optional<EarlyPackets> early;
    private final Optional<OutlivingWork> outliving;

    /** Whether a packet before this PSN arrived without its payload, and has not arrived whole. */
    private boolean trimmed;

    private int trimmedBefore;
    private int expectedPsn;
    private int msn;

    /**
     * Whether a NAK was sent. Packets ahead of the expected PSN are then dropped without an answer until the expected
     * one arrives.
     */
    private boolean refused;

    private Optional<Failure> failure = Optional.empty();
    private CompletionStatus receiveStatus = CompletionStatus.FLUSHED;

    public Responder(
            RcSettings settings, QueuePairWork owner, Responses responses, RemoteReads memory, PsnGuard guard) {
        this.guard = guard;
        this.settings = settings;
        this.responses = responses;
        this.memory = memory;
        outliving = owner.outliving();
        message = new InboundMessage(owner, settings.mtuBytes(), memory.oneShot());
        expectedPsn = settings.firstReceivePsn();
        early = settings.options().contains(RcOption.SELECTIVE_REPEAT)
                ? Optional.of(new EarlyPackets(settings.mtuBytes(), settings.earlyPackets()))
                : Optional.empty();
    }

    /** Sets the operations that the peer may use on this queue pair, in addition to the rights of each region. */
    public void peerRights(boolean write, boolean read, boolean atomic) {
        message.mayWrite(write);
        memory.permit(read, atomic);
    }

    public Optional<Failure> failure() {
        return failure;
    }

    /** The status of the oldest receive after a failure. All other receives are flushed. */
    public CompletionStatus receiveStatus() {
        return receiveStatus;
    }

    /**
     * Whether a PSN is the expected one, or that of a request that the peer may repeat because it has not received
     * the answer.
     */
    public boolean expects(int psn) {
        int ahead = Psn.distance(psn, expectedPsn);
        return ahead <= 0 && ahead >= -MOST_REPEATED;
    }

    /** Acknowledges now, on this path, what has arrived. */
    public void acknowledge(int entropy) {
        if (failure.isEmpty()) {
            responses.answerOn(entropy);
            acknowledgeKept();
        }
    }

    private void acknowledgeKept() {
        responses.acknowledgeSelectively(expectedPsn, msn, early);
    }

    /** Processes a request of the peer. */
    public void onRequest(IbPacket packet, MemorySegment segment, long nowNs) {
        int ahead = Psn.distance(packet.bth().psn(), expectedPsn);
        if (!PsnGuard.plausible(ahead) && !guard.onImplausible(nowNs)) {
            return;
        }
        if (packet.sprayed()) {
            onSprayed(packet, segment, ahead);
            return;
        }
        if (ahead > 0) {
            onEarly(packet, segment, ahead);
        } else if (ahead < 0) {
            onDuplicate(packet);
        } else {
            refused = false;
            next(packet, segment, false);
            if (early.isPresent()) {
                nextEarly(early.get());
            }
        }
    }

    /**
     * Whether a run from this PSN on is expected: nothing that arrived early comes between, and requests are not noted
     * one by one.
     */
    public boolean takesRun(int psn) {
        return psn == expectedPsn
                && outliving.isEmpty()
                && (early.isEmpty() || early.get().isEmpty());
    }

    /**
     * Executes requests that continue the one which was executed last, until one needs another decision. Returns their
     * number.
     */
    public int onRun(PacketRun run) {
        int taken = 0;
        int toAcknowledge = NONE;
        int acknowledgedMsn = 0;
        boolean ends = run.opcode().ends();
        while (taken < run.count() && run.psn(taken) == expectedPsn && message.takeNext(run, taken)) {
            msn = ends ? Psn.plus(msn, 1) : msn;
            if (run.asksForAck(taken)) {
                toAcknowledge = expectedPsn;
                acknowledgedMsn = msn;
            }
            expectedPsn = Psn.plus(expectedPsn, 1);
            taken++;
        }
        refused &= taken == 0;
        if (toAcknowledge != NONE) {
            responses.acknowledge(toAcknowledge, acknowledgedMsn);
        }
        return taken;
    }

    /** Processes a request that names its path. What was received once is never given up: the peer relies on it. */
    private void onSprayed(IbPacket packet, MemorySegment segment, int ahead) {
        EarlyPackets kept = early.orElseThrow();
        PathEth path = packet.pathEth();
        responses.echo(path.entropy(), path.clock());
        if (ahead >= kept.window()) {
            responses.flag(PathEcho.OUTSIDE);
            acknowledgeKept();
        } else if (ahead < 0) {
            responses.flag(PathEcho.DUPLICATE);
            onDuplicate(packet);
        } else if (kept.has(packet.bth().psn())) {
            onKept(kept, ahead);
        } else if (ahead > 0) {
            if (kept.keep(packet, segment, message.placeAnywhere(packet, segment))) {
                acknowledgeKept();
            }
        } else if (next(packet, segment, false)) {
            nextKept(kept);
            if (trims() && failure.isEmpty()) {
                // The packet that asks for the acknowledgement may be one of those that were trimmed.
                acknowledgeKept();
            }
        }
    }

    /** A packet within the window has arrived without its payload. */
    public void onTrimmed(IbPacket packet) {
        EarlyPackets kept = early.orElseThrow();
        int psn = packet.bth().psn();
        int ahead = Psn.distance(psn, expectedPsn);
        if (failure.isEmpty() && ahead >= 0 && ahead < kept.window() && !kept.has(psn)) {
            responses.trimmed(psn);
            trimmedBefore = trims() && Psn.distance(trimmedBefore, psn) > 0 ? trimmedBefore : Psn.plus(psn, 1);
            trimmed = true;
            acknowledgeKept();
        }
    }

    /** Whether the expected packet is before one that arrived without its payload. */
    private boolean trims() {
        trimmed &= Psn.distance(trimmedBefore, expectedPsn) > 0;
        return trimmed;
    }

    /** A packet that is kept has arrived again: the expected one because it could not be executed. */
    private void onKept(EarlyPackets kept, int ahead) {
        if (ahead == 0) {
            nextKept(kept);
        } else {
            responses.flag(PathEcho.DUPLICATE);
            acknowledgeKept();
        }
    }

    /** Executes kept packets as far as they go. */
    private void nextKept(EarlyPackets kept) {
        boolean closes = !kept.isEmpty();
        while (failure.isEmpty() && kept.has(expectedPsn)) {
            int psn = expectedPsn;
            if (!next(kept.take(psn), kept.segment(), kept.placed(psn))) {
                kept.putBack(psn);
                return;
            }
        }
        if (failure.isEmpty() && closes) {
            acknowledgeKept();
        }
    }

    /** Executes the expected packet. Returns whether it was executed. */
    private boolean next(IbPacket packet, MemorySegment segment, boolean placed) {
        ResponderFault fault = execute(packet, segment, placed);
        if (fault != ResponderFault.NONE) {
            if (!packet.sprayed()) {
                early.ifPresent(EarlyPackets::clear);
            }
            refuse(fault);
        }
        return fault == ResponderFault.NONE;
    }

    /** Processes a packet ahead of the expected one: refuses it, once per gap, or keeps it. */
    private void onEarly(IbPacket packet, MemorySegment segment, int ahead) {
        if (refused) {
            return;
        }
        if (early.isPresent() && keep(early.get(), packet, segment, ahead)) {
            responses.acknowledgeSelectively(expectedPsn, msn, early);
            return;
        }
        refused = true;
        responses.refuse(Syndrome.NAK_PSN_SEQUENCE, expectedPsn, msn);
    }

    private boolean keep(EarlyPackets kept, IbPacket packet, MemorySegment segment, int ahead) {
        if (ahead >= EarlyPackets.WINDOW || kept.has(packet.bth().psn())) {
            return ahead < EarlyPackets.WINDOW;
        }
        return kept.keep(packet, segment, message.placeEarly(packet, segment, ahead));
    }

    /** Executes kept packets after the missing one has arrived. */
    private void nextEarly(EarlyPackets kept) {
        while (failure.isEmpty() && !kept.isEmpty() && kept.has(expectedPsn)) {
            int psn = expectedPsn;
            next(kept.take(psn), kept.segment(), kept.placed(psn));
        }
        if (failure.isEmpty() && !kept.isEmpty()) {
            responses.acknowledgeSelectively(expectedPsn, msn, early);
        }
    }

    private void refuse(ResponderFault fault) {
        if (fault.temporary()) {
            refused = true;
            responses.refuse(Syndrome.rnrNak(settings.receiverNotReadyCode()), expectedPsn, msn);
            return;
        }
        if (fault.syndrome() != 0) {
            responses.refuse(fault.syndrome(), expectedPsn, msn);
        }
        receiveStatus = fault.receiveStatus();
        failure = Optional.of(fault.failure());
    }

    /** Acknowledges again if receives were posted after an acknowledgement had reported none. */
    public void reportCredits() {
        if (failure.isEmpty() && responses.creditsGrew()) {
            responses.acknowledge(Psn.plus(expectedPsn, -1), msn);
        }
    }

    // Checks.

    private ResponderFault execute(IbPacket packet, MemorySegment segment, boolean placed) {
        ResponderFault fault = message.check(packet);
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        return switch (packet.opcode().operation()) {
            case SEND, WRITE -> message(packet, segment, placed);
            case READ -> read(packet);
            default -> atomic(packet);
        };
    }

    private ResponderFault message(IbPacket packet, MemorySegment segment, boolean placed) {
        ResponderFault fault = message.take(packet, segment, placed);
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        if (packet.opcode().ends() && !countMessage(packet.opcode())) {
            return ResponderFault.OPCODE_ORDER;
        }
        msn = Psn.plus(msn, packet.opcode().ends() ? 1 : 0);
        if (packet.bth().a()) {
            responses.acknowledge(expectedPsn, msn);
        }
        expectedPsn = Psn.plus(expectedPsn, 1);
        return ResponderFault.NONE;
    }

    // Reads and atomics.

    private ResponderFault read(IbPacket packet) {
        if (!memory.mayRead() || settings.inboundReads() == 0) {
            return ResponderFault.NOT_ALLOWED;
        }
        ReadResources reads = responses.reads();
        if (reads.full()) {
            return ResponderFault.TOO_MANY_READS;
        }
        long length = Integer.toUnsignedLong(packet.reth().dmaLength());
        long address = packet.reth().va();
        int key = packet.reth().rKey();
        ResponderFault fault = memory.checkRead(key, address, length, reads.messageOf(key, address));
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        if (packet.bth().a() && !count(Served.READ, 0)) {
            return ResponderFault.OPCODE_ORDER;
        }
        int count = packets(length);
        msn = Psn.plus(msn, 1);
        reads.addRead(expectedPsn, count, address, key, (int) length, msn);
        reads.path(entropy(packet));
        memory.accepted(length);
        expectedPsn = Psn.plus(expectedPsn, count);
        return ResponderFault.NONE;
    }

    private ResponderFault atomic(IbPacket packet) {
        if (!memory.mayDoAtomics() || settings.inboundReads() == 0) {
            return ResponderFault.NOT_ALLOWED;
        }
        ReadResources reads = responses.reads();
        if (reads.full()) {
            return ResponderFault.TOO_MANY_READS;
        }
        ResponderFault fault = memory.atomic(packet.opcode().operation(), packet.atomicEth(), reads.next());
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        if (!count(Served.ATOMIC, memory.original())) {
            return ResponderFault.OPCODE_ORDER;
        }
        msn = Psn.plus(msn, 1);
        reads.addAtomic(expectedPsn, memory.original(), msn);
        reads.path(entropy(packet));
        expectedPsn = Psn.plus(expectedPsn, 1);
        return ResponderFault.NONE;
    }

    // Counting, of a connection that survives its transport.

    /** Counts a Send or Write. Returns whether the peer may send it: first it repeats Reads of an earlier transport. */
    private boolean countMessage(IbOpcode opcode) {
        if (opcode.operation() == Operation.SEND) {
            return count(Served.MESSAGE, 0);
        }
        return count(Served.WRITE, 0) && (!opcode.immediate() || count(Served.MESSAGE, 0));
    }

    private boolean count(Served kind, long original) {
        return outliving.isEmpty() || outliving.get().onServed(kind, original);
    }

    // Duplicates.

    /**
     * Processes a request that was executed before. A Send or Write is acknowledged again, up to the last PSN. A Read
     * is read again, and the result of an atomic is sent again, if they are still recorded. The message in progress is
     * not affected.
     */
    private void onDuplicate(IbPacket packet) {
        responses.requestRepeated();
        IbOpcode opcode = packet.opcode();
        if (opcode.operation() == Operation.SEND || opcode.operation() == Operation.WRITE) {
            if (early.isPresent() && !early.get().isEmpty()) {
                responses.acknowledgeSelectively(expectedPsn, msn, early);
            } else {
                responses.acknowledge(Psn.plus(expectedPsn, -1), msn);
            }
            return;
        }
        int psn = packet.bth().psn();
        ReadResources reads = responses.reads();
        long index = reads.find(psn);
        if (index == ReadResources.NONE || !sameRequest(packet, opcode, index, psn)) {
            return;
        }
        int first = Psn.distance(psn, reads.firstPsn(index));
        if (early.isEmpty()) {
            reads.answerAgain(index, first);
        } else {
            int count = opcode.atomic()
                    ? 1
                    : packets(Integer.toUnsignedLong(packet.reth().dmaLength()));
            reads.answerPart(index, first, count, entropy(packet));
        }
    }

    /** The path that the answer to a request takes. */
    private static int entropy(IbPacket packet) {
        return packet.sprayed() ? packet.pathEth().entropy() : 0;
    }

    /** Number of packets of the response to a Read. */
    private int packets(long lengthBytes) {
        return (int) Math.max(1, (lengthBytes + settings.mtuBytes() - 1) / settings.mtuBytes());
    }

    /** Whether a duplicate repeats the recorded request or the rest of it; with selective repeat, any part of it. */
    private boolean sameRequest(IbPacket packet, IbOpcode opcode, long index, int psn) {
        ReadResources reads = responses.reads();
        if (opcode.atomic() || reads.atomic(index)) {
            return opcode.atomic() && reads.atomic(index);
        }
        long skipped = (long) Psn.distance(psn, reads.firstPsn(index)) * settings.mtuBytes();
        long rest = Integer.toUnsignedLong(reads.length(index)) - skipped;
        long length = Integer.toUnsignedLong(packet.reth().dmaLength());
        boolean part = early.isPresent() && length < rest && length % settings.mtuBytes() == 0 && length > 0;
        return packet.reth().rKey() == reads.key(index)
                && packet.reth().va() == reads.address(index) + skipped
                && (length == rest || part);
    }

    public long stateDigest(long digest) {
        long d = Digest.mix(digest, (long) expectedPsn << 32 | msn);
        d = Digest.mix(d, (long) receiveStatus.ordinal() << 2 | Digest.flags(refused, trimmed));
        d = early.isPresent() ? early.get().stateDigest(d) : d;
        return message.stateDigest(trimmed ? Digest.mix(d, trimmedBefore) : d);
    }
}
