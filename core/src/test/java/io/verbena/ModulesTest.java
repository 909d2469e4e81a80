package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every module of the build is guarded by every test that guards sources, or the module is skipped here with a reason. A new module
 * in the root POM fails this test until that is decided.
 */
@Tag("sources")
class ModulesTest {

    /**
     * A guard.
     *
     * @param test its source, from the root of the project
     * @param skipped modules that it does not guard, and why
     * @param elsewhere modules that have a guard of this kind of their own, and its source
     */
    record Guard(String test, Map<String, String> skipped, Map<String, String> elsewhere) {}

    private static final String CORE = "core/src/test/java/io/verbena/";
    private static final String ANYTHING = "it may use every package of the library, so that there is no rule to check";
    private static final String CYCLES = "tools/src/test/java/io/verbena/tools/ModuleCyclesTest.java";
    private static final String CLASSES =
            "the class files of later modules do not exist when the tests of core run; its packages are small";

    /** Modules that use the library, and of which it uses none. */
    private static final List<String> USERS =
            List.of("tools", "interop", "bench", "stress", "proofs", "examples", "bom", "dist");

    static List<Guard> guards() {
        return List.of(
                new Guard(CORE + "instants/InstantsTest.java", Map.of(), Map.of()),
                new Guard(CORE + "DurationsTest.java", Map.of(), Map.of()),
                new Guard(CORE + "LanguageTest.java", Map.of(), Map.of()),
                new Guard(CORE + "SourceSizeTest.java", Map.of(), Map.of()),
                new Guard(CORE + "CountedRulesTest.java", Map.of(), Map.of()),
                new Guard(CORE + "RecordedSeedsTest.java", Map.of(), Map.of()),
                new Guard(
                        CORE + "ArchitectureTest.java",
                        because(ANYTHING, "sim"),
                        Map.ofEntries(
                                Map.entry(
                                        "fabric", "fabric/src/test/java/io/verbena/fabric/FabricArchitectureTest.java"),
                                Map.entry(
                                        "messaging",
                                        "messaging/src/test/java/io/verbena/messaging/MessagingArchitectureTest.java"),
                                Map.entry("mpi", "mpi/src/test/java/mpi/MpiArchitectureTest.java"),
                                Map.entry("files", "files/src/test/java/io/verbena/files/FilesArchitectureTest.java"),
                                Map.entry(
                                        "hardware",
                                        "hardware/src/test/java/io/verbena/hardware/HardwareArchitectureTest.java"),
                                Map.entry(
                                        "sockets",
                                        "sockets/src/test/java/io/verbena/sockets/SocketsArchitectureTest.java"),
                                Map.entry("netty", "netty/src/test/java/io/verbena/netty/NettyArchitectureTest.java"),
                                Map.entry(
                                        "storage",
                                        "storage/src/test/java/io/verbena/storage/StorageArchitectureTest.java"),
                                Map.entry("spark", "spark/src/test/java/io/verbena/spark/SparkArchitectureTest.java"),
                                Map.entry("web", "web/src/test/java/io/verbena/web/WebArchitectureTest.java"),
                                Map.entry(
                                        "metrics-micrometer",
                                        "metrics-micrometer/src/test/java/io/verbena/micrometer/MicrometerArchitectureTest.java"))),
                new Guard(
                        CORE + "ClassCyclesTest.java",
                        because(CLASSES, "netty", "metrics-micrometer", "mpi", "spark"),
                        Map.of(
                                "sim",
                                CYCLES,
                                "fabric",
                                CYCLES,
                                "messaging",
                                CYCLES,
                                "files",
                                CYCLES,
                                "sockets",
                                CYCLES,
                                "storage",
                                CYCLES,
                                "hardware",
                                CYCLES,
                                "web",
                                CYCLES)));
    }

    /** The reason, for these modules and for those that use the library. */
    private static Map<String, String> because(String reason, String... modules) {
        return Stream.concat(Stream.of(modules), USERS.stream())
                .collect(Collectors.toMap(module -> module, _ -> reason));
    }

    @ParameterizedTest
    @MethodSource("guards")
    void everyModule_isGuardedOrSkippedWithAReason(Guard guard) throws IOException {
        Path test = Modules.ROOT.resolve(guard.test());
        Set<String> open = new TreeSet<>(Modules.all());
        Set<String> unknown = new TreeSet<>(guard.skipped().keySet());
        unknown.addAll(guard.elsewhere().keySet());
        unknown.removeAll(open);
        assertEquals(Set.of(), unknown, "modules that the build does not have");
        open.removeAll(guard.skipped().keySet());
        for (Map.Entry<String, String> other : new TreeMap<>(guard.elsewhere()).entrySet()) {
            assertTrue(Files.exists(Modules.ROOT.resolve(other.getValue())), other::toString);
            open.remove(other.getKey());
        }
        // A guard of more than its own module takes the list from the root POM.
        boolean all = Files.readString(test).contains("Modules.");
        open.remove("core");
        assertTrue(all || open.isEmpty(), () -> test.getFileName() + " does not guard " + open);
    }
}
