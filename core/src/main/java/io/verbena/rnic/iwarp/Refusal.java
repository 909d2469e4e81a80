package io.verbena.rnic.iwarp;

import io.verbena.iwarp.startup.PrivateData;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The reason why an RNIC, as opposed to its application, rejects a peer: a sentence in the private data of the
 * rejecting Reply. Another Verbena shows it as the reason of the failed connection and passes no private data to its
 * application. The application of any other peer receives a four-byte mark and a line of ASCII.
 */
final class Refusal {

    private static final byte[] MARK = {'V', 'B', 'N', '!'};

    private Refusal() {}

    /** The private data that carries a sentence, truncated if it is too long. */
    static PrivateData privateData(String sentence) {
        byte[] text = sentence.getBytes(StandardCharsets.US_ASCII);
        int length = Math.min(text.length, PrivateData.MAX_LENGTH_ENHANCED - MARK.length);
        byte[] bytes = new byte[MARK.length + length];
        System.arraycopy(MARK, 0, bytes, 0, MARK.length);
        System.arraycopy(text, 0, bytes, MARK.length, length);
        return PrivateData.of(bytes);
    }

    /**
     * The sentence of a peer's RNIC; empty if the application of the peer rejected, or if the text is not printable
     * ASCII.
     */
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
