package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.channel.ChannelOptions;
import io.verbena.messaging.ring.ChannelGreeting;
import io.verbena.messaging.ring.ControlBlock;
import io.verbena.sim.World;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Any process that knows the address of a rank can connect to it. Only a peer that names the number of the job, which the meeting gives to those
 * that have proved to know the secret, gets a channel; all others are rejected, and take no place and no memory.
 */
class StrangerAtARankTest {

    private static final int HELLO_BYTES = 28;

    private static byte[] hello(long job, int from, int to) {
        byte[] hello = new byte[HELLO_BYTES];
        MemorySegment all = MemorySegment.ofArray(hello);
        all.set(LONG, 0, job);
        all.set(INT, 8, from);
        all.set(INT, 12, to);
        all.set(LONG, 16, 1 << 16);
        all.set(INT, 24, 16);
        return hello;
    }

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    /** Greetings of peers that do not know the number of the job, or that no rank would send. */
    private static List<byte[]> greetings(MemoryRegion control) {
        List<byte[]> all = new ArrayList<>();
        List<byte[]> hellos = List.of(
                hello(0, 1, 0),
                hello(VirtualRanks.JOB + 1, 1, 0),
                hello(VirtualRanks.JOB, 0, 0),
                hello(VirtualRanks.JOB, 2, 0),
                hello(VirtualRanks.JOB, -1, 0),
                hello(VirtualRanks.JOB, 1, 1),
                new byte[0],
                new byte[HELLO_BYTES - 1]);
        for (byte[] hello : hellos) {
            all.add(new ChannelGreeting(
                            control.remote(), ChannelOptions.defaults().virtualChannels(), hello)
                    .toBytes());
        }
        all.add(new byte[0]);
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 20; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            all.add(bytes);
        }
        return all;
    }

    @Test
    void strangers_connectToARank_areRejectedAndTheRanksContinue() throws IOException {
        RnicOptions inline = RnicOptions.defaults().withProgress(Progress.INLINE);
        World world = new World(5);
        try (VirtualRanks ranks = new VirtualRanks(world, 2, inline, MessagingOptions.defaults())) {
            Rnic stranger =
                    world.addHost(inline.withProgress(Progress.ENGINE_THREAD)).rnic();
            ProtectionDomain domain = stranger.allocateProtectionDomain();
            MemoryRegion control = domain.allocate(16L * ControlBlock.BYTES, AccessRight.REMOTE_WRITE);
            for (byte[] greeting : greetings(control)) {
                QueuePair queuePair = domain.createQueuePair(QueuePairOptions.of(stranger.createCompletionQueue(4)));
                Connection connection = stranger.startConnect(
                        queuePair,
                        ranks.address(0),
                        ConnectionOptions.defaults().withPrivateData(greeting));
                ranks.until(() -> connection.state().ended());
                assertEquals(ConnectionState.REJECTED, connection.state(), connection::reason);
                assertTrue(ranks.rank(0).endpoint().channels().isEmpty());
                assertEquals(0, ranks.rank(0).endpoint().registeredBytes());
                queuePair.close();
            }
            MemorySegment into = Payloads.segment(100, 0);
            MessageRequest receive = ranks.receive(0, 1, into, 3);
            MessageRequest send = ranks.send(1, 0, Payloads.segment(100, 9), 100, 3);
            ranks.until(() -> receive.done() && send.done());
            assertEquals(-1, into.mismatch(Payloads.segment(100, 9)));
        }
    }
}
