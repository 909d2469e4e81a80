package io.verbena.rnic.iwarp;

import io.verbena.iwarp.startup.PrivateData;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Why an RNIC, not its application, turns a peer away: a sentence in the private data of the rejecting Reply. Another Verbena
 * shows it as the reason of the failed connection and hands no private data to its application; any other peer's application
 * finds four bytes and a line of ASCII.
 */
final class Refusal {

    private static final byte[] MARK = {'V', 'B', 'N', '!'};

    private Refusal() {}

    /** The private data that carries a sentence; one that is too long is cut. */
    static PrivateData privateData(String sentence) {
        byte[] text = sentence.getBytes(StandardCharsets.US_ASCII);
        int length = Math.min(text.length, PrivateData.MAX_LENGTH_ENHANCED - MARK.length);
        byte[] bytes = new byte[MARK.length + length];
        System.arraycopy(MARK, 0, bytes, 0, MARK.length);
        System.arraycopy(text, 0, bytes, MARK.length, length);
        return PrivateData.of(bytes);
    }

    /** The sentence of a peer's RNIC; empty if its application rejected. A peer's text is printable ASCII or no sentence. */
    static Optional<String> sentence(PrivateData privateData) {
        byte[] bytes = privateData.toArray();
        if (bytes.length <= MARK.length) {
            return Optional.empty();
        }
        for (int i = 0; i < bytes.length; i++) {
            boolean good = i < MARK.length ? bytes[i] == MARK[i] : bytes[i] >= ' ' && bytes[i] <= '~';
            if (!good) {
                return Optional.empty();
            }
        }
        return Optional.of(new String(bytes, MARK.length, bytes.length - MARK.length, StandardCharsets.US_ASCII));
    }
}
