package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Records of main code have at most six components. With more, a caller of the constructor counts positions, and two
 * components of one type are exchanged unnoticed. Some of the components are then one concept: an address, the limits
 * of a connection, the end of a path.
 */
@Tag("sources")
class RecordSizeTest {

    private static final int MOST_COMPONENTS = 6;

    private static final String OPTIONS = "options of the public API: a user sets each by its own with method";
    private static final String ATTRIBUTES =
            "attributes of the public API: only the provider makes them, all others read them by name";

    private static final String COPIES =
            "only the record itself calls its constructor: a plain one and with methods by name";

    /** Records with more components, and the reason. */
    private static final Map<String, String> REASONS = new TreeMap<>(Map.ofEntries(
            Map.entry("io.verbena.verbs.ConnectionOptions", OPTIONS),
            Map.entry("io.verbena.verbs.InfinibandOptions", OPTIONS),
            Map.entry("io.verbena.verbs.IwarpOptions", OPTIONS),
            Map.entry("io.verbena.verbs.QueuePairOptions", OPTIONS),
            Map.entry("io.verbena.verbs.RnicOptions", OPTIONS),
            Map.entry("io.verbena.verbs.VirtualMemoryOptions", OPTIONS),
            Map.entry("io.verbena.verbs.AddressHandleAttributes", OPTIONS),
            Map.entry("io.verbena.verbs.PathAttributes", OPTIONS),
            Map.entry("io.verbena.verbs.DeviceAttributes", ATTRIBUTES),
            Map.entry("io.verbena.verbs.PortAttributes", ATTRIBUTES),
            Map.entry("io.verbena.verbs.QueuePairAttributes", ATTRIBUTES),
            Map.entry("io.verbena.verbs.RnicAttributes", ATTRIBUTES),
            Map.entry("io.verbena.verbs.Translation", ATTRIBUTES),
            Map.entry("io.verbena.verbs.VirtualMemoryFigures", ATTRIBUTES),
            Map.entry("io.verbena.messaging.MessagingOptions", OPTIONS),
            Map.entry("io.verbena.messaging.channel.ChannelOptions", OPTIONS),
            Map.entry("io.verbena.messaging.collective.AlgorithmTable", OPTIONS),
            Map.entry("io.verbena.messaging.policy.EnlargementPolicy", OPTIONS),
            Map.entry("io.verbena.storage.client.DiskOptions", OPTIONS),
            Map.entry("io.verbena.iwarp.startup.StartUpOptions", COPIES),
            Map.entry("io.verbena.sim.PacketPlan", COPIES),
            Map.entry("io.verbena.sim.PipePlan", COPIES),
            Map.entry("io.verbena.sim.SegmentPlan", COPIES),
            Map.entry("io.verbena.sim.StartFrame", COPIES),
            Map.entry("io.verbena.tools.holes.HolePath", COPIES)));

    /** Records that were there before this rule and are not divided yet. A record that is not here is not added. */
    private static final Set<String> UNDIVIDED =
            new TreeSet<>(Set.of("io.verbena.iwarp.StreamContext", "io.verbena.iwarp.StreamSettings"));

    private static final Pattern NOT_CODE = Pattern.compile(
            "\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])+'|/\\*.*?\\*/|//[^\n]*", Pattern.DOTALL);

    private static final Pattern RECORD = Pattern.compile("\\brecord\\s+(\\w+)\\s*(?:<[^(]*>)?\\s*\\(");

    @Test
    void everyRecord_hasAtMost6Components_orANamedReason() throws IOException {
        Set<String> large = new TreeSet<>();
        for (Path file : Modules.mainSources()) {
            String source = Files.readString(file);
            for (String name : recordsOver(MOST_COMPONENTS, source)) {
                large.add(packageName(source) + "." + name);
            }
        }
        Set<String> allowed = new TreeSet<>(REASONS.keySet());
        allowed.addAll(UNDIVIDED);
        assertEquals(
                String.join("\n", allowed),
                String.join("\n", large),
                "some of the components are one concept: make it a record; and a record that became small leaves the table");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "record R(int a, int b, int c) {}                   | R",
                "record R(int a, int b) {}                          | ",
                "record R<T extends B<K, V>>(T a, T b, Map<K, V> c) | R",
                "record R(Map<K, V> a, int b) {}                    | ",
                "record R(@A(x = 1, y = 2) int a, int b) {}         | ",
                "record R() { record S(int a, int b, int... c) {} } | S",
                "/* record R(int a, int b, int c) {} */             | ",
            })
    void records_withMoreThanTwoComponents_areFound(String source, String found) {
        assertEquals(found == null ? List.of() : List.of(found), recordsOver(2, source));
    }

    private static String packageName(String source) {
        Matcher stated = Pattern.compile("(?m)^package ([\\w.]+);").matcher(source);
        return stated.find() ? stated.group(1) : "";
    }

    private static List<String> recordsOver(int most, String source) {
        String code = NOT_CODE.matcher(source).replaceAll("");
        List<String> found = new ArrayList<>();
        Matcher header = RECORD.matcher(code);
        while (header.find()) {
            if (components(code, header.end()) > most) {
                found.add(header.group(1));
            }
        }
        return found;
    }

    /** The number of components of a header whose parenthesis has just opened. */
    private static int components(String code, int start) {
        int depth = 1;
        int count = code.startsWith(")", start) ? 0 : 1;
        for (int i = start; depth > 0; i++) {
            char each = code.charAt(i);
            depth += each == '<' || each == '(' ? 1 : each == '>' || each == ')' ? -1 : 0;
            count += each == ',' && depth == 1 ? 1 : 0;
        }
        return count;
    }
}
