package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example runs, fits on a page, and is in the table of the README. */
class ExampleProgramsTest {

    private static final int MOST_LINES = 80;
    private static final Path SOURCES = Path.of("src/main/java/io/verbena/examples");

    static List<String> programs() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> file.getFileName().toString().replace(".java", ""))
                    .filter(name -> !Set.of("Check", "package-info").contains(name))
                    .sorted()
                    .toList();
        }
    }

    /** A program ends with an exception if its results are wrong. */
    @ParameterizedTest
    @MethodSource("programs")
    void program_runs_andChecksItself(String name) throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            Class.forName("io.verbena.examples." + name)
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(out);
        }
        String text = said.toString(StandardCharsets.UTF_8);
        assertFalse(text.isBlank());
        out.println(name + ": " + text.strip());
    }

    @ParameterizedTest
    @MethodSource("programs")
    void program_isShort(String name) throws IOException {
        long lines = Files.readAllLines(SOURCES.resolve(name + ".java")).size();
        assertTrue(lines < MOST_LINES, name + " has " + lines + " lines");
    }

    @Test
    void readme_listsAllPrograms() throws IOException {
        Matcher listed = Pattern.compile("\\(examples/src/main/java/io/verbena/examples/(\\w+)\\.java\\)")
                .matcher(Files.readString(Path.of("../README.md")));
        Set<String> names = new TreeSet<>();
        while (listed.find()) {
            names.add(listed.group(1));
        }
        assertEquals(new TreeSet<>(programs()), names);
    }
}
