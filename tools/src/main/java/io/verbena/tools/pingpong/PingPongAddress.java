package io.verbena.tools.pingpong;

import io.verbena.tools.base.Failure;
import io.verbena.tools.exchange.Gid;
import java.net.InetAddress;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address of a queue pair as the programs exchange it: a line of text with LID, number, first PSN and GID, and a NUL.
 *
 * <pre>
 *   0000:000011:2a6cd5:00000000000000000000ffff0a4d0002
 * </pre>
 *
 * @param lid local identifier; 0 over UDP
 * @param number queue pair number, 24 bits
 * @param psn first PSN that this queue pair sends, 24 bits
 * @param address IP address of the port, in the GID
 */
public record PingPongAddress(int lid, int number, int psn, InetAddress address) {

    /** Length of a line with its NUL. */
    static final int BYTES = 52;

    /** The line of a queue pair that is not used. */
    static final String NONE = "0000:000000:000000:" + "0".repeat(2 * Gid.BYTES) + '\0';

    private static final HexFormat HEX = HexFormat.of();
    private static final Pattern LINE =
            Pattern.compile("(\\p{XDigit}{4}):(\\p{XDigit}{6}):(\\p{XDigit}{6}):(\\p{XDigit}{32})\0");

    /**
     * Parses a line.
     *
     * @throws Failure if the peer sent something else
     */
    static PingPongAddress parse(String line) throws Failure {
        Matcher fields = LINE.matcher(line);
        if (!fields.matches()) {
            throw new Failure("The peer sent no address of a queue pair; it is not one of the ibv_*_pingpong programs");
        }
        return new PingPongAddress(
                HexFormat.fromHexDigits(fields.group(1)),
                HexFormat.fromHexDigits(fields.group(2)),
                HexFormat.fromHexDigits(fields.group(3)),
                Gid.address(HEX.parseHex(fields.group(4))));
    }

    /** The line, with its NUL. */
    String line() {
        return String.format(Locale.ROOT, "%04x:%06x:%06x:%s\0", lid, number, psn, HEX.formatHex(Gid.of(address)));
    }

    /** The line as the Linux programs print it. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s", lid, number, psn, address.getHostAddress());
    }
}
