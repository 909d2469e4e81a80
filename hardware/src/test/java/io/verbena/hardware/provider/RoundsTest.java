package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Many lives of an RNIC in one process, of which most end with a failure of one call at a random step. The property
 * {@code io.verbena.rounds} has it run more of them.
 */
class RoundsTest {

    private static final Path NONE = Path.of("/none");
    private static final long SEED = 34;
    private static final int ROUNDS = Integer.getInteger("io.verbena.rounds", 100);

    /** Functions that make something, or change its state. */
    private static final NativeFunction[] FAILING = {
        NativeFunction.OPEN_DEVICE,
        NativeFunction.ALLOC_PD,
        NativeFunction.REG_MR,
        NativeFunction.CREATE_COMP_CHANNEL,
        NativeFunction.CREATE_CQ,
        NativeFunction.CREATE_SRQ,
        NativeFunction.CREATE_QP,
        NativeFunction.MODIFY_QP,
        NativeFunction.CREATE_EVENT_CHANNEL,
        NativeFunction.CREATE_ID,
        NativeFunction.BIND_ADDR,
        NativeFunction.RESOLVE_ADDR,
        NativeFunction.RESOLVE_ROUTE,
        NativeFunction.LISTEN,
        NativeFunction.CONNECT,
        NativeFunction.ACCEPT,
        NativeFunction.REJECT,
        NativeFunction.INIT_QP_ATTR
    };

    @Test
    void failuresAtRandomSteps_nothingIsLeft() {
        Random random = new Random(SEED);
        try (FakeLibrary fake = new FakeLibrary()) {
            int before = fake.adapter().objects();
            int failed = 0;
            for (int i = 0; i < ROUNDS; i++) {
                NativeFunction function = FAILING[random.nextInt(FAILING.length)];
                fake.failNext(function, Errno.ENOMEM);
                try {
                    life(fake, random);
                } catch (VerbsException | IOException | IllegalStateException _) {
                    failed++;
                }
                fake.failNone();
                int round = i;
                assertEquals(
                        before,
                        fake.adapter().objects(),
                        () -> "objects are left of round " + round + ", in which " + function.symbol() + " failed");
            }
            assertTrue(failed > ROUNDS / 4, failed + " rounds failed");
        }
    }

    private static void life(FakeLibrary fake, Random random) throws IOException {
        IbverbsProvider provider = new IbverbsProvider(fake::libraries, new Obstacles(NONE, NONE), false);
        try (Rnic rnic = provider.open(RnicOptions.defaults());
                ProtectionDomain domain = rnic.allocateProtectionDomain();
                CompletionQueue cq = rnic.createCompletionQueue(16);
                MemoryRegion memory = domain.allocate(64, AccessRight.values());
                SharedReceiveQueue srq = domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(8));
                MemoryWindow window = domain.allocateWindow();
                QueuePair near = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(8, 8));
                QueuePair far = domain.createQueuePair(
                        QueuePairOptions.of(cq).withDepths(8, 8).withSharedReceiveQueue(srq));
                Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            srq.postReceive(1, memory, 0, 8);
            stop(random);
            try (Connection connection = rnic.startConnect(
                    near, listener.localAddress(), ConnectionOptions.defaults().withTimeout(Duration.ofMillis(200)))) {
                var request = listener.nextRequest(Duration.ofMillis(20));
                if (request.isEmpty()) {
                    throw new IOException("no request");
                }
                stop(random);
                if (random.nextInt(8) == 0) {
                    request.get().reject(new byte[0]);
                    return;
                }
                request.get().startAccept(far, ConnectionOptions.defaults());
                connection.awaitEstablished(Duration.ofMillis(100));
                stop(random);
                near.postSend(2, memory, 0, 8, WrFlags.SIGNALLED);
                far.post(far.newWorkRequest().bind(window, memory, 0, 8, AccessRight.REMOTE_READ));
                stop(random);
                while (cq.cursor().next()) {
                    // so that the end of the connection waits for no work
                }
            }
        }
    }

    /** The program itself fails here, sometimes. */
    private static void stop(Random random) throws IOException {
        if (random.nextInt(10) == 0) {
            throw new IOException("the program gives up");
        }
    }
}
