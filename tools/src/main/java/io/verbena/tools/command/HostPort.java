package io.verbena.tools.command;

import io.verbena.tools.base.Failure;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address on the command line, the same for all commands: {@code HOST}, {@code HOST:PORT}, {@code 2001:db8::1},
 * {@code [2001:db8::1]:7177}, {@code [fe80::1%eth0]}; for a server also {@code :PORT} and {@code *:PORT}.
 *
 * @param host a name or an IP address; empty for every address of this host
 * @param port 0 to 65535
 */
public record HostPort(String host, int port) {

    private static final Pattern FORM = Pattern.compile("(\\[[^\\[\\]]+\\]|[^:\\[\\]]*)(?::(\\d{1,5}))?");
    private static final Pattern BARE_IPV6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%.+)?");
    private static final int MOST_PORT = 65_535;

    /** Parses the address of a peer; without a port it has the usual port. */
    public static HostPort parse(String option, String text, int usualPort) throws UsageProblem {
        return parse(option, text, Optional.empty(), usualPort);
    }

    /**
     * The same where an option sets the port.
     *
     * @param chosenPort port of the option {@code -p}, if it was given
     */
    public static HostPort parse(String option, String text, Optional<Integer> chosenPort, int usualPort)
            throws UsageProblem {
        HostPort parsed = form(option, text, chosenPort.orElse(usualPort), chosenPort);
        UsageProblem.check(!parsed.host.isEmpty(), sentence(option, text, usualPort));
        return parsed;
    }

    /** Parses the address at which a server listens: without HOST, or with {@code *}, at every address. */
    public static HostPort listening(String option, String text, int usualPort) throws UsageProblem {
        HostPort parsed = form(option, text, usualPort, Optional.empty());
        UsageProblem.check(!text.isBlank(), sentence(option, text, usualPort));
        return parsed.host.equals("*") ? new HostPort("", parsed.port) : parsed;
    }

    /** Parses an address that has no port. */
    public static InetAddress address(String option, String text) throws UsageProblem, Failure {
        boolean plain = BARE_IPV6.matcher(text).matches() || text.startsWith("[") && text.endsWith("]");
        UsageProblem.check(
                plain || !text.contains(":"),
                option + " must be a HOST without a port such as 192.0.2.7, not '" + text + "'");
        return parse(option, text, 0).resolve().getAddress();
    }

    private static HostPort form(String option, String text, int usualPort, Optional<Integer> chosenPort)
            throws UsageProblem {
        if (BARE_IPV6.matcher(text).matches()) {
            return new HostPort(text, usualPort);
        }
        Matcher form = FORM.matcher(text);
        UsageProblem.check(form.matches() && !text.isBlank(), sentence(option, text, usualPort));
        String host = form.group(1).replaceAll("[\\[\\]]", "");
        if (form.group(2) == null) {
            return new HostPort(host, usualPort);
        }
        int port = Integer.parseInt(form.group(2));
        UsageProblem.check(port <= MOST_PORT, sentence(option, text, usualPort));
        UsageProblem.check(
                chosenPort.isEmpty() || chosenPort.get() == port,
                "Give the port either in '" + text + "' or with -p, not both");
        return new HostPort(host, port);
    }

    private static String sentence(String option, String text, int usualPort) {
        return option + " must be a HOST or HOST:PORT such as 192.0.2.7:" + usualPort + " or [2001:db8::1]:" + usualPort
                + ", not '" + text + "'";
    }

    /** The first of the addresses that the name stands for. */
    public InetSocketAddress resolve() throws Failure {
        return host.isEmpty() ? new InetSocketAddress(port) : Hosts.resolve(host, port);
    }

    /** All addresses that the name stands for, in the order of {@link #resolve}: a client tries one after the other. */
    public List<InetSocketAddress> resolveAll() throws Failure {
        return host.isEmpty() ? List.of(resolve()) : Hosts.resolveAll(host, port);
    }
}
