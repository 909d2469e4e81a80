package io.verbena.host.epoll;

import io.verbena.base.Slab;
import io.verbena.host.engine.LoopSource;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.port.FrameData;
import io.verbena.port.LinkEvents;
import io.verbena.port.LinkPort;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * A TUN or TAP device of Linux, or a packet socket, as the link of an engine. Each call carries one
 * frame; with offloads a frame has up to 64 KiB, which costs little more than one of 1,500 bytes.
 */
public final class FramePort extends LoopSource implements LinkPort {

    private static final int WATCHED = Linux.EPOLLIN;

    private final EpollLoop loop;
    private final FrameDevice device;
    private final Watch watch;

    private @Nullable LinkEvents events;
    private boolean wantsWritable;
    private boolean leftSystem;
    private boolean closed;

    /** The descriptor in the loop. */
    static final class Watch extends EpollLoop.Watched {
        private final FramePort port;

        public Watch(FramePort port) {
            this.port = port;
        }

        @Override
        int fd() {
            return port.device.fd();
        }

        FramePort port() {
            return port;
        }
    }

    /** Takes over the device. */
    public FramePort(EpollLoop loop, FrameDevice device) {
        this.loop = loop;
        this.device = device;
        this.watch = new Watch(this);
    }

    /** Reports to these from now on. */
    public void attach(LinkEvents listener) throws IOException {
        loop.watch(watch, WATCHED);
        events = listener;
        loop.askSoon();
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public boolean ethernet() {
        return device.ethernet();
    }

    @Override
    public int mtu() {
        return device.mtu();
    }

    @Override
    public boolean offloads() {
        return device.offloads();
    }

    @Override
    public int receiveBufferBytes() {
        return device.receiveBufferBytes();
    }

    @Override
    public int receive(Slab slab, int offset) throws IOException {
        long count = device.read(slab.address() + offset, MOST_BYTES);
        readBytes += Math.max(0, count);
        if (count >= 0) {
            return (int) count;
        }
        if (count == -Linux.EAGAIN || count == -Linux.EINTR) {
            return 0;
        }
        throw LinuxSockets.exception((int) -count, "read");
    }

    @Override
    public boolean send(Slab slab, int offset, int bytes) throws IOException {
        return sent(device.write(slab.address() + offset, bytes));
    }

    @Override
    public boolean gathers() {
        return device.offloads(); // otherwise this process sums the data, where they are together
    }

    @Override
    public boolean send(Slab slab, int offset, int bytes, FrameData data) throws IOException {
        MemorySegment pieces = loop.iovecs();
        Linux.iovec(pieces, 0, slab.address() + offset, bytes);
        Linux.iovec(pieces, 1, data.firstAddress(), data.firstBytes());
        Linux.iovec(pieces, 2, data.secondAddress(), data.secondBytes());
        long outcome = device.write(pieces, data.secondBytes() == 0 ? 2 : 3);
        Reference.reachabilityFence(slab);
        Reference.reachabilityFence(data.ring());
        return sent(outcome);
    }

    private static boolean sent(long outcome) throws IOException {
        if (outcome >= 0) {
            return true;
        }
        return switch ((int) -outcome) {
            case Linux.EAGAIN, Linux.ENOBUFS -> false;
            case Linux.EBADF, Linux.EBADFD, Linux.ENODEV, Linux.ENXIO ->
                throw LinuxSockets.exception((int) -outcome, "write");
            // The device is not up, or rejects this frame: lost, as on any link.
            default -> true;
        };
    }

    @Override
    public void wantWritable(boolean wanted) {
        if (wantsWritable == wanted || closed) {
            return;
        }
        wantsWritable = wanted;
        if (leftSystem) {
            rejoinSystem();
        } else {
            loop.rewatch(watch, watched());
        }
        loop.askSoon();
    }

    private int watched() {
        return wantsWritable ? WATCHED | Linux.EPOLLOUT : WATCHED;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            loop.cool(this);
            loop.unwatch(watch);
            device.close();
        }
    }

    // The loop.

    @Override
    public void leaveSystem() {
        if (!leftSystem && !wantsWritable) {
            leftSystem = true;
            loop.leave(watch);
        }
    }

    @Override
    public void rejoinSystem() {
        if (leftSystem && !closed) {
            leftSystem = false;
            loop.rejoin(watch, watched());
        }
    }

    @Override
    public boolean attached() {
        return !closed && events != null;
    }

    @Override
    public boolean wantsReadable() {
        return !closed;
    }

    @Override
    public boolean wantsWritable() {
        return wantsWritable;
    }

    @Override
    public void tellReadable() {
        LinkEvents listener = events;
        if (listener != null) {
            listener.onReadable();
        }
    }

    @Override
    public void tellWritable() {
        LinkEvents listener = events;
        if (listener != null) {
            listener.onWritable();
        }
    }
}
