package io.verbena.tools.ping;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;

import io.verbena.base.Times;
import io.verbena.tools.base.CompletionWaiter;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.net.SocketAddress;
import java.time.Duration;

/** rping's client: offers memory to read and to write, and verifies the returned bytes. */
public final class PingClient {

    /** The message region holds what is received, then what is sent. */
    private static final int SEND_OFFSET = PingOffer.BYTES;

    private static final Duration GOODBYE = Duration.ofSeconds(2);

    /** A round that has begun may end, so that the server sees no error. */
    private static final Duration STOP_GRACE = Duration.ofSeconds(1);

    private final Rnic rnic;
    private final PingSettings settings;
    private final PingListener listener;
    private final StopSignal stop;
    private final PingFigures figures = new PingFigures();

    private final CompletionWaiter completions;
    private final QueuePair queuePair;
    private final MemoryRegion messages;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private int sendsOutstanding;

    /** A client with its queue pair and memory; all of it ends with the RNIC. */
    public PingClient(Rnic rnic, PingSettings settings, PingListener listener, StopSignal stop) {
        this.rnic = rnic;
        this.settings = settings;
        this.listener = listener;
        this.stop = stop;
        ProtectionDomain pd = rnic.allocateProtectionDomain();
        CompletionQueue cq = rnic.createCompletionQueue(16);
        this.completions = new CompletionWaiter(cq, settings.waits().timeout(), STOP_GRACE, stop);
        this.queuePair = pd.createQueuePair(
                QueuePairOptions.of(cq).withDepths(4, 2).withElements(1, 1).withReads(1, 1));
        this.messages = pd.allocate(2L * PingOffer.BYTES, LOCAL_WRITE);
        this.source = pd.allocate(settings.rounds().size(), REMOTE_READ);
        this.sink = pd.allocate(settings.rounds().size(), LOCAL_WRITE, REMOTE_WRITE);
    }

    /** What has been achieved so far. */
    public PingFigures figures() {
        return figures;
    }

    /**
     * Connects, does the rounds and disconnects.
     *
     * @throws ConnectionException when there is no connection
     * @throws Failure when a round did not work or brought back other bytes
     * @throws StopSignal.Stopped if the user requested the end; the connection has ended then
     */
    public void run(SocketAddress server) throws ConnectionException, Failure {
        postReceive();
        Connection connection = rnic.connect(queuePair, server, settings.connection());
        figures.connection();
        try {
            rounds();
        } finally {
            if (completions.stalled()) {
                queuePair.close(); // a graceful end would take seconds more
            } else {
                connection.disconnect();
                connection.awaitClosed(GOODBYE);
            }
            figures.ended(connection.termination());
        }
    }

    private void rounds() throws Failure {
        for (long round = 0;
                settings.rounds().count() == 0 || round < settings.rounds().count();
                round++) {
            if (round > 0) {
                pause();
            }
            stop.check();
            round(round);
            listener.onRounds(round + 1);
        }
    }

    private void round(long round) throws Failure {
        PingPattern.fill(source.segment(), round);
        sink.segment().fill((byte) 0);
        long startNs = System.nanoTime();
        offer(source);
        awaitGoAhead("the server to confirm its Read in round " + round);
        offer(sink);
        awaitGoAhead("the server to confirm its Write in round " + round);
        long durationNs = System.nanoTime() - startNs;
        if (settings.rounds().verify()) {
            verify(round);
        }
        figures.round(settings.rounds().size(), durationNs);
        listener.onData("ping data", sink.segment());
    }

    private void offer(MemoryRegion region) {
        new PingOffer(region.address(), region.rkey(), region.length()).write(messages.segment(), SEND_OFFSET);
        queuePair.postSend(0, messages, SEND_OFFSET, PingOffer.BYTES, WrFlags.SIGNALLED);
        sendsOutstanding++;
    }

    /** The send buffer is free and the next receive is posted when this returns. */
    private void awaitGoAhead(String what) throws Failure {
        boolean received = false;
        while (!received || sendsOutstanding > 0) {
            CompletionCursor completion = completions.next(what);
            if (completion.opcode() == CompletionOpcode.RECEIVE) {
                checkLength(completion.byteCount(), what);
                postReceive();
                received = true;
            } else {
                sendsOutstanding--;
            }
        }
    }

    private static void checkLength(long bytes, String what) throws Failure {
        if (bytes != PingOffer.BYTES) {
            throw new Failure("The server sent " + bytes + " bytes instead of 16 while this side waited for " + what
                    + "; it is not an rping server");
        }
    }

    private void postReceive() {
        queuePair.postReceive(0, messages, 0, PingOffer.BYTES);
    }

    private void verify(long round) throws Failure {
        long at = source.segment().mismatch(sink.segment());
        if (at >= 0) {
            throw new Failure("Round " + round + " returned wrong bytes, from byte " + at + " on");
        }
    }

    /** Waiting on the CQ keeps an INLINE RNIC going, and ends early when the connection ends. */
    private void pause() {
        long endNs = System.nanoTime() + Times.nanos(settings.rounds().interval());
        for (long leftNs = endNs - System.nanoTime(); leftNs > 0; leftNs = endNs - System.nanoTime()) {
            stop.check();
            if (completions.ready(Duration.ofNanos(Math.min(leftNs, 200_000_000)))) {
                return;
            }
        }
    }
}
