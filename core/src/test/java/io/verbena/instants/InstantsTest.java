package io.verbena.instants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.JavacTask;
import io.verbena.Modules;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No module orders instants by value: a clock may start just before its number wraps around. */
@Tag("sources")
class InstantsTest {

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    @Test
    void everyModule_ordersInstantsByDifference() throws IOException {
        List<Path> sources = Modules.mainSources();
        assertTrue(sources.size() > 300, "all modules are read, not only " + sources.size() + " files");
        try (StandardJavaFileManager files = COMPILER.getStandardFileManager(null, null, null)) {
            InstantInference inference = inference(files.getJavaFileObjectsFromPaths(sources));
            SortedSet<String> violations = inference.violations();
            assertTrue(inference.known() > 200, "instants are recognized: " + inference.known());
            assertTrue(
                    violations.isEmpty(),
                    () -> "compare instants with io.verbena.base.Times:\n" + String.join("\n", violations));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "boolean f(long a) { long t = System.nanoTime() + a; return t < a; }",
                "long f(long nowNs) { long a = nowNs; return Math.min(a, 5); }",
                "long x; void f() { x = System.nanoTime(); } boolean g(long y) { return y >= x; }",
                "long f() { return System.nanoTime() + 5; } boolean g(long y) { return y > f(); }",
                "void f(long nowNs) { g(nowNs + 1); } boolean g(long y) { return y > 5; }",
                "record R(long t) {} R f(long nowNs) { return new R(nowNs); } boolean g(R r) { return r.t() > 5; }",
                "long nextDeadlineNs() { return 0; } long f(long a) { return Math.max(a, nextDeadlineNs()); }",
                "int f(java.util.function.LongSupplier clock) { return Long.compare(clock.getAsLong(), 0); }",
                "record R(long wakeAtNs) {} Object f() { return java.util.Comparator.comparingLong(R::wakeAtNs); }",
                "long[] t = new long[4]; void f() { t[0] = System.nanoTime(); } boolean g() { return t[1] < t[0]; }",
                "boolean f(long nowNs, long a) { return nowNs - a < System.nanoTime(); }",
                "boolean f(long nowNs) { return nowNs - 5 < 0; }",
                "boolean f(long nowNs, long endNs) { return (endNs == 0 ? nowNs : endNs) < 5; }",
            })
    void instants_comparedByValue_areFound(String body) {
        assertEquals(1, violations(body).size());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "boolean f(long nowNs, long startNs) { return nowNs - System.nanoTime() < 5; }",
                "boolean f(long deadlineNs) { return deadlineNs == Long.MAX_VALUE; }",
                "long f(long nowNs, long deadlineNs) { return Math.min(deadlineNs - nowNs, 5); }",
                "boolean f(long nowNs, java.util.Map<String, Long> m) { long a = m.get(null); return nowNs - a < 0; }",
                "boolean f(long timeoutNs) { return timeoutNs > 0; }",
            })
    void durations_comparedByValue_areNotFound(String body) {
        assertEquals(0, violations(body).size());
    }

    private static SortedSet<String> violations(String body) {
        JavaFileObject source = new SimpleJavaFileObject(URI.create("string:///T.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreErrors) {
                return "class T { " + body + " }";
            }
        };
        return inference(List.of(source)).violations();
    }

    private static InstantInference inference(Iterable<? extends JavaFileObject> sources) {
        // What other modules' libraries declare is unknown here and no clock: errors about it do not matter.
        JavacTask task = (JavacTask) COMPILER.getTask(
                null, null, error -> {}, List.of("-proc:none", "--should-stop=ifError=FLOW"), null, sources);
        try {
            List<CompilationUnitTree> units = new ArrayList<>();
            task.parse().forEach(units::add);
            task.analyze();
            return new InstantInference(task, units);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
