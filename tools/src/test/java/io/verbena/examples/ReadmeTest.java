package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documents show the example programs exactly as they are compiled and run by {@link ExamplesTest}. */
class ReadmeTest {

    private static final Path ROOT = root();
    private static final int MOST_LINES = 15;

    @ParameterizedTest
    @ValueSource(strings = {"HelloServer", "HelloClient"})
    void helloWorld_isInTheReadmeToTheLetter(String name) throws IOException {
        String shown = shown(name);
        long lines = shown.substring(shown.indexOf("class ")).lines().count();
        assertTrue(lines <= MOST_LINES, name + " has " + lines + " lines, more than " + MOST_LINES);
        assertShown("README.md", name, shown);
    }

    @ParameterizedTest
    @ValueSource(strings = {"VerbsServer", "VerbsClient"})
    void wholePrograms_areInTheVerbsDocumentToTheLetter(String name) throws IOException {
        assertShown("docs/verbs.md", name, shown(name));
    }

    /** The source of an example without its package. */
    private static String shown(String name) throws IOException {
        String source = Files.readString(
                ROOT.resolve("tools/src/test/java/io/verbena/examples").resolve(name + ".java"));
        return source.substring(source.indexOf("import ")).strip();
    }

    private static void assertShown(String document, String name, String shown) throws IOException {
        assertTrue(
                Files.readString(ROOT.resolve(document)).contains(shown),
                document + " shows another " + name + ": copy the text of the file into it");
    }

    @Test
    void commandsOfTheReadme_exist() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        for (String command : new String[] {"./verbena demo", "./verbena test", "./verbena info", "./verbena ping"}) {
            assertTrue(readme.contains(command), command);
        }
    }

    /** Every test class and method that a document names in a command exists. */
    @ParameterizedTest
    @ValueSource(strings = {"CONTRIBUTING.md", "README.md", "docs/simulation.md"})
    void testsNamedInCommands_exist(String document) throws IOException {
        Matcher named =
                Pattern.compile("-Dtest='?(\\w+)(?:#([\\w*]+))?").matcher(Files.readString(ROOT.resolve(document)));
        while (named.find()) {
            String method = named.group(2) == null ? "" : named.group(2);
            String source = source(named.group(1) + ".java");
            assertTrue(
                    Pattern.compile("void " + method.replace("*", "\\w*") + (method.isEmpty() ? "" : "\\("))
                            .matcher(source)
                            .find(),
                    document + " names " + named.group() + ", which does not exist");
        }
    }

    private static String source(String file) throws IOException {
        for (String module :
                new String[] {"core", "sim", "messaging", "mpi", "files", "storage", "sockets", "tools", "stress"}) {
            try (Stream<Path> tests = Files.walk(ROOT.resolve(module + "/src/test/java"))) {
                Optional<Path> found = tests.filter(path -> path.endsWith(file)).findFirst();
                if (found.isPresent()) {
                    return Files.readString(found.get());
                }
            }
        }
        throw new AssertionError("no test source named " + file);
    }

    private static Path root() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve("mvnw"))) {
                return folder;
            }
        }
        throw new AssertionError("no parent directory of the working directory contains mvnw");
    }
}
