package io.verbena.host.epoll;

import io.verbena.base.PacketList;
import io.verbena.host.socket.UdpPort;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.port.Addresses;
import io.verbena.port.PacketBatch;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketSender;
import io.verbena.text.AddressText;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A UDP port by direct system calls. A group of packets is sent by one call (UDP_SEGMENT), and packets that arrive
 * together are received by one (UDP_GRO): a call costs three microseconds, whether it carries one packet or sixty.
 *
 * <p>A socket that is bound to an address receives no multicast packets, so each group has a socket of its own, which
 * also shows that a packet was sent to the group.
 */
final class LinuxUdpPort extends UdpPort {

    private static final int MOST_ERRORS = 16;
    private static final int WATCHED = Linux.EPOLLIN;

    private final EpollLoop loop;
    private final LinuxDatagrams datagrams;
    private final LinuxUdpSocket own;
    private final InetSocketAddress local;
    private final int scope;
    private final LinuxUdpSender sender;
    private final int receiveBufferBytes;
    private final List<LinuxUdpSocket> groups = new ArrayList<>();
    private boolean leftSystem;

    public static LinuxUdpPort open(EpollLoop loop, InetSocketAddress local, PacketEvents events) throws IOException {
        if (local.isUnresolved()) {
            throw new IOException("the address " + AddressText.of(local) + " is not resolved: resolve it first");
        }
        int fd = LinuxUdpSocket.open(loop.sockets(), local, false);
        boolean opened = false;
        try {
            LinuxUdpPort port = new LinuxUdpPort(loop, fd, events);
            loop.watch(port.own, WATCHED);
            loop.askSoon();
            opened = true;
            return port;
        } finally {
            if (!opened) {
                loop.sockets().close(fd);
            }
        }
    }

    private LinuxUdpPort(EpollLoop loop, int fd, PacketEvents events) throws IOException {
        super(loop, events);
        LinuxSockets sockets = loop.sockets();
        this.loop = loop;
        this.datagrams = loop.datagrams();
        local = sockets.localAddress(fd);
        own = new LinuxUdpSocket(this, fd, local.getAddress());
        boolean six = local.getAddress() instanceof Inet6Address;
        scope = local.getAddress() instanceof Inet6Address address ? address.getScopeId() : 0;
        receiveBufferBytes = sockets.number(fd, Linux.SOL_SOCKET, Linux.SO_RCVBUF);
        sender = new LinuxUdpSender(
                sockets, datagrams, fd, six, scope, new LinuxUdpSender.Reports(this::unreachable, this::refused));
        sockets.multicastThrough(fd, six, interfaceIndex(), MULTICAST_HOPS);
    }

    private int interfaceIndex() throws IOException {
        return scope != 0
                ? scope
                : interfaceOf(local.getAddress()).map(each -> each.getIndex()).orElse(0);
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public int groupPackets() {
        return sender.groupPackets();
    }

    @Override
    public boolean showsTrafficClass() {
        return true;
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
    public int sourcePort(int entropy) {
        return sender.sourcePort(entropy);
    }

    @Override
    public PacketSender share(Consumer<InetSocketAddress> listener) throws IOException {
        checkOpen();
        return sender.share(listener);
    }

    // Receiving.

    @Override
    public boolean receiveOnce(PacketBatch batch) throws IOException {
        if (receiveOnce(own, batch)) {
            return true;
        }
        for (int i = 0; i < groups.size(); i++) {
            LinuxUdpSocket group = groups.get(i);
            if (group.ready()) {
                batch.sentTo(Addresses.high(group.group()), Addresses.low(group.group()));
                boolean received = receiveOnce(group, batch);
                batch.sentTo(0, 0);
                if (received) {
                    return true;
                }
                group.ready(false);
            }
        }
        return false;
    }

    private boolean receiveOnce(LinuxUdpSocket socket, PacketBatch batch) throws IOException {
        int count = datagrams.receive(socket.fd(), batch.slab().address() + batch.used(), LEAST_BATCH_BYTES);
        for (int i = 0; count < 0 && count != LinuxDatagrams.TRUNCATED && i < MOST_ERRORS; i++) {
            if (LinuxUdpSender.full(-count)) {
                return false;
            }
            if (count == -Linux.EBADF) {
                throw LinuxSockets.exception(-count, "recvmsg");
            }
            readErrors(socket.fd());
            count = datagrams.receive(socket.fd(), batch.slab().address() + batch.used(), LEAST_BATCH_BYTES);
        }
        if (count > 0) {
            add(batch, count);
        }
        return count >= 0 || count == LinuxDatagrams.TRUNCATED;
    }

    private void add(PacketBatch batch, int bytes) {
        batch.addGroup(
                bytes,
                datagrams.segmentBytes(),
                datagrams.sourceHigh(),
                datagrams.sourceLow(),
                datagrams.sourcePort(),
                datagrams.trafficClass());
    }

    /** Reads the reports of the network about packets that were not delivered. */
    void readErrors(int fd) {
        sender.readErrors(fd);
    }

    // The loop.

    @Override
    public void interestChanged(boolean writable) {
        if (leftSystem) {
            rejoinSystem();
        } else {
            loop.rewatch(own, watched());
        }
        loop.askSoon();
    }

    private int watched() {
        return wantsWritable() ? WATCHED | Linux.EPOLLOUT : WATCHED;
    }

    @Override
    public void leaveSystem() {
        if (!leftSystem && !wantsWritable()) {
            leftSystem = true;
            loop.leave(own);
        }
    }

    @Override
    public void rejoinSystem() {
        if (leftSystem) {
            leftSystem = false;
            loop.rejoin(own, watched());
        }
    }

    // Groups.

    @Override
    public void join(InetAddress group) throws IOException {
        checkOpen();
        checkGroup(group);
        if (indexOf(group) >= 0) {
            return;
        }
        LinuxSockets sockets = loop.sockets();
        int fd = LinuxUdpSocket.open(sockets, new InetSocketAddress(group, local.getPort()), true);
        boolean joined = false;
        try {
            sockets.join(fd, group, interfaceIndex());
            LinuxUdpSocket socket = new LinuxUdpSocket(this, fd, group);
            loop.watch(socket, WATCHED);
            groups.add(socket);
            loop.askSoon();
            joined = true;
        } finally {
            if (!joined) {
                sockets.close(fd);
            }
        }
    }

    private int indexOf(InetAddress group) {
        for (int i = 0; i < groups.size(); i++) {
            if (groups.get(i).group().equals(group)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public void leave(InetAddress group) {
        int index = indexOf(group);
        if (index >= 0) {
            close(groups.remove(index));
        }
    }

    private void close(LinuxUdpSocket socket) {
        loop.unwatch(socket);
        loop.sockets().close(socket.fd());
    }

    @Override
    public void closeSockets() {
        sender.closePaths();
        close(own);
        groups.forEach(this::close);
        groups.clear();
    }
}
