package io.verbena.wire.ib;

import io.verbena.wire.PcapngReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads the RoCEv2 packets of a reference capture: Ethernet with IPv4. */
public final class RoceCaptures {

    private static final int ETHERNET = 14;
    private static final int UDP_PORT = 4791;

    /** One packet from its BTH to its ICRC, and fields of its IP header. */
    public record Captured(byte[] bytes, Icrc.Flow flow, int identification) {}

    private RoceCaptures() {}

    public static List<Captured> packets(String name) {
        byte[] file = load(name);
        PcapngReader reader = new PcapngReader(MemorySegment.ofArray(file));
        List<Captured> packets = new ArrayList<>();
        while (reader.next() == PcapngReader.Outcome.PACKET) {
            ByteBuffer frame = ByteBuffer.wrap(file, (int) reader.packetOffset(), reader.packetLength())
                    .slice();
            if (frame.getShort(12) == 0x0800
                    && frame.get(ETHERNET + 9) == 17
                    && frame.getShort(ETHERNET + 22) == UDP_PORT) {
                packets.add(packet(frame));
            }
        }
        return packets;
    }

    private static Captured packet(ByteBuffer frame) {
        int udp = ETHERNET + 20;
        byte[] bytes = new byte[frame.getShort(udp + 4) - 8];
        frame.get(udp + 8, bytes);
        Icrc.Flow flow = new Icrc.Flow()
                .source(0, low(frame, ETHERNET + 12), frame.getShort(udp) & 0xffff)
                .target(0, low(frame, ETHERNET + 16), UDP_PORT);
        return new Captured(bytes, flow, frame.getShort(ETHERNET + 4) & 0xffff);
    }

    private static long low(ByteBuffer frame, int at) {
        return 0xffff_0000_0000L | frame.getInt(at) & 0xffff_ffffL;
    }

    private static byte[] load(String name) {
        try (InputStream in = RoceCaptures.class.getResourceAsStream("/captures/" + name)) {
            if (in == null) {
                throw new AssertionError("no capture " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
