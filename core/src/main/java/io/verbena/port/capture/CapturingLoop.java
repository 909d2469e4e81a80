package io.verbena.port.capture;

import io.verbena.port.ByteStream;
import io.verbena.port.LoopWrapper;
import io.verbena.port.StreamLoop;
import io.verbena.port.StreamWrapper;

/** A loop whose streams are captured, connected and accepted ones. */
public final class CapturingLoop extends LoopWrapper {

    private final Capture capture;

    /** Several loops may share a capture. */
    public CapturingLoop(StreamLoop inner, Capture capture) {
        super(inner);
        this.capture = capture;
    }

    @Override
    protected StreamWrapper wrap(ByteStream stream, boolean initiator) {
        return capture.capture(stream, initiator);
    }
}
