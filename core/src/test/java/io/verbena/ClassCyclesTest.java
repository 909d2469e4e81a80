package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Measures cycles of classes: the strongly connected components of the dependencies within each package. A class counts
 * together with the classes nested in it.
 */
@Tag("sources")
class ClassCyclesTest {

    /** Largest cycle that a package may have. */
    private static final int LARGEST = 8;

    /**
     * The one exception: the objects of the public verbs name one another, as those of ibverbs and rdma_cm do. An RNIC
     * creates them and they return it; a queue pair returns its domain, CQs and connection; a reliable datagram domain its contexts; work names regions and
     * windows; the attributes of a queue pair contain its CQs and its domain. They are interfaces and records without
     * logic, so nothing can be cut except what a program asks for. The set is exact: it must not grow unnoticed.
     */
    private static final Map<String, Set<String>> EXCEPTIONS = Map.of(
            "io.verbena.verbs",
            Set.of(
                    "CompletionCursor",
                    "CompletionGroup",
                    "CompletionQueue",
                    "Connection",
                    "ConnectionListener",
                    "ConnectionRequest",
                    "CqHandler",
                    "EndToEndContext",
                    "Listener",
                    "MemoryRegion",
                    "MemoryWindow",
                    "ProtectionDomain",
                    "QueuePair",
                    "QueuePairAttributes",
                    "QueuePairOptions",
                    "ReliableDatagramDomain",
                    "Rnic",
                    "RnicProvider",
                    "SharedReceiveQueue",
                    "WorkRequest"));

    private static final ClassGraph GRAPH = new ClassGraph(new ClassFileImporter()
            .withImportOption(location -> !location.contains("/test"))
            .importPackages("io.verbena"));

    @Test
    void packages_classCycles_areSmall() {
        assertEquals(EXCEPTIONS, GRAPH.knots(LARGEST), () -> "cycles of more than " + LARGEST + " classes");
    }

    @Test
    void packages_haveNoCycles() {
        assertEquals(Set.of(), GRAPH.packageCycles());
    }

    @Test
    void cycle_throughThreeClasses_isFound() {
        Map<String, Set<String>> graph =
                Map.of("a", Set.of("b"), "b", Set.of("c", "d"), "c", Set.of("a"), "d", Set.of("e"), "e", Set.of("f"));
        assertEquals(Set.of(Set.of("a", "b", "c")), ClassGraph.cycles(graph));
    }
}
