package io.verbena.tools.perftest;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.exchange.HandMadePath;
import io.verbena.tools.text.Figures;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/** The queue pair that is measured, with its memory and its completions. */
public final class PerftestEnd {

    /** About 50 microseconds. */
    private static final int SPINS = 1000;

    private static final Duration SLICE = Duration.ofMillis(100);
    private static final int PAGE_BYTES = 4096;
    private static final int PSN_BOUND = 1 << 24;

    /** A received datagram begins with a global routing header. */
    private static final int HEADER_BYTES = 40;

    /** Q_Key of the programs. */
    private static final int QKEY = 0x11111111;

    private static final int CREDIT_PARTS = 3;

    /** The send queue of a receiver holds the credits under way. */
    private static final int LEAST_DEPTH = 8;

    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

    private final Rnic rnic;
    private final PerftestSettings settings;
    private final StopSignal stop;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final CompletionCursor completions;
    private final int windowBytes;

    /** The first half is sent from, the second half is the peer's target. The programs cycle within a page. */
    private final MemoryRegion memory;

    private final PerftestAddress own;
    private final boolean retriesSends;
    private QueuePair queuePair;
    private WorkRequest datagram;
    private PerftestAddress theirs;
    private int spins;
    private boolean idle;
    private long idleSinceNs;

    PerftestEnd(Rnic rnic, PerftestSettings settings, StopSignal stop) throws Failure {
        this.rnic = rnic;
        this.settings = settings;
        this.stop = stop;
        retriesSends = connectsByHand(rnic);
        if (settings.test().op().atomic() && !rnic.query().operations().contains(WorkOpcode.FETCH_AND_ADD)) {
            throw new Failure("The provider " + rnic.query().provider() + " has no atomics; use --provider roce");
        }
        pd = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(depth() + settings.messages().receiveDepth() + 1);
        completions = cq.cursor();
        windowBytes = Math.max(settings.messages().bytes(), PAGE_BYTES);
        Set<AccessRight> all = EnumSet.copyOf(rights());
        all.add(AccessRight.LOCAL_WRITE);
        memory = pd.allocate(2L * windowBytes + HEADER_BYTES, all.toArray(AccessRight[]::new));
        queuePair = createQueuePair();
        datagram = queuePair.newWorkRequest();
        own = new PerftestAddress(
                0,
                settings.path().reads(),
                queuePair.number(),
                new SecureRandom().nextInt(PSN_BOUND),
                new PerftestAddress.Window(memory.rkey(), memory.address() + windowBytes),
                settings.path().localAddress());
        theirs = own;
    }

    /** Whether the RNIC has the queue pairs of InfiniBand, which a program can connect by hand, and not those of iWARP. */
    public static boolean connectsByHand(Rnic rnic) {
        return switch (rnic.query().transport()) {
            case ROCE_V2, INFINIBAND -> true;
            case IWARP, SHARED_MEMORY -> false;
        };
    }

    private int depth() {
        return settings.test().op().latency()
                ? 1
                : Math.max(LEAST_DEPTH, settings.messages().depth());
    }

    private Set<AccessRight> rights() {
        Set<AccessRight> rights = EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
        if (settings.test().op().atomic()) {
            rights.add(AccessRight.REMOTE_ATOMIC);
        }
        return rights;
    }

    private QueuePair createQueuePair() {
        return pd.createQueuePair(QueuePairOptions.of(cq)
                .withService(settings.test().service().service())
                .withDepths(depth(), settings.messages().receiveDepth())
                .withElements(1, 1)
                .withReads(settings.path().reads(), settings.path().reads()));
    }

    /** A new queue pair, if the first one could not be connected. */
    QueuePair replaceQueuePair() {
        queuePair.close();
        queuePair = createQueuePair();
        return queuePair;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    PerftestAddress own() {
        return own;
    }

    PerftestAddress theirs() {
        return theirs;
    }

    /** What the peer has sent last. */
    void theirs(PerftestAddress address) {
        theirs = address;
    }

    // Connecting by hand.

    void initialize() {
        HandMadePath.initialize(queuePair, rights());
    }

    void connect(int mtuBytes) {
        HandMadePath path = new HandMadePath(
                theirs.number(),
                theirs.address(),
                0,
                mtuBytes,
                new HandMadePath.Psns(own.psn(), theirs.psn()),
                new HandMadePath.Reads(
                        settings.path().reads(), Math.min(settings.path().reads(), theirs.reads())));
        if (settings.test().service() == PerftestService.UD) {
            AddressHandle peer = path.connectDatagrams(queuePair, QKEY);
            datagram.send()
                    .to(peer, theirs.number(), QKEY)
                    .flags(WrFlags.SIGNALLED)
                    .gather(memory, 0, settings.messages().bytes());
        } else {
            path.connect(queuePair);
        }
    }

    // Work.

    /** Posts one message; the queue has a place for it. Returns false if it has none. */
    boolean post(long id) {
        int bytes = settings.messages().bytes();
        PerftestAddress.Window target = theirs.window();
        return switch (settings.test().op()) {
            case WRITE_BW, WRITE_LAT ->
                queuePair.postWrite(id, memory, 0, bytes, target.memory(), target.rkey(), WrFlags.SIGNALLED);
            case READ_BW, READ_LAT ->
                queuePair.postRead(id, memory, 0, bytes, target.memory(), target.rkey(), WrFlags.SIGNALLED);
            case SEND_BW, SEND_LAT ->
                settings.test().service() == PerftestService.UD
                        ? queuePair.post(datagram)
                        : queuePair.postSend(id, memory, 0, bytes, WrFlags.SIGNALLED);
            case ATOMIC_BW, ATOMIC_LAT -> postAtomic(id);
        };
    }

    private boolean postAtomic(long id) {
        return switch (settings.test().atomic()) {
            case FETCH_AND_ADD ->
                queuePair.postFetchAndAdd(
                        id, memory, 0, theirs.window().memory(), theirs.window().rkey(), 1, WrFlags.SIGNALLED);
            case CMP_AND_SWAP ->
                queuePair.postCompareAndSwap(
                        id, memory, 0, theirs.window().memory(), theirs.window().rkey(), 0, 1, WrFlags.SIGNALLED);
        };
    }

    void postReceives() {
        for (int i = 0; i < settings.messages().receiveDepth(); i++) {
            postReceive();
        }
    }

    void postReceive() {
        int header = settings.test().service() == PerftestService.UD ? HEADER_BYTES : 0;
        queuePair.postReceive(
                0, memory, windowBytes, header + settings.messages().bytes());
    }

    // Credits: without them a Send over iWARP could find no receive, which ends the connection. Over InfiniBand it is
    // retried.

    private boolean credits() {
        return !retriesSends && settings.test().op() == PerftestOp.SEND_BW;
    }

    /** Sender: whether the receiver has a receive for one more than this number of messages. */
    boolean granted(long posted) {
        int taken = (int) WORD.getAcquire(memory.segment(), (long) windowBytes);
        return !credits() || (int) posted + 1 - taken < settings.messages().receiveDepth();
    }

    void awaitGrant(long posted) throws Failure {
        startWait();
        while (!granted(posted)) {
            awaitMemory("the receiver to grant credits");
        }
    }

    /** Receiver: reports the number of messages that it has taken, three times in as many as it has receives. */
    void grant(long received) {
        int every = Math.max(1, settings.messages().receiveDepth() / CREDIT_PARTS);
        if (credits() && received % settings.messages().receiveDepth() % every == 0) {
            // A report that is still under way may become this one: the number only grows.
            WORD.setRelease(memory.segment(), 0L, (int) received);
            if (!queuePair.postWrite(
                    0,
                    memory,
                    0,
                    Integer.BYTES,
                    theirs.window().memory(),
                    theirs.window().rkey(),
                    WrFlags.SIGNALLED)) {
                throw new AssertionError("the send queue holds all reports");
            }
        }
    }

    // Memory that the peer writes.

    void set(byte value) {
        memory.segment().set(ValueLayout.JAVA_BYTE, settings.messages().bytes() - 1L, value);
    }

    void awaitByte(byte value) throws Failure {
        startWait();
        while ((byte) BYTE.getAcquire(
                        memory.segment(), windowBytes + settings.messages().bytes() - 1L)
                != value) {
            awaitMemory("a Write");
        }
    }

    // Waiting.

    /** Waits for the completion of a work request of the send queue. */
    void sent() throws Failure {
        expect(next().opcode() != CompletionOpcode.RECEIVE);
    }

    private void expect(boolean condition) throws Failure {
        if (!condition) {
            throw new Failure("An unexpected completion of " + completions.opcode()
                    + ": both sides must run the same program of perftest with the same options");
        }
    }

    /** Waits for the next completion and returns whether it is that of a receive. */
    boolean nextIsReceive() throws Failure {
        return next().opcode() == CompletionOpcode.RECEIVE;
    }

    private CompletionCursor next() throws Failure {
        startWait();
        while (!completions.next()) {
            awaitCompletion("a completion");
        }
        if (!completions.ok()) {
            throw new Failure("Work failed: " + completions.reason());
        }
        return completions;
    }

    private void startWait() {
        spins = 0;
        idle = false;
    }

    /** Waits this time, and keeps an INLINE RNIC going. */
    void pause(Duration time) {
        cq.await(time);
    }

    /** Nothing happened, and what is awaited will complete: spins for a while, then leaves the processor to others. */
    private void awaitCompletion(String what) throws Failure {
        if (spin()) {
            return;
        }
        if (!cq.await(SLICE)) {
            check(what);
        }
    }

    /** Nothing happened, and what is awaited appears in memory, without a completion. */
    private void awaitMemory(String what) throws Failure {
        if (spin()) {
            return;
        }
        spins = 0;
        Thread.yield(); // to the peer, where processors are few
        check(what);
    }

    private boolean spin() {
        rnic.progress();
        Thread.onSpinWait();
        return spins++ < SPINS;
    }

    private void check(String what) throws Failure {
        stop.check();
        if (queuePair.state().failed()) {
            throw new Failure("The queue pair failed while this side waited for " + what);
        }
        long nowNs = System.nanoTime();
        if (!idle) {
            idle = true;
            idleSinceNs = nowNs;
        } else if (nowNs - idleSinceNs > Times.nanos(settings.timeout())) {
            throw new Failure("The peer did nothing for " + Figures.seconds(settings.timeout())
                    + " while this side waited for " + what + lossHint()
                    + "; both sides need the same options, such as --iters (--timeout sets how long to wait)");
        }
    }

    private String lossHint() {
        return settings.test().service() == PerftestService.RC
                ? ""
                : "; " + settings.test().service() + " does not repeat lost messages";
    }
}
