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
            long setUpNs = System.nanoTime() - startNs;
            try (DemoMemory landing = DemoMemory.allocate(link.pd(), source.length(), settings.folder(), LOCAL_WRITE)) {
                return stages(link, source, landing, welcome, setUpNs);
            }
        }
    }

    private DemoResult stages(
            DemoLink link, DemoSource source, DemoMemory landing, ControlMessage.Welcome welcome, long setUpNs)
            throws Failure, IOException {
        List<QueuePair> queuePairs = new ArrayList<>();
        for (int i = 0; i < settings.operations().connections(); i++) {
            queuePairs.add(link.connectAnother(FetchAddStage.DEPTH));
        }
        String sha256;
        String atServer;
        long preparedNs;
        Duration time = settings.operations().operationTime();
        try (DemoMemory file = source.register(link.pd())) {
            // A capture is for what the stages send; its figures are those of the capture.
            preparedNs = settings.rnic().captureFile().isEmpty()
                    ? new Preparation(link, welcome, queuePairs, bars, time).run(file, landing)
                    : 0;
            stages.add(transfer(link, TransferStage.Direction.WRITE, file, welcome));
            link.ask(new ControlMessage.Check()); // it and we compute at the same time
            ProgressBar bar = bars.start("Checking Writes", source.length());
            try {
                sha256 = Digests.sha256(file.segment(), bar, stop);
                atServer = checksum(link, source.length());
            } finally {
                bar.clear();
            }
        }
        stages.add(transfer(link, TransferStage.Direction.READ, landing, welcome));
        String back = checksum(landing);
        stages.add(new MessageStage(link).run(bars, time));
        RemoteRegion counters = welcome.counters();
        stages.add(new FetchAddStage(link, DemoServer.word(counters, 0), queuePairs).run(bars, time));
        stages.add(new CompareSwapStage(link, DemoServer.word(counters, 1), queuePairs).run(bars, time));
        DemoResult.Before before = new DemoResult.Before(setUpNs, preparedNs);
        return new DemoResult(sha256, atServer, back, stages(), before, link.transport());
    }

    private StageFigures transfer(
            DemoLink link, TransferStage.Direction direction, DemoMemory local, ControlMessage.Welcome welcome)
            throws Failure {
        Duration span = settings.transfer().transferTime();
        return new TransferStage(link, direction, local, welcome.data(), span).run(bars);
    }

    /** The checksum of the returned copy. */
    private String checksum(DemoMemory landing) throws IOException {
        ProgressBar bar = bars.start("Checking Reads", landing.length());
        try {
            return Digests.sha256(landing.segment(), bar, stop);
        } finally {
            bar.clear();
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

    /** How long the server may process this number of bytes. */
    private Duration allowance(long bytes) {
        return settings.timeout().plusSeconds(bytes / LEAST_HASH_BYTES_PER_SECOND);
    }
}
