package io.verbena.files;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Socket addresses as text. */
public final class Addresses {

    private static final Pattern ZEROS = Pattern.compile("(?<![0-9a-f])0(:0)+(?![0-9a-f])");

    private Addresses() {}

    /** IP address and port: {@code 192.0.2.7:7174}, {@code [2001:db8::1]:7174}. */
    public static String text(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) {
            return address.toString();
        }
        InetAddress ip = inet.getAddress();
        String host = ip == null ? inet.getHostString() : ip.getHostAddress();
        return (host.contains(":") ? "[" + shortened(host) + "]" : host) + ":" + inet.getPort();
    }

    /** RFC 5952 section 4.2: the longest run of zero groups, the first of several, becomes two colons. */
    private static String shortened(String host) {
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
