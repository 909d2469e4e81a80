package io.verbena.port;

import io.verbena.base.PacketList;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/** A port that forwards everything to another one. Subclasses override what they change. */
public abstract class PacketPortWrapper implements PacketPort {

    private final PacketPort inner;

    public PacketPortWrapper(PacketPort inner) {
        this.inner = inner;
    }

    protected final PacketPort inner() {
        return inner;
    }

    @Override
    public InetSocketAddress localAddress() {
        return inner.localAddress();
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
    public int receiveBufferBytes() {
        return inner.receiveBufferBytes();
    }

    @Override
    public boolean showsTrafficClass() {
        return inner.showsTrafficClass();
    }

    @Override
    public int send(PacketList list, int from) throws IOException {
        return inner.send(list, from);
    }

    @Override
    public int sourcePort(int entropy) {
        return inner.sourcePort(entropy);
    }

    @Override
    public PacketSender share(Consumer<InetSocketAddress> unreachable) throws IOException {
        return inner.share(unreachable);
    }

    @Override
    public int receive(PacketBatch batch) throws IOException {
        return inner.receive(batch);
    }

    @Override
    public void wantWritable(boolean wanted) {
        inner.wantWritable(wanted);
    }

    @Override
    public void join(InetAddress group) throws IOException {
        inner.join(group);
    }

    @Override
    public void leave(InetAddress group) throws IOException {
        inner.leave(group);
    }

    @Override
    public void close() {
        inner.close();
    }
}
