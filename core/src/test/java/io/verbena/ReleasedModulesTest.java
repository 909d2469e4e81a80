package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A module of the build is released unless its POM says otherwise. The BOM lists the released modules, and {@code dist} depends on them: a build
 * of {@code dist} with those that it depends on, such as that of {@code dist/reproduce}, is a build of the whole release.
 */
class ReleasedModulesTest {

    private static final String UNPUBLISHED = "<verbena.unpublished>true<";
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>verbena-([a-z-]+)</artifactId>");

    /** Of the POM itself, its parent, and the BOM, which has no classes. */
    private static final Set<String> OTHERS = Set.of("parent", "bom", "dist");

    private static String pom(String module) throws IOException {
        Path file = Modules.ROOT.resolve(module).resolve("pom.xml");
        return Files.readString(file);
    }

    private static TreeSet<String> released() throws IOException {
        TreeSet<String> released = new TreeSet<>();
        for (String module : Modules.all()) {
            if (!pom(module).contains(UNPUBLISHED)) {
                released.add(module);
            }
        }
        released.removeAll(OTHERS);
        return released;
    }

    @Test
    void build_releasesModules() throws IOException {
        assertTrue(released().containsAll(List.of("core", "tools", "metrics-micrometer")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bom", "dist"})
    void list_namesEveryReleasedModule(String list) throws IOException {
        TreeSet<String> named = new TreeSet<>();
        for (Matcher each = ARTIFACT.matcher(pom(list)); each.find(); ) {
            named.add(each.group(1));
        }
        named.removeAll(OTHERS);
        assertEquals(released(), named);
    }
}
