package io.verbena.rnic;

import static io.verbena.verbs.AccessRight.BIND;
import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static io.verbena.verbs.WrFlags.SIGNALLED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WindowOptions.Scope;
import io.verbena.verbs.WorkRequest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Pairs whose side B binds remote keys, and whose side A uses them. */
abstract class KeyPair {

    static final WindowOptions SHARED = WindowOptions.defaults().withScope(Scope.DOMAIN);

    final ManualWorld world = newWorld();

    /** The world of the tests, for tests of other streams. */
    ManualWorld newWorld() {
        return new ManualWorld();
    }

    @AfterEach
    void close() {
        world.close();
    }

    static MemoryRegion bindable(ProtectionDomain domain) {
        return domain.allocate(64 * 1024, LOCAL_WRITE, BIND);
    }

    void bind(Pair pair, MemoryWindow window, MemoryRegion region, long offset, long length) {
        WorkRequest bind =
                pair.b.queuePair.newWorkRequest().bind(window, region, offset, length, REMOTE_READ, REMOTE_WRITE);
        assertTrue(pair.b.queuePair.post(bind.id(50)));
        world.settle();
        assertEquals(List.of("50 SUCCESS"), pair.b.polled());
    }

    String write(Pair pair, RemoteRegion target, long offset, int length) {
        pair.a.queuePair.postWrite(1, pair.a.memory, 0, length, target.address() + offset, target.rkey(), SIGNALLED);
        // The result of a Write is known when a Read posted after it has completed.
        pair.a.queuePair.postRead(
                2, pair.a.memory, 500_000, 1, pair.b.memory.address(), pair.b.memory.rkey(), SIGNALLED);
        world.settle();
        List<String> all = pair.a.polled();
        return all.contains("2 SUCCESS") ? "allowed" : "refused";
    }

    /** A second connection between the same processes. */
    SoftQueuePair second(Pair pair) throws IOException {
        SoftQueuePair a = (SoftQueuePair) pair.a.domain.createQueuePair(QueuePairOptions.of(pair.a.cq));
        SoftQueuePair b = (SoftQueuePair) pair.b.domain.createQueuePair(QueuePairOptions.of(pair.b.cq));
        try (Listener listener = pair.b.rnic.listen(world.address())) {
            pair.a.rnic.startConnect(a, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Pair.SECOND).orElseThrow().startAccept(b, ConnectionOptions.defaults());
            world.settle();
        }
        assertEquals(IwarpQueuePairState.RTS, a.state());
        return a;
    }
}
