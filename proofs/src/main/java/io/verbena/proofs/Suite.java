package io.verbena.proofs;

import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the published tests of others in this JVM, and prints a line for each test. Arguments: the beginning of the name of a jar of
 * the class path, a regular expression for the names of its classes.
 */
public final class Suite {

    /** Begins the line of a test that has passed; its name follows. */
    static final String PASSED = "test passed: ";

    /** Begins the line of a test that has failed or was not run; its name follows, then the reason. */
    static final String FAILED = "test failed: ";

    private Suite() {}

    public static void main(String[] arguments) {
        Set<Path> jars = Arrays.stream(
                        System.getProperty("java.class.path").split(System.getProperty("path.separator")))
                .map(Path::of)
                .filter(path -> path.getFileName().toString().startsWith(arguments[0]))
                .collect(Collectors.toSet());
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClasspathRoots(jars))
                .filters(includeClassNamePatterns(arguments[1]))
                .configurationParameter("junit.jupiter.execution.timeout.testable.method.default", "60 s")
                .build();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request, new Report(System.out));
        System.exit(0); // threads of the tests may be left
    }

    /** The name of a test without what differs from run to run. */
    private static String name(TestIdentifier test) {
        return test.getUniqueId().replaceAll("\\[(engine|class):", "[").replaceAll("@[0-9a-f]+|:\\d{4,5}\\b", "");
    }

    private record Report(PrintStream out) implements TestExecutionListener {

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
            if (test.isTest() || !passed) {
                out.println((passed ? PASSED : FAILED)
                        + name(test)
                        + result.getThrowable()
                                .map(reason -> " " + line(reason))
                                .orElse(""));
            }
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            out.println(FAILED + name(test) + " skipped: " + reason.replace('\n', ' '));
        }

        private static String line(Throwable reason) {
            return String.valueOf(reason).replace('\n', ' ');
        }
    }
}
