package io.verbena.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;

/**
 * Writes a pcapng capture file: a section header, one interface with time stamps in nanoseconds, and one packet block
 * per packet, all little-endian. Readable by Wireshark, tshark and {@link PcapngReader}.
 *
 * <p>Bytes are buffered and written to the channel when the buffer is full, and by {@link #flush} and {@link #close}.
 * One thread. Errors of the channel are thrown as {@link IOException}; the file then ends within a block.
 */
public final class PcapngWriter implements AutoCloseable {
    /** Link type of Ethernet frames without their check sequence. */
    public static final int ETHERNET = 1;
    /** Link type of bare IPv4 or IPv6 packets. */
    public static final int RAW_IP = 101;

    static final int SECTION_HEADER = 0x0a0d0d0a;
    static final int INTERFACE_DESCRIPTION = 1;
    static final int SIMPLE_PACKET = 3;
    static final int ENHANCED_PACKET = 6;
    static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;
    static final int OPTION_END = 0;
    static final int OPTION_COMMENT = 1;
    static final int OPTION_APPLICATION = 4;
    static final int OPTION_TIME_RESOLUTION = 9;
    static final int OPTION_TIME_OFFSET = 14;

    private static final int BUFFER_LENGTH = 128 * 1024;
    /** Block type and the two lengths around a block's body. */
    private static final int BLOCK_FRAME = 12;
    /** Interface, time stamp and lengths of a packet block. */
    private static final int PACKET_FIELDS = 20;

    static final int INTERFACE_STATISTICS = 5;
    static final int OPTION_DROPPED_BEFORE = 4;
    static final int OPTION_RECEIVED = 4;
    static final int OPTION_DROPPED = 5;

    private final WritableByteChannel channel;
    private long flushed;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final MemorySegment bufferSegment = MemorySegment.ofBuffer(buffer);

    /** Starts a file on a stream, which {@link #close} closes. */
    public PcapngWriter(OutputStream out, int linkType) throws IOException {
        this(Channels.newChannel(out), linkType);
    }

    /** Starts a file on a channel, which {@link #close} closes. */
    public PcapngWriter(WritableByteChannel channel, int linkType) throws IOException {
        this.channel = channel;
        sectionHeader();
        interfaceDescription(linkType);
    }

    private void sectionHeader() {
        byte[] application = "Verbena".getBytes(StandardCharsets.UTF_8);
        int length = BLOCK_FRAME + 16 + optionLength(application.length) + 4;
        buffer.putInt(SECTION_HEADER).putInt(length);
        buffer.putInt(BYTE_ORDER_MAGIC).putShort((short) 1).putShort((short) 0);
        buffer.putLong(-1);
        option(OPTION_APPLICATION, application);
        buffer.putInt(OPTION_END).putInt(length);
    }

    private void interfaceDescription(int linkType) {
        byte[] nanoseconds = {9};
        int length = BLOCK_FRAME + 8 + optionLength(nanoseconds.length) + 4;
        buffer.putInt(INTERFACE_DESCRIPTION).putInt(length);
        buffer.putShort((short) linkType).putShort((short) 0).putInt(0);
        option(OPTION_TIME_RESOLUTION, nanoseconds);
        buffer.putInt(OPTION_END).putInt(length);
    }

    private static int optionLength(int valueLength) {
        return 4 + padded(valueLength);
    }

    private static int padded(int length) {
        return length + 3 & ~3;
    }

    private void option(int code, byte[] value) {
        buffer.putShort((short) code).putShort((short) value.length).put(value);
        pad(value.length);
    }

    private void pad(int length) {
        for (int i = length; i < padded(length); i++) {
            buffer.put((byte) 0);
        }
    }

    /**
     * Appends a packet.
     *
     * @param timestampNs nanoseconds since 1970 (or since another origin, in virtual time)
     * @param lengthBytes at most 100000
     */
    public void packet(long timestampNs, byte[] bytes, int offset, int lengthBytes) throws IOException {
        packet(timestampNs, bytes, offset, lengthBytes, lengthBytes, 0);
    }

    /**
     * Appends the beginning of a packet.
     *
     * @param capturedBytes number of captured bytes, at most 100000
     * @param lengthBytes length of the packet
     * @param missing number of packets missing between the previous packet and this one
     */
    public void packet(long timestampNs, byte[] bytes, int offset, int capturedBytes, int lengthBytes, long missing)
            throws IOException {
        begin(timestampNs, capturedBytes, lengthBytes, missing);
        buffer.put(bytes, offset, capturedBytes);
        end(capturedBytes, missing);
    }

    /**
     * Appends a packet.
     *
     * @param timestampNs nanoseconds since 1970 (or since another origin, in virtual time)
     * @param lengthBytes at most 100000
     */
    public void packet(long timestampNs, MemorySegment segment, long offset, int lengthBytes) throws IOException {
        begin(timestampNs, lengthBytes, lengthBytes, 0);
        MemorySegment.copy(segment, offset, bufferSegment, buffer.position(), lengthBytes);
        buffer.position(buffer.position() + lengthBytes);
        end(lengthBytes, 0);
    }

    private void begin(long timestampNs, int capturedBytes, int lengthBytes, long missing) throws IOException {
        if (capturedBytes < 0 || capturedBytes > 100_000 || capturedBytes > lengthBytes) {
            throw new IllegalArgumentException(
                    capturedBytes + " bytes of a packet of " + lengthBytes + " cannot be captured");
        }
        int length = blockLength(capturedBytes, missing);
        if (buffer.remaining() < length) {
            flush();
        }
        buffer.putInt(ENHANCED_PACKET).putInt(length).putInt(0);
        buffer.putInt((int) (timestampNs >>> 32)).putInt((int) timestampNs);
        buffer.putInt(capturedBytes).putInt(lengthBytes);
    }

    private void end(int capturedBytes, long missing) {
        pad(capturedBytes);
        if (missing > 0) {
            count(OPTION_DROPPED_BEFORE, missing);
            buffer.putInt(OPTION_END);
        }
        buffer.putInt(blockLength(capturedBytes, missing));
    }

    private void count(int option, long value) {
        buffer.putShort((short) option).putShort((short) Long.BYTES).putLong(value);
    }

    private static int blockLength(int capturedBytes, long missing) {
        int options = missing > 0 ? optionLength(Long.BYTES) + 4 : 0;
        return BLOCK_FRAME + PACKET_FIELDS + padded(capturedBytes) + options;
    }

    /** Maximum number of bytes of a packet in the file. */
    static int packetBytes(int capturedBytes) {
        return blockLength(capturedBytes, 1);
    }

    /** Appends what the interface has seen, and how much of it the file lacks; usually the last block. */
    public void statistics(long timestampNs, long received, long dropped) throws IOException {
        int length = BLOCK_FRAME + 12 + 2 * optionLength(Long.BYTES) + 4;
        if (buffer.remaining() < length) {
            flush();
        }
        buffer.putInt(INTERFACE_STATISTICS).putInt(length).putInt(0);
        buffer.putInt((int) (timestampNs >>> 32)).putInt((int) timestampNs);
        count(OPTION_RECEIVED, received);
        count(OPTION_DROPPED, dropped);
        buffer.putInt(OPTION_END).putInt(length);
    }

    /** Number of bytes of the file so far, including buffered bytes. */
    public long bytes() {
        return flushed + buffer.position();
    }

    /** Writes all buffered bytes to the channel. */
    public void flush() throws IOException {
        flushed += buffer.position();
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }

    /** Flushes and closes the channel. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            try (channel) {
                flush();
            }
        }
    }
}
