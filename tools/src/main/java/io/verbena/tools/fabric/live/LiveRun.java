package io.verbena.tools.fabric.live;

import io.verbena.tools.base.Slices;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.fabric.ActionQueue;
import io.verbena.tools.fabric.FabricNames;
import io.verbena.tools.fabric.FabricRun;
import io.verbena.verbs.Figures;
import io.verbena.web.NetworkAction;
import io.verbena.web.NetworkNode;
import io.verbena.web.NetworkPlan;
import io.verbena.web.NetworkSource;
import io.verbena.web.NetworkState;
import io.verbena.web.NetworkState.Pace;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A simulated run as a page shows and controls it. One thread runs it, in {@link #serve}; requests of pages reach it through a queue, and
 * see the state that it has published. Virtual time has a pace: a number of nanoseconds in a second, at most as many as the machine can simulate.
 */
public final class LiveRun implements NetworkSource, AutoCloseable {

    private static final double NS_PER_S = 1e9;
    private static final long PUBLISH_NS = 100_000_000;
    private static final long IDLE_MS = 50;
    private static final long SLICE_MS = 10;

    /** Real time that is made up for if the simulation was slower than its pace. */
    private static final long MOST_OWED_NS = 200_000_000;

    private final Replay replay;
    private final FabricMap map;
    private final LongSupplier clockNs;
    private final ActionQueue requests = new ActionQueue(() -> {});
    private Pace pace = Pace.RUNNING;
    private double speed;
    private double owedNs;
    private long targetNs;
    private long lastNs;
    private long publishedNs;
    private volatile NetworkState state;

    /**
     * Begins a run.
     *
     * @param argument names the topology
     * @param begin makes the same run each time
     * @param speed first speed, in nanoseconds of virtual time in a second
     */
    public LiveRun(String argument, FabricNames names, Supplier<FabricRun> begin, double speed, LongSupplier clockNs) {
        this.speed = speed;
        this.clockNs = clockNs;
        replay = new Replay(begin, (long) Math.max(1, speed / 2));
        map = new FabricMap(argument, names, replay.run().fabric().lanes());
        lastNs = clockNs.getAsLong();
        state = look();
    }

    /** The run, for its figures. */
    public FabricRun run() {
        return replay.run();
    }

    @Override
    public NetworkPlan plan() {
        return map.plan();
    }

    @Override
    public NetworkState state() {
        return state;
    }

    @Override
    public NetworkNode node(int node) {
        return requests.node(plan(), node, () -> map.node(node, replay.run().fabric()));
    }

    @Override
    public List<Figures> figures() {
        return requests.ask(() -> map.figures(replay.run().fabric()));
    }

    @Override
    public void act(NetworkAction action) {
        requests.add(plan(), action, this::execute);
    }

    private void execute(NetworkAction action) {
        switch (action) {
            case NetworkAction.Link(int link, boolean works) ->
                replay.intervene(
                        "the link is to " + (works ? "return" : "fail"),
                        failures -> failures.link(map.port(link), works));
            case NetworkAction.Node(int node, boolean works) ->
                replay.intervene(
                        plan().nodes().get(node).name() + (works ? " returns" : " fails"),
                        failures -> map.wired(node).forEach(each -> failures.node(each, works)));
            case NetworkAction.Run(double wanted) -> {
                speed = wanted;
                pace = Pace.RUNNING;
                owedNs = 0;
            }
            case NetworkAction.Pause() -> pace = Pace.PAUSED;
            case NetworkAction.Step(long ns) -> seek(replay.passedNs() + ns);
            case NetworkAction.Seek(long timeNs) -> seek(timeNs);
        }
    }

    private void seek(long timeNs) {
        targetNs = timeNs;
        if (timeNs < replay.passedNs()) {
            replay.rewind();
        }
        pace = Pace.SEEKING;
    }

    /** Runs until the user ends the command. */
    public void serve(StopSignal stop) throws InterruptedException {
        Slices slices = new Slices(stop, 1);
        while (!stop.raised()) {
            boolean more = turn(slices);
            if (!more && requests.await(pace == Pace.RUNNING ? SLICE_MS : IDLE_MS)) {
                publish();
            }
        }
    }

    /** Does what pages ask for, and lets a slice of the time pass that is due. Returns whether more is due. */
    boolean turn(Slices slices) {
        boolean asked = requests.execute();
        Pace before = pace;
        long startNs = clockNs.getAsLong();
        long dueNs = dueNs(startNs - lastNs);
        lastNs = startNs;
        long slice = Math.min(dueNs, slices.size());
        if (slice > 0) {
            replay.pass(slice);
            slices.took(clockNs.getAsLong() - startNs);
            owedNs -= slice;
        }
        if (replay.run().ended()) {
            pace = pace == Pace.PAUSED ? Pace.PAUSED : Pace.ENDED;
        } else if (pace == Pace.SEEKING && replay.passedNs() >= targetNs) {
            pace = Pace.PAUSED;
        }
        if (asked || pace != before || clockNs.getAsLong() - publishedNs >= PUBLISH_NS) {
            publish();
        }
        return slice > 0 && slice < dueNs;
    }

    private void publish() {
        state = look();
        publishedNs = clockNs.getAsLong();
    }

    private long dueNs(long realNs) {
        return switch (pace) {
            case RUNNING -> {
                owedNs = Math.min(owedNs + realNs / NS_PER_S * speed, MOST_OWED_NS / NS_PER_S * speed + 1);
                yield (long) owedNs;
            }
            case SEEKING -> {
                owedNs = 0;
                yield targetNs - replay.passedNs();
            }
            case PAUSED, ENDED -> {
                owedNs = 0;
                yield 0;
            }
        };
    }

    private NetworkState look() {
        FabricRun run = replay.run();
        return new NetworkState(
                new NetworkState.Clock(replay.passedNs(), replay.reachedNs(), pace, speed, run.trace()),
                map.nodesDown(run.failures()),
                map.linksDown(run.failures()),
                map.loads(replay.loads()),
                replay.events(),
                run.facts());
    }

    @Override
    public void close() {
        replay.close();
    }
}
