package io.verbena;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Which of our classes uses which, and cycles of that. A class counts together with the classes nested in it. */
public final class ClassGraph {

    private final Map<String, Set<String>> uses = new TreeMap<>();

    /** Of these classes, by the signatures and bodies of their class files. */
    public ClassGraph(Iterable<JavaClass> classes) {
        for (JavaClass each : classes) {
            Set<String> used = uses.computeIfAbsent(outermost(each.getName()), _ -> new TreeSet<>());
            Stream.concat(
                            each.getDirectDependenciesFromSelf().stream()
                                    .map(dependency -> dependency
                                            .getTargetClass()
                                            .getBaseComponentType()
                                            .getName()),
                            inConstantPool(each))
                    .map(ClassGraph::outermost)
                    .forEach(used::add);
        }
        uses.forEach((own, used) -> used.removeIf(name -> name.equals(own) || !uses.containsKey(name)));
    }

    /** The cycles within packages that have more than this many classes, by package: their simple names. */
    public Map<String, Set<String>> knots(int most) {
        Map<String, Map<String, Set<String>>> packages = new TreeMap<>();
        uses.forEach((own, used) -> {
            Set<String> near = new TreeSet<>(used);
            near.removeIf(name -> !packageOf(name).equals(packageOf(own)));
            packages.computeIfAbsent(packageOf(own), _ -> new TreeMap<>()).put(own, near);
        });
        Map<String, Set<String>> large = new TreeMap<>();
        packages.forEach((name, classes) -> cycles(classes).stream()
                .filter(cycle -> cycle.size() > most)
                .forEach(cycle -> cycle.forEach(type ->
                        large.computeIfAbsent(name, _ -> new TreeSet<>()).add(type.substring(name.length() + 1)))));
        return large;
    }

    /** The cycles of packages. */
    public Set<Set<String>> packageCycles() {
        Map<String, Set<String>> packages = new TreeMap<>();
        uses.forEach((own, used) -> {
            Set<String> others = packages.computeIfAbsent(packageOf(own), _ -> new TreeSet<>());
            used.stream()
                    .map(ClassGraph::packageOf)
                    .filter(name -> !name.equals(packageOf(own)))
                    .forEach(others::add);
        });
        return cycles(packages);
    }

    /** The strongly connected components with more than one element. */
    static Set<Set<String>> cycles(Map<String, Set<String>> graph) {
        Map<String, Set<String>> reached = new TreeMap<>();
        graph.keySet().forEach(from -> reached.put(from, reachedFrom(from, graph)));
        Set<Set<String>> cycles = new HashSet<>();
        graph.keySet().forEach(from -> {
            Set<String> cycle = new TreeSet<>(reached.getOrDefault(from, Set.of()));
            cycle.removeIf(to -> !reached.getOrDefault(to, Set.of()).contains(from));
            if (cycle.size() > 1) {
                cycles.add(cycle);
            }
        });
        return cycles;
    }

    private static Collection<String> next(String from, Map<String, Set<String>> graph) {
        return graph.getOrDefault(from, Set.of());
    }

    private static Set<String> reachedFrom(String from, Map<String, Set<String>> graph) {
        Set<String> seen = new HashSet<>(List.of(from));
        Deque<String> open = new ArrayDeque<>(seen);
        while (!open.isEmpty()) {
            next(open.remove(), graph).stream().filter(seen::add).forEach(open::add);
        }
        return seen;
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

    private static String outermost(String type) {
        int nested = type.indexOf('$');
        return nested < 0 ? type : type.substring(0, nested);
    }

    private static String packageOf(String type) {
        return type.substring(0, type.lastIndexOf('.'));
    }
}
