package io.verbena.ib.request;

import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Opcodes;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ib.AtomicEth;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.Deth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Operation;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.Ieth;
import io.verbena.wire.ib.ImmDt;
import io.verbena.wire.ib.PathEth;
import io.verbena.wire.ib.Rdeth;
import io.verbena.wire.ib.Reth;
import io.verbena.work.Moved;

/** Builds the request packets of one requester: the headers of each type of work, and the payload from memory. */
public final class RequestPackets {

    /** The result of building a packet. */
    public enum Built {
        DONE,
        /** The list of packets is full. */
        FULL,
        /** The memory is not available now. */
        NOT_NOW,
        /** The memory was lost. */
        LOST,
        /** A buffer is not registered or is too short. */
        REFUSED;

        public static Built of(Moved moved) {
            return switch (moved) {
                case DONE -> DONE;
                case NOT_NOW -> NOT_NOW;
                case LOST -> LOST;
                case REFUSED -> REFUSED;
            };
        }
    }

    private final QueuePairWork owner;
    private final Service service;
    private final int mtuBytes;
    private final Reth reth = new Reth();
    private final AtomicEth atomicEth = new AtomicEth();
    private final ImmDt immDt = new ImmDt();
    private final Ieth ieth = new Ieth();
    private final Rdeth rdeth = new Rdeth();
    private final Deth deth = new Deth();

    private final MigratingPath path;
    private int destQp;
    private int context;
    private int qKey;
    private int sourceQp;

    // Of the next packet of a connection with several paths.
    private boolean sprayed;
    private final PathEth pathEth = new PathEth();
    private int entropy;
    private int clock;
    private boolean disjoint;

    public RequestPackets(QueuePairWork owner, Service service, int mtuBytes, MigratingPath path, int destQp) {
        this.owner = owner;
        this.service = service;
        this.mtuBytes = mtuBytes;
        this.path = path;
        this.destQp = destQp;
    }

    /** Sets the queue pairs and the context of the next packets of the reliable datagram service. */
    public void datagram(int newContext, int newDestQp, int newQKey, int newSourceQp) {
        context = newContext;
        destQp = newDestQp;
        qKey = newQKey;
        sourceQp = newSourceQp;
    }

    /**
     * The next packets name their path and their place.
     *
     * @param at the clock of the packets
     * @param free whether a Write overlaps no other request that is not complete
     */
    void spray(int path, int at, boolean free) {
        sprayed = true;
        entropy = path;
        clock = at;
        disjoint = free;
    }

    /** Number of PSNs of a message, or of the response to a Read. */
    public int packetsOf(int lengthBytes) {
        return lengthBytes <= mtuBytes ? 1 : (int) ((lengthBytes + (long) mtuBytes - 1) / mtuBytes);
    }

    private boolean begin(PacketBuilder out, IbOpcode opcode, int psn, int payloadBytes) {
        if (sprayed) {
            path.take(entropy);
        }
        boolean began = sprayed
                ? path.beginSprayed(out, opcode, destQp, psn, payloadBytes)
                : path.begin(out, opcode, destQp, psn, payloadBytes);
        if (!began) {
            return false;
        }
        if (sprayed) {
            pathEth.wrap(out.segment(), out.pathHeader()).set(opcode, entropy, clock);
        }
        if (opcode.hasRdeth()) {
            rdeth.wrap(out.segment(), out.header(opcode.rdethOffset())).set(context);
        }
        if (opcode.hasDeth()) {
            deth.wrap(out.segment(), out.header(opcode.dethOffset())).set(qKey, sourceQp);
        }
        return true;
    }

    /**
     * Builds a Read request for a part of a Read.
     *
     * @param fromPacket first requested packet of the response
     * @param packets number of requested packets
     */
    public Built read(PacketBuilder out, Wqe wqe, int fromPacket, int packets, int psn) {
        if (!owner.buffers().usable(wqe, true)) {
            return Built.REFUSED;
        }
        IbOpcode opcode = Opcodes.of(service, IbOpcode.RC_READ_REQUEST);
        if (!begin(out, opcode, psn, 0)) {
            return Built.FULL;
        }
        long done = (long) fromPacket * mtuBytes;
        long length = Math.min((long) packets * mtuBytes, wqe.length() - done);
        reth.wrap(out.segment(), out.header(opcode.rethOffset()))
                .va(wqe.remoteAddress() + done)
                .rKey(wqe.rkey())
                .dmaLength((int) length);
        // The peer counts the Reads of a connection that survives its transport, and not their parts.
        out.bth().a(owner.outliving().isEmpty() || done + length == wqe.length());
        out.end(path.current());
        return Built.DONE;
    }

    /** Builds a Write of no bytes, which accesses no memory; false when the list is full. */
    boolean emptyWrite(PacketBuilder out, int psn) {
        IbOpcode opcode = Opcodes.of(service, IbOpcode.RC_WRITE_ONLY);
        if (!begin(out, opcode, psn, 0)) {
            return false;
        }
        reth.wrap(out.segment(), out.header(opcode.rethOffset())).va(0).rKey(0).dmaLength(0);
        out.bth().a(true);
        out.end(path.current());
        return true;
    }

    /** Builds a compare-and-swap or fetch-and-add. */
    public Built atomic(PacketBuilder out, Wqe wqe, int psn) {
        boolean swap = wqe.opcode() == WorkOpcode.COMPARE_AND_SWAP;
        IbOpcode opcode = Opcodes.of(service, swap ? IbOpcode.RC_COMPARE_SWAP : IbOpcode.RC_FETCH_ADD);
        if (!begin(out, opcode, psn, 0)) {
            return Built.FULL;
        }
        atomicEth
                .wrap(out.segment(), out.header(opcode.atomicEthOffset()))
                .va(wqe.remoteAddress())
                .rKey(wqe.rkey())
                .swapOrAddData(swap ? wqe.operand2() : wqe.operand1())
                .compareData(swap ? wqe.operand1() : 0);
        out.bth().a(true);
        out.end(path.current());
        return Built.DONE;
    }

    /** Whether a packet is the last one of its message. */
    public boolean last(Wqe wqe, int packet) {
        return ((long) packet + 1) * mtuBytes >= wqe.length();
    }

    /** Builds a packet of a Send or Write. */
    public Built message(PacketBuilder out, Wqe wqe, int packet, int psn, boolean asksForAck) {
        long done = (long) packet * mtuBytes;
        int payload = (int) Math.min(mtuBytes, wqe.length() - done);
        boolean last = last(wqe, packet);
        IbOpcode opcode = Opcodes.of(service, Opcodes.packet(wqe.opcode(), packet == 0, last));
        boolean solicited = last && wqe.solicited();
        if (!begin(out, opcode, solicited, Bth.tail(asksForAck, psn), payload)) {
            return Built.FULL;
        }
        Moved moved = owner.buffers().gather(wqe, done, out.segment(), out.payload(), payload);
        if (moved != Moved.DONE) {
            out.drop();
            return Built.of(moved);
        }
        if (opcode.hasReth()) {
            reth.wrap(out.segment(), out.header(opcode.rethOffset()))
                    .va(wqe.remoteAddress())
                    .rKey(wqe.rkey())
                    .dmaLength(wqe.length());
        }
        if (sprayed && opcode.operation() == Operation.WRITE) {
            pathEth.place(wqe.remoteAddress(), wqe.rkey(), (int) done).disjoint(disjoint);
        }
        if (opcode.immediate()) {
            immDt.wrap(out.segment(), out.header(opcode.immOffset())).immediate((int) wqe.operand1());
        }
        if (opcode.invalidates()) {
            ieth.wrap(out.segment(), out.header(opcode.iethOffset())).rKey(wqe.rkey());
        }
        out.end(path.current());
        return Built.DONE;
    }

    private boolean begin(PacketBuilder out, IbOpcode opcode, boolean solicited, int tail, int payloadBytes) {
        if (!sprayed && !opcode.hasDeth()) {
            return path.begin(out, opcode, solicited, destQp, tail, payloadBytes);
        }
        if (!begin(out, opcode, tail, payloadBytes)) {
            return false;
        }
        out.bth().se(solicited).a(tail < 0);
        return true;
    }
}
