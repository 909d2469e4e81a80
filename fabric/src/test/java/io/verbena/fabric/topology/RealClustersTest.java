package io.verbena.fabric.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fabric.endnode.San;
import io.verbena.fabric.endnode.SanSettings;
import io.verbena.fabric.endnode.VerbsLoad;
import io.verbena.fabric.endnode.VerbsPattern;
import io.verbena.fabric.endnode.VerbsTraffic;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.routing.Routing;
import java.util.EnumSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Copies of real clusters that the subnet manager brings up and that carry verbs traffic. */
class RealClustersTest {

    private static final long MOST_NS = 500_000_000;
    private static final SubnetManager.Options MANAGER = SubnetManager.Options.DEFAULT.withTimes(2_000_000, 50_000);

    static Stream<Arguments> clustersAndEngines() {
        return Stream.of(RealClusters.aggregation(), RealClusters.planes(), RealClusters.rails())
                .flatMap(cluster -> Stream.of(Routing.values()).map(engine -> Arguments.of(cluster, engine)));
    }

    @ParameterizedTest
    @MethodSource("clustersAndEngines")
    void copiedCluster_broughtUp_carriesEveryMessage(Topology cluster, Routing engine) throws Exception {
        Topology read = NetDiscoverReader.read(
                PrintedSubnet.print(cluster, EnumSet.noneOf(PrintedSubnet.Option.class)),
                TopologyFiles.NONE,
                warning -> {});
        try (San san = San.managed(read, SanSettings.DEFAULT, MANAGER.with(engine))) {
            VerbsTraffic traffic =
                    new VerbsTraffic(san, san.endnodes(), VerbsPattern.RING, new VerbsLoad(10_000, 4, 2, 1));
            traffic.connect();
            traffic.start();
            assertTrue(traffic.run(MOST_NS), traffic.completed() + " of " + traffic.messages());
            assertEquals(0, traffic.failed());
        }
    }
}
