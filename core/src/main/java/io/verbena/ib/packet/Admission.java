package io.verbena.ib.packet;

import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import io.verbena.wire.ib.Icrc;
import io.verbena.wire.ib.PacketRun;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The chain of checks that a packet passes before a queue pair processes it. A packet that fails is dropped without an
 * answer and counted, because its sender is not authenticated.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.6 (packet transport header validation).
 */
public final class Admission {

    /** The result of the checks of a packet. */
    public enum Outcome {
        ADMITTED,
        /** The headers are incomplete, or the opcode or version is unknown. */
        MALFORMED,
        /** The ICRC is wrong. */
        DAMAGED,
        /** The destination is queue pair 0 or a queue pair of another service. */
        WRONG_SERVICE,
        /** The queue pair does not receive in its current state. */
        WRONG_STATE,
        /** The packet belongs to another partition. */
        WRONG_PARTITION,
        /** The Q_Key is not that of the queue pair. */
        WRONG_QUEUE_KEY
    }

    /** The properties of a queue pair that the checks need. */
    public interface Target {

        Service service();

        /** Whether requests are received: from RTR on. */
        boolean takesRequests();

        /** Whether responses are received: from RTS on. */
        boolean takesResponses();

        /** Its partition key. */
        int pKey();

        /** Its Q_Key, of datagram services. */
        int qKey();
    }

    /** The identification is not known. It is derived from the ICRC. */
    public static final int UNKNOWN = -1;

    /** The identification is not known, but this number is tried before it is derived from the ICRC. */
    public static int probably(int identification) {
        return ~identification;
    }

    private static final int MANAGEMENT = 0;

    private final Icrc icrc = new Icrc();
    private final long[] counts = new long[Outcome.values().length];

    /** Packets with this outcome so far. */
    public long count(Outcome outcome) {
        return counts[outcome.ordinal()];
    }

    private Outcome counted(Outcome outcome) {
        counts[outcome.ordinal()]++;
        return outcome;
    }

    /**
     * Checks the packet itself. The caller looks up the queue pair afterwards.
     *
     * @param segment contains the packet, starting at {@code offset}
     * @param bytes the same memory
     * @param length from the BTH to the end of the ICRC
     * @param flow addresses and ports in the headers of the carrier
     * @param identification of IPv4, {@link #UNKNOWN}, or {@link #probably} a number
     */
    public Outcome whole(
            IbPacket packet,
            MemorySegment segment,
            ByteBuffer bytes,
            int offset,
            int length,
            Icrc.Flow flow,
            int identification) {
        if (packet.decode(segment, offset, length) != IbPacketOutcome.OK) {
            return counted(Outcome.MALFORMED);
        }
        int summed = length - Icrc.LENGTH;
        boolean unknown = identification < 0;
        int first = unknown ? ~identification : identification;
        boolean right = packet.icrc() == icrc.compute(bytes, offset, summed, flow, first)
                || unknown && flow.ipv4() && solvable(packet.icrc(), bytes, offset, summed, flow);
        return counted(right ? Outcome.ADMITTED : Outcome.DAMAGED);
    }

    /**
     * Checks packets of the length and the flow of an admitted one, which follow it, as far as they continue it.
     * Returns their number: what passed the checks of the admitted packet is equal in them.
     *
     * @param bytes the memory that contains the packets
     * @param most number of packets
     * @param identification of IPv4 of the first of them
     */
    public int follow(
            PacketRun run, IbPacket admitted, ByteBuffer bytes, int most, Icrc.Flow flow, int identification) {
        int count = run.follow(admitted, bytes, most, icrc, flow, identification);
        counts[Outcome.ADMITTED.ordinal()] += count;
        return count;
    }

    /**
     * Checks a packet whose ICRC the carrier has computed.
     *
     * @param length from the BTH to the end of the ICRC
     * @param sum the ICRC that the packet should have
     */
    public Outcome whole(IbPacket packet, MemorySegment segment, int offset, int length, int sum) {
        if (packet.decode(segment, offset, length) != IbPacketOutcome.OK) {
            return counted(Outcome.MALFORMED);
        }
        return counted(packet.icrc() == sum ? Outcome.ADMITTED : Outcome.DAMAGED);
    }

    /** Counts an IPv6 packet that the carrier has transported as it is, and checked. */
    public Outcome raw() {
        return counted(Outcome.ADMITTED);
    }

    /** Counts a packet whose headers of the carrier are wrong. */
    public Outcome malformed() {
        return counted(Outcome.MALFORMED);
    }

    /** Counts a packet that was damaged on a link. */
    public Outcome damaged() {
        return counted(Outcome.DAMAGED);
    }

    private boolean solvable(int received, ByteBuffer bytes, int offset, int summed, Icrc.Flow flow) {
        int difference = received ^ icrc.compute(bytes, offset, summed, flow, 0);
        return icrc.solve(summed, difference) != Icrc.NO_IDENTIFICATION;
    }

    /** Checks the packet against its destination queue pair. */
    public Outcome admit(IbPacket packet, Target target) {
        return counted(check(packet, target));
    }

    /** Checks a packet of a reliable datagram, whose context in this partition the caller has found. */
    public Outcome admitToContext(IbPacket packet, int pKey) {
        return counted(PartitionKeys.match(packet.bth().pKey(), pKey) ? Outcome.ADMITTED : Outcome.WRONG_PARTITION);
    }

    private static Outcome check(IbPacket packet, Target target) {
        IbOpcode opcode = packet.opcode();
        boolean notification = opcode == IbOpcode.CNP;
        if (packet.bth().destQp() == MANAGEMENT || !notification && opcode.service() != target.service()) {
            return Outcome.WRONG_SERVICE;
        }
        boolean receives = opcode.request() ? target.takesRequests() : target.takesResponses();
        if (!receives) {
            return Outcome.WRONG_STATE;
        }
        if (!PartitionKeys.match(packet.bth().pKey(), target.pKey())) {
            return Outcome.WRONG_PARTITION;
        }
        // The context of a reliable datagram answers a wrong Q_Key itself.
        boolean datagram = opcode.service() == Service.UD;
        if (datagram && packet.deth().qKey() != target.qKey()) {
            return Outcome.WRONG_QUEUE_KEY;
        }
        return Outcome.ADMITTED;
    }
}
