package io.verbena.rnic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Two RNICs with a connected queue pair each, and memory that the other side can access. */
public final class Pair {

    public static final Duration SECOND = Duration.ofSeconds(1);
    public static final int REGION_BYTES = 1 << 20;

    /** One side. */
    public static final class Side {
        public final SoftRnic rnic;
        public final ProtectionDomain domain;
        public final CompletionQueue cq;
        public final CompletionCursor cursor;
        public final SoftQueuePair queuePair;
        public final MemoryRegion memory;

        public Side(SoftRnic rnic, int cqEntries, UnaryOperator<QueuePairOptions> change) {
            this.rnic = rnic;
            domain = rnic.allocateProtectionDomain();
            cq = rnic.createCompletionQueue(cqEntries);
            cursor = cq.cursor();
            queuePair = (SoftQueuePair) domain.createQueuePair(change.apply(QueuePairOptions.of(cq)));
            memory = domain.allocate(
                    REGION_BYTES,
                    AccessRight.LOCAL_WRITE,
                    AccessRight.REMOTE_READ,
                    AccessRight.REMOTE_WRITE,
                    AccessRight.REMOTE_ATOMIC);
        }

        /** Polls all completions, as "id status". */
        public List<String> polled() {
            List<String> all = new ArrayList<>();
            while (cursor.next()) {
                all.add(cursor.wrId() + " " + cursor.status());
            }
            return all;
        }

        public void fill(int seed) {
            for (long i = 0; i < memory.length(); i++) {
                memory.segment().set(JAVA_BYTE, i, (byte) (i * 31 + seed + (i >>> 8)));
            }
        }
    }

    public final ManualWorld world;
    public final Side a;
    public final Side b;
    public Connection fromA = Unconnected.NONE;
    public Connection fromB = Unconnected.NONE;

    public Pair(ManualWorld world) {
        this(world, RnicOptions.defaults(), 1024, options -> options);
    }

    public Pair(ManualWorld world, RnicOptions options, int cqEntries, UnaryOperator<QueuePairOptions> change) {
        this.world = world;
        a = new Side(world.rnic(options), cqEntries, change);
        b = new Side(world.rnic(options), cqEntries, change);
    }

    /** Connects A to B. */
    public Pair connect() throws IOException {
        return connect(ConnectionOptions.defaults());
    }

    /** Connects two sides without keeping their connections. */
    public static void connect(ManualWorld world, Side near, Side far) throws IOException {
        try (Listener listener = far.rnic.listen(world.address())) {
            Connection opening =
                    near.rnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            request.startAccept(far.queuePair, ConnectionOptions.defaults()).awaitEstablished(SECOND);
            opening.awaitEstablished(SECOND);
        } catch (ConnectionException e) {
            throw new AssertionError(e.kind() + ": " + e.getMessage(), e);
        }
        world.settle();
    }

    public Pair connect(ConnectionOptions options) throws IOException {
        try (Listener listener = b.rnic.listen(world.address())) {
            fromA = a.rnic.startConnect(a.queuePair, listener.localAddress(), options);
            ConnectionRequest request = listener.nextRequest(SECOND).orElseThrow();
            fromB = request.startAccept(b.queuePair, ConnectionOptions.defaults());
            fromA.awaitEstablished(SECOND);
            fromB.awaitEstablished(SECOND);
        } catch (ConnectionException e) {
            throw new AssertionError(e.kind() + ": " + e.getMessage(), e);
        }
        world.settle();
        return this;
    }

    public QueuePair fresh(Side side) {
        return side.domain.createQueuePair(QueuePairOptions.of(side.cq));
    }
}
