package io.verbena.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The bundle that this build has made keeps the rules of Central, and each rule rejects a bundle that breaks it. */
class CentralRulesTest {

    private static Optional<Bundle> created = Optional.empty();

    @BeforeAll
    static void read() throws IOException {
        created = Optional.of(Bundle.read(Path.of(System.getProperty("io.verbena.dist.bundle", ""))));
    }

    private static Bundle bundle() {
        return created.orElseThrow();
    }

    private static Publication core() {
        return bundle().publications().stream()
                .filter(each -> each.artifact().equals("verbena-core"))
                .findFirst()
                .orElseThrow();
    }

    /** A way to break a rule: a text in the POM of the core, as a regular expression, and its replacement. */
    record Change(CentralRule rule, String text, String replacement) {}

    static Stream<Change> changes() {
        return Stream.of(
                new Change(CentralRule.COORDINATES, "<artifactId>verbena-core<", "<artifactId>core<"),
                new Change(CentralRule.NAME, "<name>Verbena core</name>", ""),
                new Change(CentralRule.DESCRIPTION, "<description>.*?</description>", ""),
                new Change(CentralRule.URL, "(?s)</description>\\s*<url>.*?</url>", "</description>"),
                new Change(CentralRule.LICENCE, "<url>\\S*LICENSE-2.0.txt</url>", ""),
                new Change(CentralRule.LICENCE, "(?s)<licenses>.*</licenses>", ""),
                new Change(CentralRule.DEVELOPERS, "(?s)<developers>.*</developers>", ""),
                new Change(CentralRule.SCM, "<connection>.*?</connection>", "<connection> </connection>"),
                new Change(CentralRule.SCM, "<developerConnection>.*?</developerConnection>", ""),
                new Change(
                        CentralRule.NO_PARENT,
                        "</modelVersion>",
                        "</modelVersion><parent><version>1</version></parent>"),
                new Change(CentralRule.NO_VARIABLES, "<version>0", "<version>\\${revision}0"),
                new Change(CentralRule.NO_BUILD, "</modelVersion>", "</modelVersion><properties><a>1</a></properties>"),
                new Change(CentralRule.DEPENDENCIES_IN_THE_BUNDLE, ">org.jspecify<", ">io.verbena<"),
                new Change(CentralRule.DEPENDENCIES_IN_THE_BUNDLE, ">provided<", ">test<"),
                new Change(CentralRule.DEPENDENCIES_IN_THE_BUNDLE, ">provided<", ">compile<"),
                new Change(CentralRule.CHECKSUMS, "</project>", "</project> "));
    }

    /** A file without which the bundle breaks a rule, from the end of the version. */
    record Loss(CentralRule rule, String ending) {}

    static Stream<Loss> losses() {
        return Stream.of(
                new Loss(CentralRule.SOURCES, "-sources.jar"),
                new Loss(CentralRule.JAVADOC, "-javadoc.jar"),
                new Loss(CentralRule.CHECKSUMS, ".jar.md5"),
                new Loss(CentralRule.CHECKSUMS, ".pom.sha1"),
                new Loss(CentralRule.COMPONENTS, "-cyclonedx.json"),
                new Loss(CentralRule.LICENCE_IN_THE_JAR, ".jar"),
                new Loss(CentralRule.EXPORTS_DOCUMENTED, "-javadoc.jar"),
                new Loss(CentralRule.BILL_OF_MATERIALS, ".pom"));
    }

    /** A file that must not be there. */
    record Surplus(CentralRule rule, String path) {}

    static Stream<Surplus> surpluses() {
        String folder = "io/verbena/verbena-core/";
        return Stream.of(
                new Surplus(CentralRule.NO_FIXTURES, core().stem() + "-tests.jar"),
                new Surplus(CentralRule.LAYOUT, core().stem().replace("core-", "cor-") + ".jar"),
                new Surplus(CentralRule.ALL_OR_NOTHING_SIGNED, core().stem() + ".jar.asc"),
                new Surplus(CentralRule.RELEASED_VERSION, folder + "1-SNAPSHOT/verbena-core-1-SNAPSHOT.pom"));
    }

    @ParameterizedTest
    @EnumSource
    void bundle_keepsTheRule(CentralRule rule) {
        assertEquals(List.of(), rule.problems(bundle()));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void pom_changed_breaksTheRule(Change change) {
        String pom = new String(core().bytes(".pom"), UTF_8);
        String changed = pom.replaceFirst(change.text(), change.replacement());
        assertNotEquals(pom, changed);
        Bundle broken = bundle().with(core().stem() + ".pom", changed.getBytes(UTF_8));
        assertNotEquals(List.of(), change.rule().problems(broken));
    }

    @ParameterizedTest
    @MethodSource("losses")
    void file_missing_breaksTheRule(Loss loss) {
        assertNotEquals(List.of(), loss.rule().problems(bundle().with(core().stem() + loss.ending(), new byte[0])));
    }

    @ParameterizedTest
    @MethodSource("surpluses")
    void file_tooMany_breaksTheRule(Surplus surplus) {
        byte[] bytes = "<project><version>1</version></project>".getBytes(UTF_8);
        assertNotEquals(List.of(), surplus.rule().problems(bundle().with(surplus.path(), bytes)));
    }

    @Test
    void everyRule_isBrokenByACase() {
        EnumSet<CentralRule> untried = EnumSet.allOf(CentralRule.class);
        changes().map(Change::rule).forEach(untried::remove);
        losses().map(Loss::rule).forEach(untried::remove);
        surpluses().map(Surplus::rule).forEach(untried::remove);
        assertEquals(EnumSet.noneOf(CentralRule.class), untried);
    }

    @Test
    void bundle_holdsPublications() {
        assertFalse(bundle().publications().isEmpty());
    }
}
