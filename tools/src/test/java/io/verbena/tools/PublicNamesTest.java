package io.verbena.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The names and signatures that programs can use are still those of the recorded version: all public and protected members of the packages
 * that a module exports to everyone. What is new is not recorded until a release.
 */
@Tag("sources")
class PublicNamesTest {

    private static final Path RECORD = Path.of("src/test/resources/api/0.1.0.txt");

    /** Writes the list of the present names: {@code -Dverbena.api=record}, for a release. */
    private static final boolean RECORDS = "record".equals(System.getProperty("verbena.api"));

    private static final List<String> MODULES = List.of(
            "core", "messaging", "mpi", "sockets", "storage", "fabric", "files", "sim", "web", "metrics-micrometer");
    private static final Pattern EXPORT = Pattern.compile("exports ([a-z.]+);");

    private static Stream<String> packages(String module) throws IOException {
        String text = Files.readString(Path.of("..", module, "src/main/java/module-info.java"));
        return EXPORT.matcher(text).results().map((MatchResult match) -> match.group(1));
    }

    /** The classes of a package in the sources of a module, with those inside of them. */
    private static Stream<Class<?>> classes(String module, String packageName) throws IOException {
        Path folder = Path.of("..", module, "src/main/java", packageName.replace('.', '/'));
        try (Stream<Path> files = Files.list(folder)) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".java") && !name.contains("-info"))
                    .map(name -> packageName + '.' + name.replace(".java", ""))
                    .toList()
                    .stream()
                    .flatMap(name -> withInner(load(name)));
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, PublicNamesTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(name, e);
        }
    }

    private static Stream<Class<?>> withInner(Class<?> type) {
        return visible(type.getModifiers())
                ? Stream.concat(
                        Stream.of(type), Stream.of(type.getDeclaredClasses()).flatMap(PublicNamesTest::withInner))
                : Stream.empty();
    }

    private static boolean visible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static Stream<String> lines(Class<?> type) {
        String supertype = type.getGenericSuperclass() == null
                ? ""
                : " extends " + type.getGenericSuperclass().getTypeName();
        Stream<AccessibleObject> members = Stream.of(
                        Stream.of(type.getDeclaredConstructors()),
                        Stream.of(type.getDeclaredMethods()),
                        Stream.of(type.getDeclaredFields()))
                .flatMap(each -> each);
        return Stream.concat(
                Stream.of(type.toGenericString() + supertype),
                members.filter(each -> visible(((Member) each).getModifiers()) && !((Member) each).isSynthetic())
                        .map(Object::toString)
                        // These may change without a change for a caller.
                        .map(line -> line.replaceAll("\\b(native|synchronized|strictfp|final) ", "")));
    }

    private static Set<String> present() throws IOException {
        Set<String> lines = new TreeSet<>();
        for (String module : MODULES) {
            for (String each : packages(module).toList()) {
                classes(module, each).flatMap(PublicNamesTest::lines).forEach(lines::add);
            }
        }
        return lines;
    }

    @Test
    void recordedNames_arePresent_ofEachModule() throws IOException {
        Set<String> present = present();
        if (RECORDS) {
            Files.createDirectories(RECORD.getParent());
            Files.write(RECORD, present, UTF_8);
        }
        Set<String> missing = new TreeSet<>(Files.readAllLines(RECORD));
        missing.removeAll(present);
        assertEquals(
                "",
                String.join("\n", missing),
                "programs use these: keep them, deprecated, until the release after the next; or, before 1.0, state the change"
                        + " in CHANGELOG.md under 'Moved and removed' and delete the lines from " + RECORD);
        String record = Files.readString(RECORD);
        for (String module : MODULES) {
            for (String each : packages(module).toList()) {
                assertTrue(record.contains(each + '.'), each);
            }
        }
    }
}
