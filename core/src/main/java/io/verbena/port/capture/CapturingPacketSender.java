package io.verbena.port.capture;

import io.verbena.base.PacketList;
import io.verbena.port.PacketSender;
import java.io.IOException;

/** Captures the packets of a further sender of a port, in the capture of the port. */
final class CapturingPacketSender implements PacketSender {

    private final PacketSender inner;
    private final PacketRecording recording;

    CapturingPacketSender(PacketSender inner, PacketRecording recording) {
        this.inner = inner;
        this.recording = recording;
    }

    @Override
    public int groupPackets() {
        return inner.groupPackets();
    }

    @Override
    public int groupBytes() {
        return inner.groupBytes();
    }

    @Override
    public int sourcePort(int entropy) {
        return inner.sourcePort(entropy);
    }

    @Override
    public int send(PacketList list, int from) throws IOException {
        int end = inner.send(list, from);
        recording.sent(list, from, end, inner);
        return end;
    }

    @Override
    public void close() {
        inner.close();
    }
}
