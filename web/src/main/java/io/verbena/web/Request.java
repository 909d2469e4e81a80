package io.verbena.web;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A request of HTTP/1.1 (RFC 9112), of which there is one per connection.
 *
 * @param path path of its target, as it was sent
 * @param query query of its target; empty if there is none
 * @param headers values by names in lower case
 * @param rest the bytes after the head
 */
record Request(String method, String path, String query, Map<String, List<String>> headers, InputStream rest) {

    /** Maximum length of the head. */
    static final int MOST_BYTES = 8192;

    private static final byte[] END = {'\r', '\n', '\r', '\n'};

    /** Reads a request up to the end of its head; empty if it is something else or too long. */
    static Optional<Request> read(InputStream in) throws IOException {
        byte[] bytes = new byte[MOST_BYTES];
        int length = 0;
        int end = -1;
        while (end < 0 && length < bytes.length) {
            int more = in.read(bytes, length, bytes.length - length);
            if (more < 0) {
                return Optional.empty();
            }
            end = end(bytes, Math.max(0, length - END.length), length + more);
            length += more;
        }
        if (end < 0) {
            return Optional.empty();
        }
        InputStream rest = new SequenceInputStream(
                new ByteArrayInputStream(bytes, end + END.length, length - end - END.length), in);
        return parse(new String(bytes, 0, end, StandardCharsets.ISO_8859_1).split("\r\n"), rest);
    }

    private static int end(byte[] bytes, int from, int to) {
        for (int i = from; i + END.length <= to; i++) {
            if (bytes[i] == '\r' && bytes[i + 1] == '\n' && bytes[i + 2] == '\r' && bytes[i + 3] == '\n') {
                return i;
            }
        }
        return -1;
    }

    private static Optional<Request> parse(String[] lines, InputStream rest) {
        String[] words = lines[0].split(" ", -1);
        if (words.length != 3 || !words[2].matches("HTTP/1\\.[01]")) {
            return Optional.empty();
        }
        Map<String, List<String>> headers = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon <= 0) {
                return Optional.empty();
            }
            headers.computeIfAbsent(lines[i].substring(0, colon).toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                    .add(lines[i].substring(colon + 1).strip());
        }
        try {
            URI target = new URI(words[1]);
            String path = Optional.ofNullable(target.getRawPath()).orElse("");
            String query = Optional.ofNullable(target.getRawQuery()).orElse("");
            return Optional.of(new Request(words[0], path, query, headers, rest));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /** All values of a header; its name is in lower case. */
    List<String> all(String header) {
        return headers.getOrDefault(header, List.of());
    }

    /** The first value of a header; empty if there is none. */
    String first(String header) {
        return all(header).stream().findFirst().orElse("");
    }

    /** The body, whose length the request states; empty if it does not, or if it is longer than {@code mostBytes}. */
    Optional<byte[]> body(int mostBytes) throws IOException {
        String stated = first("content-length");
        if (!stated.matches("[0-9]{1,9}") || Integer.parseInt(stated) > mostBytes) {
            return Optional.empty();
        }
        return Optional.of(rest.readNBytes(Integer.parseInt(stated)));
    }
}
