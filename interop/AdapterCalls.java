import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * The calls of the data path through the provider ibverbs beside those of a C program, which is started between the own turns:
 * {@code AdapterCalls DEVICE ADDRESS C-PROGRAM}. Prints for each call the medians and their ratio. Sizes and counts are those of
 * adapter-calls.c.
 */
final class AdapterCalls {

    private static final int TURNS = 9;

    /** The compiler of an emulated machine needs seconds. */
    private static final long WARM_UP_NS = 20_000_000_000L;

    private static final int POLLS = 200_000;
    private static final int BATCHES = 60;
    private static final int BATCH = 32;
    private static final int DEPTH = 128;
    private static final int BYTES = 64;
    private static final int TO = 2048;
    private static final String[] NAMES = {"poll of an empty CQ", "post of a Write of 64 bytes"};
    private static final double[] GOALS = {1.5, 1.3};

    private final CompletionCursor cursor;
    private final QueuePair near;
    private final MemoryRegion memory;

    private AdapterCalls(CompletionQueue cq, QueuePair near, MemoryRegion memory) {
        cursor = cq.cursor();
        this.near = near;
        this.memory = memory;
    }

    public static void main(String[] arguments) throws Exception {
        try (Rnic rnic = Rnic.open(RnicOptions.defaults().withProvider("ibverbs:" + arguments[0]));
                ProtectionDomain domain = rnic.allocateProtectionDomain();
                CompletionQueue cq = rnic.createCompletionQueue(2 * DEPTH);
                MemoryRegion memory = domain.allocate(4096, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
                QueuePair near = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(DEPTH, 1));
                QueuePair far = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(DEPTH, 1));
                Listener listener = rnic.listen(new InetSocketAddress(arguments[1], 0));
                Connection connection =
                        rnic.startConnect(near, listener.localAddress(), ConnectionOptions.defaults())) {
            listener.nextRequest(Duration.ofSeconds(20))
                    .orElseThrow()
                    .startAccept(far, ConnectionOptions.defaults());
            connection.awaitEstablished(Duration.ofSeconds(20));
            new AdapterCalls(cq, near, memory).measure(arguments[2], arguments[0]);
        }
    }

    private void measure(String program, String device) throws Exception {
        double[][] ours = new double[NAMES.length][TURNS];
        double[][] theirs = new double[NAMES.length][TURNS];
        for (long start = System.nanoTime(); System.nanoTime() - start < WARM_UP_NS; ) {
            pollNs();
            postNs();
        }
        for (int turn = 0; turn < TURNS; turn++) {
            double[] here = {pollNs(), postNs()};
            double[] there = run(program, device);
            for (int i = 0; i < NAMES.length; i++) {
                ours[i][turn] = here[i];
                theirs[i][turn] = there[i];
            }
        }
        for (int i = 0; i < NAMES.length; i++) {
            double java = median(ours[i]);
            double c = median(theirs[i]);
            System.out.printf(
                    Locale.ROOT,
                    "%s: %.1f ns, C %.1f ns, ratio %.2f, goal at most %.2f%n",
                    NAMES[i],
                    java,
                    c,
                    java / c,
                    GOALS[i]);
        }
    }

    private static double[] run(String program, String device) throws Exception {
        Process process = new ProcessBuilder(program, device)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(program + " ended with " + process.exitValue() + " " + printed);
        }
        return Arrays.stream(printed.strip().split(" "))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    private double pollNs() {
        long start = System.nanoTime();
        for (int i = 0; i < POLLS; i++) {
            if (cursor.next()) {
                throw new IllegalStateException("the CQ is not empty");
            }
        }
        return (double) (System.nanoTime() - start) / POLLS;
    }

    private double postNs() {
        long posting = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            long start = System.nanoTime();
            for (int i = 0; i < BATCH; i++) {
                WrFlags flags = i == BATCH - 1 ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED;
                if (!near.postWrite(i, memory, 0, BYTES, memory.address() + TO, memory.rkey(), flags)) {
                    throw new IllegalStateException("the send queue is full");
                }
            }
            posting += System.nanoTime() - start;
            while (!cursor.next()) {
                Thread.onSpinWait();
            }
            if (cursor.status() != CompletionStatus.SUCCESS) {
                throw new IllegalStateException(cursor.reason());
            }
        }
        return (double) posting / BATCHES / BATCH;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
