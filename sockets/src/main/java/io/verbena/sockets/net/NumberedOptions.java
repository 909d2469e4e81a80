package io.verbena.sockets.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The options of {@link SocketOptions}, which have numbers. */
final class NumberedOptions {

    /** Those whose values are the same by name. */
    static final Map<Integer, SocketOption<?>> NAMED = Map.of(
            SocketOptions.TCP_NODELAY, StandardSocketOptions.TCP_NODELAY,
            SocketOptions.SO_SNDBUF, StandardSocketOptions.SO_SNDBUF,
            SocketOptions.SO_RCVBUF, StandardSocketOptions.SO_RCVBUF,
            SocketOptions.SO_KEEPALIVE, StandardSocketOptions.SO_KEEPALIVE,
            SocketOptions.IP_TOS, StandardSocketOptions.IP_TOS,
            SocketOptions.SO_REUSEADDR, StandardSocketOptions.SO_REUSEADDR,
            SocketOptions.SO_REUSEPORT, StandardSocketOptions.SO_REUSEPORT);

    /** An option of channels that a socket has under a number only. */
    private static final String URGENT_INLINE = "SO_OOBINLINE";

    private NumberedOptions() {}

    /** The options of a socket whose channel has these. */
    static Set<SocketOption<?>> ofSockets(Set<SocketOption<?>> ofChannel) {
        return ofChannel.stream()
                .filter(each -> !each.name().equals(URGENT_INLINE))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** With the messages of the JDK. */
    static void check(Set<SocketOption<?>> supported, SocketOption<?> name) {
        if (!supported.contains(name)) {
            throw new UnsupportedOperationException("'" + name + "' not supported");
        }
    }

    static void check(Set<SocketOption<?>> supported, SocketOption<?> name, @Nullable Object value) {
        check(supported, name);
        if (!name.type().isInstance(value)) {
            throw new IllegalArgumentException("Invalid value '" + value + "'");
        }
    }

    /** Sets an option; the result says nothing. */
    static boolean set(Socket of, int id, Object value) throws IOException {
        switch (id) {
            case SocketOptions.SO_LINGER ->
                of.setOption(StandardSocketOptions.SO_LINGER, value instanceof Integer seconds ? seconds : -1);
            case SocketOptions.SO_OOBINLINE -> of.setOOBInline((Boolean) value);
            default -> setNamed(of, named(id), value);
        }
        return true;
    }

    private static <T> void setNamed(Socket of, SocketOption<T> name, Object value) throws IOException {
        of.setOption(name, name.type().cast(value));
    }

    /** The value. Lingering that is switched off is {@code false}. */
    static Object get(Socket of, int id) throws IOException {
        return switch (id) {
            case SocketOptions.SO_LINGER -> linger(of);
            case SocketOptions.SO_OOBINLINE -> of.getOOBInline();
            case SocketOptions.SO_BINDADDR -> local(of);
            default -> of.getOption(named(id));
        };
    }

    private static Object linger(Socket of) throws IOException {
        int seconds = of.getOption(StandardSocketOptions.SO_LINGER);
        return seconds < 0 ? (Object) false : seconds;
    }

    private static InetAddress local(Socket of) {
        return of.getLocalAddress();
    }

    static SocketOption<?> named(int id) throws SocketException {
        SocketOption<?> name = NAMED.get(id);
        if (name == null) {
            throw new SocketException("Unknown option " + id);
        }
        return name;
    }
}
