package io.verbena.sockets.nio;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.NetworkChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Cases about options: each option of a socket channel in each state of it. */
final class OptionCases {

    private OptionCases() {}

    private static final Map<SocketOption<?>, Object> VALUES = Map.of(
            StandardSocketOptions.SO_KEEPALIVE, true,
            StandardSocketOptions.SO_LINGER, 7,
            StandardSocketOptions.SO_REUSEADDR, true,
            StandardSocketOptions.SO_SNDBUF, 20_000,
            StandardSocketOptions.SO_RCVBUF, 20_000,
            StandardSocketOptions.TCP_NODELAY, true,
            StandardSocketOptions.IP_TOS, 8);

    static Map<String, Stage.Body> cases() {
        Map<String, Stage.Body> cases = new LinkedHashMap<>();
        VALUES.forEach((name, value) -> {
            cases.put("option_new_" + name.name(), s -> set(s.client(), name, value));
            cases.put("option_connected_" + name.name(), s -> set(s.pair().client(), name, value));
            cases.put("option_accepted_" + name.name(), s -> set(s.pair().server(), name, value));
            cases.put("option_beforeConnect_" + name.name(), s -> {
                var c = s.client();
                set(c, name, value);
                c.connect(s.listening().getLocalAddress());
                return c.getOption(name);
            });
            cases.put("option_closed_" + name.name(), s -> {
                var c = s.client();
                c.close();
                return set(c, name, value);
            });
            cases.put("option_afterPeerHasReset_" + name.name(), s -> {
                var pair = s.pair();
                pair.server().close();
                Stage.read(pair.client(), 1);
                return set(pair.client(), name, value);
            });
        });
        cases.put("option_nullName", s -> s.client().setOption(null, 1));
        cases.put("option_multicast", s -> s.client().getOption(StandardSocketOptions.IP_MULTICAST_TTL));
        cases.put(
                "option_multicast_connected",
                s -> s.pair().client().setOption(StandardSocketOptions.IP_MULTICAST_TTL, 3));
        cases.put("option_negativeSize", s -> s.client().setOption(StandardSocketOptions.SO_SNDBUF, -1));
        cases.put(
                "option_negativeSize_connected", s -> s.pair().client().setOption(StandardSocketOptions.SO_SNDBUF, -1));
        cases.put(
                "option_nullValue_connected",
                s -> s.pair().client().setOption(StandardSocketOptions.TCP_NODELAY, null));
        cases.put("options_supported", s -> names(s.client()));
        cases.put("options_supported_connected", s -> names(s.pair().client()));
        cases.put("options_supported_server", s -> names(s.server()));
        cases.put("serverOption_receiveBuffer", s -> set(s.server(), StandardSocketOptions.SO_RCVBUF, 20_000));
        cases.put("serverOption_reuse", s -> set(s.server(), StandardSocketOptions.SO_REUSEADDR, true));
        cases.put("serverOption_noDelay", s -> set(s.server(), StandardSocketOptions.TCP_NODELAY, true));
        cases.put("serverOption_closed", s -> {
            var server = s.server();
            server.close();
            return server.getOption(StandardSocketOptions.SO_REUSEADDR);
        });
        return cases;
    }

    @SuppressWarnings("unchecked")
    private static Object set(NetworkChannel channel, SocketOption<?> name, Object value) throws IOException {
        channel.setOption((SocketOption<Object>) name, value);
        return channel.getOption(name);
    }

    private static String names(NetworkChannel channel) {
        return channel.supportedOptions().stream()
                .map(SocketOption::name)
                .collect(Collectors.toCollection(TreeSet::new))
                .toString();
    }
}
