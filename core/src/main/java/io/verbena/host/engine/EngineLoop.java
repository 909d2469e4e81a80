package io.verbena.host.engine;

import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.socket.SocketLoop;
import io.verbena.port.PacketLoop;
import io.verbena.port.StreamLoop;
import io.verbena.shm.SharedMemoryLoop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The streams and packet ports of one engine: the readiness calls of the system, and a few hot streams that are read without them (see
 * {@link HotStreams}). The thread that drives the engine calls {@link #poll} repeatedly, or {@link #select} when it has
 * nothing else to do. Neither allocates.
 *
 * <p>There are two kinds, equivalent for their users: {@link SocketLoop} over the channels of the JDK works everywhere;
 * {@link EpollLoop} calls Linux directly, which is faster: several buffers per call, and less overhead per call.
 */
public abstract class EngineLoop implements StreamLoop, PacketLoop, AutoCloseable {

    /** With hot streams, the system is queried (new connections, other streams, writability) every this many rounds. */
    private static final int ASK_EVERY_ROUNDS = 16;

    /**
     * But not more often than this, unless a stream waits for writability. Two threads that exchange messages by recv
     * and send alone take 3.5 microseconds per direction; with an epoll_wait every 16 reads, 3.7.
     */
    private static final long ASK_AFTER_NS = 50_000;

    /**
     * The same if all streams are in shared memory and polled: the system then reports new connections and ends only.
     * A query takes longer than a message, and each message that meets one is late.
     */
    private static final long ASK_AFTER_IN_MEMORY_NS = 200_000;

    public static final long NS_PER_MS = 1_000_000;
    private static final long MAX_WAIT_NS = 3_600_000 * NS_PER_MS;

    private static final BooleanSupplier NOTHING = () -> false;

    private final HotStreams hot = new HotStreams();

    /** Connections that the system is making, and how each is given up. */
    private final IdentityHashMap<ConnectEvents, Runnable> connecting = new IdentityHashMap<>();

    private final List<LoopSource> reporting = new ArrayList<>();

    private @Nullable SharedMemoryLoop memory;
    private volatile @Nullable Thread owner;
    private volatile @Nullable Exclusion sharing;
    private boolean asking;
    private boolean askSoon;
    private long round;
    private long askAtRound;
    private long askedNs = System.nanoTime();
    private int reported;

    /** What gives the owner exclusive access to a loop that another thread may drive. */
    interface Exclusion {

        /** Whether the calling thread has exclusive access until {@link #letGo}. */
        boolean hold();

        /** Ends it. */
        void letGo();
    }

    /** The calling thread drives this loop from now on. */
    public final void own() {
        owner = Thread.currentThread();
    }

    /**
     * Another thread may drive the loop while its owner does not: operations outside of a turn then need {@link #hold}.
     */
    public final void share(Exclusion driver) {
        sharing = driver;
    }

    /** Whether the owner, which calls this, has exclusive access until {@link #letGo}. */
    public final boolean hold() {
        Exclusion driver = sharing;
        return driver == null || driver.hold();
    }

    public final void letGo() {
        Exclusion driver = sharing;
        if (driver != null) {
            driver.letGo();
        }
    }

    @SuppressWarnings("ReferenceEquality") // threads have no other equality
    public final boolean owned() {
        return Thread.currentThread() == owner;
    }

    /** Reports ready streams without waiting. Returns the number of events. */
    public final int poll() {
        try {
            return pollAll();
        } catch (InternalError e) {
            return afterLoss(e);
        }
    }

    private int pollAll() {
        round++;
        int events = reporting.isEmpty() ? 0 : tellReports();
        SharedMemoryLoop rings = memory;
        boolean polled = rings != null && rings.polls();
        if (rings != null && polled) {
            events += rings.poll();
        }
        if (!hot.isEmpty()) {
            events += hot.tell(round);
        }
        long askAfterNs =
                rings != null && polled && hot.isEmpty() && rings.pollsAll() ? ASK_AFTER_IN_MEMORY_NS : ASK_AFTER_NS;
        if (!askSoon && (polled || !hot.isEmpty()) && !timeToAsk(askAfterNs)) {
            return events;
        }
        return events + askNow(0);
    }

    /**
     * The number of streams that had bytes in the turn after {@link #poll}, which reports hot streams without knowing that. They
     * are not counted again.
     */
    final int progressed() {
        return hot.isEmpty() ? 0 : hot.progressed();
    }

    /** The streams of this loop are the sockets of streams in shared memory, which this loop polls, too. */
    public final void poll(SharedMemoryLoop streams) {
        memory = streams;
    }

    private boolean timeToAsk(long askAfterNs) {
        if (round < askAtRound) {
            return false;
        }
        askAtRound = round + ASK_EVERY_ROUNDS;
        long nowNs = System.nanoTime();
        if (nowNs - askedNs < askAfterNs && !hot.awaitRoom()) {
            return false;
        }
        askedNs = nowNs;
        return true;
    }

    /**
     * Waits until a stream is ready, {@link #wakeup} was called or the time has passed, then reports the events. A time
     * of less than {@link #finestWaitNs} does not wait.
     */
    public final int select(long timeoutNs) {
        return select(timeoutNs, NOTHING);
    }

    /** The same; does not wait if a condition is true when peers know that this side sleeps. It throws nothing. */
    final int select(long timeoutNs, BooleanSupplier seen) {
        try {
            return selectAll(timeoutNs, seen);
        } catch (InternalError e) {
            return afterLoss(e);
        }
    }

    /**
     * An access to memory that a peer has truncated may fail after the method that made it, once the JVM has compiled it. The
     * streams that have lost their memory end.
     */
    public final int afterLoss(InternalError e) {
        SharedMemoryLoop rings = memory;
        if (rings == null || !rings.endLost()) {
            throw e;
        }
        return 1;
    }

    private int selectAll(long timeoutNs, BooleanSupplier seen) {
        round++;
        hot.rejoinSystem(); // what has left the system's watch would not end the wait
        if (!reporting.isEmpty()) {
            return tellReports() + askNow(0);
        }
        long waitNs = timeoutNs < finestWaitNs() ? 0 : Math.min(timeoutNs, MAX_WAIT_NS);
        SharedMemoryLoop rings = memory;
        if (rings != null && (waitNs == 0 || !rings.fallAsleep(seen))) {
            return rings.poll() + askNow(0);
        }
        return askNow(waitNs);
    }

    /** The shortest time that {@link #select} waits: the clock of the system for this call is not finer. */
    public abstract long finestWaitNs();

    /**
     * Completes the closing of streams in the system. Called after a turn by a driver that may not poll again soon. Reports
     * no event.
     */
    public void completeClosing() {}

    /** Ends a {@link #select} that waits, or the next one. Any thread may call this. */
    public abstract void wakeup();

    @Override
    public abstract void close() throws IOException;

    /** Queries the system, waiting at most this long, and reports the events. */
    public abstract void ask(long timeoutNs);

    public final int askNow(long timeoutNs) {
        askSoon = false;
        askAtRound = round + ASK_EVERY_ROUNDS;
        reported = 0;
        asking = true;
        try {
            ask(timeoutNs);
        } finally {
            asking = false;
        }
        return reported;
    }

    /** Whether events of the system are being reported. */
    public final boolean asking() {
        return asking;
    }

    /** Queries the system in the next round. */
    public final void askSoon() {
        askSoon = true;
    }

    /** Adds to the number of reported events. */
    public final void reported(int count) {
        reported += count;
    }

    public final void tellWritable(LoopSource source) {
        if (source.attached()) {
            reported++;
            source.tellWritable();
        }
    }

    public final void tellReadable(LoopSource stream) {
        if (!stream.attached() || !stream.wantsReadable() || stream.reportedRound == round) {
            return;
        }
        reported++;
        if (!stream.hot && stream.mayBeHot) {
            hot.warm(stream, round);
            askSoon |= !stream.hot; // streams that are not read directly depend on the system
        }
        stream.reportedRound = round;
        stream.tellReadable();
    }

    /** The source has something to report that the system does not report: it is called in the next round. */
    public final void reportSoon(LoopSource source) {
        if (!reporting.contains(source)) {
            reporting.add(source);
        }
    }

    private int tellReports() {
        List<LoopSource> copy = List.copyOf(reporting);
        reporting.clear();
        copy.forEach(LoopSource::tellKept);
        return copy.size();
    }

    /** The system is establishing a connection. */
    public final void connecting(ConnectEvents listener, Runnable giveUp) {
        connecting.put(listener, giveUp);
    }

    /** The connection attempt has ended, with success or failure. */
    public final void connected(ConnectEvents listener) {
        connecting.remove(listener);
    }

    @Override
    public final void giveUpConnecting(ConnectEvents listener) {
        Runnable giveUp = connecting.remove(listener);
        if (giveUp != null) {
            giveUp.run();
            askSoon();
        }
    }

    /** Collects all streams, so that closing reaches them. */
    public final void gatherStreams() {
        hot.rejoinSystem();
    }

    public final void cool(LoopSource stream) {
        hot.cool(stream);
    }
}
