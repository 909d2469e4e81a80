package io.verbena.port.capture;

import io.verbena.base.Slab;
import io.verbena.port.LinkPort;
import java.io.IOException;

/** A link whose frames are captured as they are on the wire; a large segment is one packet of the capture. */
public final class CapturingLinkPort implements LinkPort {

    private final LinkPort inner;
    private final FrameRecording recording;

    /** Captures the frames of a link, which has a capture of its own. */
    public CapturingLinkPort(LinkPort inner, Capture capture) {
        this.inner = inner;
        this.recording = capture.frames(inner.ethernet());
    }

    @Override
    public String name() {
        return inner.name();
    }

    @Override
    public boolean ethernet() {
        return inner.ethernet();
    }

    @Override
    public int mtu() {
        return inner.mtu();
    }

    @Override
    public boolean offloads() {
        return inner.offloads();
    }

    @Override
    public int receiveBufferBytes() {
        return inner.receiveBufferBytes();
    }

    @Override
    public int receive(Slab slab, int offset) throws IOException {
        int bytes = inner.receive(slab, offset);
        if (bytes > 0) {
            recording.frame(slab, offset, bytes);
        }
        return bytes;
    }

    @Override
    public boolean send(Slab slab, int offset, int bytes) throws IOException {
        boolean sent = inner.send(slab, offset, bytes);
        if (sent) {
            recording.frame(slab, offset, bytes);
        }
        return sent;
    }

    @Override
    public void wantWritable(boolean wanted) {
        inner.wantWritable(wanted);
    }

    @Override
    public void close() {
        recording.end();
        inner.close();
    }
}
