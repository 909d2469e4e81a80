package io.verbena.storage.host;

/**
 * Times of a host.
 *
 * @param keepAliveNs the target ends the association when it hears nothing for so long; 0: no keep-alive
 * @param setUpNs most time for each step of a connection
 * @param commandNs most time for the answer to a command; then the host connects anew
 * @param reconnectDelayNs time between two attempts to connect again
 * @param giveUpNs time after which the host gives up to connect again, and all requests fail
 */
public record HostTimes(long keepAliveNs, long setUpNs, long commandNs, long reconnectDelayNs, long giveUpNs) {
    private static final long SECOND_NS = 1_000_000_000L;

    /** Those of Linux for the target, shorter ones for the program: an attempt each second for a minute. */
    public static HostTimes defaults() {
        return new HostTimes(5 * SECOND_NS, 5 * SECOND_NS, 30 * SECOND_NS, SECOND_NS, 60 * SECOND_NS);
    }

    /** Checks that the times are possible. */
    public HostTimes {
        if (keepAliveNs < 0 || setUpNs <= 0 || commandNs <= 0 || reconnectDelayNs < 0 || giveUpNs < 0) {
            throw new IllegalArgumentException("Times of a host are not negative; set-up and commands need some time.");
        }
    }

    int keepAliveMs() {
        return (int) Math.min(Integer.MAX_VALUE, keepAliveNs / 1_000_000);
    }
}
