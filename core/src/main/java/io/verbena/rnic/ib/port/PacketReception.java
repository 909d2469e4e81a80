package io.verbena.rnic.ib.port;

import io.verbena.engine.RnicEngine;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.Origin;
import io.verbena.ib.packet.Psn;
import io.verbena.port.PacketBatch;
import io.verbena.rnic.context.RnicContext;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.PacketRun;
import org.jspecify.annotations.Nullable;

/** Checks received packets and delivers them to the queue pairs of one engine, which calls every method. */
public final class PacketReception {

    private final RnicContext context;
    private final RnicEngine engine;
    private final Framing framing;
    private final NumberedTargets others;
    private final Admission admission = new Admission();
    private final IbPacket packet = new IbPacket();
    private final PacketRun run = new PacketRun();
    private final Origin origin = new Origin();

    /** Index of the packet of the batch after which a run was looked for last. */
    private int lastTried;

    /** Packets of the batch before this one are delivered one by one. */
    private int singlesBefore;

    /**
     * The reception of an engine.
     *
     * @param others targets that are not the endpoints of queue pairs
     */
    public PacketReception(RnicContext context, RnicEngine engine, Framing framing, NumberedTargets others) {
        this.others = others;
        this.context = context;
        this.engine = engine;
        this.framing = framing;
    }

    /** Whether a packet is valid; if so, it is decoded. */
    public boolean admits(PacketBatch batch, int index) {
        return framing.admit(batch, index, admission, packet, origin) == Admission.Outcome.ADMITTED;
    }

    /** Whether the packet, whose sum is right, may be processed by an end-to-end context. */
    public boolean admitsToContext(int pKey) {
        return admission.admitToContext(packet, pKey) == Admission.Outcome.ADMITTED;
    }

    /** The admitted packet. */
    public IbPacket packet() {
        return packet;
    }

    /** The addresses of the admitted packet. */
    public Origin origin() {
        return origin;
    }

    /**
     * Delivers the admitted packet, and those after it that continue it, to the queue pair with this number, if it
     * belongs to this engine. Returns the index of the last packet that was delivered.
     *
     * @param index of the admitted packet
     */
    public int deliver(int number, PacketBatch batch, int index, long nowNs) {
        PacketTarget target = find(number);
        if (target != null && target.engine() == engine) {
            return deliver(target, batch, nowNs) ? index + deliverRun(target, batch, index) : index;
        }
        return index;
    }

    /** Delivers the admitted packet to the queue pair with this number, if it belongs to this engine. */
    public void deliverOne(int number, PacketBatch batch, long nowNs) {
        PacketTarget target = find(number);
        if (target != null && target.engine() == engine) {
            deliver(target, batch, nowNs);
        }
    }

    /** What packets with this number are for; null if nothing is. Any thread. */
    public @Nullable PacketTarget find(int number) {
        return context.endpoint(number) instanceof PacketTarget target ? target : others.find(number);
    }

    /** Delivers packets that continue the one that was admitted and delivered. Returns their number. */
    private int deliverRun(PacketTarget target, PacketBatch batch, int index) {
        if (index <= lastTried) {
            singlesBefore = 0; // another batch
        }
        lastTried = index;
        int alike = index >= singlesBefore && PacketRun.mayFollow(packet) ? batch.alike(index) : 0;
        if (alike == 0) {
            return 0;
        }
        try {
            int taken = 0;
            if (target.takesRun(origin, Psn.plus(packet.bth().psn(), 1))
                    && framing.follow(batch, index, alike, admission, packet, run) > 0) {
                taken = target.onRun(run);
                // The sums of the others are computed again: once for a group, and not for each packet of it.
                singlesBefore = taken < run.count() ? index + alike + 1 : 0;
            }
            return taken;
        } catch (Throwable e) {
            target.bug("receiving packets", e);
            return 0;
        }
    }

    /** Returns whether the target has admitted the packet. A bug in one queue pair must not affect the others. */
    public boolean deliver(PacketTarget target, PacketBatch batch, long nowNs) {
        try {
            if (!target.admits(packet, admission)) {
                return false;
            }
            target.onPacket(packet, batch.slab().segment(), origin, nowNs);
            return true;
        } catch (Throwable e) {
            target.bug("receiving a packet", e);
            return false;
        }
    }
}
