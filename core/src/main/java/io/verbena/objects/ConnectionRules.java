package io.verbena.objects;

import io.verbena.base.Times;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.QueuePairState;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** Rules for connections and listeners. Each check fails with a sentence that describes the misuse. */
public final class ConnectionRules {

    private static final int MOST_RETRIES = 7;

    private ConnectionRules() {}

    /** What is to be set up has time for it. */
    public static void timeout(Duration timeout) {
        if (Times.nanos(timeout) == 0) {
            throw new IllegalArgumentException("the timeout of a connection must be greater than zero");
        }
    }

    /** Private data fits the message that carries it. */
    public static void privateData(byte[] data, int mostBytes) {
        if (data.length > mostBytes) {
            throw new IllegalArgumentException(
                    "there can be at most " + mostBytes + " bytes of private data here, not " + data.length);
        }
    }

    /** The options of a connection of InfiniBand that ends with its transport. */
    public static void check(ConnectionOptions options, int mostPrivateBytes) {
        values(options, mostPrivateBytes);
        endsWithTransport(options);
    }

    /** The options of a connection of InfiniBand, except how it ends. */
    public static void values(ConnectionOptions options, int mostPrivateBytes) {
        privateData(options.privateData(), mostPrivateBytes);
        timeout(options.timeout());
        retries(options.retryCount());
        retries(options.receiverNotReadyRetries());
    }

    /**
     * The connection is not asked to survive its transport.
     *
     * @throws UnsupportedOperationException if it is
     */
    public static void endsWithTransport(ConnectionOptions options) {
        if (options.survival().isPresent()) {
            throw new UnsupportedOperationException(
                    "Only reliable connections of iWARP, which connect and accept set up,"
                            + " survive the end of their transport. The provider roce+iwarp sets connections up over iWARP"
                            + " and carries those that survive by RoCE.");
        }
    }

    private static void retries(OptionalInt retries) {
        if (retries.orElse(0) < 0 || retries.orElse(0) > MOST_RETRIES) {
            throw new IllegalArgumentException("a number of retries must be 0 to 7, not " + retries.getAsInt());
        }
    }

    /** The options of a listener. */
    public static void check(ListenOptions options) {
        if (options.backlog() < 1) {
            throw new IllegalArgumentException("the backlog must be at least 1, not " + options.backlog());
        }
        if (Times.nanos(options.startUpTimeout()) == 0) {
            throw new IllegalArgumentException("the start-up timeout must be greater than zero");
        }
    }

    /** What a thread gets that has waited for a set-up. */
    public static ConnectionException notEstablished(boolean rnicEnded, String what, Duration timeout) {
        return rnicEnded
                ? new ConnectionException(
                        Kind.FAILED, what + " was not established before the RNIC was closed.", new byte[0])
                : new ConnectionException(
                        Kind.TIMED_OUT, what + " was not established within " + Times.text(timeout) + ".", new byte[0]);
    }

    /** A queue pair that is to be connected has no connection, and has not had one. One that was not established does not count. */
    public static void unused(QueuePairState state, Optional<? extends Connection> connection) {
        if (state.failed()) {
            throw new IllegalStateException("the queue pair has ended; create another one");
        }
        if (state.maySend() || connection.filter(each -> !each.state().ended()).isPresent()) {
            throw new IllegalStateException("the queue pair is connected or being connected");
        }
    }
}
