package io.verbena.ib.unreliable;

import io.verbena.base.Digest;
import io.verbena.base.PacketPath;
import io.verbena.ib.endpoint.MigratingPath;
import io.verbena.ib.endpoint.PendingEvents;
import io.verbena.ib.endpoint.QueuePairWork;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.PacketBuilder;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.request.RequestPackets;
import io.verbena.ib.request.RequestPackets.Built;
import io.verbena.ib.respond.InboundMessage;
import io.verbena.ib.respond.ResponderFault;
import io.verbena.ib.settings.UcSettings;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.CompletionStatus;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.work.OneShotKeys;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * One unreliable connection of the InfiniBand transport as a pure engine: Sends and Writes, in order, without
 * acknowledgements. A message with a missing packet is dropped. Its receive is used for the next message; bytes that a
 * Write has placed remain.
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.8.2.
 */
public final class UcEngine extends UnreliableEngine {

    private final MigratingPath path;
    private final OneShotKeys oneShot;
    private final InboundMessage message;
    private int expectedPsn;
    private boolean established;

    /** A connection that can receive (RTR). The caller calls {@link #readyToSend()} later. */
    public UcEngine(UcSettings settings, QueuePairWork owner, PacketPath path) {
        this(settings, owner, new PendingEvents(), path);
    }

    private UcEngine(UcSettings settings, QueuePairWork owner, PendingEvents events, PacketPath path) {
        this(settings, owner, events, new MigratingPath(path, settings.pKey(), events));
    }

    private UcEngine(UcSettings settings, QueuePairWork owner, PendingEvents events, MigratingPath path) {
        super(owner, events, new Outbound(settings, owner, path));
        this.path = path;
        oneShot = new OneShotKeys(owner.regions(), settings.localQp());
        message = new InboundMessage(owner, settings.mtuBytes(), oneShot);
        expectedPsn = settings.firstReceivePsn();
    }

    /** Builds packets of an unreliable connection from work. */
    private static final class Outbound implements UnreliableSender.Packets {
        private final RequestPackets building;
        private int nextPsn;

        Outbound(UcSettings settings, QueuePairWork owner, MigratingPath path) {
            building = new RequestPackets(owner, Service.UC, settings.mtuBytes(), path, settings.remoteQp());
            nextPsn = settings.firstSendPsn();
        }

        @Override
        public CompletionStatus refusal(Wqe wqe) {
            return switch (wqe.opcode()) {
                case SEND, SEND_WITH_IMMEDIATE, WRITE, WRITE_WITH_IMMEDIATE -> CompletionStatus.SUCCESS;
                default -> CompletionStatus.LOCAL_OPERATION;
            };
        }

        @Override
        public Built build(PacketBuilder out, Wqe wqe, int packet) {
            Built built = building.message(out, wqe, packet, nextPsn, false);
            nextPsn = built == Built.DONE ? Psn.plus(nextPsn, 1) : nextPsn;
            return built;
        }

        @Override
        public boolean last(Wqe wqe, int packet) {
            return building.last(wqe, packet);
        }
    }

    @Override
    public Service service() {
        return Service.UC;
    }

    @Override
    public void onPacket(IbPacket packet, MemorySegment segment, Origin origin, long nowNs) {
        IbOpcode opcode = packet.opcode();
        if (failure().isPresent()
                || opcode.service() != Service.UC
                || !path.admits(origin, packet.bth().m())) {
            return;
        }
        if (!established) {
            established = true;
            events.raise(AsyncEventType.COMMUNICATION_ESTABLISHED);
        }
        int psn = packet.bth().psn();
        if ((psn != expectedPsn || opcode.starts()) && message.underWay()) {
            message.abandon();
            drop();
        }
        expectedPsn = Psn.plus(psn, 1);
        if (!opcode.starts() && !message.underWay()) {
            // The packet belongs to a message whose beginning was lost.
            return;
        }
        ResponderFault fault = message.check(packet);
        if (fault == ResponderFault.NONE) {
            fault = message.take(packet, segment);
        }
        if (fault != ResponderFault.NONE) {
            message.abandon();
            onFault(fault);
        }
    }

    @Override
    void onFailure() {
        oneShot.endWrite();
    }

    @Override
    public void detach() {
        oneShot.end();
    }

    @Override
    public void peerRights(Set<AccessRight> rights) {
        message.mayWrite(rights.contains(AccessRight.REMOTE_WRITE));
    }

    @Override
    public void loadAlternate(PacketPath alternate) {
        path.load(alternate);
    }

    @Override
    public boolean migrate() {
        return path.migrate();
    }

    @Override
    public long stateDigest() {
        long d = Digest.mix(super.stateDigest(), (long) expectedPsn << 1 | (established ? 1 : 0));
        return path.stateDigest(message.stateDigest(d));
    }
}
