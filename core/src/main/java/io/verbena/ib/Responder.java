package io.verbena.ib;

import io.verbena.base.Digest;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Operation;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.Syndrome;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The responder of a reliable connection: takes requests in the order of their PSNs, each once, and executes them.
 *
 * <p>A request passes a chain of named checks: its PSN, the order of opcodes, its length, what the queue pair allows, a receive
 * where one is needed, the key. The first check that fails is the answer ({@link ResponderFault}), and nothing of the packet
 * takes effect. What is to be answered is noted here and built by {@link Responses}.
 * Source: InfiniBand architecture specification, volume 1, sections 9.7.4.1, 9.7.5.1 and 9.9.3.
 */
final class Responder {

    private final RcSettings settings;
    private final Responses responses;
    private final RemoteReads memory;
    private final InboundMessage message;
    private final Optional<EarlyPackets> early;

    private int expectedPsn;
    private int msn;

    /** A refusal was sent: what is ahead of the expected PSN is dropped in silence until that one comes. */
    private boolean refused;

    private Optional<Failure> failure = Optional.empty();
    private CompletionStatus receiveStatus = CompletionStatus.FLUSHED;

    Responder(RcSettings settings, QueuePairWork owner, Responses responses, RemoteReads memory) {
        this.settings = settings;
        this.responses = responses;
        this.memory = memory;
        message = new InboundMessage(owner, settings.mtuBytes(), memory.oneShot());
        expectedPsn = settings.firstReceivePsn();
        early = settings.options().contains(RcOption.SELECTIVE_REPEAT)
                ? Optional.of(new EarlyPackets(settings.mtuBytes()))
                : Optional.empty();
    }

    /** What the peer may do on this queue pair, whatever the regions allow. */
    void peerRights(boolean write, boolean read, boolean atomic) {
        message.mayWrite(write);
        memory.permit(read, atomic);
    }

    Optional<Failure> failure() {
        return failure;
    }

    /** The status of the receive under way after a failure; the others are flushed. */
    CompletionStatus receiveStatus() {
        return receiveStatus;
    }

    /** A request of the peer. */
    void onRequest(IbPacket packet, MemorySegment segment) {
        int ahead = Psn.distance(packet.bth().psn(), expectedPsn);
        if (ahead > 0) {
            onEarly(packet, segment, ahead);
        } else if (ahead < 0) {
            onDuplicate(packet);
        } else {
            refused = false;
            next(packet, segment);
            early.ifPresent(this::nextEarly);
        }
    }

    private void next(IbPacket packet, MemorySegment segment) {
        ResponderFault fault = execute(packet, segment);
        if (fault != ResponderFault.NONE) {
            early.ifPresent(EarlyPackets::clear);
            refuse(fault);
        }
    }

    /** A packet before an expected one: it is refused, once, or kept. */
    private void onEarly(IbPacket packet, MemorySegment segment, int ahead) {
        if (refused) {
            return;
        }
        if (early.isPresent() && early.get().keep(packet, segment, ahead)) {
            responses.acknowledgeSelectively(expectedPsn, msn, early.get());
            return;
        }
        refused = true;
        responses.refuse(Syndrome.NAK_PSN_SEQUENCE, expectedPsn, msn);
    }

    /** The hole is closed: what was kept follows. */
    private void nextEarly(EarlyPackets kept) {
        while (failure.isEmpty() && !kept.isEmpty() && kept.has(expectedPsn)) {
            next(kept.take(expectedPsn), kept.segment());
        }
        if (failure.isEmpty() && !kept.isEmpty()) {
            responses.acknowledgeSelectively(expectedPsn, msn, kept);
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

    /** Tells the peer, if need be, that receives were posted after it was told that there are none. */
    void tellCredits() {
        if (failure.isEmpty() && responses.creditsGrew()) {
            responses.acknowledge(Psn.plus(expectedPsn, -1), msn);
        }
    }

    // Checks.

    private ResponderFault execute(IbPacket packet, MemorySegment segment) {
        ResponderFault fault = message.check(packet);
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        return switch (packet.opcode().operation()) {
            case SEND, WRITE -> message(packet, segment);
            case READ -> read(packet);
            default -> atomic(packet);
        };
    }

    private ResponderFault message(IbPacket packet, MemorySegment segment) {
        ResponderFault fault = message.take(packet, segment);
        if (fault != ResponderFault.NONE) {
            return fault;
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
        ResponderFault fault = memory.checkRead(key, address, length, reads.next());
        if (fault != ResponderFault.NONE) {
            return fault;
        }
        int count = (int) Math.max(1, (length + settings.mtuBytes() - 1) / settings.mtuBytes());
        msn = Psn.plus(msn, 1);
        reads.addRead(expectedPsn, count, address, key, (int) length, msn);
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
        msn = Psn.plus(msn, 1);
        reads.addAtomic(expectedPsn, memory.original(), msn);
        expectedPsn = Psn.plus(expectedPsn, 1);
        return ResponderFault.NONE;
    }

    // Duplicates.

    /**
     * A request that was executed already. A Send or Write is acknowledged again, up to the last PSN; a Read is read again and
     * an atomic's result sent again, if they are still known; the message under way is not touched.
     */
    private void onDuplicate(IbPacket packet) {
        IbOpcode opcode = packet.opcode();
        if (opcode.operation() == Operation.SEND || opcode.operation() == Operation.WRITE) {
            if (early.isPresent() && !early.get().isEmpty()) {
                responses.acknowledgeSelectively(expectedPsn, msn, early.get());
            } else {
                responses.acknowledge(Psn.plus(expectedPsn, -1), msn);
            }
            return;
        }
        int psn = packet.bth().psn();
        long index = responses.reads().find(psn);
        if (index != ReadResources.NONE && sameRequest(packet, opcode, index, psn)) {
            responses
                    .reads()
                    .answerAgain(index, Psn.distance(psn, responses.reads().firstPsn(index)));
        }
    }

    /** Whether a duplicate asks for what was asked for, or for the rest of it. */
    private boolean sameRequest(IbPacket packet, IbOpcode opcode, long index, int psn) {
        ReadResources reads = responses.reads();
        if (opcode.atomic() || reads.atomic(index)) {
            return opcode.atomic() && reads.atomic(index);
        }
        long skipped = (long) Psn.distance(psn, reads.firstPsn(index)) * settings.mtuBytes();
        return packet.reth().rKey() == reads.key(index)
                && packet.reth().va() == reads.address(index) + skipped
                && Integer.toUnsignedLong(packet.reth().dmaLength())
                        == Integer.toUnsignedLong(reads.length(index)) - skipped;
    }

    long stateDigest(long digest) {
        long d = Digest.mix(digest, (long) expectedPsn << 32 | msn);
        return message.stateDigest(Digest.mix(d, refused ? 1 : 0));
    }
}
