package io.verbena.sockets.proxy;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/** Probes of peers that are silent. */
final class KeepAlive {

    /** After a silence of the time, this many probes follow within as much time again. */
    private static final int PROBES = 3;

    private KeepAlive() {}

    /** Has the system probe a silent peer. Where it does not know these times, it probes with its own. */
    static void of(SocketChannel channel, Duration time) throws IOException {
        int seconds = Math.toIntExact(Math.min(time.toSeconds(), Short.MAX_VALUE));
        set(channel, "TCP_KEEPIDLE", seconds);
        set(channel, "TCP_KEEPINTERVAL", Math.max(1, seconds / PROBES));
        set(channel, "TCP_KEEPCOUNT", PROBES);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    }

    /** By its name: the options are those of another module. */
    @SuppressWarnings("unchecked") // the values of these options are numbers
    private static void set(SocketChannel channel, String name, int value) throws IOException {
        for (SocketOption<?> option : channel.supportedOptions()) {
            if (option.name().equals(name)) {
                channel.setOption((SocketOption<Integer>) option, value);
            }
        }
    }
}
