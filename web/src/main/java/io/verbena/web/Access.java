package io.verbena.web;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Decides whether a request may be answered. */
final class Access {

    /** An IPv4 or IPv6 address or localhost, with or without a port: what no DNS server can redirect. */
    private static final Pattern HOST =
            Pattern.compile("(localhost|[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9a-fA-F:.]+])(:[0-9]{1,5})?");

    private static final String BEARER = "Bearer ";
    private static final String PARAMETER = "token=";

    private final byte[] token;

    Access(String token) {
        this.token = bytes(token);
    }

    /** Whether the request names this host by an address, and not by a name that someone else may have defined. */
    static boolean hostAllowed(Request request) {
        List<String> hosts = request.all("host");
        return hosts.size() == 1 && HOST.matcher(hosts.getFirst()).matches();
    }

    /** Whether a request that changes something comes from the page itself, or from a program, which states no origin. */
    static boolean originAllowed(Request request) {
        List<String> origins = request.all("origin");
        String own = "http://" + request.first("host");
        return origins.isEmpty() || origins.size() == 1 && origins.getFirst().equalsIgnoreCase(own);
    }

    /** Whether the request contains the token: in its address, or in the header Authorization. */
    boolean tokenPresent(Request request) {
        return Arrays.stream(request.query().split("&")).anyMatch(each -> matches(each, PARAMETER))
                || matches(request.first("authorization"), BEARER);
    }

    /** Takes the same time for each wrong token. */
    private boolean matches(String text, String prefix) {
        return text.startsWith(prefix) && MessageDigest.isEqual(bytes(text.substring(prefix.length())), token);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
