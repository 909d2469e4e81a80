package io.verbena.tools.perf;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.TransportChanges;
import io.verbena.verbs.TransportType;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The measuring side: connects to a {@link PerfServer} and has one run after the other. */
public final class PerfClient implements AutoCloseable {

    private final PerfSettings settings;
    private final PerfSession session;
    private final PerfMessage.Opened server;
    private final List<Connection> connections = new ArrayList<>();
    private TransportType transport = TransportType.IWARP;

    /**
     * Connects.
     *
     * @throws ConnectionException if no server listens
     * @throws Failure when the server refuses, or is none
     */
    public PerfClient(Rnic rnic, SocketAddress address, PerfSettings settings, StopSignal stop)
            throws ConnectionException, Failure {
        this.settings = settings;
        session = new PerfSession(rnic, settings.progress(), settings.open(), settings.timeout(), stop);
        try {
            server = connect(rnic, session.control(), address, settings.open(), PerfMessage.Opened.class);
            for (int i = 0; i < settings.load().queuePairs(); i++) {
                PerfLink link = session.links()[i];
                PerfMessage.Join join = new PerfMessage.Join(server.session(), i, link.region());
                link.remote(connect(rnic, link.queuePair(), address, join, PerfMessage.Joined.class)
                        .memory());
            }
        } catch (ConnectionException | Failure | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    private <M extends PerfMessage> M connect(
            Rnic rnic, QueuePair queuePair, SocketAddress address, PerfMessage hello, Class<M> answer)
            throws ConnectionException, Failure {
        Connection connection;
        try {
            connection =
                    rnic.connect(queuePair, address, settings.connection().withPrivateData(PerfMessage.bytes(hello)));
        } catch (ConnectionException e) {
            if (e.kind() == ConnectionException.Kind.REJECTED && e.privateData().length > 0) {
                throw refusal(PerfMessage.read(e.privateData()), answer);
            }
            throw e;
        }
        transport = connection.transport();
        connections.add(connection);
        PerfMessage said = PerfMessage.read(connection.privateData());
        if (answer.isInstance(said)) {
            return answer.cast(said);
        }
        throw refusal(said, answer);
    }

    private static Failure refusal(PerfMessage said, Class<?> expected) {
        return new Failure(
                said instanceof PerfMessage.Problem problem
                        ? "The server refused the session: " + problem.sentence()
                        : "The server answered with " + said.getClass().getSimpleName() + " instead of "
                                + expected.getSimpleName());
    }

    /** What carries the connections. */
    public TransportType transport() {
        return transport;
    }

    /** The progress mode and the connection options of the server, for people. */
    public String serverMode() {
        return (server.inline() ? "INLINE" : "engine thread")
                + (server.crc() ? ", CRC" : "")
                + (server.markers() ? ", markers" : "");
    }

    /**
     * Measures.
     *
     * @param warmUp what runs before and is not measured
     * @throws Failure when the peer does not take its part
     * @throws StopSignal.Stopped when the user wants to stop
     */
    public PerfResult run(PerfRun run, WarmUp warmUp, ProgressBar bar) throws Failure {
        return run(run, warmUp, bar, Optional::empty);
    }

    /** Makes what records a measurement that begins now. */
    @FunctionalInterface
    public interface Timelines {
        Optional<Timeline> begin() throws Failure;
    }

    /**
     * Measures a bandwidth over time.
     *
     * @param timeline records it, and cuts what carries it
     */
    public PerfResult run(PerfRun run, WarmUp warmUp, ProgressBar bar, Timelines timeline) throws Failure {
        warmUp.run(windowNs -> once(run.warmUp(windowNs), ProgressBar.hidden(), Optional.empty()));
        return once(run, bar, timeline.begin());
    }

    /** The paths of the connections that are measured, one after the other; none without --paths. */
    public List<ConnectionPath> paths() {
        return connections.stream().flatMap(it -> it.paths().stream()).toList();
    }

    /** Whether all connections survive the end of their transport. */
    public boolean survives() {
        return connections.stream().allMatch(Connection::survives);
    }

    /** Makes all connections leave their transport. */
    public void migrate() {
        connections.forEach(Connection::migrate);
    }

    /** The changes of transport of all connections, as a sum. */
    public TransportChanges changes() {
        long changes = 0;
        long repeated = 0;
        long recovered = 0;
        for (Connection each : connections) {
            TransportChanges one = each.transportChanges();
            changes += one.changes();
            repeated += one.repeated();
            recovered += one.recovered();
        }
        return new TransportChanges(changes, repeated, recovered);
    }

    private PerfResult once(PerfRun run, ProgressBar bar, Optional<Timeline> timeline) throws Failure {
        for (PerfLink link : session.links()) {
            link.settle();
            link.clearFlag(run.sizeBytes());
        }
        session.send(new PerfMessage.Start(run.op(), run.sizeBytes(), run.durationNs()));
        session.await(PerfMessage.Ready.class, "the peer to be ready", settings.timeout());
        session.patience().moved();
        return run.op().latency() ? latency(run, bar) : bandwidth(run, bar, timeline);
    }

    private PerfResult latency(PerfRun run, ProgressBar bar) throws Failure {
        LatencyLoop loop = new LatencyLoop(session, run);
        CpuTime.Span span = CpuTime.begin();
        long beginNs = System.nanoTime();
        loop.measure(bar);
        long endNs = System.nanoTime();
        span.end();
        PerfMessage.Result peer = finish();
        return new PerfResult(
                run.op(),
                run.sizeBytes(),
                new PerfResult.Moved(loop.latencies().count(), endNs - beginNs),
                Optional.of(loop.latencies()),
                cpu(span, peer),
                session.inline());
    }

    private PerfResult bandwidth(PerfRun run, ProgressBar bar, Optional<Timeline> timeline) throws Failure {
        BandwidthLoop loop = new BandwidthLoop(session, run, timeline);
        CpuTime.Span span = CpuTime.begin();
        long beginNs = System.nanoTime();
        loop.measure(bar);
        long endNs = System.nanoTime();
        span.end();
        PerfMessage.Result peer = finish();
        if (run.op() == PerfOp.SEND_BW && peer.messages() != loop.messages()) {
            throw new Failure("The peer received " + peer.messages() + " messages of " + loop.messages());
        }
        return new PerfResult(
                run.op(),
                run.sizeBytes(),
                new PerfResult.Moved(loop.messages(), endNs - beginNs),
                Optional.empty(),
                cpu(span, peer),
                session.inline());
    }

    private static PerfResult.Cpu cpu(CpuTime.Span own, PerfMessage.Result peer) {
        return new PerfResult.Cpu(own.usedNs(), peer.cpuNs(), Math.max(own.compilerNs(), peer.compilerNs()));
    }

    private PerfMessage.Result finish() throws Failure {
        session.send(new PerfMessage.End());
        return session.await(PerfMessage.Result.class, "the figures of the peer", settings.timeout());
    }

    /** Ends the session. */
    @Override
    public void close() {
        session.close();
    }
}
