package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documentation of a module leaves out exactly the packages that the module does not export to everyone. A release checks the result. */
@Tag("sources")
class DocumentedPackagesTest {

    private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+);");
    private static final Pattern EXCLUDED = Pattern.compile("<excludePackageNames>([^<]*)<");

    @ParameterizedTest
    @ValueSource(strings = {"core", "hardware", "messaging", "sockets"})
    void documentation_leavesOutWhatIsNotExported(String module) throws IOException {
        Path sources = Modules.ROOT.resolve(module).resolve("src/main/java");
        TreeSet<String> internal = packages(sources);
        Matcher exported = EXPORT.matcher(Files.readString(sources.resolve("module-info.java")));
        while (exported.find()) {
            internal.remove(exported.group(1));
        }
        Matcher excluded =
                EXCLUDED.matcher(Files.readString(Modules.ROOT.resolve(module).resolve("pom.xml")));
        assertEquals(true, excluded.find());
        assertEquals(String.join(":", internal), excluded.group(1));
    }

    private static TreeSet<String> packages(Path sources) throws IOException {
        TreeSet<String> found = new TreeSet<>();
        try (Stream<Path> files = Files.walk(sources)) {
            files.filter(file -> file.toString().endsWith(".java"))
                    .map(file -> sources.relativize(file.getParent()).toString().replace('/', '.'))
                    .filter(name -> !name.isEmpty())
                    .forEach(found::add);
        }
        return found;
    }
}
