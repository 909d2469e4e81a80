package io.verbena.tools.perftest;

import io.verbena.tools.base.Failure;
import io.verbena.tools.exchange.Gid;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address of a queue pair and of its memory as the programs of perftest exchange it: a line of hexadecimal numbers, each of which
 * ends with a colon, and a NUL. Over rdma_cm they exchange a structure of numbers in network order.
 *
 * <pre>
 *   LID:reads:QPN:PSN:R_Key:address of the memory:GID, 16 bytes, one number each:number of the shared receive queue:
 * </pre>
 *
 * @param lid local identifier; 0 over UDP
 * @param reads number of Reads and atomics that this side supports at a time
 * @param number queue pair number, 24 bits
 * @param psn first PSN that this queue pair sends, 24 bits
 * @param window memory that the other side accesses
 * @param address IP address of the port, in the GID
 */
public record PerftestAddress(int lid, int reads, int number, int psn, Window window, InetAddress address) {

    /**
     * Memory of this side that the peer accesses.
     *
     * @param rkey R_Key of the memory
     * @param memory address of the memory
     */
    public record Window(int rkey, long memory) {}

    /** Length of a line with its NUL. */
    static final int LINE_BYTES = 108;

    /** Length of the structure. */
    static final int BYTES = 56;

    private static final int MEMORY_OFFSET = 24;

    private static final HexFormat COLONS = HexFormat.ofDelimiter(":");
    private static final Pattern LINE =
            Pattern.compile("(\\p{XDigit}{4}):(\\p{XDigit}{4}):(\\p{XDigit}{6}):(\\p{XDigit}{6}):"
                    + "(\\p{XDigit}{8}):(\\p{XDigit}{16}):((?:\\p{XDigit}{2}:){15}\\p{XDigit}{2}):\\p{XDigit}{8}:\0");

    /**
     * Parses a line.
     *
     * @throws Failure if the peer sent something else
     */
    static PerftestAddress parse(String line) throws Failure {
        Matcher fields = LINE.matcher(line);
        if (!fields.matches()) {
            throw new Failure(
                    "The peer sent no address of a queue pair; either it is not one of the programs of perftest, or it"
                            + " has no GID (-x chooses one)");
        }
        return new PerftestAddress(
                HexFormat.fromHexDigits(fields.group(1)),
                HexFormat.fromHexDigits(fields.group(2)),
                HexFormat.fromHexDigits(fields.group(3)),
                HexFormat.fromHexDigits(fields.group(4)),
                new Window(HexFormat.fromHexDigits(fields.group(5)), HexFormat.fromHexDigitsToLong(fields.group(6))),
                Gid.address(COLONS.parseHex(fields.group(7))));
    }

    /** The line, with its NUL. */
    String line() {
        return String.format(
                Locale.ROOT,
                "%04x:%04x:%06x:%06x:%08x:%016x:%s:%08x:\0",
                lid,
                reads,
                number,
                psn,
                window.rkey(),
                window.memory(),
                COLONS.formatHex(Gid.of(address)),
                0);
    }

    /**
     * Reads a structure: LID, reads, QPN, PSN, R_Key, padding, address of the memory, GID, number of the shared receive queue and
     * index of the GID; the GID is not used.
     */
    static PerftestAddress ofBytes(byte[] structure) {
        ByteBuffer fields = ByteBuffer.wrap(structure);
        int lid = fields.getInt();
        int reads = fields.getInt();
        int number = fields.getInt();
        int psn = fields.getInt();
        int rkey = fields.getInt();
        long memory = fields.position(MEMORY_OFFSET).getLong();
        byte[] gid = new byte[Gid.BYTES];
        fields.get(gid);
        return new PerftestAddress(lid, reads, number, psn, new Window(rkey, memory), Gid.address(gid));
    }

    /** The structure. */
    byte[] bytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(lid)
                .putInt(reads)
                .putInt(number)
                .putInt(psn)
                .putInt(window.rkey())
                .position(MEMORY_OFFSET)
                .putLong(window.memory())
                .put(Gid.of(address))
                .array();
    }

    /** The line as the Linux programs print it. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "LID 0x%04x, QPN 0x%06x, PSN 0x%06x, R_Key 0x%08x, address 0x%016x, GID %s",
                lid,
                number,
                psn,
                window.rkey(),
                window.memory(),
                address.getHostAddress());
    }
}
