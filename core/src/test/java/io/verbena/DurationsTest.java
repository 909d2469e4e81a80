package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A duration of a program becomes a number in one place, {@link io.verbena.base.Times#nanos}, which saturates: the methods of
 * {@link java.time.Duration} throw an ArithmeticException for a duration such as {@code Duration.ofSeconds(Long.MIN_VALUE)}.
 * Constants are written in upper case and cannot overflow.
 */
@Tag("sources")
class DurationsTest {

    private static final Pattern CONVERSION = Pattern.compile("[a-z)]\\s*+\\.(?:toNanos|toMillis)\\(\\)");

    /**
     * Paths that may convert, and why. The modules of the last three are programs of the public API, by the tests of their architecture, and
     * see no {@code Times}. A time that enters them is limited first.
     */
    private static final Map<String, String> EXCEPTIONS = Map.of(
            "core/src/main/java/io/verbena/base/Times.java", "the place",
            "core/src/main/java/io/verbena/verbs/",
                    "its texts are of waits shorter than a day; it uses no other package",
            "messaging/src/main/java/io/verbena/messaging/", "EnlargementPolicy.bounded; OptionsTest",
            "files/src/main/java/io/verbena/files/", "CopySettings.bounded; LongTimesTest",
            "sockets/src/main/java/io/verbena/sockets/",
                    "SetUpLimits, ProxyLimits, StreamOptions, StreamListener.bounded; LongTimesTest");

    @Test
    void durations_ofAllModules_areConvertedInOnePlace() throws IOException {
        List<String> found = new ArrayList<>();
        List<Path> sources = Modules.mainSources();
        assertTrue(sources.size() > 300, "all modules are read, not only " + sources.size() + " files");
        for (Path file : sources) {
            String name = Modules.ROOT.relativize(file).toString().replace('\\', '/');
            if (EXCEPTIONS.keySet().stream().noneMatch(name::startsWith)) {
                conversions(Files.readString(file)).forEach(each -> found.add(name + ": " + each));
            }
        }
        assertEquals(List.of(), found, "use io.verbena.base.Times.nanos");
    }

    @Test
    void conversion_ofAVariable_isFound_ofAConstantNot() {
        assertEquals(
                1,
                conversions("long f(Duration time) { return time.toNanos(); }").size());
        assertEquals(
                1,
                conversions("long f() { return options().timeout().toMillis(); }")
                        .size());
        assertEquals(
                1,
                conversions("long f() { return options().timeout()\n        .toMillis(); }")
                        .size());
        assertEquals(
                0,
                conversions("long f() { return PATIENCE.toNanos() + TimeUnit.SECONDS.toNanos(5); }")
                        .size());
    }

    private static List<String> conversions(String source) {
        List<String> found = new ArrayList<>();
        Matcher each = CONVERSION.matcher(source);
        while (each.find()) {
            int start = source.lastIndexOf('\n', each.start()) + 1;
            int end = source.indexOf('\n', each.end());
            found.add(source.substring(start, end < 0 ? source.length() : end).strip());
        }
        return found;
    }
}
