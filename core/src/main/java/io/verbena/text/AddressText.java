package io.verbena.text;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Addresses of sockets as people write them. */
public final class AddressText {

    private static final Pattern ZEROS = Pattern.compile("(?<![0-9a-f])0(:0)+(?![0-9a-f])");

    private AddressText() {}

    /** Host, by its name if it was named so, and port: {@code node7:7174}, {@code 192.0.2.7:7174}, {@code [2001:db8::1]:7174}. */
    public static String of(SocketAddress address) {
        return address instanceof InetSocketAddress internet
                ? hostAndPort(internet.getHostString(), internet.getPort())
                : address.toString();
    }

    /** IP address and port; the name of a host whose address is not known. */
    public static String ofIp(SocketAddress address) {
        return address instanceof InetSocketAddress internet && internet.getAddress() != null
                ? hostAndPort(internet.getAddress().getHostAddress(), internet.getPort())
                : of(address);
    }

    /** An IP address without its interface, as the JDK writes it and in the short form of RFC 5952. */
    public static Stream<String> forms(InetAddress address) {
        String text = address.getHostAddress().replaceFirst("%.*", "");
        return Stream.of(text, shortened(text)).distinct();
    }

    /** RFC 5952 section 6: an IPv6 address before a port has brackets. */
    public static String hostAndPort(String host, int port) {
        return (host.contains(":") ? "[" + shortened(host) + "]" : host) + ":" + port;
    }

    /** RFC 5952 section 4.2: the longest run of zero groups, the first of several, becomes two colons. */
    public static String shortened(String host) {
        String zeros = "";
        Matcher runs = ZEROS.matcher(host);
        while (runs.find()) {
            if (runs.group().length() > zeros.length()) {
                zeros = runs.group();
            }
        }
        return zeros.isEmpty() ? host : host.replaceFirst("(^|:)" + zeros + "(?![0-9a-f])(:|$)", "::");
    }
}
