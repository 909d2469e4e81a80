package io.verbena.tools.disk;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** A line of names with values, in which a value may have any characters. */
final class Words {
    private Words() {}

    static String line(Map<String, String> values) {
        return values.entrySet().stream()
                .map(each -> each.getKey() + '=' + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining(" "));
    }

    /** Words that are not of this form are left out: an older or newer program wrote them. */
    static Map<String, String> parse(String line) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String word : line.split(" ", -1)) {
            int equals = word.indexOf('=');
            if (equals > 0) {
                String value = URLDecoder.decode(word.substring(equals + 1), StandardCharsets.UTF_8);
                values.put(word.substring(0, equals), value);
            }
        }
        return values;
    }
}
