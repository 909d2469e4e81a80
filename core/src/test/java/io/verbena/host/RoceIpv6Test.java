package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Progress;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The provider roce over IPv6: services, shared receive queues, and both kinds of progress. Loopback has one address of IPv6. */
class RoceIpv6Test {

    private static final int BYTES = 20_000;
    private static final RnicOptions SIX =
            RnicOptions.defaults().withProvider("roce").withDevice("::1");

    /** One end; both belong to one RNIC. */
    private static final class End {
        final CompletionQueue cq;
        final CompletionCursor cursor;
        final QueuePair queuePair;
        final MemoryRegion memory;

        End(Rnic rnic, UnaryOperator<QueuePairOptions> change, ProtectionDomain domain) {
            cq = rnic.createCompletionQueue(64);
            cursor = cq.cursor();
            queuePair = domain.createQueuePair(change.apply(QueuePairOptions.of(cq)));
            memory = domain.allocate(2 * BYTES, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        }

        void complete(long wrId) {
            assertTrue(cursor.next() || cq.await(Site.PATIENCE) && cursor.next());
            assertTrue(cursor.ok(), cursor::reason);
            assertEquals(wrId, cursor.wrId());
        }
    }

    /** A UDP port for each test: an address and port belong to one RNIC. */
    private static Rnic open(RnicOptions options) throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return Rnic.open(options.withInfiniband(it -> it.withUdpPort(any.getLocalPort())));
        }
    }

    private static void connect(Rnic rnic, QueuePair near, QueuePair far) throws IOException {
        try (Listener listener = rnic.listen(new InetSocketAddress(InetAddress.ofLiteral("::1"), 0))) {
            Connection opening = rnic.startConnect(near, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(Site.PATIENCE).orElseThrow().startAccept(far, ConnectionOptions.defaults());
            opening.awaitEstablished(Site.PATIENCE);
        }
    }

    @ParameterizedTest
    @CsvSource({"ENGINE_THREAD, 1", "ENGINE_THREAD, 2", "INLINE, 1"})
    void unreliableConnection_sendAndWrite(Progress progress, int engines) throws IOException {
        try (Rnic rnic = open(SIX.withProgress(progress).withEngines(engines))) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            UnaryOperator<QueuePairOptions> unreliable =
                    options -> options.withService(TransportService.UNRELIABLE_CONNECTION);
            End near = new End(rnic, unreliable, domain);
            End far = new End(rnic, unreliable, domain);
            connect(rnic, near.queuePair, far.queuePair);
            near.memory.segment().asSlice(0, BYTES).fill((byte) 7);
            far.queuePair.postReceive(1, far.memory, 0, BYTES);
            near.queuePair.postSend(2, near.memory, 0, BYTES, WrFlags.SIGNALLED);
            near.complete(2);
            far.complete(1);
            far.queuePair.postReceive(3, far.memory, 0, 0);
            near.queuePair.post(near.queuePair
                    .newWorkRequest()
                    .writeWithImmediate(far.memory.address() + BYTES, far.memory.rkey(), 99)
                    .gather(near.memory, 0, BYTES)
                    .flags(WrFlags.SIGNALLED)
                    .id(4));
            near.complete(4);
            far.complete(3);
            assertEquals(99, far.cursor.immediate());
            assertEquals(
                    -1,
                    far.memory
                            .segment()
                            .asSlice(0, BYTES)
                            .mismatch(far.memory.segment().asSlice(BYTES, BYTES)));
        }
    }

    @Test
    void sharedReceiveQueue_sendsOfTwoConnections() throws IOException {
        try (Rnic rnic = open(SIX)) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            SharedReceiveQueue shared = domain.createSharedReceiveQueue(SharedReceiveQueueOptions.depth(8));
            MemoryRegion memory = domain.allocate(8L * BYTES, AccessRight.LOCAL_WRITE);
            for (int i = 0; i < 4; i++) {
                shared.postReceive(i, memory, (long) i * BYTES, BYTES);
            }
            for (int i = 0; i < 2; i++) {
                End near = new End(rnic, options -> options, domain);
                End far = new End(rnic, options -> options.withSharedReceiveQueue(shared), domain);
                connect(rnic, near.queuePair, far.queuePair);
                for (int k = 0; k < 2; k++) {
                    near.queuePair.postSend(9, near.memory, 0, BYTES, WrFlags.SIGNALLED);
                    near.complete(9);
                    far.complete(2L * i + k);
                    assertEquals(BYTES, far.cursor.byteCount());
                }
            }
        }
    }
}
