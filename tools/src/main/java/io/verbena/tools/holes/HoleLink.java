package io.verbena.tools.holes;

import io.verbena.base.Slab;
import io.verbena.port.LinkPort;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** A virtual network device that carries IP packets of one size, as a TUN device does. */
final class HoleLink implements LinkPort {

    private final int mtu;
    private final Consumer<byte[]> path;
    private final Deque<byte[]> arrived = new ArrayDeque<>();

    /** Sends to this path. */
    HoleLink(int mtu, Consumer<byte[]> path) {
        this.mtu = mtu;
        this.path = path;
    }

    /** A frame has arrived. */
    void arrive(byte[] frame) {
        arrived.addLast(frame);
    }

    @Override
    public String name() {
        return "virtual";
    }

    @Override
    public boolean ethernet() {
        return false;
    }

    @Override
    public int mtu() {
        return mtu;
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @Override
    public int receive(Slab slab, int offset) {
        byte[] frame = arrived.pollFirst();
        if (frame == null) {
            return 0;
        }
        MemorySegment.copy(frame, 0, slab.segment(), ValueLayout.JAVA_BYTE, offset, frame.length);
        return frame.length;
    }

    @Override
    public boolean send(Slab slab, int offset, int bytes) {
        path.accept(slab.segment().asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
        return true;
    }

    @Override
    public void wantWritable(boolean wanted) {
        // It accepts every frame.
    }

    @Override
    public void close() {
        arrived.clear();
    }
}
