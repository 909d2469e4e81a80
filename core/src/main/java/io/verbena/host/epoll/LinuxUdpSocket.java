package io.verbena.host.epoll;

import io.verbena.host.socket.UdpPort;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A UDP socket of a {@link LinuxUdpPort} by its descriptor: the one for its own address, or for a multicast group. */
final class LinuxUdpSocket extends EpollLoop.Watched {

    private final LinuxUdpPort port;
    private final int fd;
    private final InetAddress group;

    /** The system reported packets, and none of the later calls found the socket empty. */
    private boolean ready;

    LinuxUdpSocket(LinuxUdpPort port, int fd, InetAddress group) {
        this.port = port;
        this.fd = fd;
        this.group = group;
    }

    LinuxUdpPort port() {
        return port;
    }

    @Override
    int fd() {
        return fd;
    }

    /** The group, or the address of the port. */
    InetAddress group() {
        return group;
    }

    boolean ready() {
        return ready;
    }

    void ready(boolean value) {
        ready = value;
    }

    /** A bound socket with the options of all sockets of a port. */
    public static int open(LinuxSockets sockets, InetSocketAddress local, boolean shared) throws IOException {
        boolean six = local.getAddress() instanceof Inet6Address;
        int fd = sockets.openDatagram(six);
        try {
            if (shared) {
                sockets.set(fd, Linux.SOL_SOCKET, Linux.SO_REUSEADDR, 1);
            }
            sockets.set(fd, Linux.SOL_SOCKET, Linux.SO_RCVBUF, UdpPort.BUFFER_BYTES);
            sockets.set(fd, Linux.SOL_SOCKET, Linux.SO_SNDBUF, UdpPort.BUFFER_BYTES);
            // Packets carry "do not fragment", which sets the IPv4 identification of a call's first packet to 0. The
            // path MTU that the system has learned is ignored, because it can be forged.
            sockets.set(fd, Linux.IPPROTO_IP, Linux.IP_MTU_DISCOVER, Linux.IP_PMTUDISC_PROBE);
            sockets.set(fd, Linux.IPPROTO_IP, Linux.IP_RECVTOS, 1);
            sockets.set(fd, Linux.IPPROTO_IP, Linux.IP_RECVERR, 1);
            if (six) {
                sockets.set(fd, Linux.IPPROTO_IPV6, Linux.IPV6_MTU_DISCOVER, Linux.IP_PMTUDISC_PROBE);
                sockets.set(fd, Linux.IPPROTO_IPV6, Linux.IPV6_RECVTCLASS, 1);
                sockets.set(fd, Linux.IPPROTO_IPV6, Linux.IPV6_RECVERR, 1);
                // rxe of Linux sends no UDP checksum over IPv6; the ICRC covers the same bytes.
                sockets.set(fd, Linux.IPPROTO_UDP, Linux.UDP_NO_CHECK6_RX, 1);
            }
            sockets.set(fd, Linux.IPPROTO_UDP, Linux.UDP_GRO, 1);
            sockets.bind(fd, local);
            return fd;
        } catch (IOException | RuntimeException e) {
            sockets.close(fd);
            throw e;
        }
    }
}
