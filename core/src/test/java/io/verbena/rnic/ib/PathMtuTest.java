package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.Listener;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** RNICs with different path MTUs agree on the smaller one, whichever of them connects. */
class PathMtuTest {

    private static final List<Integer> MTUS = List.of(256, 512, 1024, 2048, 4096);
    private static final int BYTES = 10_000;

    private final ManualWorld world = ManualWorld.roce();

    @AfterEach
    void close() {
        world.close();
    }

    private static Stream<Arguments> pairs() {
        return MTUS.stream().flatMap(near -> MTUS.stream().map(far -> Arguments.of(near, far)));
    }

    private Pair.Side side(int mtuBytes, int engines) {
        RnicOptions options =
                RnicOptions.defaults().withEngines(engines).withInfiniband(it -> it.withPathMtuBytes(mtuBytes));
        return new Pair.Side(world.rnic(options), 64, it -> it);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void reliableConnection_smallerMtuIsUsed(int nearBytes, int farBytes) throws IOException {
        exchange(side(nearBytes, 1), side(farBytes, 1), Math.min(nearBytes, farBytes));
    }

    /** The port and the queue pair belong to different engines. */
    @ParameterizedTest
    @MethodSource("pairs")
    void severalEngines_smallerMtuIsUsed(int nearBytes, int farBytes) throws IOException {
        Pair.Side near = side(nearBytes, 2);
        near.domain.createQueuePair(QueuePairOptions.of(near.cq));
        exchange(near, side(farBytes, 2), Math.min(nearBytes, farBytes));
    }

    private void exchange(Pair.Side near, Pair.Side far, int mtuBytes) throws IOException {
        Pair.connect(world, near, far);
        assertEquals(mtuBytes, near.queuePair.query().maxFrameBytes());
        assertEquals(mtuBytes, far.queuePair.query().maxFrameBytes());
        near.fill(7);
        far.queuePair.postReceive(1, far.memory, 0, BYTES);
        near.queuePair.postSend(2, near.memory, 0, BYTES, WrFlags.SIGNALLED);
        world.settle();
        near.queuePair.postRead(3, near.memory, BYTES, BYTES, far.memory.remote(), 0, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("1 SUCCESS"), far.polled());
        assertEquals(List.of("2 SUCCESS", "3 SUCCESS"), near.polled());
        assertEquals(
                -1,
                near.memory
                        .segment()
                        .asSlice(0, BYTES)
                        .mismatch(near.memory.segment().asSlice(BYTES, BYTES)));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void endToEndContext_isEstablished(int nearBytes, int farBytes) throws IOException {
        ReliableDatagramDomain near = side(nearBytes, 1).rnic.allocateReliableDatagramDomain();
        Pair.Side far = side(farBytes, 1);
        ReliableDatagramDomain farDomain = far.rnic.allocateReliableDatagramDomain();
        try (Listener listener = far.rnic.listen(world.address())) {
            EndToEndContext opening = near.startConnect(listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Pair.SECOND)
                    .orElseThrow()
                    .startAcceptContext(farDomain, ConnectionOptions.defaults())
                    .awaitEstablished(Pair.SECOND);
            opening.awaitEstablished(Pair.SECOND);
        }
    }
}
