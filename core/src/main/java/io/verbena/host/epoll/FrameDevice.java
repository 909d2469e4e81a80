package io.verbena.host.epoll;

import java.lang.foreign.MemorySegment;

/**
 * A descriptor of Linux that carries one frame per call, each with a virtio-net header: a TUN or TAP device, or a packet socket.
 */
public sealed interface FrameDevice permits TunDevice, PacketSocket {

    /** Of the network device. */
    String name();

    /** Whether frames are those of Ethernet; otherwise IP packets. */
    boolean ethernet();

    /** Size of the largest IP packet. */
    int mtu();

    /** Whether the system completes checksums and splits large segments. */
    boolean offloads();

    /** Bytes of arrived frames that the system keeps for this side. */
    int receiveBufferBytes();

    int fd();

    /** Reads a frame: its length, or {@code -errno}. */
    long read(long to, long bytes);

    /** Writes a frame: its length, or {@code -errno}. */
    long write(long from, long bytes);

    /** Writes a frame of several pieces: its length, or {@code -errno}. */
    long write(MemorySegment pieces, int count);

    void close();
}
