package io.verbena.host;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketLoop;
import io.verbena.port.PacketPort;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** An owner of a packet port: sends packets of given bytes and keeps copies of what it receives. */
public final class PacketProbe implements PacketEvents {

    public final PacketPort port;
    public final List<byte[]> received = new ArrayList<>();
    public final List<Integer> classes = new ArrayList<>();
    public final List<Integer> indices = new ArrayList<>();
    public final List<InetSocketAddress> sources = new ArrayList<>();
    public final List<String> groups = new ArrayList<>();
    public final List<InetSocketAddress> unreachable = new ArrayList<>();
    public final PacketList list = new PacketList(1 << 20);
    public final PacketBatch batch =
            new PacketBatch(4 * PacketPort.LEAST_BATCH_BYTES, 4 * PacketPort.LEAST_BATCH_PACKETS);
    public int writable;
    public boolean paused;

    public PacketProbe(PacketLoop loop, String address) throws IOException {
        this(loop, new InetSocketAddress(InetAddress.ofLiteral(address), 0));
    }

    public PacketProbe(PacketLoop loop, InetSocketAddress local) throws IOException {
        port = loop.open(local, this);
    }

    public PacketPath pathTo(PacketProbe other, int trafficClass) {
        return Addresses.path(other.port.localAddress(), trafficClass);
    }

    public void begin() {
        list.reset(port.groupPackets(), port.groupBytes());
    }

    public void add(PacketPath path, byte[] bytes) {
        int at = list.reserve(bytes.length);
        list.slab().put(at, java.nio.ByteBuffer.wrap(bytes), 0, bytes.length);
        list.endPacket(path, 0);
    }

    /** Sends one packet. */
    public int send(PacketPath path, byte... bytes) throws IOException {
        begin();
        add(path, bytes);
        return port.send(list, 0);
    }

    @Override
    public void onReadable() {
        if (paused) {
            return;
        }
        batch.reset();
        try {
            port.receive(batch);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        for (int i = 0; i < batch.packets(); i++) {
            received.add(batch.slab()
                    .segment()
                    .asSlice(batch.offset(i), batch.length(i))
                    .toArray(ValueLayout.JAVA_BYTE));
            classes.add(batch.trafficClass(i));
            indices.add(batch.indexInGroup(i));
            sources.add(batch.source(i));
            groups.add(
                    batch.toGroup(i)
                            ? Addresses.address(batch.groupHigh(i), batch.groupLow(i))
                                    .getHostAddress()
                            : "");
        }
    }

    @Override
    public void onWritable() {
        writable++;
    }

    @Override
    public void onUnreachable(InetSocketAddress destination) {
        unreachable.add(destination);
    }
}
