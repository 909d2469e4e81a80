package io.verbena.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.port.FrameData;
import io.verbena.port.LinkPort;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv4Header;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** A device whose other end is the test. It does what Linux does with frames that it splits and sums. */
final class FakeLink implements LinkPort {

    private final boolean ethernet;
    private final boolean offloads;
    private final int mtu;
    final Deque<byte[]> arriving = new ArrayDeque<>();
    final List<byte[]> sent = new ArrayList<>();
    boolean full;
    boolean gone;
    boolean wantsWritable;
    boolean closed;
    int largest;

    FakeLink(boolean ethernet, boolean offloads, int mtu) {
        this.ethernet = ethernet;
        this.offloads = offloads;
        this.mtu = mtu;
    }

    @Override
    public String name() {
        return "fake0";
    }

    @Override
    public boolean ethernet() {
        return ethernet;
    }

    @Override
    public int mtu() {
        return mtu;
    }

    @Override
    public boolean offloads() {
        return offloads;
    }

    @Override
    public int receive(Slab slab, int offset) throws IOException {
        checkThere();
        byte[] frame = arriving.pollFirst();
        if (frame == null) {
            return 0;
        }
        MemorySegment.copy(frame, 0, slab.segment(), ValueLayout.JAVA_BYTE, offset, frame.length);
        return frame.length;
    }

    private void checkThere() throws IOException {
        if (gone) {
            throw new IOException("it was removed");
        }
    }

    @Override
    public boolean send(Slab slab, int offset, int bytes) throws IOException {
        checkThere();
        if (!full) {
            sent.add(slab.segment().asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
        }
        return !full;
    }

    // TUN devices take data from the send buffer here and TAP devices do not, so that both ways are tested.
    @Override
    public boolean gathers() {
        return offloads && !ethernet;
    }

    @Override
    public boolean send(Slab slab, int offset, int bytes, FrameData data) throws IOException {
        checkThere();
        if (full) {
            return false;
        }
        byte[] frame = Arrays.copyOf(
                slab.segment().asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE), bytes + data.bytes());
        MemorySegment ring = data.ring().segment();
        long from = data.firstAddress() - data.ring().address();
        MemorySegment.copy(ring, ValueLayout.JAVA_BYTE, from, frame, bytes, data.firstBytes());
        MemorySegment.copy(ring, ValueLayout.JAVA_BYTE, 0, frame, bytes + data.firstBytes(), data.secondBytes());
        sent.add(frame);
        return true;
    }

    @Override
    public void wantWritable(boolean wanted) {
        wantsWritable = wanted;
    }

    @Override
    public void close() {
        closed = true;
    }

    /** Takes the sent frames as they are on a wire: no larger than the MTU, with all checksums. */
    List<byte[]> onWire() {
        List<byte[]> frames = new ArrayList<>();
        for (byte[] frame : sent) {
            split(frame, frames);
        }
        sent.clear();
        return frames;
    }

    private void split(byte[] frame, List<byte[]> frames) {
        MemorySegment memory = MemorySegment.ofArray(frame);
        VirtioNetHeader virtio = new VirtioNetHeader().wrap(memory, 0);
        largest = Math.max(largest, frame.length);
        int ipAt = VirtioNetHeader.LENGTH + (ethernet ? EthernetHeader.LENGTH : 0);
        if ((virtio.flags() & VirtioNetHeader.NEEDS_CHECKSUM) == 0) {
            assertEquals(VirtioNetHeader.NONE, virtio.segmentKind());
            assertTrue(frame.length - ipAt <= mtu);
            frames.add(frame);
            return;
        }
        assertTrue(offloads);
        boolean ipv6 = frame[ipAt] >>> 4 == 6;
        int tcpAt = ipAt + (ipv6 ? Ipv6Header.LENGTH : Ipv4Header.LENGTH);
        assertEquals(tcpAt - VirtioNetHeader.LENGTH, virtio.checksumStart());
        int dataAt = tcpAt + new TcpHeader().wrap(memory, tcpAt).headerBytes();
        assertEquals(dataAt - VirtioNetHeader.LENGTH, virtio.headerBytes());
        int length = frame.length - tcpAt;
        assertEquals(
                InternetChecksum.fold(pseudoHeader(memory, ipAt, frame.length, length)),
                new TcpHeader().wrap(memory, tcpAt).checksum());
        int kind = ipv6 ? VirtioNetHeader.TCP_IPV6 : VirtioNetHeader.TCP_IPV4;
        assertEquals(virtio.segmentBytes() == 0 ? VirtioNetHeader.NONE : kind, virtio.segmentKind());
        int data = frame.length - dataAt;
        int size = virtio.segmentBytes() == 0 ? data : virtio.segmentBytes();
        assertTrue(dataAt - ipAt + size <= mtu, "segments that exceed the MTU");
        int done = 0;
        do {
            int part = Math.min(size, data - done);
            byte[] segment = Arrays.copyOf(frame, dataAt + part);
            System.arraycopy(frame, dataAt + done, segment, dataAt, part);
            frames.add(finish(segment, ipAt, tcpAt, done, done + part == data));
            done += part;
        } while (done < data);
    }

    /** The sum of the pseudo-header of a checked IP packet. */
    private static long pseudoHeader(MemorySegment memory, int ipAt, int frameBytes, int length) {
        if (memory.get(ValueLayout.JAVA_BYTE, ipAt) >>> 4 == 6) {
            Ipv6Header ip = new Ipv6Header().wrap(memory, ipAt);
            assertEquals(Ipv6Header.Check.OK, ip.check(frameBytes - ipAt));
            return ip.pseudoHeader(Ipv6Header.TCP, length);
        }
        Ipv4Header ip = new Ipv4Header().wrap(memory, ipAt);
        assertEquals(Ipv4Header.Check.OK, ip.check(frameBytes - ipAt));
        return InternetChecksum.pseudoHeader(ip.source(), ip.destination(), Ipv4Header.TCP, length);
    }

    private static void shorten(MemorySegment memory, int ipAt, int bytes) {
        if (memory.get(ValueLayout.JAVA_BYTE, ipAt) >>> 4 == 6) {
            Ipv6Header ip = new Ipv6Header().wrap(memory, ipAt);
            ip.write(bytes - Ipv6Header.LENGTH, Ipv6Header.TCP, ip.hopLimit(), ip.trafficClass());
            return;
        }
        Ipv4Header ip = new Ipv4Header().wrap(memory, ipAt);
        int source = ip.source();
        int destination = ip.destination();
        ip.write(bytes, ip.identification(), Ipv4Header.TCP, ip.ttl()).addresses(source, destination);
    }

    private static byte[] finish(byte[] segment, int ipAt, int tcpAt, int shift, boolean last) {
        MemorySegment memory = MemorySegment.ofArray(segment);
        new VirtioNetHeader().wrap(memory, 0).complete();
        shorten(memory, ipAt, segment.length - ipAt);
        TcpHeader tcp = new TcpHeader().wrap(memory, tcpAt);
        int flags = last ? tcp.flags() : tcp.flags() & ~(TcpHeader.PSH | TcpHeader.FIN);
        int window = tcp.window();
        tcp.write(
                        tcp.ports(),
                        tcp.sequence() + shift,
                        tcp.acknowledgment(),
                        TcpHeader.lengthAndFlags(tcp.headerBytes(), flags))
                .window(window);
        int length = segment.length - tcpAt;
        long sum = pseudoHeader(memory, ipAt, segment.length, length) + InternetChecksum.sum(memory, tcpAt, length);
        tcp.checksum(InternetChecksum.of(sum));
        return segment;
    }
}
