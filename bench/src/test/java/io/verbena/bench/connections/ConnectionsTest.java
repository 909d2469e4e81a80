package io.verbena.bench.connections;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** C3: the long runs of this package, made short. */
class ConnectionsTest {

    @Test
    void connectionsAtARate_thenManyAtOnce_leaveNothingBehind() throws Exception {
        try (OtherProcess other = OtherProcess.start(RateServer.class);
                Rnic rnic = Rnic.open(RnicOptions.defaults())) {
            ConnectionRate run = new ConnectionRate(rnic, other.address());
            assertTrue(run.atRate(100, 2, other.pid()));
            Vitals before = Vitals.of(ProcessHandle.current().pid());
            assertTrue(run.manyAtOnce(200, other.pid()));
            Vitals after = Vitals.of(ProcessHandle.current().pid());
            assertTrue(after.descriptors() <= before.descriptors() + 5, before + ", then " + after);
        }
    }

    @Test
    void peerKilledUnderLoad_everyRequestCompletesWithinTheBound() throws IOException {
        try (Rnic rnic = Rnic.open(RnicOptions.defaults())) {
            KilledPeer run = new KilledPeer(rnic);
            for (int i = 0; i < 3; i++) {
                assertTrue(run.once() < 8);
            }
        }
    }
}
