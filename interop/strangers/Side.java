import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.TransportService;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Verbena's side of a program of Linux: one RNIC, one completion queue, one region. Every wait is bounded. */
final class Side implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final int COMPLETIONS = 4_096;

    final Rnic rnic;
    final ProtectionDomain domain;
    final CompletionQueue cq;
    final CompletionCursor cursor;
    final MemoryRegion memory;
    final InetSocketAddress local;

    /** Completions by opcode; {@link #take} subtracts. */
    private final Map<CompletionOpcode, Integer> completed = new EnumMap<>(CompletionOpcode.class);

    Side(String address, int memoryBytes) {
        local = new InetSocketAddress(address, 0);
        rnic = Rnic.open(RnicOptions.defaults().withProvider("roce").withDevice(address));
        domain = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(COMPLETIONS);
        cursor = cq.cursor();
        memory = domain.allocate(
                memoryBytes, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE);
    }

    QueuePair queuePair(TransportService service) {
        return domain.createQueuePair(QueuePairOptions.of(cq).withService(service).withDepths(512, 512));
    }

    Listener listen(int port) throws Exception {
        Listener listener = rnic.listen(new InetSocketAddress(local.getAddress(), port));
        ready();
        return listener;
    }

    /** What the suite waits for before it starts the program of Linux. */
    static void ready() {
        System.err.println("Listening");
    }

    static ConnectionRequest next(Listener listener) {
        return listener.nextRequest(PATIENCE)
                .orElseThrow(() -> new IllegalStateException("no request arrived in " + PATIENCE));
    }

    /** Waits until {@code count} completions of an opcode have been polled, and subtracts them. */
    void take(CompletionOpcode opcode, int count) {
        long startNs = System.nanoTime();
        while (completed.getOrDefault(opcode, 0) < count) {
            if (!poll()) {
                if (System.nanoTime() - startNs > PATIENCE.toNanos()) {
                    throw new IllegalStateException(
                            completed + " were completed in " + PATIENCE + ", not " + count + " of " + opcode);
                }
                cq.await(Duration.ofMillis(100));
            }
        }
        completed.merge(opcode, -count, Integer::sum);
    }

    private boolean poll() {
        boolean any = false;
        while (cursor.next()) {
            if (!cursor.ok()) {
                throw new IllegalStateException(cursor.opcode() + " " + cursor.wrId() + ": " + cursor.reason());
            }
            completed.merge(cursor.opcode(), 1, Integer::sum);
            any = true;
        }
        return any;
    }

    /** Requires that the peer ends the connection, or has ended it, without an error. */
    static void closed(Connection connection) {
        if (!connection.awaitClosed(PATIENCE)) {
            throw new IllegalStateException("the connection is still " + connection.state() + " after " + PATIENCE);
        }
        if (!connection.state().ended() || connection.state().name().equals("FAILED")) {
            throw new IllegalStateException("the connection ended " + connection.state() + ": " + connection.reason());
        }
    }

    @Override
    public void close() {
        rnic.close();
    }
}
