package io.verbena.web;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;

/**
 * Options of a {@link WebServer}.
 *
 * @param address local address; port 0 lets the system choose
 * @param token secret that each request for figures must contain
 * @param interval minimum time between two samples
 * @param viewers maximum number of pages that show figures at the same time
 * @param patience maximum time that a client may take to send a request or to receive a part of the answer
 */
public record WebOptions(InetSocketAddress address, String token, Duration interval, int viewers, Duration patience) {

    private static final int TOKEN_BYTES = 16;

    /** Checks the values. */
    public WebOptions {
        if (!token.matches("[A-Za-z0-9_-]{16,}")) {
            throw new IllegalArgumentException("the token must consist of 16 or more letters, digits, - and _");
        }
        if (viewers < 1) {
            throw new IllegalArgumentException("the number of viewers must be at least 1, not " + viewers);
        }
        if (interval.compareTo(Duration.ofMillis(1)) < 0 || patience.compareTo(interval) <= 0) {
            throw new IllegalArgumentException("the interval must be at least 1 ms and shorter than the patience of "
                    + patience + ", not " + interval);
        }
    }

    /** The given port of the loopback address, with a random token. */
    public static WebOptions loopback(int port) {
        byte[] token = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(token);
        return new WebOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                HexFormat.of().formatHex(token),
                Duration.ofMillis(200),
                50,
                Duration.ofSeconds(5));
    }

    /** With this token instead of a random one. */
    public WebOptions withToken(String value) {
        return new WebOptions(address, value, interval, viewers, patience);
    }

    /** With these bounds for viewers. */
    public WebOptions withViewers(int most, Duration newPatience) {
        return new WebOptions(address, token, interval, most, newPatience);
    }
}
