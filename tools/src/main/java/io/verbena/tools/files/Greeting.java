package io.verbena.tools.files;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Private data by which the two ends know each other, in the request and in the reply.
 *
 * <pre>
 *   0               1               2               3
 *  +---------------+---------------+---------------+---------------+
 *  |      'V'      |      'F'      |      'I'      |      'L'      |
 *  +---------------+---------------+---------------+---------------+
 *  |            version            |               0               |
 *  +---------------+---------------+---------------+---------------+
 * </pre>
 *
 * A server that turns a client away sends a sentence instead (UTF-8).
 */
final class Greeting {

    /** Of the protocol that {@link FileMessage} draws. */
    static final int VERSION = 1;

    private static final byte[] BYTES = {'V', 'F', 'I', 'L', 0, VERSION, 0, 0};
    private static final int NAME_BYTES = 4;

    private Greeting() {}

    static byte[] bytes() {
        return BYTES.clone();
    }

    /** Whether it is ours, of our version. */
    static boolean matches(byte[] privateData) {
        return Arrays.equals(privateData, BYTES);
    }

    /** Why it does not match, as a sentence about the peer. */
    static String mismatch(byte[] privateData) {
        boolean ours =
                privateData.length == BYTES.length && Arrays.equals(privateData, 0, NAME_BYTES, BYTES, 0, NAME_BYTES);
        return ours
                ? "it speaks version " + ((privateData[4] & 0xff) << 8 | privateData[5] & 0xff)
                        + " of the file protocol, and this end version " + VERSION
                : "it does not speak the file protocol of 'verbena serve' and 'verbena cp'";
    }

    /** A refusal as private data. */
    static byte[] refusal(String sentence) {
        return sentence.getBytes(StandardCharsets.US_ASCII);
    }

    /** What a server said when it refused; empty when it said nothing that can be shown. */
    static String refusal(byte[] privateData) {
        String text = new String(privateData, StandardCharsets.US_ASCII);
        return text.chars().allMatch(c -> c >= 0x20 && c < 0x7f) ? text : "";
    }
}
