package io.verbena.dist;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What Maven Central requires of each publication in a bundle, and after it what we require of our own. The rules of Central are those of
 * its page "Requirements": a rejected bundle costs a release number.
 */
enum CentralRule {
    COORDINATES(it -> unless(it.stem().equals(it.stemOfCoordinates()), "the POM is of " + it.stemOfCoordinates())),
    RELEASED_VERSION(it -> unless(!it.stem().contains("SNAPSHOT"), "a snapshot is no release")),
    NAME(it -> required(it, "name")),
    DESCRIPTION(it -> required(it, "description")),
    URL(it -> required(it, "url")),
    LICENCE(it -> both(required(it, "licenses/license/name"), required(it, "licenses/license/url"))),
    DEVELOPERS(it -> required(it, "developers/developer/name")),
    SCM(it -> Stream.of("scm/connection", "scm/developerConnection", "scm/url")
            .flatMap(each -> required(it, each).stream())
            .toList()),
    SOURCES(it -> jarUnlessPom(it, "-sources.jar")),
    JAVADOC(it -> jarUnlessPom(it, "-javadoc.jar")),
    CHECKSUMS(CentralRule::checksums),
    ALL_OR_NOTHING_SIGNED(CentralRule::signatures),
    LAYOUT(it -> it.content().stream()
            .filter(path -> !path.startsWith(it.stem() + ".") && !path.startsWith(it.stem() + "-"))
            .map(path -> path + " has the name of another publication")
            .toList()),

    // Ours.

    NO_PARENT(it -> unless(it.pom("parent").isEmpty(), "the parent would have to be published as well")),
    NO_VARIABLES(it -> unless(
            !new String(it.bytes(".pom"), UTF_8)
                    .replace("${project.version}", "") // its own, which every reader knows
                    .contains("${"),
            "a variable was not replaced")),
    NO_BUILD(it -> Stream.of("properties", "build", "profiles", "repositories", "modules")
            .filter(each -> !it.pom(each).isEmpty())
            .map(each -> "users do not need the " + each + " of our build")
            .toList()),
    DEPENDENCIES_IN_THE_BUNDLE(CentralRule::dependencies),
    BILL_OF_MATERIALS(CentralRule::managed),
    COMPONENTS(it -> unless(it.has("-cyclonedx.json"), "no list of its components (CycloneDX)")),
    LICENCE_IN_THE_JAR(
            it -> unless(!it.isJar() || it.jar(".jar").containsKey("META-INF/LICENSE"), "no licence in the jar")),
    EXPORTS_DOCUMENTED(CentralRule::documented),
    NO_FIXTURES(it -> unless(!it.has("-tests.jar"), "the fixtures of the tests are for us only"));

    private static final String GROUP = "io.verbena";
    private static final Map<String, String> DIGESTS = Map.of(".md5", "MD5", ".sha1", "SHA-1");

    private final Function<Publication, List<String>> check;

    CentralRule(Function<Publication, List<String>> check) {
        this.check = check;
    }

    /** What the rule finds wrong in all publications of a bundle, a sentence each. */
    List<String> problems(Bundle bundle) {
        List<String> found = new ArrayList<>();
        for (Publication each : bundle.publications()) {
            check.apply(each).forEach(problem -> found.add(each.artifact() + ": " + problem));
        }
        return found;
    }

    private static List<String> unless(boolean holds, String problem) {
        return holds ? List.of() : List.of(problem);
    }

    private static List<String> both(List<String> one, List<String> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }

    private static List<String> required(Publication it, String path) {
        List<String> texts = it.pom(path);
        return unless(!texts.isEmpty() && texts.stream().noneMatch(String::isBlank), "the POM has no " + path);
    }

    private static List<String> jarUnlessPom(Publication it, String ending) {
        return unless(
                !it.isJar() || it.jar(ending).keySet().stream().anyMatch(name -> !name.endsWith("/")), "no " + ending);
    }

    private static List<String> checksums(Publication it) {
        List<String> found = new ArrayList<>();
        for (String path : it.content()) {
            DIGESTS.forEach((ending, algorithm) -> {
                String stated = new String(it.bundle().bytes(path + ending), UTF_8).strip();
                if (!stated.equals(digest(algorithm, it.bundle().bytes(path)))) {
                    found.add(path + ending + " is missing or wrong");
                }
            });
        }
        return found;
    }

    private static String digest(String algorithm, byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(algorithm, e);
        }
    }

    /** A build without a key signs nothing; one with a key signs every file. */
    private static List<String> signatures(Publication it) {
        boolean any = it.bundle().files().keySet().stream().anyMatch(path -> path.endsWith(".asc"));
        return it.content().stream()
                .filter(path -> any && !it.bundle().has(path + ".asc"))
                .map(path -> path + " is not signed, and others are")
                .toList();
    }

    private static List<String> dependencies(Publication it) {
        List<String> groups = it.pom("dependencies/dependency/groupId");
        List<String> artifacts = it.pom("dependencies/dependency/artifactId");
        Set<String> published =
                it.bundle().publications().stream().map(Publication::artifact).collect(Collectors.toSet());
        List<String> found = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            if (groups.get(i).equals(GROUP) && !published.contains(artifacts.get(i))) {
                found.add("it depends on " + artifacts.get(i) + ", which is not published");
            }
        }
        if (it.pom("dependencies/dependency/scope").contains("test")) {
            found.add("it shows dependencies of its tests");
        }
        if (it.artifact().equals("verbena-core")
                && !it.pom("dependencies/dependency/scope").stream().allMatch("provided"::equals)) {
            found.add("the core depends on nothing at run time");
        }
        return found;
    }

    /** The BOM names every jar, and no other. */
    private static List<String> managed(Publication it) {
        if (!it.artifact().equals("verbena-bom")) {
            return unless(
                    it.bundle().publications().stream()
                            .anyMatch(other -> other.artifact().equals("verbena-bom")),
                    "the bundle has no BOM");
        }
        Set<String> named = new TreeSet<>(it.pom("dependencyManagement/dependencies/dependency/artifactId"));
        Set<String> jars = it.bundle().publications().stream()
                .filter(Publication::isJar)
                .map(Publication::artifact)
                .collect(Collectors.toCollection(TreeSet::new));
        return unless(named.equals(jars), "it names " + named + ", and the bundle has " + jars);
    }

    /** A module's documentation shows the packages that are exported to everyone. Without any, it shows all: Central requires some. */
    private static List<String> documented(Publication it) {
        byte[] descriptor = it.isJar() ? it.jar(".jar").getOrDefault("module-info.class", new byte[0]) : new byte[0];
        if (descriptor.length == 0) {
            return unless(!it.isJar(), "the jar is no module");
        }
        Set<String> exported = exported(descriptor);
        Set<String> shown = it.jar("-javadoc.jar").keySet().stream()
                .filter(name -> name.endsWith("/package-summary.html"))
                .map(name -> name.substring(name.indexOf('/') + 1, name.lastIndexOf('/'))
                        .replace('/', '.'))
                .collect(Collectors.toCollection(TreeSet::new));
        return unless(
                exported.isEmpty() || exported.equals(shown), "it exports " + exported + " and documents " + shown);
    }

    private static Set<String> exported(byte[] descriptor) {
        try {
            return ModuleDescriptor.read(new ByteArrayInputStream(descriptor)).exports().stream()
                    .filter(each -> !each.isQualified())
                    .map(ModuleDescriptor.Exports::source)
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
