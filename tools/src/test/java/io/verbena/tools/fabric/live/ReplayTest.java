package io.verbena.tools.fabric.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.endnode.San;
import io.verbena.fabric.endnode.SanSettings;
import io.verbena.fabric.endnode.VerbsLoad;
import io.verbena.fabric.endnode.VerbsPattern;
import io.verbena.fabric.endnode.VerbsTraffic;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.fabric.traffic.Load;
import io.verbena.fabric.traffic.Pattern;
import io.verbena.fabric.traffic.Traffic;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.Slices;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.fabric.FabricNames;
import io.verbena.tools.fabric.FabricRun;
import io.verbena.tools.fabric.Fault;
import io.verbena.tools.fabric.FaultSchedule;
import io.verbena.tools.fabric.NodeNames;
import io.verbena.tools.fabric.TrafficRun;
import io.verbena.tools.fabric.VerbsRun;
import io.verbena.tools.fabric.WiringSource;
import io.verbena.web.NetworkAction;
import io.verbena.web.NetworkState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A run that goes back in time is the same again. */
class ReplayTest {

    private static final Topology TOPOLOGY = TopologySpecification.parse("leaf-spine:2x2,hosts=2");

    /** What runs over the fabric. */
    enum What implements Supplier<FabricRun> {
        FRAMES {
            @Override
            public FabricRun get() {
                try {
                    WiringSource source = WiringSource.of("leaf-spine:2x2,hosts=2", TOPOLOGY, Optional.empty());
                    Traffic traffic = new Traffic(
                            source.wiring(),
                            LinkSettings.DEFAULT.withErrors(1e-3),
                            SwitchSettings.DEFAULT,
                            Pattern.uniform(source.wiring().lids()),
                            Load.of(.5, 256),
                            Traffic.Levels.ZERO);
                    FabricNames names = new FabricNames(TOPOLOGY, source.wiring());
                    return new TrafficRun(traffic, schedule(source.wiring()), names, 1_000);
                } catch (Failure e) {
                    throw new AssertionError(e);
                }
            }
        },
        VERBS {
            @Override
            public FabricRun get() {
                try {
                    SubnetManager.Options manager = SubnetManager.Options.DEFAULT.withTimes(2_000_000, 50_000);
                    San san = San.managed(TOPOLOGY, SanSettings.DEFAULT, manager);
                    VerbsTraffic traffic =
                            new VerbsTraffic(san, 4, VerbsPattern.RING, new VerbsLoad(1 << 10, 400, 2, 1));
                    traffic.connect();
                    Wiring wiring = san.fabric().wiring();
                    return new VerbsRun(san, traffic, schedule(wiring), new FabricNames(TOPOLOGY, wiring));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };

        private static FaultSchedule schedule(Wiring wiring) {
            return new FaultSchedule(
                    List.of(Fault.parse("4 down leaf-0 to spine-1"), Fault.parse("6 up leaf-0 to spine-1")),
                    new NodeNames(TOPOLOGY, wiring),
                    wiring);
        }
    }

    /** Everything that a page shows. */
    private static String picture(Replay replay, FabricMap map) {
        StringBuilder shown = new StringBuilder(replay.run().trace());
        shown.append(replay.passedNs()).append(replay.run().facts()).append(replay.events());
        shown.append(map.nodesDown(replay.run().failures()))
                .append(map.linksDown(replay.run().failures()));
        map.loads(replay.loads()).forEach(each -> shown.append(Arrays.toString(each)));
        return shown.toString();
    }

    @ParameterizedTest
    @EnumSource
    void rewoundRun_showsTheSame_howeverItIsCutIntoSlices(What what) {
        try (Replay replay = new Replay(what, 500)) {
            FabricRun run = replay.run();
            FabricMap map = new FabricMap(
                    "leaf-spine:2x2,hosts=2",
                    new FabricNames(TOPOLOGY, run.fabric().wiring()),
                    run.fabric().lanes());
            replay.pass(2_345);
            replay.intervene("fails", failures -> failures.link(map.port(0), false));
            replay.pass(3_000);
            replay.intervene("spine fails", failures -> map.wired(1).forEach(node -> failures.node(node, false)));
            replay.pass(2_222);
            String before = picture(replay, map);
            String untouched = run.trace();
            replay.pass(5_000);
            replay.rewind();
            assertEquals(0, replay.passedNs());
            assertEquals(12_567, replay.reachedNs());
            while (replay.passedNs() < 7_567) {
                replay.pass(Math.min(331, 7_567 - replay.passedNs()));
            }
            assertEquals(before, picture(replay, map));
            assertEquals(untouched, replay.run().trace());
        }
    }

    @Test
    void interventionInThePast_replacesWhatFollowed() {
        try (Replay replay = new Replay(What.FRAMES, 500)) {
            replay.pass(3_000);
            replay.intervene("late", failures -> failures.link(0, false));
            replay.pass(1_000);
            String late = replay.run().trace();
            replay.rewind();
            replay.pass(1_000);
            assertTrue(
                    replay.events().stream().anyMatch(event -> event.sentence().equals("late")));
            replay.intervene("early", failures -> failures.link(0, false));
            assertEquals(1_000, replay.reachedNs());
            assertFalse(
                    replay.events().stream().anyMatch(event -> event.sentence().equals("late")));
            replay.pass(3_000);
            assertNotEquals(late, replay.run().trace());
        }
    }

    @Test
    void nodeThatReturns_leavesLinksDown_thatFailedByThemselves() {
        FabricRun run = What.FRAMES.get();
        FabricMap map = new FabricMap(
                "leaf-spine:2x2,hosts=2", new FabricNames(TOPOLOGY, run.fabric().wiring()), 1);
        int port = map.port(0);
        int node = run.fabric().wiring().nodeOf(port);
        int peer = run.fabric().wiring().nodeOf(run.fabric().wiring().peer(port));
        run.failures().link(port, false);
        run.failures().node(node, false);
        run.failures().node(node, true);
        assertFalse(run.fabric().works(port));
        run.failures().node(peer, false);
        run.failures().link(port, true);
        assertFalse(run.fabric().works(port), "the node at its other end does not work");
        run.failures().node(peer, true);
        assertTrue(run.fabric().works(port));
        assertEquals(List.of(), map.linksDown(run.failures()));
    }

    @Test
    void liveRun_paceStepAndSeek_changeTheTime() {
        long[] clockNs = {0};
        FabricNames names = new FabricNames(TOPOLOGY, What.FRAMES.get().fabric().wiring());
        Slices slices = new Slices(new StopSignal(), 64);
        try (LiveRun live = new LiveRun("leaf-spine:2x2,hosts=2", names, What.FRAMES, 1_000, () -> clockNs[0])) {
            clockNs[0] += 100_000_000;
            live.turn(slices);
            assertEquals(64, live.state().clock().nowNs());
            live.turn(slices);
            live.act(new NetworkAction.Pause());
            assertEquals(NetworkState.Pace.PAUSED, after(live, slices).pace());
            live.act(new NetworkAction.Seek(5_000));
            NetworkState.Clock first = after(live, slices);
            assertEquals(5_000, first.nowNs());
            live.act(new NetworkAction.Step(100));
            NetworkState.Clock second = after(live, slices);
            assertEquals(5_100, second.nowNs());
            assertNotEquals(first.trace(), second.trace());
            live.act(new NetworkAction.Seek(5_000));
            NetworkState.Clock third = after(live, slices);
            assertEquals(first.trace(), third.trace());
            assertEquals(5_100, third.reachedNs());
        }
    }

    @Test
    void action_onWhatDoesNotExist_isRefused() {
        FabricNames names = new FabricNames(TOPOLOGY, What.FRAMES.get().fabric().wiring());
        try (LiveRun live = new LiveRun("leaf-spine:2x2,hosts=2", names, What.FRAMES, 1_000, () -> 0)) {
            int links = live.plan().links().size();
            assertThrows(IllegalArgumentException.class, () -> live.act(new NetworkAction.Link(links, false)));
            assertThrows(IllegalArgumentException.class, () -> live.act(new NetworkAction.Node(-1, false)));
            assertThrows(IllegalArgumentException.class, () -> live.node(100));
        }
    }

    /** The clock when the time stands still. */
    private static NetworkState.Clock after(LiveRun live, Slices slices) {
        while (live.turn(slices)) {
            // Virtual time passes.
        }
        live.turn(slices);
        return live.state().clock();
    }
}
