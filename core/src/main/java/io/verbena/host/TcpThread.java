package io.verbena.host;

import io.verbena.host.engine.Driven;
import io.verbena.host.engine.EngineLoop;
import io.verbena.host.engine.EngineThread;
import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.link.OwnTcp;
import io.verbena.host.system.BufferedRandom;
import io.verbena.host.system.Sentences;
import io.verbena.port.StreamLoop;
import io.verbena.port.faults.PacketFaults;
import io.verbena.tcp.state.TcpCounters;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The TCP of the library in a thread of its own, for programs that need its streams and no RNIC, such as tests against other TCPs.
 * {@link #run} executes an action in that thread; everything that concerns {@link #streams} happens there.
 */
public final class TcpThread implements AutoCloseable {

    private static final long STOP_TIMEOUT_NS = 10_000_000_000L;

    private final EngineLoop loop;
    private final OwnTcp tcp;
    private final EngineThread thread;
    private final Queue<Runnable> actions = new ConcurrentLinkedQueue<>();

    /**
     * Opens the carrier that the options for iWARP name, and starts.
     *
     * @param faults of frames in both directions, if the carrier is a network device
     * @throws VerbsException if the carrier cannot be opened
     */
    public TcpThread(RnicOptions options, PacketFaults faults) {
        try {
            loop = EpollLoop.openFastest(0);
        } catch (IOException e) {
            throw new VerbsException("A selector cannot be created: " + Sentences.reason(e), e);
        }
        boolean opened = false;
        try {
            tcp = OwnTcp.open(loop, options, faults, Optional.empty(), new BufferedRandom(), System.nanoTime());
            opened = true;
        } finally {
            if (!opened) {
                closeLoop();
            }
        }
        thread = new EngineThread("verbena-tcp", loop, tcp.under(new Actions()));
        thread.start();
    }

    private final class Actions implements Driven {

        @Override
        public int turn(long nowNs) {
            int done = 0;
            Runnable action;
            while ((action = actions.poll()) != null) {
                action.run();
                done++;
            }
            return done;
        }

        @Override
        public boolean hasWork() {
            return !actions.isEmpty();
        }

        @Override
        public long nextDeadlineNs() {
            return NEVER;
        }
    }

    /** The streams; only within {@link #run} and their events. */
    public StreamLoop streams() {
        return tcp.streams();
    }

    /** What was counted; only within {@link #run}. */
    public TcpCounters counters() {
        return tcp.streams().counters();
    }

    /** Executes an action in the thread. */
    public void run(Runnable action) {
        actions.add(action);
        thread.wake();
    }

    private void closeLoop() {
        try {
            loop.close();
        } catch (IOException e) {
            throw new VerbsException("Closing the carrier failed: " + Sentences.reason(e), e);
        }
    }

    @Override
    public void close() {
        if (!thread.stop(STOP_TIMEOUT_NS)) {
            throw new VerbsException("The thread of the TCP is still running after 10 seconds.");
        }
        tcp.streams().close(System.nanoTime());
        closeLoop();
    }
}
