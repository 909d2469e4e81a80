package io.verbena.port;

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
