package io.verbena;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The modules of the build, as the root POM lists them, and their sources: for tests that guard all of them. */
public final class Modules {

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    /** The directory of the project. */
    public static final Path ROOT = root();

    private Modules() {}

    /** The names of all modules, without those inside the directory of another one, which is guarded as a whole. */
    public static List<String> all() throws IOException {
        List<String> names = new ArrayList<>();
        Matcher each = MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")));
        while (each.find()) {
            if (!each.group(1).contains("/")) {
                names.add(each.group(1));
            }
        }
        return names;
    }

    /** The sources of all modules without their tests, and without module-info. */
    public static List<Path> mainSources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : all()) {
            Path folder = ROOT.resolve(module);
            Path main = folder.resolve("src/main/java");
            try (Stream<Path> files = Files.walk(Files.isDirectory(main) ? main : folder)) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .filter(file -> !built(file)
                                && !file.endsWith("module-info.java")
                                && !file.toString().contains("/src/test/"))
                        .forEach(sources::add);
            }
        }
        return sources;
    }

    /** Whether a file lies in a folder of what was built or fetched. A package may be named {@code target} as well. */
    public static boolean built(Path file) {
        for (Path name : ROOT.relativize(file)) {
            if (name.toString().equals("target") || name.toString().equals("node_modules")) {
                return true;
            }
            if (name.toString().equals("src")) {
                return false;
            }
        }
        return false;
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
