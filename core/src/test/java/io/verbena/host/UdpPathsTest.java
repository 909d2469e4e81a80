package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.port.faults.PacketFaults;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection with several paths over real sockets: each path has a source port. */
class UdpPathsTest {

    private static final int PATHS = 8;
    private static final int ROUNDS = 50;
    private static final int BYTES = 16_000;

    @ParameterizedTest
    @ValueSource(ints = {0, 50})
    void allKindsOfWork_overEightPaths(int loseOneIn) throws IOException {
        RnicOptions options = RnicOptions.defaults().withProvider("roce");
        PacketFaults faults = PacketFaults.none().withLoss(loseOneIn);
        try (Rnic near = new RoceProvider().open(options, faults);
                Rnic far = new RoceProvider().open(options, faults)) {
            Site a = new Site(near);
            Site b = new Site(far);
            Connection connection = Site.connect(
                    a, b, StreamProbe.loopback(0), ConnectionOptions.defaults().withPaths(PATHS));
            for (int i = 0; i < ROUNDS; i++) {
                round(a, b, i);
            }
            List<ConnectionPath> paths = connection.paths();
            assertEquals(PATHS, paths.size());
            assertTrue(paths.stream().filter(it -> it.bytes() > 0).count() > PATHS / 2, paths::toString);
        }
    }

    private static void round(Site a, Site b, int round) {
        a.memory.segment().asSlice(0, BYTES).fill((byte) round);
        b.queuePair.postReceive(round, b.memory, 2 * BYTES, 64);
        a.queuePair.postWrite(1, a.memory, 0, BYTES, b.memory.remote(), 0, WrFlags.SIGNALLED);
        a.queuePair.postRead(2, a.memory, BYTES, BYTES, b.memory.remote(), 0, WrFlags.SIGNALLED);
        a.queuePair.postSend(3, a.memory, 0, 64, WrFlags.SIGNALLED);
        for (int id = 1; id <= 3; id++) {
            assertTrue(a.cursor.next() || a.cq.await(Site.PATIENCE) && a.cursor.next());
            assertTrue(a.cursor.ok(), a.cursor::reason);
            assertEquals(id, a.cursor.wrId());
        }
        assertTrue(b.cq.await(Site.PATIENCE) && b.cursor.next());
        assertEquals(round, b.cursor.wrId());
        assertEquals(
                -1,
                a.memory.segment().asSlice(0, BYTES).mismatch(a.memory.segment().asSlice(BYTES, BYTES)));
    }
}
