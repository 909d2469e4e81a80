package io.verbena.host;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fixture.Rounds;
import io.verbena.host.system.Machine;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A side revokes memory at any moment while a thread of its peer executes what it posts. */
@Timeout(120)
class ExecutedPostsRaceTest {

    private static final int BYTES = 1 << 16;
    private static final int ROUNDS = Rounds.of(6, 60);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final RnicOptions OPTIONS =
            RnicOptions.defaults().withProvider("shm").withIwarp(iwarp -> iwarp.withDirect(true));

    @BeforeEach
    void needsLinux() {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
    }

    /** How the owner of the memory ends the access. */
    enum End {
        RENEWED_KEY,
        RIGHTS,
        ERROR
    }

    /** After the call that ends the access, no byte of the region changes. */
    @ParameterizedTest
    @EnumSource
    void ended_nothingIsWrittenAfterwards(End end) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            try (Rnic owner = Rnic.open(OPTIONS);
                    Rnic poster = Rnic.open(OPTIONS.withProgress(Progress.INLINE))) {
                race(owner, poster, end, round);
            }
        }
    }

    private void race(Rnic owner, Rnic poster, End end, int round) throws Exception {
        ProtectionDomain domain = owner.allocateProtectionDomain();
        MemoryRegion memory = domain.allocate(BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        QueuePair target = domain.createQueuePair(QueuePairOptions.of(owner.createCompletionQueue(16)));
        ProtectionDomain own = poster.allocateProtectionDomain();
        CompletionQueue cq = poster.createCompletionQueue(64);
        QueuePair queuePair = own.createQueuePair(QueuePairOptions.of(cq).withMaxInlineBytes(8));
        connect(owner, target, poster, queuePair);
        MemoryRegion source = own.allocate(BYTES, AccessRight.LOCAL_WRITE);

        int key = memory.rkey();
        long address = memory.address();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread revoker = new Thread(() -> {
            try {
                revoke(memory, target, end, round);
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        revoker.start();
        long posted = post(queuePair, cq.cursor(), source, address, key);
        revoker.join();
        assertEquals(null, failure.get());
        assertTrue(posted > 0);
    }

    private static void connect(Rnic owner, QueuePair target, Rnic poster, QueuePair queuePair) throws Exception {
        try (Listener listener = owner.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Connection opening = poster.startConnect(queuePair, listener.localAddress(), ConnectionOptions.defaults());
            ConnectionRequest request = listener.nextRequest(PATIENCE).orElseThrow();
            request.startAccept(target, ConnectionOptions.defaults()).awaitEstablished(PATIENCE);
            opening.awaitEstablished(PATIENCE);
        }
    }

    /** Posts, with growing values, until work fails; returns how many succeeded. */
    private static long post(
            QueuePair queuePair, CompletionCursor completions, MemoryRegion source, long address, int key) {
        long value = 0;
        while (true) {
            source.segment().set(JAVA_LONG, 0, ++value);
            if (!queuePair.postWrite(value, source, 0, Long.BYTES, address, key, WrFlags.SIGNALLED)) {
                throw new AssertionError("the send queue is full");
            }
            while (!completions.next()) {
                Thread.onSpinWait();
            }
            if (!completions.ok()) {
                return value - 1;
            }
        }
    }

    /** Lets the peer write for a while, ends that, and watches the memory. */
    private static void revoke(MemoryRegion memory, QueuePair target, End end, int round) {
        long until = 1000L + 777L * round;
        while ((long) JAVA_LONG.varHandle().getVolatile(memory.segment(), 0L) < until) {
            Thread.onSpinWait();
        }
        switch (end) {
            case RENEWED_KEY -> memory.renewKey();
            case RIGHTS -> target.modify(QueuePairChange.rights(Set.of()));
            case ERROR -> target.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
        }
        long last = (long) JAVA_LONG.varHandle().getVolatile(memory.segment(), 0L);
        for (int i = 0; i < 200_000; i++) {
            assertEquals(last, (long) JAVA_LONG.varHandle().getVolatile(memory.segment(), 0L));
        }
    }
}
