package io.verbena.tools.perftest;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.exchange.ExchangeProgram;
import io.verbena.tools.exchange.ExchangeSocket;
import io.verbena.tools.exchange.HandMadePath;
import io.verbena.tools.text.Latencies;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One side of a program of perftest with one RC queue pair. The client measures; the server of a Write or Read test is passive,
 * and the server of a Send or latency test takes part.
 */
public final class Perftest implements ExchangeProgram<PerftestResult> {

    private static final int PAGE_BYTES = 4096;
    private static final int EXCHANGES_AFTER_CONNECT = 2;
    private static final int PSN_BOUND = 1 << 24;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final Set<AccessRight> RIGHTS =
            Set.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC);

    private final Rnic rnic;
    private final PerftestSettings settings;
    private final StopSignal stop;
    private final Consumer<String> report;
    private final CompletionCursor completions;
    private final QueuePair queuePair;
    private final int windowBytes;
    private final MemoryRegion memory;
    private final PerftestAddress mine;
    private PerftestAddress theirs;
    private long spinStartNs;
    private int spins;

    /**
     * Creates the queue pair and its memory; all of it ends with the RNIC.
     *
     * @param report receives lines for the user
     */
    public Perftest(Rnic rnic, PerftestSettings settings, StopSignal stop, Consumer<String> report) {
        this.rnic = rnic;
        this.settings = settings;
        this.stop = stop;
        this.report = report;
        int depth = settings.op().latency() ? 1 : settings.depth();
        ProtectionDomain pd = rnic.allocateProtectionDomain();
        CompletionQueue cq = rnic.createCompletionQueue(depth + settings.receiveDepth() + 1);
        completions = cq.cursor();
        queuePair = pd.createQueuePair(QueuePairOptions.of(cq)
                .withDepths(depth, settings.receiveDepth())
                .withElements(1, 1)
                .withReads(settings.reads(), settings.reads()));
        // The first half is sent from, the second half is the peer's target. The programs cycle within a page.
        windowBytes = Math.max(settings.bytes(), PAGE_BYTES);
        memory = pd.allocate(
                2L * windowBytes, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
        mine = new PerftestAddress(
                0,
                settings.reads(),
                queuePair.number(),
                new SecureRandom().nextInt(PSN_BOUND),
                memory.rkey(),
                memory.address() + windowBytes,
                settings.localAddress());
        theirs = mine;
    }

    @Override
    public PerftestResult run(ExchangeSocket socket) throws IOException, Failure {
        PerftestExchange exchange = new PerftestExchange(socket);
        PerftestOp op = settings.op();
        int mtuBytes = exchange.begin(settings.mtuBytes());
        HandMadePath.initialize(queuePair, RIGHTS);
        theirs = exchange.addresses(mine, op.exchangesBeforeConnect());
        report.accept("  local address:  " + mine);
        report.accept("  remote address: " + theirs);
        new HandMadePath(
                        theirs.number(),
                        theirs.address(),
                        0,
                        mtuBytes,
                        mine.psn(),
                        theirs.psn(),
                        settings.reads(),
                        Math.min(settings.reads(), theirs.reads()))
                .connect(queuePair);
        exchange.addresses(mine, EXCHANGES_AFTER_CONNECT);
        if (op.sends()) {
            if (op.latency() || !exchange.client()) {
                postReceives();
            }
            exchange.addresses(mine, 1);
        }
        PerftestResult result = measure(exchange);
        if (op.meetsAtTheEnd()) {
            exchange.finish(mine);
        }
        return result;
    }

    private PerftestResult measure(PerftestExchange exchange) throws IOException, Failure {
        PerftestOp op = settings.op();
        boolean client = exchange.client();
        boolean active = client || op.sends() || op == PerftestOp.WRITE_LAT;
        if (!active) {
            exchange.await(stop::check);
        }
        Latencies latencies = new Latencies();
        long startNs = System.nanoTime();
        switch (op) {
            case WRITE_BW, READ_BW -> {
                if (client) {
                    stream();
                }
            }
            case SEND_BW -> {
                if (client) {
                    stream();
                } else {
                    startNs = receiveAll();
                }
            }
            case WRITE_LAT -> pingPongByMemory(client, latencies);
            case SEND_LAT -> pingPongByMessages(client, latencies);
            case READ_LAT -> {
                if (client) {
                    readOneByOne(latencies);
                }
            }
        }
        PerftestReport figures =
                PerftestReport.of(settings.bytes(), settings.iterations(), System.nanoTime() - startNs);
        if (op.exchangesResults()) {
            exchange.addresses(mine, 1);
            PerftestReport ofPeer = exchange.reports(figures);
            figures = client ? figures : ofPeer;
        }
        return new PerftestResult(
                op,
                settings.bytes(),
                settings.iterations(),
                op.latency() || !active && !op.exchangesResults() ? 0 : figures.bytesPerSecond(),
                op.latency() && active ? Optional.of(latencies) : Optional.empty());
    }

    // Bandwidth.

    private void stream() throws Failure {
        long posted = 0;
        for (long done = 0; done < settings.iterations(); ) {
            while (posted < settings.iterations() && posted - done < settings.depth() && post(posted)) {
                posted++;
            }
            sent();
            done++;
        }
    }

    private boolean post(long id) {
        int bytes = settings.bytes();
        return switch (settings.op()) {
            case WRITE_BW, WRITE_LAT ->
                queuePair.postWrite(id, memory, 0, bytes, theirs.memory(), theirs.rkey(), WrFlags.SIGNALLED);
            case READ_BW, READ_LAT ->
                queuePair.postRead(id, memory, 0, bytes, theirs.memory(), theirs.rkey(), WrFlags.SIGNALLED);
            case SEND_BW, SEND_LAT -> queuePair.postSend(id, memory, 0, bytes, WrFlags.SIGNALLED);
        };
    }

    private void postReceives() {
        for (int i = 0; i < settings.receiveDepth(); i++) {
            postReceive();
        }
    }

    private void postReceive() {
        queuePair.postReceive(0, memory, windowBytes, settings.bytes());
    }

    /** Returns when the first message came. */
    private long receiveAll() throws Failure {
        long firstNs = 0;
        for (long received = 0; received < settings.iterations(); received++) {
            received();
            firstNs = received == 0 ? System.nanoTime() : firstNs;
            postReceive();
        }
        return firstNs;
    }

    // Latency.

    private void readOneByOne(Latencies latencies) throws Failure {
        for (long i = 0; i < settings.iterations(); i++) {
            long startNs = System.nanoTime();
            post(i);
            sent();
            latencies.record(System.nanoTime() - startNs);
        }
    }

    /**
     * Each side writes a count to the last byte of the other's memory and waits for that of the other. The server begins, as in
     * ib_write_lat.
     */
    private void pingPongByMemory(boolean client, Latencies latencies) throws Failure {
        long last = settings.bytes() - 1L;
        long sentNs = 0;
        for (long i = 1; i <= settings.iterations(); i++) {
            if (client) {
                awaitByte(windowBytes + last, (byte) i);
                if (i > 1) {
                    latencies.record((System.nanoTime() - sentNs) / 2);
                }
            }
            memory.segment().set(ValueLayout.JAVA_BYTE, last, (byte) i);
            sentNs = System.nanoTime();
            post(i);
            sent();
            if (!client) {
                awaitByte(windowBytes + last, (byte) i);
                latencies.record((System.nanoTime() - sentNs) / 2);
            }
        }
    }

    private void awaitByte(long at, byte value) throws Failure {
        spins = 0;
        while ((byte) BYTE.getAcquire(memory.segment(), at) != value) {
            spin("a Write");
        }
    }

    private void pingPongByMessages(boolean client, Latencies latencies) throws Failure {
        boolean sending = false;
        for (long i = 0; i < settings.iterations(); i++) {
            long startNs = System.nanoTime();
            if (client) {
                post(i);
                sending = true;
            }
            sending = receiveOne(sending);
            postReceive();
            if (!client) {
                post(i);
                sending = true;
            }
            if (sending) {
                sent();
                sending = false;
            }
            if (client) {
                latencies.record((System.nanoTime() - startNs) / 2);
            }
        }
    }

    /** Waits for a receive; the completion of a Send may come before it. Returns whether the Send is still under way. */
    private boolean receiveOne(boolean sending) throws Failure {
        boolean outstanding = sending;
        while (true) {
            CompletionCursor completion = next();
            if (completion.opcode() == CompletionOpcode.RECEIVE) {
                return outstanding;
            }
            outstanding = false;
        }
    }

    // Waiting.

    /** Waits for the completion of a work request of the send queue. */
    private void sent() throws Failure {
        expect(next().opcode() != CompletionOpcode.RECEIVE);
    }

    /** Waits for the completion of a receive. */
    private void received() throws Failure {
        expect(next().opcode() == CompletionOpcode.RECEIVE);
    }

    private void expect(boolean condition) throws Failure {
        if (!condition) {
            throw new Failure("An unexpected completion of " + completions.opcode()
                    + ": both sides must run the same program of perftest with the same options");
        }
    }

    private CompletionCursor next() throws Failure {
        spins = 0;
        while (!completions.next()) {
            spin("a completion");
        }
        if (!completions.ok()) {
            throw new Failure("Work failed: " + completions.reason());
        }
        return completions;
    }

    private void spin(String what) throws Failure {
        rnic.progress();
        Thread.onSpinWait();
        if ((++spins & 0xfff) != 0) {
            return;
        }
        stop.check();
        if (queuePair.state().failed()) {
            throw new Failure("The queue pair failed while this side waited for " + what);
        }
        long nowNs = System.nanoTime();
        if (spins == 0x1000) {
            spinStartNs = nowNs;
        } else if (nowNs - spinStartNs > settings.timeout().toNanos()) {
            throw new Failure("The peer did nothing for " + settings.timeout().toSeconds()
                    + " s while this side waited for " + what + " (--timeout sets how long to wait)");
        }
    }
}
