package io.verbena.host.socket;

import io.verbena.base.PacketList;
import io.verbena.base.PacketPath;
import io.verbena.port.Addresses;
import io.verbena.port.PacketSender;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends packets through a channel of the JDK, one per call. Several senders of different threads may share a channel. */
final class ChannelUdpSender implements PacketSender {

    private static final int PATHS = 256;

    /** A channel and the traffic class that its packets have now, which its senders change under the lock of this object. */
    static final class Shared {
        final DatagramChannel channel;
        private int trafficClass;

        Shared(DatagramChannel channel) {
            this.channel = channel;
        }

        synchronized boolean send(ByteBuffer packet, InetSocketAddress to, int wantedClass) throws IOException {
            if (wantedClass != trafficClass) {
                channel.setOption(StandardSocketOptions.IP_TOS, wantedClass);
                trafficClass = wantedClass;
            }
            return channel.send(packet, to) > 0;
        }
    }

    private final Shared shared;
    private final InetAddress local;
    private final Consumer<InetSocketAddress> unreachable;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(UdpPort.MAX_PAYLOAD_BYTES);
    private final @Nullable PacketPath[] paths = new PacketPath[PATHS];
    private final InetSocketAddress[] addresses = new InetSocketAddress[PATHS];

    ChannelUdpSender(Shared shared, InetAddress local, Consumer<InetSocketAddress> unreachable) {
        this.shared = shared;
        this.local = local;
        this.unreachable = unreachable;
    }

    Shared shared() {
        return shared;
    }

    @Override
    public int groupPackets() {
        return 1;
    }

    @Override
    public int groupBytes() {
        return UdpPort.MAX_PAYLOAD_BYTES;
    }

    @Override
    public int send(PacketList list, int from) throws IOException {
        for (int packet = from; packet < list.packets(); packet++) {
            if (!sendOne(list, packet)) {
                return packet;
            }
        }
        return list.packets();
    }

    private boolean sendOne(PacketList list, int packet) throws IOException {
        PacketPath path = list.path(packet);
        InetSocketAddress to = addressOf(path);
        try {
            return shared.send(bytes(list, packet), to, path.trafficClass());
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException | UnsupportedAddressTypeException e) {
            unreachable.accept(to);
            return true;
        }
    }

    /** The bytes of a packet in one buffer. */
    private ByteBuffer bytes(PacketList list, int packet) {
        int piece = list.firstPiece(packet);
        if (list.firstPiece(packet + 1) == piece + 1) {
            return list.piece(piece);
        }
        list.copyOut(packet, scratch.clear());
        return scratch.flip();
    }

    @SuppressWarnings("ReferenceEquality") // one flow has one path object
    private InetSocketAddress addressOf(PacketPath path) {
        int place = System.identityHashCode(path) & PATHS - 1;
        if (paths[place] != path) {
            paths[place] = path;
            addresses[place] = address(path);
        }
        return addresses[place];
    }

    private InetSocketAddress address(PacketPath path) {
        InetAddress address = Addresses.address(path.addressHigh(), path.addressLow());
        if (address instanceof Inet6Address six
                && six.isLinkLocalAddress()
                && local instanceof Inet6Address inet6Address) {
            try {
                address = Inet6Address.getByAddress("", six.getAddress(), inet6Address.getScopeId());
            } catch (UnknownHostException e) {
                throw new AssertionError("an address of 16 bytes", e);
            }
        }
        return new InetSocketAddress(address, path.port());
    }

    /** The channel belongs to the port. */
    @Override
    public void close() {}
}
