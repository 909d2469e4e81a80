package io.verbena.port.faults;

import io.verbena.base.Digest;
import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketPort;
import io.verbena.port.PacketPortWrapper;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * A port whose arriving packets are lost, duplicated, corrupted and delayed according to a {@link PacketFaults} plan.
 * Created by {@link FaultyPacketLoop}, which runs its timers. The treatment of the n-th packet depends on the seed and
 * n only, so that a run can be repeated. Not a hot path: delayed packets are copied.
 */
final class FaultyPacketPort extends PacketPortWrapper {

    private static final int MOST_GROUP_BYTES = 128 * 1024;

    private final PacketFaults plan;
    private final long seed;
    private final FaultyPacketLoop loop;
    private final PacketEvents owner;
    private final PacketBatch arrived = new PacketBatch(4 * LEAST_BATCH_BYTES, 4 * LEAST_BATCH_PACKETS);
    private final ArrayDeque<Held> ready = new ArrayDeque<>();
    private final List<Held> held = new ArrayList<>();
    private final PacketList group;
    private long drawn;

    /** Bytes in both directions since the last outage began, and the end of the outage in progress. */
    private long bytesSinceOutage;

    private long outageUntilNs;
    private boolean outage;

    /** A copy of a packet. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Held(byte[] bytes, Origin origin, long untilNs) {}

    /** What a batch says about a packet besides its bytes. */
    private record Origin(PacketPath source, int index, long groupHigh, long groupLow) {}

    FaultyPacketPort(PacketPort inner, PacketFaults plan, long seed, FaultyPacketLoop loop, PacketEvents owner) {
        super(inner);
        this.plan = plan;
        this.seed = seed;
        this.loop = loop;
        this.owner = owner;
        group = new PacketList(plan.outages().paths() == PathCuts.NONE ? 0 : MOST_GROUP_BYTES);
    }

    @Override
    public int receive(PacketBatch batch) throws IOException {
        if (ready.isEmpty()) {
            arrived.reset();
            inner().receive(arrived);
            for (int i = 0; i < arrived.packets(); i++) {
                decide(i);
            }
        }
        while (!ready.isEmpty() && batch.fits(ready.peekFirst().bytes().length)) {
            Held next = ready.removeFirst();
            MemorySegment.copy(
                    next.bytes(), 0, batch.slab().segment(), ValueLayout.JAVA_BYTE, batch.used(), next.bytes().length);
            Origin from = next.origin();
            batch.sentTo(from.groupHigh(), from.groupLow());
            PacketPath source = from.source();
            batch.add(
                    next.bytes().length,
                    source.addressHigh(),
                    source.addressLow(),
                    source.port(),
                    source.trafficClass(),
                    from.index());
        }
        return batch.packets();
    }

    /** Whether all packets are lost now. */
    private boolean down() {
        if (outage) {
            outage = Times.leftNs(outageUntilNs, loop.nowNs()) > 0;
        } else if (plan.outages().afterBytes() > 0
                && bytesSinceOutage >= plan.outages().afterBytes()) {
            bytesSinceOutage = 0;
            outage = true;
            outageUntilNs = Times.after(loop.nowNs(), plan.outages().lastingNs());
        }
        return outage;
    }

    @Override
    public int send(PacketList list, int from) throws IOException {
        PathCuts cuts = plan.outages().paths();
        int end = cuts.any() ? sendExcept(cuts, list, from) : inner().send(list, from);
        for (int i = from; i < end; i++) {
            bytesSinceOutage += list.length(i);
        }
        return end;
    }

    /**
     * Sends groups one by one, and loses those on paths that are cut. Each is sent from a list of its own, for else two
     * groups with a lost one between them could become one, and their packets would have other indexes.
     */
    private int sendExcept(PathCuts cuts, PacketList list, int from) throws IOException {
        int packet = from;
        while (packet < list.packets()) {
            int end = list.groupEnd(packet);
            if (!cuts.isCut(list.path(packet).entropy()) && !sendGroup(list, packet, end)) {
                return packet;
            }
            packet = end;
        }
        return packet;
    }

    private boolean sendGroup(PacketList list, int first, int end) throws IOException {
        group.reset(end - first, Integer.MAX_VALUE);
        for (int i = first; i < end; i++) {
            int at = group.reserve(list.length(i));
            ByteBuffer target = group.slab().range(at, at + list.length(i));
            list.copyOut(i, target);
            group.endPacket(list.path(i), list.tag(i));
        }
        return inner().send(group, 0) == end - first;
    }

    private void decide(int packet) {
        bytesSinceOutage += arrived.length(packet);
        if (down() || happens(plan.loseOneIn())) {
            return;
        }
        Held copy = copyOf(packet);
        if (happens(plan.flipOneIn())) {
            int bit = draw(copy.bytes().length * 8);
            copy.bytes()[bit >> 3] ^= (byte) (1 << (bit & 7));
        }
        if (happens(plan.doubleOneIn())) {
            ready.addLast(copy);
        }
        if (happens(plan.holdOneIn())) {
            long untilNs = loop.nowNs() + draw((int) Math.min(plan.maxHoldNs(), Integer.MAX_VALUE - 1) + 1);
            held.add(new Held(copy.bytes(), copy.origin(), untilNs));
        } else {
            ready.addLast(copy);
        }
    }

    private Held copyOf(int packet) {
        int offset = arrived.offset(packet);
        byte[] bytes =
                arrived.slab().segment().asSlice(offset, arrived.length(packet)).toArray(ValueLayout.JAVA_BYTE);
        PacketPath source = new PacketPath(
                arrived.sourceHigh(packet),
                arrived.sourceLow(packet),
                arrived.sourcePort(packet),
                arrived.trafficClass(packet));
        Origin origin =
                new Origin(source, arrived.indexInGroup(packet), arrived.groupHigh(packet), arrived.groupLow(packet));
        return new Held(bytes, origin, 0);
    }

    private boolean happens(int oneIn) {
        return oneIn > 0 && draw(oneIn) == 0;
    }

    private int draw(int bound) {
        return (int) ((Digest.mix(seed, ++drawn) >>> 33) * bound >>> 31);
    }

    /** The time at which the next packet is released, or {@link FaultyPacketLoop#NEVER}. */
    long nextDeadlineNs() {
        if (!ready.isEmpty()) {
            return loop.nowNs();
        }
        long next = FaultyPacketLoop.NEVER;
        for (Held each : held) {
            if (next == FaultyPacketLoop.NEVER || each.untilNs() - next < 0) {
                next = each.untilNs();
            }
        }
        return next;
    }

    /** Releases the packets that are due. Returns whether there were any. */
    boolean turn(long nowNs) {
        for (int i = held.size() - 1; i >= 0; i--) {
            if (held.get(i).untilNs() - nowNs <= 0) {
                ready.addLast(held.remove(i));
            }
        }
        if (ready.isEmpty()) {
            return false;
        }
        owner.onReadable();
        return true;
    }

    @Override
    public void close() {
        loop.forget(this);
        ready.clear();
        held.clear();
        super.close();
    }
}
