import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
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
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Random;

/**
 * Many lives of an RNIC over an adapter in one process, of which many end with an exception at a random step: {@code AdapterRounds DEVICE
 * ADDRESS ROUNDS SEED}. Objects that a life leaves show in the kernel, which hardware.sh asks after it.
 */
final class AdapterRounds {

    private static final int STEPS = 12;
    private static final int PROGRESS = 100;

    /** One round of this many may fail: a machine that is busy with other things loses packets and misses time limits. */
    private static final int MOST_FAILED = 10;

    private static final ConnectionOptions OPTIONS =
            ConnectionOptions.defaults().withTimeout(Duration.ofSeconds(30));

    private AdapterRounds() {}

    /** The program gives up at a step, which is not one of its errors. */
    private static final class GivenUp extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Ends a life at its random step. */
    private static final class Steps {
        private int left;

        Steps(Random random) {
            left = random.nextInt(2 * STEPS); // one half of the lives come to their end
        }

        void step() {
            if (left-- == 0) {
                throw new GivenUp();
            }
        }
    }

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[2]);
        Random random = new Random(Long.parseLong(arguments[3]));
        System.out.println("Started with seed " + arguments[3]);
        int whole = 0;
        int failed = 0;
        int leftOpen = 0;
        for (int i = 0; i < rounds; i++) {
            if (i > 0 && i % PROGRESS == 0) {
                System.out.println(i + " rounds");
            }
            try {
                life(arguments[0], arguments[1], new Steps(random));
                whole++;
            } catch (GivenUp e) { // what was open is closed after it, without an error
                if (e.getSuppressed().length > 0) {
                    leftOpen++;
                    e.printStackTrace(System.out);
                }
            } catch (VerbsException | IOException e) {
                failed++;
                System.out.println("round " + i + ": " + e);
            }
        }
        System.out.println(rounds + " rounds, " + whole + " to their end, " + failed + " failed");
        if (failed > rounds / MOST_FAILED || leftOpen > 0 || rounds > STEPS && whole == 0) {
            throw new AssertionError(failed + " rounds failed, " + leftOpen + " were not closed without an error");
        }
    }

    private static void life(String device, String address, Steps steps) throws IOException {
        try (Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("ibverbs:" + device));
                ProtectionDomain domain = rnic.allocateProtectionDomain();
                CompletionQueue cq = rnic.createCompletionQueue(16)) {
            steps.step();
            try (MemoryRegion memory =
                            domain.allocate(64, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);
                    SharedReceiveQueue srq = domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(8))) {
                steps.step();
                try (QueuePair near = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(8, 8));
                        QueuePair far = domain.createQueuePair(
                                QueuePairOptions.of(cq).withDepths(8, 8).withSharedReceiveQueue(srq))) {
                    srq.postReceive(1, memory, 0, 8);
                    steps.step();
                    connection(rnic, new InetSocketAddress(address, 0), new Ends(near, far), cq, memory, steps);
                }
            }
        }
    }

    private record Ends(QueuePair near, QueuePair far) {}

    private static void connection(
            Rnic rnic, InetSocketAddress at, Ends ends, CompletionQueue cq, MemoryRegion memory, Steps steps)
            throws IOException {
        try (Listener listener = rnic.listen(at)) {
            steps.step();
            try (Connection connection =
                    rnic.startConnect(ends.near(), listener.localAddress(), OPTIONS)) {
                steps.step();
                var request = listener.nextRequest(Duration.ofSeconds(30))
                        .orElseThrow(() -> new IOException("no request within 30 s"));
                steps.step();
                request.startAccept(ends.far(), OPTIONS);
                steps.step();
                connection.awaitEstablished(Duration.ofSeconds(30));
                steps.step();
                ends.near().postSend(2, memory, 0, 8, WrFlags.SIGNALLED);
                steps.step();
                for (int done = 0; done < 2; done++) {
                    CompletionCursor completion = cq.take(Duration.ofSeconds(30));
                    if (!completion.ok()) {
                        throw new IOException(completion.reason());
                    }
                }
                steps.step();
            } catch (java.util.concurrent.TimeoutException e) {
                throw new IOException("a completion is missing", e);
            }
        }
    }
}
