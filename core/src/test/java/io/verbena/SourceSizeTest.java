package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sizes that no source of any module exceeds. A longer file has a second responsibility, and a constructor with more parameters hides
 * an object.
 */
@Tag("sources")
class SourceSizeTest {

    private static final Path ROOT = Modules.ROOT;
    private static final int MOST_LINES = 500;
    private static final int MOST_PARAMETERS = 6;

    // Both begin with what few places have: the classes of the characters around each place would take most of the
    // time.
    private static final Pattern NOT_CODE = Pattern.compile(
            "(?=[/\"'])(?:\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])+'|/\\*.*?\\*/|//[^\n]*)",
            Pattern.DOTALL);

    private static final Pattern TYPE = Pattern.compile("(?=[ce])\\b(?:class|enum)\\s+(\\w+)");

    @Test
    void everyFile_hasAtMost500Lines_orStatesWhyNot() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path file : sources()) {
            long lines = lines(file);
            if (lines > MOST_LINES && !Files.readString(file).contains("Over 500 lines: ")) {
                tooLong.add(ROOT.relativize(file) + ": " + lines);
            }
        }
        assertEquals(List.of(), tooLong, "give the second responsibility of a file a class of its own");
    }

    @Test
    void everyConstructor_hasAtMost6Parameters_exceptOfRecords() throws IOException {
        List<String> tooMany = new ArrayList<>();
        for (Path file : sources()) {
            for (String each : constructorsOver(MOST_PARAMETERS, Files.readString(file))) {
                tooMany.add(ROOT.relativize(file) + ": " + each);
            }
        }
        assertEquals(List.of(), tooMany, "several of the parameters are an object");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "class A { A(int a, int b, int c) {} }                       | A has 3",
                "final class A { private A(Map<K, V> a, B b, @C D c) {} }    | A has 3",
                "class A { void f() { new A(1, 2, 3); } A(int a, int b) { }} | ",
                "record R(int a, int b, int c) {}                            | ",
                "enum E { X(1, 2, 3); E(int a, int b, int c) {} }            | E has 3",
                "class A { A(int a, /* , */ int b) throws IOException {} }   | ",
                "class A { A(int a, int b, int... c) throws B, C { } }       | A has 3",
            })
    void constructors_withMoreThanTwoParameters_areFound(String source, String found) {
        assertEquals(found == null ? List.of() : List.of(found), constructorsOver(2, source));
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java") && !Modules.built(file))
                    .toList();
        }
    }

    private static long lines(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> constructorsOver(int most, String source) {
        String code = NOT_CODE.matcher(source).replaceAll("");
        List<String> found = new ArrayList<>();
        Matcher type = TYPE.matcher(code);
        while (type.find()) {
            String name = type.group(1);
            // The name is first, as a search for a literal is fast; what precedes it is checked afterwards.
            Matcher constructor = Pattern.compile(name + "(?<!new " + name + ")(?<!\\w" + name
                            + ")\\(((?:[^(){};]++|\\([^()]*\\))*+)\\)\\s*(?:throws [\\w., ]+)?\\{")
                    .matcher(code);
            while (constructor.find()) {
                int parameters = parameters(constructor.group(1));
                if (parameters > most) {
                    found.add(name + " has " + parameters);
                }
            }
        }
        return found;
    }

    private static int parameters(String list) {
        int count = list.isBlank() ? 0 : 1;
        int depth = 0;
        for (char each : list.toCharArray()) {
            depth += each == '<' || each == '(' ? 1 : each == '>' || each == ')' ? -1 : 0;
            count += each == ',' && depth == 0 ? 1 : 0;
        }
        return count;
    }
}
