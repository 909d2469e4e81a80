package io.verbena.tools.demo;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The demo's main job, one stage after the other. */
public final class DemoClient {

    /** A server hashes at least so fast, or it counts as stalled. */
    private static final long LEAST_HASH_BYTES_PER_SECOND = 20_000_000;

    private final DemoSettings settings;
    private final Bars bars;
    private final StopSignal stop;
    private final List<StageFigures> stages = new ArrayList<>();

    /** A client that is not connected yet. */
    public DemoClient(DemoSettings settings, Bars bars, StopSignal stop) {
        this.settings = settings;
        this.bars = bars;
        this.stop = stop;
    }

    /** Figures of the stages so far. */
    public List<StageFigures> stages() {
        return List.copyOf(stages);
    }

    /**
     * Does everything.
     *
     * @throws Failure when something does not work or an atomic went wrong
     * @throws IOException when the file cannot be used or there is no connection
     */
    public DemoResult run(SocketAddress server, byte[] token, DemoSource source) throws Failure, IOException {
        RnicOptions options = settings.rnic();
        try (Rnic rnic = Rnic.open(options)) {
            long startNs = System.nanoTime();
            DemoLink link = new DemoLink(rnic, server, token, settings, stop);
            ControlMessage.Welcome welcome = hello(link, source.length());
            return stages(link, source, welcome, System.nanoTime() - startNs);
        }
    }

    private DemoResult stages(DemoLink link, DemoSource source, ControlMessage.Welcome welcome, long setUpNs)
            throws Failure, IOException {
        String sha256;
        String atServer;
        try (DemoMemory file = source.register(link.pd())) {
            stages.add(new TransferStage(link, TransferStage.Direction.WRITE, file, welcome.data()).run(bars));
            link.ask(new ControlMessage.Check()); // it and we compute at the same time
            ProgressBar bar = bars.start("Checking Writes", source.length());
            try {
                sha256 = Digests.sha256(file.segment(), bar, stop);
                atServer = checksum(link, source.length());
            } finally {
                bar.clear();
            }
        }
        String back = readBack(link, source, welcome);
        stages.add(new MessageStage(link).run(bars));
        atomics(link, welcome.counters());
        return new DemoResult(sha256, atServer, back, stages(), setUpNs, link.transport());
    }

    /** The checksum of the returned copy. */
    private String readBack(DemoLink link, DemoSource source, ControlMessage.Welcome welcome)
            throws Failure, IOException {
        try (DemoMemory landing = DemoMemory.allocate(link.pd(), source.length(), settings.folder(), LOCAL_WRITE)) {
            stages.add(new TransferStage(link, TransferStage.Direction.READ, landing, welcome.data()).run(bars));
            ProgressBar bar = bars.start("Checking Reads", source.length());
            try {
                return Digests.sha256(landing.segment(), bar, stop);
            } finally {
                bar.clear();
            }
        }
    }

    private ControlMessage.Welcome hello(DemoLink link, long length) throws Failure {
        ControlMessage.Welcome welcome = link.ask(
                new ControlMessage.Hello(length),
                ControlMessage.Welcome.class,
                "the server's memory",
                allowance(length));
        if (welcome.data().length() != length || welcome.counters().length() < DemoServer.COUNTER_BYTES) {
            throw new Failure("The server registered " + welcome.data().length() + " bytes of memory, and " + length
                    + " were requested");
        }
        return welcome;
    }

    private String checksum(DemoLink link, long length) throws Failure {
        return link.answer(ControlMessage.Digest.class, "the server's checksum", allowance(length))
                .sha256();
    }

    private void atomics(DemoLink link, RemoteRegion counters) throws Failure, IOException {
        List<QueuePair> queuePairs = new ArrayList<>();
        for (int i = 0; i < settings.operations().connections(); i++) {
            queuePairs.add(link.connectAnother(FetchAddStage.DEPTH));
        }
        stages.add(new FetchAddStage(link, counters.slice(0, Long.BYTES), queuePairs).run(bars));
        stages.add(new CompareSwapStage(link, counters.slice(Long.BYTES, Long.BYTES), queuePairs).run(bars));
    }

    /** How long the server may process this number of bytes. */
    private Duration allowance(long bytes) {
        return settings.timeout().plusSeconds(bytes / LEAST_HASH_BYTES_PER_SECOND);
    }
}
