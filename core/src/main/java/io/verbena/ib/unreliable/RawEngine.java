package io.verbena.ib.unreliable;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.ib.endpoint.PendingEvents;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.request.RequestPackets.Built;
import io.verbena.ib.respond.InboundMessage;
import io.verbena.ib.respond.ResponderFault;
import io.verbena.memory.Region;
import io.verbena.queue.Arrival;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.work.Moved;
import java.lang.foreign.MemorySegment;

/**
 * A raw datagram queue pair as a pure engine: it sends and receives complete IPv6 packets without a change. {@link
 * RawSteering} chooses the queue pair that receives a packet. A subnet transports the packets as they are. Over UDP this is an extension between two Verbenas
 * (opcode D3): the IPv6 packet is the payload of a packet of the transport.
 */
public final class RawEngine extends UnreliableEngine {

    /** The destination number of raw packets: the receiver steers them by their IPv6 header. */
    public static final int ANY_QUEUE_PAIR = 0xff_fffe;

    private final ReceiveQueue receives;
    private final Wqe wqe = new Wqe();
    private final Arrival arrival = new Arrival();

    /**
     * A queue pair that can receive; {@link #readyToSend()} follows.
     *
     * @param mtuBytes maximum length of an IPv6 packet
     */
    public RawEngine(int mtuBytes, QueuePairWork owner, AddressHandles handles) {
        super(owner, new PendingEvents(), new Outbound(mtuBytes, owner, handles));
        receives = owner.queues().receive();
    }

    /** Builds raw packets from work. */
    private static final class Outbound implements UnreliableSender.Packets {
        private final int mtuBytes;
        private final QueuePairWork owner;
        private final AddressHandles handles;

        Outbound(int mtuBytes, QueuePairWork owner, AddressHandles handles) {
            this.mtuBytes = mtuBytes;
            this.owner = owner;
            this.handles = handles;
        }

        @Override
        public CompletionStatus refusal(Wqe wqe) {
            if (wqe.opcode() != WorkOpcode.SEND || !handles.has(wqe.otherKey())) {
                return CompletionStatus.LOCAL_OPERATION;
            }
            boolean fits = wqe.length() >= RawSteering.HEADER_BYTES && wqe.length() <= mtuBytes;
            return fits ? CompletionStatus.SUCCESS : CompletionStatus.LOCAL_LENGTH;
        }

        @Override
        public Built build(PacketBuilder out, Wqe wqe, int packet) {
            PacketPath path = handles.path(wqe.otherKey());
            if (!out.beginRaw(path, ANY_QUEUE_PAIR, wqe.length())) {
                return Built.FULL;
            }
            Moved moved = owner.buffers().gather(wqe, 0, out.segment(), out.payload(), wqe.length());
            if (moved != Moved.DONE) {
                out.drop();
                return Built.of(moved);
            }
            out.end(path);
            return Built.DONE;
        }

        @Override
        public boolean last(Wqe wqe, int packet) {
            return true;
        }
    }

    @Override
    public Service service() {
        return IbOpcode.RAW_DATAGRAM.service();
    }

    @Override
    public void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        // A packet for the number of a queue pair has passed no rule.
        if (failure().isPresent()
                || packet.opcode() != IbOpcode.RAW_DATAGRAM
                || packet.bth().destQp() != ANY_QUEUE_PAIR) {
            return;
        }
        ResponderFault fault = take(packet, segment);
        if (fault != ResponderFault.NONE) {
            onFault(fault);
        }
    }

    private ResponderFault take(IbPacket packet, MemorySegment segment) {
        if (!receives.provide(receives.retired())) {
            return ResponderFault.NO_RECEIVE;
        }
        receives.at(receives.retired(), wqe);
        int length = packet.payloadBytes();
        if (length > wqe.length()) {
            return ResponderFault.TOO_LONG;
        }
        Moved moved = owner.buffers().scatter(wqe, 0, segment, packet.payloadOffset(), length);
        if (moved != Moved.DONE) {
            return InboundMessage.receiveFault(moved);
        }
        arrival.of(CompletionOpcode.RECEIVE, length, false);
        Region.publish();
        return owner.queues().completeReceive(CompletionStatus.SUCCESS, arrival)
                ? ResponderFault.NONE
                : ResponderFault.CQ_OVERFLOW;
    }

    /** Whether the payload of a packet begins with a complete IPv6 header. */
    public static boolean carriesIpv6(IbPacket packet, MemorySegment segment) {
        return packet.opcode() == IbOpcode.RAW_DATAGRAM
                && packet.payloadBytes() >= RawSteering.HEADER_BYTES
                && (segment.get(JAVA_BYTE, packet.payloadOffset()) >> 4 & 0xf) == 6;
    }

    @Override
    public long stateDigest() {
        return Digest.mix(super.stateDigest(), receives.retired());
    }
}
