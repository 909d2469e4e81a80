package io.verbena.fabric.endnode;

import io.verbena.wire.PcapngWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;

/**
 * A capture file of the packets of a network, from LRH to VCRC, which Wireshark and tshark dissect. Each packet is in an ERF record of
 * type INFINIBAND, because the link type of bare InfiniBand packets is not known to all of their versions.
 *
 * <pre>
 *   | time, 32.32 little-endian 8 | type 1 | flags 1 | record length 2 | lost 2 | packet length 2 | LRH .. VCRC |
 * </pre>
 *
 * Source: <a href="https://wiki.wireshark.org/ERF">the record format of Endace</a>.
 */
public final class FabricCapture implements PacketTap, AutoCloseable {

    private static final int LINK_TYPE_ERF = 197;
    private static final int HEADER_BYTES = 16;
    private static final byte TYPE_INFINIBAND = 21;
    private static final byte VARIABLE_LENGTH = 4;
    private static final long NS_PER_SECOND = 1_000_000_000;
    private static final int MOST_PACKET_BYTES = 8 * 1024;

    private final PcapngWriter writer;
    private final byte[] record = new byte[HEADER_BYTES + MOST_PACKET_BYTES];
    private final ByteBuffer fields = ByteBuffer.wrap(record);

    /** Starts a file on a channel, which {@link #close} closes. */
    public FabricCapture(WritableByteChannel channel) throws IOException {
        writer = new PcapngWriter(channel, LINK_TYPE_ERF);
    }

    @Override
    public void onPacket(byte[] packet, long nowNs) {
        long fraction = (nowNs % NS_PER_SECOND << Integer.SIZE) / NS_PER_SECOND;
        fields.clear()
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(nowNs / NS_PER_SECOND << Integer.SIZE | fraction)
                .order(ByteOrder.BIG_ENDIAN)
                .put(TYPE_INFINIBAND)
                .put(VARIABLE_LENGTH)
                .putShort((short) (HEADER_BYTES + packet.length))
                .putShort((short) 0)
                .putShort((short) packet.length)
                .put(packet);
        try {
            writer.packet(nowNs, record, 0, HEADER_BYTES + packet.length);
        } catch (IOException e) {
            throw new UncheckedIOException("the capture cannot be written: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
