package io.verbena.port.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.port.LinkPort;
import io.verbena.wire.PcapngReader;
import io.verbena.wire.PcapngWriter;
import io.verbena.wire.ip.EthernetHeader;
import io.verbena.wire.ip.InternetChecksum;
import io.verbena.wire.ip.Ipv6Header;
import io.verbena.wire.ip.TcpHeader;
import io.verbena.wire.ip.VirtioNetHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** A link whose frames are in a capture. */
class CapturingLinkPortTest {

    private static final int IP = VirtioNetHeader.LENGTH + EthernetHeader.LENGTH;
    private static final int TCP = IP + Ipv6Header.LENGTH;
    private static final int BYTES = TCP + TcpHeader.LENGTH + 101;

    private final Slab slab = new Slab(4096);

    /** Accepts every second frame, and delivers what it has accepted. */
    private final class Echo implements LinkPort {
        private int asked;
        private boolean arrived;

        @Override
        public String name() {
            return "echo0";
        }

        @Override
        public boolean ethernet() {
            return true;
        }

        @Override
        public int mtu() {
            return 1500;
        }

        @Override
        public boolean offloads() {
            return true;
        }

        @Override
        public int receive(Slab into, int offset) {
            boolean has = arrived;
            arrived = false;
            if (has) {
                MemorySegment.copy(slab.segment(), 0, into.segment(), offset, BYTES);
            }
            return has ? BYTES : 0;
        }

        @Override
        public boolean send(Slab from, int offset, int bytes) {
            arrived = ++asked % 2 == 0;
            return arrived;
        }

        @Override
        public void wantWritable(boolean wanted) {}

        @Override
        public void close() {}
    }

    // The device computes the checksum, so the capture does.
    @Test
    void framesThatWereAccepted_areCapturedWithTheirChecksum() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        PcapngWriter writer = new PcapngWriter(file, PcapngWriter.ETHERNET);
        Capture capture = new Capture(writer, () -> 5, CaptureLimits.defaults(), new Capture.Listener() {
            @Override
            public void failed(IOException failure) {
                throw new AssertionError(failure);
            }

            @Override
            public void full() {
                throw new AssertionError("full");
            }
        });
        write(slab.segment());
        CapturingLinkPort port = new CapturingLinkPort(new Echo(), capture);
        assertEquals(0, port.receive(new Slab(4096), 0));
        assertTrue(!port.send(slab, 0, BYTES) && port.send(slab, 0, BYTES));
        assertEquals(BYTES, port.receive(new Slab(4096), 0));
        port.close();
        capture.close();
        MemorySegment memory = MemorySegment.ofArray(file.toByteArray());
        PcapngReader reader = new PcapngReader(memory);
        for (int i = 0; i < 2; i++) {
            assertEquals(PcapngReader.Outcome.PACKET, reader.next());
            assertEquals(BYTES - VirtioNetHeader.LENGTH, reader.packetLength());
            Ipv6Header ip = new Ipv6Header().wrap(memory, reader.packetOffset() + EthernetHeader.LENGTH);
            long at = reader.packetOffset() + EthernetHeader.LENGTH + Ipv6Header.LENGTH;
            int length = BYTES - TCP;
            assertTrue(InternetChecksum.intact(
                    ip.pseudoHeader(Ipv6Header.TCP, length) + InternetChecksum.sum(memory, at, length)));
        }
        assertEquals(PcapngReader.Outcome.END, reader.next());
    }

    /** A segment whose checksum field has the sum of the pseudo-header. */
    private static void write(MemorySegment memory) {
        int length = BYTES - TCP;
        new VirtioNetHeader()
                .wrap(memory, 0)
                .tcp(VirtioNetHeader.TCP_IPV6, TCP - VirtioNetHeader.LENGTH, TCP + 20 - VirtioNetHeader.LENGTH, 50);
        new EthernetHeader().wrap(memory, VirtioNetHeader.LENGTH).write(1, 2, EthernetHeader.IPV6);
        Ipv6Header ip = new Ipv6Header()
                .wrap(memory, IP)
                .write(length, Ipv6Header.TCP, 64, 0)
                .source(0xfd77L << 48, 1)
                .destination(0xfd77L << 48, 2);
        new TcpHeader()
                .wrap(memory, TCP)
                .write(1 << 16 | 2, 3, 4, TcpHeader.lengthAndFlags(20, TcpHeader.ACK))
                .checksum(InternetChecksum.fold(ip.pseudoHeader(Ipv6Header.TCP, length)));
        memory.asSlice(TCP + 20, 101).fill((byte) 7);
    }
}
