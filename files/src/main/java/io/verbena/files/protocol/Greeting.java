package io.verbena.files.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The private data of the connection request and of the reply, by which the two ends identify the protocol.
 *
 * <pre>
 *   0               1               2               3
 *  +---------------+---------------+---------------+---------------+
 *  |      'V'      |      'F'      |      'I'      |      'L'      |
 *  +---------------+---------------+---------------+---------------+
 *  |            version            |     busy      |       0       |
 *  +---------------+---------------+---------------+---------------+
 * </pre>
 *
 * A server that rejects a client sends a sentence instead (ASCII). If the client may try again, because the server is at a limit, the sentence
 * follows the drawn bytes, and {@code busy} is 1.
 */
public final class Greeting {

    /** Version of the protocol that {@link FileMessage} draws. */
    public static final int VERSION = 1;

    private static final byte[] BYTES = {'V', 'F', 'I', 'L', 0, VERSION, 0, 0};
    private static final int NAME_BYTES = 4;
    private static final int BUSY_AT = 6;

    private Greeting() {}

    public static byte[] bytes() {
        return BYTES.clone();
    }

    /** Whether the peer speaks this version of the protocol. */
    public static boolean matches(byte[] privateData) {
        return Arrays.equals(privateData, BYTES);
    }

    /** The reason why it does not match, as a sentence about the peer. */
    public static String mismatch(byte[] privateData) {
        boolean ours =
                privateData.length == BYTES.length && Arrays.equals(privateData, 0, NAME_BYTES, BYTES, 0, NAME_BYTES);
        return ours
                ? "it speaks version " + ((privateData[4] & 0xff) << 8 | privateData[5] & 0xff)
                        + " of the file protocol, and this end speaks version " + VERSION
                : "it does not speak the file protocol of 'verbena serve' and 'verbena cp'";
    }

    /** A rejection as private data. */
    public static byte[] refusal(String sentence) {
        return sentence.getBytes(StandardCharsets.US_ASCII);
    }

    /** A rejection that holds for now only, as private data. */
    public static byte[] busy(String sentence) {
        byte[] data = Arrays.copyOf(BYTES, BYTES.length + sentence.length());
        data[BUSY_AT] = 1;
        System.arraycopy(refusal(sentence), 0, data, BYTES.length, sentence.length());
        return data;
    }

    /** Whether a rejection holds for now only. */
    public static boolean isBusy(byte[] privateData) {
        byte[] busy = busy("");
        return privateData.length >= busy.length && Arrays.equals(privateData, 0, busy.length, busy, 0, busy.length);
    }

    /** The reason in a rejection; empty if there is none that can be shown. */
    public static String refusal(byte[] privateData) {
        int from = isBusy(privateData) ? BYTES.length : 0;
        String text = new String(privateData, from, privateData.length - from, StandardCharsets.US_ASCII);
        return text.chars().allMatch(c -> c >= 0x20 && c < 0x7f) ? text : "";
    }
}
