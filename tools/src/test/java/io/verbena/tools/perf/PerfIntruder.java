package io.verbena.tools.perf;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketAddress;

/** A client that says what it likes. */
final class PerfIntruder implements AutoCloseable {

    private final Rnic rnic = Rnic.open();
    private final ProtectionDomain pd = rnic.allocateProtectionDomain();
    private final CompletionQueue cq = rnic.createCompletionQueue(64);
    private final MemoryRegion memory = pd.allocate(4096, LOCAL_WRITE);

    RemoteRegion region() {
        return memory.remote();
    }

    /** Connects with some private data, which the server must reject; gives its sentence. */
    String refusal(SocketAddress server, byte[] privateData) throws Failure {
        ConnectionException rejected =
                assertThrows(ConnectionException.class, () -> connect(pd.createQueuePair(cq), server, privateData));
        assertEquals(ConnectionException.Kind.REJECTED, rejected.kind());
        return assertInstanceOf(PerfMessage.Problem.class, PerfMessage.read(rejected.privateData()))
                .sentence();
    }

    /** Opens a session correctly and then sends some bytes, upon which the server must leave. */
    void openAndSend(SocketAddress server, byte[] bytes) throws Exception {
        QueuePair control = pd.createQueuePair(cq);
        control.postReceive(1, memory, 1024, 256);
        PerfMessage.Open open = new PerfMessage.Open(PerfEnds.TOKEN, 64, 1, 1);
        PerfMessage answer = PerfMessage.read(
                connect(control, server, PerfMessage.bytes(open)).privateData());
        long session = assertInstanceOf(PerfMessage.Opened.class, answer).session();
        QueuePair data = pd.createQueuePair(cq);
        connect(data, server, PerfMessage.bytes(new PerfMessage.Join(session, 0, new RemoteRegion(0, 1 << 20, 5))));
        MemorySegment.copy(bytes, 0, memory.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        control.postSend(2, memory, 0, bytes.length, WrFlags.SIGNALLED);
        assertTrue(control.connection().orElseThrow().awaitClosed(PerfEnds.LONGEST));
    }

    private Connection connect(QueuePair queuePair, SocketAddress server, byte[] privateData)
            throws ConnectionException {
        return rnic.connect(queuePair, server, PerfEnds.connection().withPrivateData(privateData));
    }

    @Override
    public void close() {
        rnic.close();
    }
}
