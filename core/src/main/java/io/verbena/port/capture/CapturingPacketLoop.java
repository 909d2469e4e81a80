package io.verbena.port.capture;

import io.verbena.port.PacketEvents;
import io.verbena.port.PacketLoop;
import io.verbena.port.PacketPort;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A loop whose packet ports are captured. */
public final class CapturingPacketLoop implements PacketLoop {

    private final PacketLoop inner;
    private final Capture capture;

    /** Several loops may share a capture. */
    public CapturingPacketLoop(PacketLoop inner, Capture capture) {
        this.inner = inner;
        this.capture = capture;
    }

    @Override
    public PacketPort open(InetSocketAddress local, PacketEvents events) throws IOException {
        PacketPort port = inner.open(local, events);
        return new CapturingPacketPort(port, capture.packets(port.localAddress()));
    }
}
