package io.verbena.tools.pingpong;

import io.verbena.tools.base.CompletionWaiter;
import io.verbena.tools.base.ConnectionLost;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.Stalled;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.exchange.ExchangeProgram;
import io.verbena.tools.exchange.ExchangeSocket;
import io.verbena.tools.text.Figures;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One side of a ping-pong. Each queue pair sends its next message when its last one has been sent and one has been received, so
 * that one message per queue pair is under way. A run ends when both sides have sent and received all messages.
 */
public final class PingPong implements ExchangeProgram<PingPongFigures> {

    private static final Duration STOP_GRACE = Duration.ofSeconds(1);

    /**
     * How long a side stays after its last message. There is no farewell: the peer waits for the acknowledgment of its
     * own last message, and repeats the message after 67 ms if that was lost.
     */
    private static final long STAY_NS = 300_000_000;

    /** The client of a server with an open end has ended. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    /** About 50 microseconds. */
    private static final int SPINS = 1000;

    private static final int PAGE_BYTES = 4096;
    private static final byte FILL = 0x7b;
    private static final int PSN_BOUND = 1 << 24;

    private final Rnic rnic;
    private final PingPongSettings settings;
    private final StopSignal stop;
    private final Consumer<String> report;
    private final CompletionWaiter completions;
    private final MemoryRegion messages;
    private final Optional<SharedReceiveQueue> shared;
    private final List<PingPongEnd> ends = new ArrayList<>();
    private final Map<Object, PingPongEnd> endOf = new IdentityHashMap<>();
    private final List<PingPongAddress> local = new ArrayList<>();
    private long sent;
    private long received;
    private int receivesPosted;

    /**
     * Creates the queue pairs and posts their receives; all of it ends with the RNIC.
     *
     * @param report receives lines for the user
     */
    public PingPong(Rnic rnic, PingPongSettings settings, StopSignal stop, Consumer<String> report) {
        this.rnic = rnic;
        this.settings = settings;
        this.stop = stop;
        this.report = report;
        ProtectionDomain pd = rnic.allocateProtectionDomain();
        CompletionQueue cq = rnic.createCompletionQueue(
                settings.queues().depth() + 2 * settings.queues().queuePairs());
        completions = new CompletionWaiter(cq, settings.timeout(), STOP_GRACE, stop);
        messages = pd.allocate(
                PingPongEnd.HEADER_BYTES + (long) settings.messages().bytes(), AccessRight.LOCAL_WRITE);
        messages.segment().fill(FILL);
        shared = settings.service() == PingPongService.SRQ
                ? Optional.of(pd.createSharedReceiveQueue(
                        SharedReceiveQueueOptions.depth(settings.queues().depth())))
                : Optional.empty();
        SecureRandom random = new SecureRandom();
        for (int i = 0; i < settings.queues().queuePairs(); i++) {
            PingPongEnd end = new PingPongEnd(pd.createQueuePair(options(cq)), settings, messages);
            ends.add(end);
            endOf.put(end.queuePair(), end);
            local.add(new PingPongAddress(
                    0,
                    end.queuePair().number(),
                    random.nextInt(PSN_BOUND),
                    settings.path().localAddress()));
        }
    }

    private QueuePairOptions options(CompletionQueue cq) {
        QueuePairOptions options = QueuePairOptions.of(cq)
                .withService(settings.service().service())
                .withDepths(1, settings.queues().depth())
                .withElements(1, 1);
        return shared.map(options::withSharedReceiveQueue).orElse(options);
    }

    @Override
    public PingPongFigures run(ExchangeSocket socket) throws IOException, Failure {
        prepare();
        int addresses = settings.service().addresses();
        // The programs close the TCP connection before they play.
        try (PingPongExchange exchange = new PingPongExchange(socket)) {
            if (socket.client()) {
                exchange.sendAddresses(local, addresses);
                join(exchange.receiveAddresses(addresses));
                exchange.sendDone();
            } else {
                join(exchange.receiveAddresses(addresses));
                exchange.sendAddresses(local, addresses);
                exchange.receiveDone();
            }
        }
        if (settings.messages().check() && socket.client()) {
            mark();
        }
        long startNs = System.nanoTime();
        if (socket.client()) {
            ends.forEach(PingPongEnd::send);
        }
        PingPongFigures figures = play(startNs, settings.messages().openEnd() && !socket.client());
        if (settings.messages().check() && !socket.client()) {
            checkMark();
        }
        stay();
        return figures;
    }

    /** Answers messages that the peer repeats. */
    private void stay() {
        long startNs = System.nanoTime();
        long leftNs = settings.service().unreliable() ? 0 : STAY_NS;
        while (leftNs > 0 && !stop.raised()) {
            rnic.progress(Duration.ofNanos(leftNs));
            leftNs = STAY_NS - (System.nanoTime() - startNs);
        }
    }

    /** Receives may be posted in INIT, so that the first message of the peer finds one. */
    private void prepare() {
        ends.forEach(PingPongEnd::initialize);
        postReceives();
        local.forEach(each -> report.accept("  local address:  " + each));
    }

    private void join(List<PingPongAddress> theirs) throws Failure {
        for (int i = 0; i < ends.size(); i++) {
            if (theirs.get(i).number() == 0) {
                throw new Failure("The peer has " + i + " queue pairs and this side " + ends.size()
                        + "; both sides must use the same number (-q)");
            }
            report.accept("  remote address: " + theirs.get(i));
            ends.get(i).connect(local.get(i), theirs.get(i));
        }
    }

    private void postReceives() {
        while (receivesPosted < settings.queues().depth()) {
            boolean posted = shared.isPresent()
                    ? shared.get()
                            .postReceive(
                                    0,
                                    messages,
                                    PingPongEnd.HEADER_BYTES,
                                    settings.messages().bytes())
                    : ends.getFirst().postReceive();
            if (!posted) {
                return;
            }
            receivesPosted++;
        }
    }

    private PingPongFigures play(long startNs, boolean openEnd) throws Failure {
        long most = openEnd ? Long.MAX_VALUE : settings.messages().iterations();
        long lastNs = startNs;
        while (sent < most || received < most) {
            Optional<CompletionCursor> next = nextUnlessOver(openEnd);
            if (next.isEmpty()) {
                break;
            }
            CompletionCursor completion = next.get();
            lastNs = System.nanoTime();
            PingPongEnd end = end(completion);
            if (completion.opcode() == CompletionOpcode.RECEIVE) {
                received++;
                receivesPosted--;
                if (receivesPosted <= ends.size()) {
                    postReceives();
                }
                end.onReceived();
            } else {
                sent++;
                end.onSent();
            }
            if (end.idle() && sent < most) {
                end.send();
            }
        }
        return new PingPongFigures(sent, received, settings.messages().bytes(), lastNs - startNs);
    }

    /** Empty if the peer has left, and only the last message of each queue pair is not acknowledged. */
    private Optional<CompletionCursor> nextUnlessOver(boolean openEnd) throws Failure {
        try {
            return next(openEnd);
        } catch (ConnectionLost e) {
            long all = openEnd ? received : settings.messages().iterations();
            boolean over = received > 0 && received >= all && sent + ends.size() >= all;
            if (!over || completions.cursor().status() != CompletionStatus.RETRY_EXCEEDED) {
                throw e;
            }
            report.accept("  The peer has left without an acknowledgment of the last message.");
            return Optional.empty();
        }
    }

    private PingPongEnd end(CompletionCursor completion) {
        PingPongEnd end = endOf.get(completion.queuePair());
        if (end == null) {
            throw new AssertionError("a completion of an unknown queue pair");
        }
        return end;
    }

    /** Empty if the client of a server with an open end plays no more. */
    private Optional<CompletionCursor> next(boolean openEnd) throws Failure {
        stop.check(); // also while messages keep coming
        String what = openEnd
                ? "message " + (received + 1)
                : "message " + (received + 1) + " of " + settings.messages().iterations();
        if (polled(what)) {
            return Optional.of(completions.cursor());
        }
        boolean mayEnd = openEnd && received > 0 && sent >= received;
        Duration longest = mayEnd && settings.timeout().compareTo(SILENCE) > 0 ? SILENCE : settings.timeout();
        try {
            return Optional.of(completions.next(what, longest));
        } catch (Stalled e) {
            if (mayEnd) {
                return Optional.empty();
            }
            throw new Failure(
                    "No message for " + Figures.seconds(longest) + " while this side waited for " + what + reason(), e);
        }
    }

    /** Polls for a short time, unless events are wanted. After that a wait leaves the processor to the peer. */
    private boolean polled(String what) throws Failure {
        for (int i = 0; i < SPINS && !settings.queues().events(); i++) {
            if (completions.poll(what)) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    private String reason() {
        return settings.service().unreliable()
                ? "; the service does not repeat lost messages"
                : received > 0
                        ? "; the peer is gone, or plays fewer messages: give both sides the same --iters"
                        : "; the peer is gone, or its packets do not arrive";
    }

    /** What ibv_rc_pingpong -c sends: a zero at the begin of each page. */
    private void mark() {
        MemorySegment payload = payload();
        for (long at = 0; at < payload.byteSize(); at += PAGE_BYTES) {
            payload.set(ValueLayout.JAVA_BYTE, at, (byte) 0);
        }
    }

    private void checkMark() throws Failure {
        MemorySegment payload = payload();
        for (long at = 0; at < payload.byteSize(); at++) {
            byte expected = at % PAGE_BYTES == 0 ? 0 : FILL;
            if (payload.get(ValueLayout.JAVA_BYTE, at) != expected) {
                throw new Failure("The message contains wrong bytes, from byte " + at + " on");
            }
        }
    }

    private MemorySegment payload() {
        return messages.segment()
                .asSlice(PingPongEnd.HEADER_BYTES, settings.messages().bytes());
    }
}
