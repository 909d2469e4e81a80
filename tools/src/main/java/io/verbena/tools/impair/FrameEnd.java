package io.verbena.tools.impair;

import io.verbena.base.Slab;
import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.epoll.FrameDevice;
import io.verbena.host.epoll.FramePort;
import io.verbena.host.epoll.PacketSocket;
import io.verbena.host.epoll.TunDevice;
import io.verbena.port.LinkEvents;
import io.verbena.port.LinkPort;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An end that carries Ethernet frames: a TAP device, or a network interface through a packet socket. */
final class FrameEnd implements LinkEvents {

    private static final String TAP = "tap:";
    private static final String PACKET = "packet:";

    private final String name;
    private final FramePort port;
    private final Slab in = new Slab(LinkPort.MOST_BYTES);
    private final Slab out = new Slab(LinkPort.MOST_BYTES);
    private final Offloads offloads = new Offloads();

    private FrameEnd(String name, FramePort port) {
        this.name = name;
        this.port = port;
    }

    /** Whether a word on the command line names an end of this kind. */
    static boolean named(String word) {
        return word.startsWith(TAP) || word.startsWith(PACKET);
    }

    /**
     * Opens an end, such as {@code tap:left} or {@code packet:eth0}.
     *
     * @throws IOException with a sentence that says what to do
     */
    static FrameEnd open(EpollLoop loop, String word) throws IOException {
        FrameDevice device = word.startsWith(TAP)
                ? new TunDevice(word.substring(TAP.length()), true, false)
                : new PacketSocket(word.substring(PACKET.length()), false);
        FramePort port = new FramePort(loop, device);
        FrameEnd end = new FrameEnd(word, port);
        port.attach(end);
        return end;
    }

    int mtu() {
        return port.mtu();
    }

    String name() {
        return name;
    }

    /**
     * Receives what one call of the system returns: a frame, or several that the system has left in one piece.
     *
     * @return whether there was one
     */
    boolean receive(Offloads.FrameTaker taker) throws IOException {
        int bytes = port.receive(in, 0);
        if (bytes <= VirtioNetHeader.LENGTH) {
            return bytes > 0;
        }
        byte[] frame = new byte[bytes - VirtioNetHeader.LENGTH];
        MemorySegment.copy(in.segment(), ValueLayout.JAVA_BYTE, VirtioNetHeader.LENGTH, frame, 0, frame.length);
        offloads.complete(in.segment(), frame, taker);
        return true;
    }

    /** Sends a frame; false if the device accepts none now. */
    boolean send(byte[] frame) throws IOException {
        new VirtioNetHeader().wrap(out.segment(), 0).complete();
        MemorySegment.copy(frame, 0, out.segment(), ValueLayout.JAVA_BYTE, VirtioNetHeader.LENGTH, frame.length);
        boolean sent = port.send(out, 0, VirtioNetHeader.LENGTH + frame.length);
        port.wantWritable(!sent);
        return sent;
    }

    void close() {
        port.close();
    }

    @Override
    public void onReadable() {
        // the forwarder reads in every turn
    }

    @Override
    public void onWritable() {
        // it also tries again then
    }
}
