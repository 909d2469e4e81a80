package io.verbena.shm;

import io.verbena.base.RandomSource;
import io.verbena.port.ByteStream;
import io.verbena.port.LoopWrapper;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.port.StreamWrapper;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A loop whose connections go through shared memory: the sockets of an inner loop set them up and wake their sides. The thread
 * that drives the inner loop also calls {@link #poll}, and {@link #fallAsleep} before it waits.
 */
public final class SharedMemoryLoop extends LoopWrapper {

    /** Streams that are polled however quiet they are; with more of them, the quiet ones sleep. */
    private static final int ALWAYS_AWAKE = 16;

    private static final int QUIET_POLLS = 4096;

    private static final BooleanSupplier NOTHING = () -> false;

    private final StreamLoop sockets;
    private final SharedMemory memory;
    private final RandomSource random;
    private final int ringBytes;
    private final long wishes;

    private final List<RingStream> attached = new ArrayList<>();

    /** Attached streams that are sockets. */
    private int others;

    /** Streams that this side polls; the peers of the others wake it. */
    private final List<RingStream> awake = new ArrayList<>();

    /**
     * Around a loop of sockets.
     *
     * @param ringBytes size of the ring of each direction, see {@link SharedLayout#valid}
     */
    public SharedMemoryLoop(StreamLoop sockets, SharedMemory memory, RandomSource random, int ringBytes) {
        this(sockets, memory, random, ringBytes, false);
    }

    /**
     * Around a loop of sockets.
     *
     * @param direct whether peers may access memory of this process directly, and this process theirs, if they wish it, too
     */
    public SharedMemoryLoop(
            StreamLoop sockets, SharedMemory memory, RandomSource random, int ringBytes, boolean direct) {
        super(sockets);
        assert SharedLayout.valid(ringBytes);
        this.sockets = sockets;
        this.memory = memory;
        this.random = random;
        this.ringBytes = ringBytes;
        wishes = direct ? SharedLayout.DIRECT : 0;
    }

    SharedBlocks blocks() {
        return memory.blocks();
    }

    SetUp offer(ByteStream socket) throws IOException {
        return SetUp.offer(socket, memory, random, ringBytes, wishes);
    }

    SetUp accept(ByteStream socket) {
        return SetUp.accept(socket, memory, random, wishes);
    }

    // Polling.

    /** Whether {@link #poll} looks at any stream. */
    public boolean polls() {
        return !awake.isEmpty();
    }

    /** Whether {@link #poll} looks at all streams, so that none depends on its socket to be woken. */
    public boolean pollsAll() {
        return others == 0 && awake.size() == attached.size();
    }

    /** Reports what peers did in shared memory. Returns the number of events. */
    public int poll() {
        int events = 0;
        for (int i = awake.size() - 1; i >= 0; i--) {
            if (i >= awake.size()) {
                continue; // events have closed streams
            }
            RingStream stream = awake.get(i);
            int reported = poll(stream);
            events += reported;
            if (reported > 0) {
                stream.quietPolls = 0;
            } else if (++stream.quietPolls > QUIET_POLLS && awake.size() > ALWAYS_AWAKE) {
                sleep(stream);
            }
        }
        return events;
    }

    /** A fault of an access may be thrown a few instructions after it, when the JVM has compiled them. */
    private static int poll(RingStream stream) {
        try {
            return stream.poll();
        } catch (InternalError e) {
            stream.onTruncated(e);
            return 1;
        }
    }

    /** Ends the streams whose memory is not accessible any more. Returns whether there are any. */
    public boolean endLost() {
        boolean any = false;
        for (RingStream stream : attached) {
            if (stream.endIfLost()) {
                any = true;
                wake(stream);
            }
        }
        return any;
    }

    private void sleep(RingStream stream) {
        stream.fallAsleep();
        VarHandle.fullFence();
        if (stream.newsBeforeSleep()) {
            stream.awake();
            stream.quietPolls = 0;
        } else {
            stream.awake = false;
            awake.remove(stream);
        }
    }

    /**
     * The sockets report what happens from now on, so that the thread may wait.
     *
     * @return false if something has happened already: the thread must not wait, and polls
     */
    public boolean fallAsleep() {
        return fallAsleep(NOTHING);
    }

    /**
     * The same.
     *
     * @param seen whether peers have written memory in the meantime, which no stream shows; it throws nothing
     */
    public boolean fallAsleep(BooleanSupplier seen) {
        int count = awake.size();
        for (int i = 0; i < count; i++) {
            awake.get(i).fallAsleep();
        }
        VarHandle.fullFence();
        boolean news = seen.getAsBoolean();
        for (int i = 0; i < count && !news; i++) {
            news = awake.get(i).newsBeforeSleep();
        }
        for (int i = 0; i < count; i++) {
            if (news) {
                awake.get(i).awake();
            } else {
                awake.get(i).awake = false;
            }
        }
        if (!news) {
            awake.clear();
        }
        return !news;
    }

    /** Polls a stream from now on. */
    void wake(RingStream stream) {
        if (!stream.awake && stream.attached()) {
            stream.awake = true;
            stream.quietPolls = 0;
            awake.add(stream);
            stream.awake(); // last: the error of lost memory may be thrown anywhere after this access
        }
    }

    void forget(RingStream stream) {
        attached.remove(stream);
        if (stream.awake) {
            stream.awake = false;
            awake.remove(stream);
        }
    }

    // Connections.

    @Override
    protected StreamWrapper wrap(ByteStream stream, boolean initiator) {
        return new RingStream(this, stream, initiator);
    }

    @Override
    public void connect(Optional<SocketAddress> local, SocketAddress remote, ConnectEvents events) {
        Optional<String> obstacle = memory.obstacle(remote);
        if (obstacle.isPresent()) {
            events.onConnectFailed(false, obstacle.get());
        } else {
            super.connect(local, remote, events);
        }
    }

    /** A socket that the application has used already remains one: nothing can be exchanged on it before its own bytes. */
    @Override
    public ByteStream adopt(ByteStream stream, boolean initiator) {
        return sockets.adopt(stream, initiator);
    }

    @Override
    public void adoptOffering(ByteStream stream, ConnectEvents events) {
        sockets.adoptOffering(stream, events);
    }

    @Override
    public ByteStream handBack(ByteStream stream) {
        return sockets.handBack(stream);
    }

    @Override
    public void attach(ByteStream stream, StreamEvents events) {
        if (stream instanceof RingStream ring) {
            super.attach(ring, events);
            attached.add(ring);
            wake(ring);
            ring.resume();
        } else {
            others++;
            sockets.attach(stream, events);
        }
    }

    @Override
    public void detach(ByteStream stream) {
        if (stream instanceof RingStream) {
            super.detach(stream);
        } else {
            others = Math.max(0, others - 1);
            sockets.detach(stream);
        }
    }
}
