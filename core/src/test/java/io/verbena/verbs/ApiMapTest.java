package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Member;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/api-map.md names members of the API that exist. */
class ApiMapTest {

    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern MEMBER = Pattern.compile("\\b([A-Z][a-z]\\w*)\\.(\\w+)");

    @Test
    void everyMemberThatTheMapNames_exists() throws IOException {
        TreeSet<String> missing = new TreeSet<>();
        int found = 0;
        Matcher code = CODE.matcher(Files.readString(Path.of("../docs/api-map.md")));
        while (code.find()) {
            Matcher member = MEMBER.matcher(code.group(1));
            while (member.find()) {
                found++;
                if (!member.group().equals("Type.member") && !exists(member.group(1), member.group(2))) {
                    missing.add(member.group());
                }
            }
        }
        assertEquals(new TreeSet<>(), missing);
        int named = found;
        assertTrue(named > 300, () -> "the pattern finds the members: " + named);
    }

    private static boolean exists(String type, String member) {
        return type(type).stream()
                .flatMap(each -> Stream.of(each.getMethods(), each.getDeclaredFields(), each.getDeclaredClasses())
                        .flatMap(Arrays::stream))
                .map(each -> each instanceof Member named ? named.getName() : ((Class<?>) each).getSimpleName())
                .anyMatch(member::equals);
    }

    private static Optional<Class<?>> type(String name) {
        try {
            return Optional.of(Class.forName("io.verbena.verbs." + name));
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        }
    }
}
