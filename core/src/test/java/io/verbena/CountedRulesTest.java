package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Rules that the sources do not keep everywhere yet. Today's exceptions are counted in {@code src/test/resources/rules}, and can only
 * become fewer: a new one fails, and so does a count that is too high, until {@code -Dverbena.rules=record} has lowered it.
 */
@Tag("sources")
class CountedRulesTest {

    private static final Path RECORDED = Modules.ROOT.resolve("core/src/test/resources/rules");
    private static final int MOST_FILES = 40;
    private static final int MOST_FILE_LINES = 450;
    private static final int MOST_METHOD_LINES = 60;
    private static final int MOST_COLUMNS = 120;

    /** Comments and strings, whose braces are no blocks. */
    private static final Pattern NOT_CODE = Pattern.compile(
            "(?=[/\"'])(?:\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\n])++'|/\\*.*?\\*/|//[^\n]*+)",
            Pattern.DOTALL);

    /** The begin of a body after a list of parameters. What is no method is sorted out afterwards. */
    private static final Pattern BODY = Pattern.compile("\\)\\s*+(?:throws\\s[\\w.,\\s]++)?+\\{");

    private static final Pattern NAME = Pattern.compile("(\\S+)\\s+(\\w+)$");
    private static final Set<String> STATEMENTS =
            Set.of("if", "for", "while", "switch", "catch", "synchronized", "try");
    private static final Pattern SLEEP = Pattern.compile("\\bsleep\\(");

    @Test
    void packages_haveAtMost40Files() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (Path file : Modules.mainSources()) {
            String path = relative(file);
            found.merge(path.substring(0, path.lastIndexOf('/')), 1, Integer::sum);
        }
        found.values().removeIf(files -> files <= MOST_FILES);
        check("files-per-package", found, "divide the package where an idea ends");
    }

    @Test
    void files_haveAtMost450Lines() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (Path file : sources()) {
            if (Files.readAllLines(file).size() > MOST_FILE_LINES) {
                found.put(relative(file), 1); // SourceSizeTest limits those further
            }
        }
        check("lines-per-file", found, "give the second responsibility of the file a class of its own");
    }

    @Test
    void methods_haveAtMost60Lines() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (Path file : sources()) {
            longMethods(Files.readString(file)).forEach((name, lines) -> found.put(relative(file) + "#" + name, lines));
        }
        check("lines-per-method", found, "a part of the method has a name of its own");
    }

    @Test
    void longMethods_areFound() {
        String filler = "\n".repeat(MOST_METHOD_LINES);
        assertEquals(Map.of("f", 62), longMethods("class A { void f() {\n" + filler + "}\n void g() { if (a) {} } }"));
        assertEquals(Map.of("A", 62), longMethods("class A { A(int b) throws C {\n" + filler + "} }"));
        assertEquals(
                Map.of(),
                longMethods("class A { B b = new B(1) {\n" + filler + "}; record C(int d) {\n" + filler + "} }"));
        assertEquals(Map.of(), longMethods("class A { /* { */ void f() { String s = \"{\"; }\n" + filler + "}"));
    }

    @Test
    void simpleNames_areUniqueInAModule() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (Path file : sources()) {
            String name = file.getFileName().toString().replace(".java", "");
            if (!name.endsWith("-info")) {
                found.merge(Modules.ROOT.relativize(file).getName(0) + " " + name, 1, Integer::sum);
            }
        }
        found.values().removeIf(times -> times == 1);
        check("names-in-a-module", found, "name the class by what distinguishes it from the other one");
    }

    @Test
    void tests_doNotSleep() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (Path file : sources()) {
            if (relative(file).contains("/src/test/")) {
                String code = NOT_CODE.matcher(Files.readString(file)).replaceAll("");
                int times = (int) SLEEP.matcher(code).results().count();
                if (times > 0) {
                    found.put(relative(file), times);
                }
            }
        }
        check("sleeps-in-tests", found, "wait for what the test waits for");
    }

    @Test
    void comments_haveAtMost120Columns() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (Path file : sources()) {
            for (String line : Files.readAllLines(file)) {
                String text = line.strip();
                if (line.length() > MOST_COLUMNS
                        && (text.startsWith("*") || text.startsWith("/*") || text.startsWith("//"))) {
                    found.merge(Modules.ROOT.relativize(file).getName(0).toString(), 1, Integer::sum);
                }
            }
        }
        check("long-lines-of-comments", found, "break the line after 120 columns");
    }

    private static Map<String, Integer> longMethods(String source) {
        String code = NOT_CODE.matcher(source).replaceAll(found -> "\n".repeat(lineBreaks(found.group())));
        Map<String, Integer> found = new TreeMap<>();
        Matcher body = BODY.matcher(code);
        while (body.find()) {
            int end = blockEnd(code, body.end());
            int lines = lineBreaks(code.substring(body.end(), end)) + 1;
            if (lines > MOST_METHOD_LINES) {
                Matcher name = NAME.matcher(code.substring(0, listStart(code, body.start())));
                if (name.find()
                        && !STATEMENTS.contains(name.group(2))
                        && !name.group(1).matches("(?:.*\\()?(?:new|record)")) {
                    found.put(name.group(2), lines);
                }
            }
        }
        return found;
    }

    private static int lineBreaks(String text) {
        return (int) text.chars().filter(c -> c == '\n').count();
    }

    /** Where the block ends that begins before a position. */
    private static int blockEnd(String code, int from) {
        int depth = 1;
        int at = from;
        while (depth > 0 && at < code.length()) {
            char c = code.charAt(at++);
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        }
        return at;
    }

    /** Where the list of parameters begins that ends at a position. */
    private static int listStart(String code, int end) {
        int depth = 1;
        int at = end;
        while (depth > 0 && at > 0) {
            char c = code.charAt(--at);
            depth += c == ')' ? 1 : c == '(' ? -1 : 0;
        }
        return at;
    }

    private static String relative(Path file) {
        return Modules.ROOT.relativize(file).toString().replace('\\', '/');
    }

    private static List<Path> sources() throws IOException {
        List<Path> all = new ArrayList<>();
        for (String module : Modules.all()) {
            Path folder = Modules.ROOT.resolve(module);
            if (Files.isDirectory(folder)) {
                try (Stream<Path> files = Files.walk(folder)) {
                    files.filter(file -> file.toString().endsWith(".java") && !Modules.built(file))
                            .forEach(all::add);
                }
            }
        }
        return all;
    }

    private static void check(String rule, Map<String, Integer> found, String advice) throws IOException {
        Path file = RECORDED.resolve(rule + ".txt");
        Map<String, Integer> recorded = new TreeMap<>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                int space = line.lastIndexOf(' ');
                recorded.put(line.substring(0, space), Integer.parseInt(line.substring(space + 1)));
            }
        }
        List<String> more = found.entrySet().stream()
                .filter(each -> each.getValue() > recorded.getOrDefault(each.getKey(), 0))
                .map(each -> each + ", recorded " + recorded.getOrDefault(each.getKey(), 0))
                .toList();
        boolean record = System.getProperty("verbena.rules", "").equals("record");
        if (!more.isEmpty() && Files.exists(file)) {
            fail(rule + ": " + advice + ":\n" + String.join("\n", more));
        }
        if (record) {
            Files.createDirectories(RECORDED);
            Files.writeString(
                    file,
                    found.entrySet().stream()
                            .map(each -> each.getKey() + " " + each.getValue() + "\n")
                            .collect(Collectors.joining()));
        } else {
            assertEquals(found, recorded, rule + " is kept better than recorded; run with -Dverbena.rules=record");
        }
    }
}
