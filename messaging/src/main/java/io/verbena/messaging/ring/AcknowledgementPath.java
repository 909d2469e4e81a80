package io.verbena.messaging.ring;

import io.verbena.messaging.protocol.Acknowledgement;
import java.lang.foreign.MemorySegment;

/** Sends acknowledgements to the peer. Tests replace it to delay, tear, repeat or falsify them. */
@FunctionalInterface
public interface AcknowledgementPath {

    /** Posts an acknowledgement; returns false if the send queue is full. */
    boolean post(RingPoster poster, int virtualChannel, Acknowledgement acknowledgement);

    /** Posts each acknowledgement as one Write into the control block of the peer. */
    static AcknowledgementPath oneWrite(MemorySegment scratch) {
        return (poster, virtualChannel, acknowledgement) -> {
            acknowledgement.write(scratch, 0);
            return poster.writeControl(
                    ControlBlock.acknowledgementAt(virtualChannel), scratch, 0, Acknowledgement.BYTES);
        };
    }
}
