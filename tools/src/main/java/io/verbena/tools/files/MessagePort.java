package io.verbena.tools.files;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;

import io.verbena.tools.base.Failure;
import io.verbena.tools.files.FileMessage.Numbered;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WrFlags;
import java.nio.ByteBuffer;

/**
 * Control messages over one queue pair. Receives are posted when it is made, before the connection. Sends are inline and
 * not signalled: they need no buffer of their own and leave no completion unless they fail.
 */
final class MessagePort implements AutoCloseable {

    /** Receives posted: most questions that a client may have under way. */
    static final int SLOTS = 64;

    private static final WrFlags SEND = WrFlags.UNSIGNALLED.withInline().withSolicited();

    private final QueuePair queuePair;
    private final MemoryRegion memory;

    MessagePort(ProtectionDomain pd, QueuePair queuePair) {
        this.queuePair = queuePair;
        this.memory = pd.allocate((SLOTS + 1L) * FileMessage.MAX_BYTES, LOCAL_WRITE);
        for (int slot = 0; slot < SLOTS; slot++) {
            postReceive(slot);
        }
    }

    /** What the queue pair of a port needs, and room for more send work. */
    static QueuePairOptions fit(QueuePairOptions options, int moreSends) {
        return options.withDepths(SLOTS + moreSends, SLOTS)
                .withElements(1, 1)
                .withMaxInlineBytes(FileMessage.MAX_BYTES);
    }

    /** Sends a message; false when too many are under way. */
    boolean send(Numbered message) {
        long offset = (long) SLOTS * FileMessage.MAX_BYTES;
        ByteBuffer buffer =
                memory.segment().asSlice(offset, FileMessage.MAX_BYTES).asByteBuffer();
        FileMessageCodec.write(message, buffer);
        return queuePair.postSend(0, memory, offset, buffer.position(), SEND);
    }

    /** The message of a completed receive; its buffer is posted again. */
    Numbered onReceived(CompletionCursor completion) throws Failure {
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

    /** Gives the buffers back, after the queue pair was closed. */
    @Override
    public void close() {
        memory.close();
    }
}
