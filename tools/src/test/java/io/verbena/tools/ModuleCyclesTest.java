package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.verbena.ClassGraph;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Cycles of packages and of classes in all modules that the command line uses. Those of the core have a test there,
 * too.
 */
@Tag("sources")
class ModuleCyclesTest {

    /** Largest cycle of classes that a package may have. */
    private static final int LARGEST = 8;

    /**
     * Packages with a larger cycle, and the number of its classes, which must not grow. The verbs name one another, as
     * those of ibverbs do. A channel, its socket, its provider and what opens and accepts channels are:
     * {@code java.nio} requires methods of all of them that return the others.
     */
    private static final Map<String, Integer> LARGER = Map.of(
            "io.verbena.verbs", 20,
            "io.verbena.sockets.nio", 12);

    private static final ClassGraph GRAPH = new ClassGraph(new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test") && !location.contains("-tests.jar"))
            .importPackages("io.verbena"));

    @Test
    void packages_haveNoCycles() {
        assertEquals(Set.of(), GRAPH.packageCycles());
    }

    @Test
    void cyclesOfClasses_areSmall() {
        Map<String, Set<String>> large = new TreeMap<>(GRAPH.knots(LARGEST));
        large.entrySet().removeIf(each -> each.getValue().size() <= LARGER.getOrDefault(each.getKey(), LARGEST));
        assertEquals(Map.of(), large);
        assertTrue(
                GRAPH.knots(LARGEST).keySet().containsAll(LARGER.keySet()),
                "a package without a large cycle is no exception");
    }
}
