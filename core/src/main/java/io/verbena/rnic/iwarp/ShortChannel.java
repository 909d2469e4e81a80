package io.verbena.rnic.iwarp;

import io.verbena.base.Slab;
import io.verbena.iwarp.IwarpStream;
import io.verbena.iwarp.ShortMessage;
import io.verbena.port.ShortMessages;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a stream carries in short form, on their way to the {@link IwarpStream}: in one step where the
 * stream is polled, or as the FPDUs that they stand for, in a turn.
 */
final class ShortChannel {

    /** Messages that are taken in a row before other streams are looked at. */
    private static final int MOST_AT_ONCE = 64;

    private final ShortMessages messages;
    private final IwarpStream rdma;

    /** Of a stream that has received something: an idle one has none. */
    private @Nullable ShortMessage message;

    ShortChannel(ShortMessages messages, IwarpStream rdma) {
        this.messages = messages;
        this.rdma = rdma;
    }

    void begin(ShortMessages.Taker taker) {
        messages.begin(taker);
    }

    private ShortMessage message() {
        ShortMessage current = message;
        if (current == null) {
            current = new ShortMessage();
            message = current;
        }
        return current;
    }

    private int next(ShortMessage target) {
        return messages.next(target.slab().range(0, ShortMessage.MOST_BYTES));
    }

    /** Takes messages as long as each of them needs one step only. Returns their number. */
    int take() {
        ShortMessage arrived = message();
        int taken = 0;
        while (taken < MOST_AT_ONCE) {
            int bytes = next(arrived);
            if (bytes == 0 || !rdma.takeShort(arrived, bytes)) {
                break;
            }
            messages.taken();
            taken++;
        }
        if (taken > 0) {
            messages.endRun();
        }
        return taken;
    }

    /**
     * Writes the FPDU of the message that is next in the stream. Returns its length; 0 if no message is next, or if it
     * stands for none.
     */
    int expand(Slab target) {
        if (!messages.hasNext()) {
            return 0;
        }
        ShortMessage arrived = message();
        int bytes = next(arrived);
        if (bytes == 0) {
            return 0;
        }
        int length = rdma.expand(arrived, bytes, target);
        messages.taken();
        messages.endRun();
        return length;
    }
}
