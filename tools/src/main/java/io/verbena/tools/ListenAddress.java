package io.verbena.tools;

import static io.verbena.tools.UsageProblem.check;

import io.verbena.tools.base.Failure;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The HOST:PORT at which a server listens, as a user writes it: without HOST, or with {@code *}, at every address. */
final class ListenAddress {

    private static final Pattern FORM = Pattern.compile("(\\[[^\\]]+\\]|[^:\\[\\]]*):(\\d{1,5})");

    private ListenAddress() {}

    static InetSocketAddress parse(String text) throws UsageProblem, Failure {
        Matcher parts = FORM.matcher(text);
        check(
                parts.matches() && Integer.parseInt(parts.group(2)) <= 65_535,
                "'" + text + "' is not a HOST:PORT to listen at, such as 192.0.2.7:7176, [2001:db8::1]:7176 or :0");
        int port = Integer.parseInt(parts.group(2));
        String host = parts.group(1).replaceAll("[\\[\\]]", "");
        return host.isEmpty() || host.equals("*") ? new InetSocketAddress(port) : Hosts.resolve(host, port);
    }
}
