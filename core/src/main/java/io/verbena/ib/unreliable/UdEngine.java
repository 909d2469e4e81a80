package io.verbena.ib.unreliable;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.ib.endpoint.PendingEvents;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.request.RequestPackets.Built;
import io.verbena.ib.respond.InboundMessage;
import io.verbena.ib.respond.ResponderFault;
import io.verbena.ib.settings.UdSettings;
import io.verbena.memory.CopyResult;
import io.verbena.memory.Region;
import io.verbena.memory.Verdict;
import io.verbena.queue.Arrival;
import io.verbena.queue.ReceiveQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WorkOpcode;
import io.verbena.wire.ib.Deth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.ImmDt;
import io.verbena.wire.ib.Reth;
import io.verbena.work.Grant;
import io.verbena.work.Moved;
import io.verbena.work.OneShotKeys;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * One unreliable datagram queue pair as a pure engine: each message is one packet, to any queue pair of any peer. A
 * message without a receive, or longer than the receive, is dropped; the receive remains posted.
 *
 * <p>The destination of work is an address handle ({@link Wqe#otherKey}), a queue pair number and a Q_Key. A Q_Key with
 * the highest bit set means the Q_Key of the sending queue pair, so that only privileged queue pairs send privileged
 * Q_Keys. Source: InfiniBand architecture specification, volume 1, sections 9.8.3 and 10.2.5.
 */
public final class UdEngine extends UnreliableEngine {

    /** The destination number of packets to multicast groups. */
    public static final int MULTICAST_QP = 0xff_ffff;

    private final ReceiveQueue receives;
    private final Wqe wqe = new Wqe();
    private final Arrival arrival = new Arrival();
    private final GlobalHeaderArea globalHeader = new GlobalHeaderArea();
    private final boolean writes;
    private final OneShotKeys oneShot;
    private final Grant grant = new Grant();
    private boolean mayWrite = true;
    private final MemorySegment globalHeaderBytes = MemorySegment.ofArray(globalHeader.bytes());

    /** A queue pair that can receive (RTR). The caller calls {@link #readyToSend()} later. */
    public UdEngine(UdSettings settings, QueuePairWork owner, AddressHandles handles) {
        super(owner, new PendingEvents(), new Outbound(settings, owner, handles));
        receives = owner.queues().receive();
        writes = settings.writes();
        oneShot = new OneShotKeys(owner.regions(), settings.localQp());
    }

    /** Builds datagrams from work. */
    private static final class Outbound implements UnreliableSender.Packets {
        private final UdSettings settings;
        private final QueuePairWork owner;
        private final AddressHandles handles;
        private final Deth deth = new Deth();
        private final ImmDt immDt = new ImmDt();
        private final Reth reth = new Reth();
        private int nextPsn;

        Outbound(UdSettings settings, QueuePairWork owner, AddressHandles handles) {
            this.settings = settings;
            this.owner = owner;
            this.handles = handles;
            nextPsn = settings.firstSendPsn();
        }

        @Override
        public CompletionStatus refusal(Wqe wqe) {
            boolean known = wqe.opcode() == WorkOpcode.SEND
                    || wqe.opcode() == WorkOpcode.SEND_WITH_IMMEDIATE
                    || settings.writes() && wqe.opcode() == WorkOpcode.WRITE;
            if (!known) {
                return CompletionStatus.LOCAL_OPERATION;
            }
            if (wqe.length() > settings.mtuBytes()) {
                return CompletionStatus.LOCAL_LENGTH;
            }
            // A closed handle is a misuse by the application.
            return handles.has(wqe.otherKey()) ? CompletionStatus.SUCCESS : CompletionStatus.LOCAL_OPERATION;
        }

        @Override
        public Built build(PacketBuilder out, Wqe wqe, int packet) {
            boolean immediate = wqe.opcode() == WorkOpcode.SEND_WITH_IMMEDIATE;
            boolean write = wqe.opcode() == WorkOpcode.WRITE;
            IbOpcode opcode =
                    write ? IbOpcode.UD_WRITE_ONLY : immediate ? IbOpcode.UD_SEND_ONLY_IMM : IbOpcode.UD_SEND_ONLY;
            PacketPath path = handles.path(wqe.otherKey());
            if (!out.begin(path, opcode, wqe.destination(), nextPsn, wqe.length())) {
                return Built.FULL;
            }
            Moved moved = owner.buffers().gather(wqe, 0, out.segment(), out.payload(), wqe.length());
            if (moved != Moved.DONE) {
                out.drop();
                return Built.of(moved);
            }
            int qKey = wqe.qkey() < 0 ? settings.qKey() : wqe.qkey();
            deth.wrap(out.segment(), out.header(opcode.dethOffset())).set(qKey, settings.localQp());
            if (write) {
                reth.wrap(out.segment(), out.header(opcode.rethOffset()))
                        .va(wqe.remoteAddress())
                        .rKey(wqe.rkey())
                        .dmaLength(wqe.length());
            }
            if (immediate) {
                immDt.wrap(out.segment(), out.header(opcode.immOffset())).immediate((int) wqe.operand1());
            }
            out.bth().se(wqe.solicited()).pKey(settings.pKey());
            out.end(path);
            nextPsn = Psn.plus(nextPsn, 1);
            return Built.DONE;
        }

        @Override
        public boolean last(Wqe wqe, int packet) {
            return true;
        }
    }

    @Override
    public Service service() {
        return Service.UD;
    }

    @Override
    public void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        if (failure().isPresent() || packet.opcode().service() != Service.UD) {
            return;
        }
        boolean write = packet.opcode() == IbOpcode.UD_WRITE_ONLY;
        ResponderFault fault = write ? place(packet, segment) : take(packet, segment, origin);
        if (fault != ResponderFault.NONE) {
            onFault(fault);
        }
    }

    /** Executes a Write. A Write that is not permitted is dropped. */
    private ResponderFault place(IbPacket packet, MemorySegment segment) {
        if (!writes || !mayWrite) {
            return ResponderFault.NOT_ALLOWED;
        }
        Reth reth = packet.reth();
        int bytes = packet.payloadBytes();
        if (reth.dmaLength() != bytes) {
            return ResponderFault.LENGTH;
        }
        if (bytes == 0) {
            return ResponderFault.NONE;
        }
        Verdict verdict =
                owner.access().check(reth.rKey(), oneShot.write(), reth.va(), bytes, AccessRight.REMOTE_WRITE, grant);
        if (verdict != Verdict.OK) {
            return verdict == Verdict.LOST ? ResponderFault.ACCESS : ResponderFault.of(verdict);
        }
        if (grant.oneShot()) {
            oneShot.claimForWrite(reth.rKey());
        }
        CopyResult result = grant.region().copyIn(grant.offset(), segment, packet.payloadOffset(), bytes);
        oneShot.endWrite();
        if (result != CopyResult.DONE) {
            return ResponderFault.ACCESS;
        }
        Region.publish();
        return ResponderFault.NONE;
    }

    @Override
    public void peerRights(Set<AccessRight> rights) {
        mayWrite = rights.contains(AccessRight.REMOTE_WRITE);
    }

    private ResponderFault take(IbPacket packet, MemorySegment segment, Origin origin) {
        if (!receives.provide(receives.retired())) {
            return ResponderFault.NO_RECEIVE;
        }
        receives.at(receives.retired(), wqe);
        int length = GlobalHeaderArea.LENGTH + packet.payloadBytes();
        if (length > wqe.length()) {
            return ResponderFault.TOO_LONG;
        }
        globalHeader.write(origin, packet.lengthBytes());
        Moved moved = owner.buffers().scatter(wqe, 0, globalHeaderBytes, 0, GlobalHeaderArea.LENGTH);
        if (moved == Moved.DONE) {
            moved = owner.buffers()
                    .scatter(wqe, GlobalHeaderArea.LENGTH, segment, packet.payloadOffset(), packet.payloadBytes());
        }
        if (moved != Moved.DONE) {
            return InboundMessage.receiveFault(moved);
        }
        arrival.of(CompletionOpcode.RECEIVE, length, packet.bth().se())
                .source(packet.deth().srcQp(), 0, 0, true);
        if (packet.opcode().immediate()) {
            arrival.immediate(packet.immDt().immediate());
        }
        Region.publish();
        return owner.queues().completeReceive(CompletionStatus.SUCCESS, arrival)
                ? ResponderFault.NONE
                : ResponderFault.CQ_OVERFLOW;
    }

    @Override
    public long stateDigest() {
        return Digest.mix(super.stateDigest(), receives.retired());
    }
}
