package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Measures cycles of classes: the strongly connected components of the dependencies within each package. A class counts
 * together with the classes nested in it.
 */
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

    @Test
    void packages_classCycles_areSmall() {
        Map<String, Set<String>> large = new TreeMap<>();
        dependencies().forEach((name, classes) -> {
            Set<String> largest = largestCycle(classes);
            if (largest.size() > LARGEST) {
                large.put(name, largest);
            }
        });
        assertEquals(EXCEPTIONS, large, () -> "cycles of more than " + LARGEST + " classes");
    }

    @Test
    void cycle_throughThreeClasses_isFound() {
        Map<String, Set<String>> graph =
                Map.of("a", Set.of("b"), "b", Set.of("c", "d"), "c", Set.of("a"), "d", Set.of("e"), "e", Set.of("d"));
        assertEquals(Set.of("a", "b", "c"), largestCycle(graph));
    }

    /** By package, and by class in it: the classes of the same package that it uses. */
    private static Map<String, Map<String, Set<String>>> dependencies() {
        Map<String, Map<String, Set<String>>> packages = new TreeMap<>();
        for (JavaClass each : new ClassFileImporter()
                .withImportOption(location -> !location.contains("/test"))
                .importPackages("io.verbena")) {
            String own = outermost(each.getPackageName(), each.getName());
            Set<String> used = packages.computeIfAbsent(each.getPackageName(), any -> new HashMap<>())
                    .computeIfAbsent(own, any -> new HashSet<>());
            Stream.concat(
                            each.getDirectDependenciesFromSelf().stream()
                                    .map(dependency -> dependency
                                            .getTargetClass()
                                            .getBaseComponentType()
                                            .getName()),
                            inConstantPool(each))
                    .filter(target -> target.startsWith(each.getPackageName() + ".")
                            && target.lastIndexOf('.') == each.getPackageName().length())
                    .map(target -> outermost(each.getPackageName(), target))
                    .filter(target -> !target.equals(own))
                    .forEach(used::add);
        }
        return packages;
    }

    /** Classes that the class file names, among them those of casts, patterns and permitted subclasses. */
    private static Stream<String> inConstantPool(JavaClass type) {
        try (InputStream in = type.getSource().orElseThrow().getUri().toURL().openStream()) {
            List<String> names = new ArrayList<>();
            for (PoolEntry entry : ClassFile.of().parse(in.readAllBytes()).constantPool()) {
                if (entry instanceof ClassEntry named) {
                    names.add(named.asInternalName().replaceAll("^\\[+L|;$", "").replace('/', '.'));
                }
            }
            return names.stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String outermost(String packageName, String type) {
        String name = type.substring(packageName.length() + 1);
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static Set<String> largestCycle(Map<String, Set<String>> graph) {
        Map<String, Set<String>> reached = new HashMap<>();
        graph.keySet().forEach(from -> reached.put(from, reachedFrom(from, graph)));
        Collection<Set<String>> cycles = graph.keySet().stream()
                .map(from -> {
                    Set<String> cycle = new HashSet<>(reached.getOrDefault(from, Set.of()));
                    cycle.removeIf(to -> !reached.getOrDefault(to, Set.of()).contains(from));
                    return cycle;
                })
                .toList();
        return cycles.stream().max(Comparator.comparingInt(Set::size)).orElse(Set.of());
    }

    private static Set<String> reachedFrom(String from, Map<String, Set<String>> graph) {
        Set<String> seen = new HashSet<>(List.of(from));
        Deque<String> open = new ArrayDeque<>(seen);
        while (!open.isEmpty()) {
            graph.getOrDefault(open.remove(), Set.of()).stream()
                    .filter(seen::add)
                    .forEach(open::add);
        }
        return seen;
    }
}
