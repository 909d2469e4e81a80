package io.verbena.messaging;

import io.verbena.messaging.protocol.Acknowledgement;
import java.lang.foreign.MemorySegment;

/** How an acknowledgement leaves; in tests one that is late, torn, repeated or wrong. */
interface AcknowledgementPath {

    /** Posts it; false when the queue is full. */
    boolean post(Channel channel, int virtualChannel, Acknowledgement acknowledgement);

    /** One Write into the peer's control block. */
    static AcknowledgementPath oneWrite(MemorySegment scratch) {
        return (channel, virtualChannel, acknowledgement) -> {
            acknowledgement.write(scratch, 0);
            return channel.writeControl(
                    ControlBlock.acknowledgementAt(virtualChannel), scratch, 0, Acknowledgement.BYTES);
        };
    }
}
