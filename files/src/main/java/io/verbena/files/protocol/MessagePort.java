package io.verbena.files.protocol;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.protocol.FileMessage.Numbered;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;
import java.nio.ByteBuffer;

/**
 * Control messages over one queue pair. The constructor posts the receives, before the connection is established. Sends are
 * inline and unsignalled: they need no buffer and leave no completion unless they fail.
 */
public final class MessagePort implements AutoCloseable {

    /** Number of posted receives: the maximum number of open questions of a client. */
    public static final int SLOTS = 64;

    private static final WrFlags SEND = WrFlags.UNSIGNALLED.withInline().withSolicited();

    private final QueuePair queuePair;
    private final MemoryRegion memory;

    public MessagePort(ProtectionDomain pd, QueuePair queuePair) {
        this.queuePair = queuePair;
        this.memory = pd.allocate((SLOTS + 1L) * FileMessage.MAX_BYTES, LOCAL_WRITE);
        for (int slot = 0; slot < SLOTS; slot++) {
            postReceive(slot);
        }
    }

    /** The options that the queue pair of a port needs, with space for more send work. */
    public static QueuePairOptions fit(QueuePairOptions options, int moreSends) {
        return options.withDepths(SLOTS + moreSends, SLOTS)
                .withElements(1, 1)
                .withMaxInlineBytes(FileMessage.MAX_BYTES);
    }

    /** Sends a message. Returns false if the send queue is full. */
    public boolean send(Numbered message) {
        long offset = (long) SLOTS * FileMessage.MAX_BYTES;
        ByteBuffer buffer =
                memory.segment().asSlice(offset, FileMessage.MAX_BYTES).asByteBuffer();
        FileMessageCodec.write(message, buffer);
        return queuePair.postSend(0, memory, offset, buffer.position(), SEND);
    }

    /** The message in a completed receive, whose buffer is posted again. */
    public Numbered onReceived(CompletionCursor completion) throws FileServiceException {
        int slot = (int) completion.wrId();
        long offset = (long) slot * FileMessage.MAX_BYTES;
        Numbered message = FileMessageCodec.read(
                memory.segment().asSlice(offset, completion.byteCount()).asByteBuffer());
        postReceive(slot);
        return message;
    }

    private void postReceive(int slot) {
        queuePair.postReceive(slot, memory, (long) slot * FileMessage.MAX_BYTES, FileMessage.MAX_BYTES);
    }

    /** Releases the buffers. The queue pair must be closed before. */
    @Override
    public void close() {
        memory.close();
    }
}
