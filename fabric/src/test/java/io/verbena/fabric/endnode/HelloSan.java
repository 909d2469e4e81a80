package io.verbena.fabric.endnode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import io.verbena.verbs.WrFlags;
import java.time.Duration;

/** The hello-world program of the verbs, unchanged, between two endnodes. */
final class HelloSan {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private HelloSan() {}

    static void run(Endnode server, Endnode client, String text) throws Exception {
        byte[] bytes = text.getBytes(UTF_8);
        try (Listener listener = server.rnic().listen(server.address(7471))) {
            ProtectionDomain there = server.rnic().allocateProtectionDomain();
            CompletionQueue thereCq = server.rnic().createCompletionQueue(16);
            QueuePair thereQp = there.createQueuePair(QueuePairOptions.of(thereCq));
            MemoryRegion buffer = there.allocate(64, AccessRight.LOCAL_WRITE);
            thereQp.postReceive(1, buffer, 0, 64);

            ProtectionDomain here = client.rnic().allocateProtectionDomain();
            CompletionQueue hereCq = client.rnic().createCompletionQueue(16);
            QueuePair hereQp = here.createQueuePair(QueuePairOptions.of(hereCq));
            MemoryRegion words = here.allocate(64, AccessRight.LOCAL_WRITE);
            words.segment().asByteBuffer().put(bytes);

            Connection from = client.rnic().startConnect(hereQp, server.address(7471), ConnectionOptions.defaults());
            Connection to =
                    listener.nextRequest(SECOND).orElseThrow().startAccept(thereQp, ConnectionOptions.defaults());
            from.awaitEstablished(SECOND);
            to.awaitEstablished(SECOND);
            hereQp.postSend(2, words, 0, bytes.length, WrFlags.SIGNALLED);
            completes(hereCq, 2);
            completes(thereCq, 1);
            byte[] got = new byte[bytes.length];
            buffer.segment().asByteBuffer().get(got);
            assertEquals(text, new String(got, UTF_8));
            from.disconnect();
            assertTrue(from.awaitClosed(SECOND) && to.awaitClosed(SECOND));
        }
    }

    private static void completes(CompletionQueue cq, long wrId) {
        assertTrue(cq.await(SECOND));
        CompletionCursor cursor = cq.cursor();
        assertTrue(cursor.next());
        assertEquals(CompletionStatus.SUCCESS, cursor.status());
        assertEquals(wrId, cursor.wrId());
    }
}
