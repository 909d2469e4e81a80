package io.verbena.files;

import io.verbena.text.AddressText;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a file at a server: {@code HOST:PORT/NAME}.
 *
 * @param name empty for the server itself
 */
public record RemoteName(String host, int port, String name) {

    private static final Pattern FORM = Pattern.compile("(\\[[^\\]]+\\]|[^/:\\[\\]]+):(\\d{1,5})(?:/(.*))?");
    private static final int MOST_PORT = 65_535;

    /** Parses a text; empty if it is a local path. A local file with such a name needs {@code ./} in front. */
    public static Optional<RemoteName> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        int port = Integer.parseInt(form.group(2));
        if (port > MOST_PORT) {
            return Optional.empty();
        }
        String host = form.group(1);
        if (host.startsWith("[")) {
            host = host.substring(1, host.length() - 1);
        }
        return Optional.of(new RemoteName(host, port, form.group(3) == null ? "" : form.group(3)));
    }

    @Override
    public String toString() {
        return AddressText.hostAndPort(host, port) + (name.isEmpty() ? "" : "/" + name);
    }
}
