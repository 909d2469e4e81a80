package io.verbena.tools.demo;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.WrFlags;

/**
 * Control messages over one queue pair. The constructor posts the receives, before the connection; every message is
 * solicited, so that it wakes the other side's handler.
 */
final class ControlChannel {

    /** Receives posted, and Sends outstanding at most. */
    static final int SLOTS = 16;

    private static final WrFlags NOTIFY = WrFlags.SIGNALLED.withSolicited();
    private static final WrFlags NOTIFY_INLINE = NOTIFY.withInline();

    private final QueuePair queuePair;
    private final MemoryRegion memory;
    private final int maxInlineBytes;
    private int sent;
    private int outstanding;

    ControlChannel(ProtectionDomain pd, QueuePair queuePair) {
        this.queuePair = queuePair;
        this.memory = pd.allocate(2L * SLOTS * ControlMessage.MAX_BYTES, LOCAL_WRITE);
        this.maxInlineBytes = queuePair.query().options().maxInlineBytes();
        for (int slot = 0; slot < SLOTS; slot++) {
            postReceive(slot);
        }
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** Sends a message. Returns false if the send queue is full. */
    boolean send(ControlMessage message) {
        if (outstanding == SLOTS) {
            return false;
        }
        long offset = (long) (SLOTS + sent % SLOTS) * ControlMessage.MAX_BYTES;
        int length = ControlMessage.write(message, memory.segment(), offset);
        WrFlags flags = length <= maxInlineBytes ? NOTIFY_INLINE : NOTIFY;
        if (!queuePair.postSend(0, memory, offset, length, flags)) {
            return false;
        }
        sent++;
        outstanding++;
        return true;
    }

    /** Whether a Send of this channel is not complete. */
    boolean sending() {
        return outstanding > 0;
    }

    /** A Send of this channel is complete. */
    void onSent() {
        outstanding--;
    }

    /** The message of a completed receive; its buffer is posted again. */
    ControlMessage onReceived(CompletionCursor completion) throws Failure {
        int slot = (int) completion.wrId();
        long offset = (long) slot * ControlMessage.MAX_BYTES;
        ControlMessage message = ControlMessage.read(memory.segment(), offset, completion.byteCount());
        postReceive(slot);
        return message;
    }

    private void postReceive(int slot) {
        queuePair.postReceive(slot, memory, (long) slot * ControlMessage.MAX_BYTES, ControlMessage.MAX_BYTES);
    }
}
