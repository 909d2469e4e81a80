package io.verbena.tools;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;

import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * A server that speaks the file protocol as docs/files.md draws it, byte by byte, and answers every question with the same
 * message, true or not.
 */
final class ScriptedFileServer implements AutoCloseable {

    private static final Duration SLICE = Duration.ofMillis(20);
    private static final byte[] GREETING = {'V', 'F', 'I', 'L', 0, 1, 0, 0};
    private static final int MESSAGE_BYTES = 1024;
    private static final int SLOTS = 64;
    private static final int NUMBER_MASK = 0xff_ffff;
    private static final int NAMES = 2;
    private static final int OPENED = 4;
    private static final int PROBLEM = 12;

    private final Rnic rnic = Rnic.open();
    private final Listener listener;
    private final int kind;
    private final byte[] body;
    private final Thread accepting;
    private volatile boolean closed;

    private ScriptedFileServer(int kind, ByteBuffer body) throws IOException {
        this.kind = kind;
        this.body = new byte[body.flip().remaining()];
        body.get(this.body);
        listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        accepting = Thread.ofVirtual().start(this::accept);
    }

    /** Answers every question with a problem. */
    static ScriptedFileServer refusing(String sentence) throws IOException {
        byte[] text = sentence.getBytes(StandardCharsets.UTF_8);
        return new ScriptedFileServer(
                PROBLEM, body().putShort((short) text.length).put(text));
    }

    /** Lists one name, or the same name again and again when the total is larger than a message. */
    static ScriptedFileServer listing(int total, String name) throws IOException {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        int count = Math.min(total, SLOTS);
        ByteBuffer names = body().putInt(total).put((byte) count);
        for (int i = 0; i < count; i++) {
            names.putLong(5).put((byte) 0).put((byte) text.length).put(text);
        }
        return new ScriptedFileServer(NAMES, names);
    }

    /** Opens a file. */
    static ScriptedFileServer opening(long bytes, long registered) throws IOException {
        ByteBuffer attributes = body().putLong(bytes).putLong(1).putLong(1).put((byte) 0);
        return new ScriptedFileServer(
                OPENED, attributes.putLong(1).putLong(0).putLong(registered).putInt(7));
    }

    private static ByteBuffer body() {
        return ByteBuffer.allocate(MESSAGE_BYTES - Integer.BYTES);
    }

    String address() {
        return "127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private void accept() {
        while (!closed) {
            Optional<ConnectionRequest> request = listener.nextRequest(SLICE);
            request.ifPresent(found -> Thread.ofVirtual().start(() -> serve(found)));
        }
    }

    private void serve(ConnectionRequest request) {
        ProtectionDomain pd = rnic.allocateProtectionDomain();
        CompletionQueue cq = rnic.createCompletionQueue(4 * SLOTS);
        CompletionCursor cursor = cq.cursor();
        QueuePairOptions options = QueuePairOptions.of(cq)
                .withDepths(SLOTS, SLOTS)
                .withElements(1, 1)
                .withMaxInlineBytes(MESSAGE_BYTES);
        try (QueuePair queuePair = pd.createQueuePair(options);
                MemoryRegion memory = pd.allocate((SLOTS + 1L) * MESSAGE_BYTES, LOCAL_WRITE)) {
            for (int slot = 0; slot < SLOTS; slot++) {
                queuePair.postReceive(slot, memory, (long) slot * MESSAGE_BYTES, MESSAGE_BYTES);
            }
            Connection connection =
                    request.startAccept(queuePair, ConnectionOptions.defaults().withPrivateData(GREETING));
            while (!closed) {
                if (!cursor.next()) {
                    cq.await(SLICE);
                } else if (!cursor.ok()) {
                    break;
                } else if (cursor.opcode() == CompletionOpcode.RECEIVE) {
                    answer(queuePair, memory, cursor.wrId() * MESSAGE_BYTES);
                    queuePair.postReceive(cursor.wrId(), memory, cursor.wrId() * MESSAGE_BYTES, MESSAGE_BYTES);
                }
            }
            connection.close();
        }
    }

    private void answer(QueuePair queuePair, MemoryRegion memory, long question) {
        ByteBuffer bytes = memory.segment().asByteBuffer();
        int number = bytes.getInt((int) question) & NUMBER_MASK;
        bytes.position(SLOTS * MESSAGE_BYTES).putInt(kind << 24 | number).put(body);
        queuePair.postSend(
                0,
                memory,
                (long) SLOTS * MESSAGE_BYTES,
                Integer.BYTES + body.length,
                WrFlags.UNSIGNALLED.withInline().withSolicited());
    }

    @Override
    public void close() throws InterruptedException {
        closed = true;
        accepting.join();
        listener.close();
        rnic.close();
    }
}
