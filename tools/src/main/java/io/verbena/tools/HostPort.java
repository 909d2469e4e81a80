package io.verbena.tools;

import io.verbena.tools.base.Failure;
import java.net.InetSocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address on the command line: {@code HOST}, {@code HOST:PORT}, {@code [2001:db8::1]:7177}.
 *
 * @param host a name or an IP address
 * @param port 0 to 65535
 */
record HostPort(String host, int port) {

    private static final Pattern FORM = Pattern.compile("(\\[[^\\]]+\\]|[^:\\[\\]]+)(?::(\\d{1,5}))?");
    private static final Pattern BARE_IPV6 = Pattern.compile("[0-9a-fA-F:.%]*:[0-9a-fA-F:.%]*:.*");
    private static final int MOST_PORT = 65_535;

    /** Parses an address; without a port it has the usual port. */
    static HostPort parse(String option, String text, int usualPort) throws UsageProblem {
        if (BARE_IPV6.matcher(text).matches()) {
            return new HostPort(text, usualPort);
        }
        Matcher form = FORM.matcher(text);
        if (form.matches()) {
            int port = form.group(2) == null ? usualPort : Integer.parseInt(form.group(2));
            if (port <= MOST_PORT) {
                return new HostPort(form.group(1).replaceAll("[\\[\\]]", ""), port);
            }
        }
        throw new UsageProblem(
                option + " must be a HOST or HOST:PORT such as 192.0.2.7:" + usualPort + ", not '" + text + "'");
    }

    InetSocketAddress resolve() throws Failure {
        return Hosts.resolve(host, port);
    }
}
