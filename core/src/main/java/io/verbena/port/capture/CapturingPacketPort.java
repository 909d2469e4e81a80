package io.verbena.port.capture;

import io.verbena.base.PacketList;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketPort;
import io.verbena.port.PacketPortWrapper;
import io.verbena.port.PacketSender;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * Captures the packets of a port: sent ones when the port accepts them, received ones when they are read. Created by
 * {@link CapturingPacketLoop}.
 */
final class CapturingPacketPort extends PacketPortWrapper {

    private final PacketRecording recording;

    CapturingPacketPort(PacketPort inner, PacketRecording recording) {
        super(inner);
        this.recording = recording;
    }

    @Override
    public int send(PacketList list, int from) throws IOException {
        int end = inner().send(list, from);
        recording.sent(list, from, end, inner());
        return end;
    }

    @Override
    public PacketSender share(Consumer<InetSocketAddress> unreachable) throws IOException {
        return new CapturingPacketSender(inner().share(unreachable), recording);
    }

    @Override
    public int receive(PacketBatch batch) throws IOException {
        int packets = inner().receive(batch);
        recording.received(batch);
        return packets;
    }

    @Override
    public void close() {
        super.close();
        recording.end();
    }
}
