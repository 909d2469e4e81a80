package io.verbena.port.faults;

import io.verbena.base.Digest;
import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.port.LinkPort;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A link whose frames are lost, duplicated, corrupted and delayed in both directions according to a {@link PacketFaults} plan. The
 * treatment of the n-th frame depends on the seed and n only. The driver calls {@link #turn}. Not a hot path: frames are copied.
 *
 * <p>Only whole packets of the network can be lost, so the device must not offload segmentation.
 */
public final class FaultyLinkPort implements LinkPort {

    /** Frames that are delayed at a time; further ones are lost. */
    private static final int MOST_HELD = 65_536;

    private final LinkPort inner;
    private final PacketFaults plan;
    private final long seed;
    private final Slab scratch = new Slab(MOST_BYTES);
    private final Deque<byte[]> arrived = new ArrayDeque<>();
    private final Deque<byte[]> leaving = new ArrayDeque<>();
    private final List<Held> held = new ArrayList<>();
    private long drawn;
    private long nowNs;
    private long bytesSinceOutage;
    private long outageUntilNs = Times.NEVER;

    /** A delayed frame. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Held(byte[] frame, boolean arriving, long untilNs) {}

    /** Faults on every frame of a device that does not offload segmentation. */
    public FaultyLinkPort(LinkPort inner, PacketFaults plan, long seed, long nowNs) {
        if (inner.offloads()) {
            throw new IllegalArgumentException("the device " + inner.name() + " carries large segments, of which a"
                    + " network would not lose the whole: open it without offloads");
        }
        this.inner = inner;
        this.plan = plan;
        this.seed = seed;
        this.nowNs = nowNs;
    }

    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public boolean ethernet() {
        return inner.ethernet();
    }

    @Override
    public int mtu() {
        return inner.mtu();
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @Override
    public int receiveBufferBytes() {
        return inner.receiveBufferBytes();
    }

    @Override
    public int receive(Slab slab, int offset) throws IOException {
        int bytes;
        while (arrived.isEmpty() && (bytes = inner.receive(scratch, 0)) > 0) {
            decide(scratch, 0, bytes, true);
        }
        byte[] frame = arrived.pollFirst();
        if (frame == null) {
            return 0;
        }
        MemorySegment.copy(frame, 0, slab.segment(), ValueLayout.JAVA_BYTE, offset, frame.length);
        return frame.length;
    }

    @Override
    public boolean send(Slab slab, int offset, int bytes) throws IOException {
        if (!sendLeaving()) {
            return false;
        }
        decide(slab, offset, bytes, false);
        sendLeaving(); // what is not accepted now follows with the next frame or turn
        return true;
    }

    private boolean sendLeaving() throws IOException {
        byte[] frame;
        while ((frame = leaving.peekFirst()) != null) {
            MemorySegment.copy(frame, 0, scratch.segment(), ValueLayout.JAVA_BYTE, 0, frame.length);
            if (!inner.send(scratch, 0, frame.length)) {
                return false;
            }
            leaving.removeFirst();
        }
        return true;
    }

    private void decide(Slab slab, int offset, int bytes, boolean arriving) {
        if (outage(bytes) || happens(plan.loseOneIn())) {
            return;
        }
        byte[] frame = slab.segment().asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
        if (happens(plan.flipOneIn()) && bytes > VirtioNetHeader.LENGTH) {
            flip(frame);
        }
        Deque<byte[]> next = arriving ? arrived : leaving;
        if (happens(plan.doubleOneIn())) {
            next.addLast(frame.clone());
        }
        if (!happens(plan.holdOneIn())) {
            next.addLast(frame);
        } else if (held.size() < MOST_HELD) {
            long delayNs = draw((int) Math.min(plan.maxHoldNs(), Integer.MAX_VALUE - 1) + 1);
            held.add(new Held(frame, arriving, Times.after(nowNs, delayNs)));
        }
    }

    /** Damages what the network carries, not the header that the process and the device exchange. */
    private void flip(byte[] frame) {
        int bit = draw((frame.length - VirtioNetHeader.LENGTH) * Byte.SIZE);
        frame[VirtioNetHeader.LENGTH + bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
    }

    private boolean outage(int bytes) {
        bytesSinceOutage += bytes;
        if (outageUntilNs != Times.NEVER) {
            outageUntilNs = Times.due(outageUntilNs, nowNs) ? Times.NEVER : outageUntilNs;
        } else if (plan.outages().afterBytes() > 0
                && bytesSinceOutage >= plan.outages().afterBytes()) {
            bytesSinceOutage = 0;
            outageUntilNs = Times.after(nowNs, plan.outages().lastingNs());
        }
        return outageUntilNs != Times.NEVER;
    }

    private boolean happens(int oneIn) {
        return oneIn > 0 && draw(oneIn) == 0;
    }

    private int draw(int bound) {
        return (int) ((Digest.mix(seed, ++drawn) >>> 33) * bound >>> 31);
    }

    /** The time at which the next frame is released, or {@link Times#NEVER}. */
    public long nextDeadlineNs() {
        long next = Times.NEVER;
        for (Held each : held) {
            next = Times.earlier(next, each.untilNs());
        }
        return next;
    }

    /** Releases the frames that are due; returns whether some have arrived. */
    public boolean turn(long timeNs) throws IOException {
        nowNs = timeNs;
        for (int i = 0; i < held.size(); ) {
            Held each = held.get(i);
            if (Times.due(each.untilNs(), timeNs)) {
                (each.arriving() ? arrived : leaving).addLast(each.frame());
                held.remove(i);
            } else {
                i++;
            }
        }
        sendLeaving();
        return !arrived.isEmpty();
    }

    @Override
    public void wantWritable(boolean wanted) {
        inner.wantWritable(wanted);
    }

    @Override
    public void close() {
        inner.close();
    }
}
