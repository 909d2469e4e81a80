package io.verbena.host.socket;

import io.verbena.base.PacketList;
import io.verbena.host.system.Machine;
import io.verbena.host.system.SystemChannels;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketSender;
import io.verbena.text.AddressText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * A UDP port over channels of the JDK: one call per packet. The JDK reports neither the traffic class of a received
 * packet, which is therefore 0, nor unreachable destinations. Receiving from one sender does not allocate; the JDK
 * allocates an address whenever the sender changes.
 */
final class ChannelUdpPort extends UdpPort {

    /** The JDK reports half of what Linux accounts for. */
    private static final int BUFFER_FACTOR = Machine.LINUX ? 2 : 1;

    private final SocketLoop loop;
    private final DatagramChannel own;
    private final InetSocketAddress local;
    private final int receiveBufferBytes;
    private final List<Group> groups = new ArrayList<>();
    private final ChannelUdpSender sender;
    private @Nullable InetSocketAddress lastSource;
    private long lastHigh;
    private long lastLow;

    /** A channel that receives the packets of a multicast group. */
    private record Group(InetAddress address, DatagramChannel channel) {}

    static ChannelUdpPort open(SocketLoop loop, InetSocketAddress local, PacketEvents events) throws IOException {
        DatagramChannel channel = bound(local, false);
        boolean opened = false;
        try {
            ChannelUdpPort port = new ChannelUdpPort(loop, channel, events);
            channel.register(loop.selector(), SelectionKey.OP_READ, port);
            loop.askSoon();
            opened = true;
            return port;
        } finally {
            if (!opened) {
                channel.close();
            }
        }
    }

    private ChannelUdpPort(SocketLoop loop, DatagramChannel channel, PacketEvents events) throws IOException {
        super(loop, events);
        this.loop = loop;
        own = channel;
        local = (InetSocketAddress) channel.getLocalAddress();
        sender = new ChannelUdpSender(new ChannelUdpSender.Shared(channel), local.getAddress(), this::unreachable);
        receiveBufferBytes = BUFFER_FACTOR * channel.getOption(StandardSocketOptions.SO_RCVBUF);
        Optional<NetworkInterface> through = interfaceOf(local.getAddress());
        if (through.isPresent()) {
            channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, through.get());
        }
        channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, MULTICAST_HOPS);
    }

    private static DatagramChannel bound(InetSocketAddress local, boolean shared) throws IOException {
        if (local.isUnresolved()) {
            throw new IOException("the address " + AddressText.of(local) + " is not resolved: resolve it first");
        }
        ProtocolFamily family =
                local.getAddress() instanceof Inet6Address ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
        DatagramChannel channel = SystemChannels.provider().openDatagramChannel(family);
        boolean bound = false;
        try {
            channel.configureBlocking(false);
            if (shared) {
                channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            }
            channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
            channel.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
            dontFragment(channel);
            channel.bind(local);
            bound = true;
            return channel;
        } finally {
            if (!bound) {
                channel.close();
            }
        }
    }

    /** The IPv4 identification of such packets is 0, which the ICRC relies on. */
    private static void dontFragment(DatagramChannel channel) throws IOException {
        try {
            channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
        } catch (UnsupportedOperationException e) {
            // The system does not have the option. It then chooses the identification, and receivers solve for it.
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public int groupPackets() {
        return 1;
    }

    @Override
    public boolean showsTrafficClass() {
        return false;
    }

    @Override
    public int receiveBufferBytes() {
        return receiveBufferBytes;
    }

    // Sending.

    @Override
    public int send(PacketList list, int from) throws IOException {
        checkOpen();
        return sender.send(list, from);
    }

    @Override
    public PacketSender share(Consumer<InetSocketAddress> listener) throws IOException {
        checkOpen();
        return new ChannelUdpSender(sender.shared(), local.getAddress(), listener);
    }

    // Receiving.

    @Override
    public boolean receiveOnce(PacketBatch batch) throws IOException {
        if (receiveOnce(own, batch)) {
            return true;
        }
        for (int i = 0; i < groups.size(); i++) {
            Group group = groups.get(i);
            batch.sentTo(Addresses.high(group.address()), Addresses.low(group.address()));
            boolean received = receiveOnce(group.channel(), batch);
            batch.sentTo(0, 0);
            if (received) {
                return true;
            }
        }
        return false;
    }

    private boolean receiveOnce(DatagramChannel channel, PacketBatch batch) throws IOException {
        int at = batch.used();
        ByteBuffer target = batch.slab().range(at, at + LEAST_BATCH_BYTES);
        InetSocketAddress source;
        try {
            source = (InetSocketAddress) channel.receive(target);
        } catch (PortUnreachableException e) {
            return true; // concerns an earlier packet
        }
        if (source == null) {
            return false;
        }
        int length = target.position() - at;
        if (length > 0) {
            remember(source);
            batch.add(length, lastHigh, lastLow, source.getPort(), 0, 0);
        }
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // the JDK returns the same object as long as the sender is the same
    private void remember(InetSocketAddress source) {
        if (source != lastSource) {
            lastSource = source;
            lastHigh = Addresses.high(source.getAddress());
            lastLow = Addresses.low(source.getAddress());
        }
    }

    // The loop.

    /** The selector reports one of the channels. */
    void onReady(SelectionKey key) {
        int operations = key.readyOps();
        if ((operations & SelectionKey.OP_WRITE) != 0 && wantsWritable()) {
            loop.tellWritable(this);
        }
        if ((operations & SelectionKey.OP_READ) != 0) {
            loop.tellReadable(this);
        }
    }

    @Override
    public void interestChanged(boolean writable) {
        SelectionKey key = own.keyFor(loop.selector());
        if (key != null && key.isValid()) {
            key.interestOps(writable ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
        loop.askSoon();
    }

    // Groups.

    @Override
    public void join(InetAddress group) throws IOException {
        checkOpen();
        checkGroup(group);
        if (groups.stream().anyMatch(each -> each.address().equals(group))) {
            return;
        }
        NetworkInterface through = interfaceOf(local.getAddress())
                .orElseThrow(() -> new IOException("a port at " + AddressText.of(local)
                        + " cannot join a multicast group: open it at the address of an interface"));
        DatagramChannel channel = bound(new InetSocketAddress(group, local.getPort()), true);
        boolean joined = false;
        try {
            channel.join(group, through);
            channel.register(loop.selector(), SelectionKey.OP_READ, this);
            groups.add(new Group(group, channel));
            loop.askSoon();
            joined = true;
        } finally {
            if (!joined) {
                channel.close();
            }
        }
    }

    @Override
    public void leave(InetAddress group) throws IOException {
        for (int i = 0; i < groups.size(); i++) {
            if (groups.get(i).address().equals(group)) {
                groups.remove(i).channel().close();
                loop.flush();
                return;
            }
        }
    }

    @Override
    public void closeSockets() {
        try {
            own.close();
            for (Group each : groups) {
                each.channel().close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("closing a socket failed", e);
        }
        groups.clear();
        loop.flush(); // only then is the address free
    }
}
