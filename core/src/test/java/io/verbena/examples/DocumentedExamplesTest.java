package io.verbena.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every code block of docs/verbs.md is a compiled and executed example, and every example is in the document. */
class DocumentedExamplesTest {

    private static final Pattern EXAMPLE = Pattern.compile(" *// example: (\\S+)\n(.*?)\n *// end\n", Pattern.DOTALL);
    private static final Pattern BLOCK =
            Pattern.compile("<!-- example: (\\S+) -->\n```java\n(.*?)\n```\n", Pattern.DOTALL);

    private static Path root() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.exists(folder.resolve("mvnw"))) {
                return folder;
            }
        }
        throw new AssertionError("the tests do not run inside the project");
    }

    private static Map<String, String> found(Pattern pattern, String file) throws IOException {
        Map<String, String> all = new LinkedHashMap<>();
        Matcher matcher = pattern.matcher(Files.readString(root().resolve(file)));
        while (matcher.find()) {
            all.put(matcher.group(1), matcher.group(2).stripIndent());
        }
        return all;
    }

    @Test
    void verbsDocument_showsTheExamplesAsTheyRun() throws IOException {
        Map<String, String> run = found(EXAMPLE, "core/src/test/java/io/verbena/examples/VerbsExamplesTest.java");
        Map<String, String> shown = found(BLOCK, "docs/verbs.md");
        assertFalse(run.isEmpty());
        assertEquals(
                run.keySet().stream().sorted().toList(),
                shown.keySet().stream().sorted().toList());
        run.forEach((name, code) ->
                assertEquals(code, shown.get(name), "copy the example " + name + " into docs/verbs.md"));
    }
}
