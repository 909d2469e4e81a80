package io.verbena.proofs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The tests of a {@link Suite} in one run.
 *
 * @param passed names of the tests that have passed
 * @param failed the others, with the reason
 * @param testimony what has carried the connections
 * @param ends the connections both of whose ends were ours
 */
public record Results(TreeSet<String> passed, Map<String, String> failed, Testimony testimony, Ends ends) {

    /** Runs the tests in a JVM of their own and ends it. */
    public static Results of(Carrier carrier, Path directory, List<String> options, String jar, String classes)
            throws Exception {
        Path recording = Files.createTempFile(directory, "connections-", ".jfr");
        try (Running suite = new Program(carrier, directory)
                .with("-Dio.netty.testsuite.badHost=127.0.0.1", "-Dio.netty.testsuite.badPort=9")
                .with(options.toArray(String[]::new))
                .with(Ends.recorder(recording).toArray(String[]::new))
                .start(Suite.class.getName(), jar, classes)) {
            List<String> output = suite.awaitSuccess();
            return of(output, suite.testimony(), Ends.of(recording));
        }
    }

    private static Results of(List<String> output, Testimony testimony, Ends ends) {
        Results results = new Results(new TreeSet<>(), new TreeMap<>(), testimony, ends);
        for (String line : output) {
            if (line.startsWith(Suite.PASSED)) {
                results.passed.add(line.substring(Suite.PASSED.length()));
            } else if (line.startsWith(Suite.FAILED)) {
                String rest = line.substring(Suite.FAILED.length());
                int end = (rest + " ").indexOf(' ', rest.lastIndexOf(']'));
                results.failed.put(rest.substring(0, Math.min(end, rest.length())), rest);
            }
        }
        return results;
    }

    /**
     * Requires that all tests have passed that pass over the provider of the JDK.
     *
     * @param excluded parts of names of tests to leave out; why is said where they are listed
     */
    public void requireAllOf(Results jdk, List<String> excluded) {
        if (jdk.passed.isEmpty()) {
            throw new AssertionError("no test has passed over the provider of the JDK: " + jdk.failed.values());
        }
        TreeSet<String> missing = new TreeSet<>(jdk.passed);
        missing.removeAll(passed);
        missing.removeIf(name -> excluded.stream().anyMatch(name::contains));
        if (!missing.isEmpty()) {
            StringBuilder text = new StringBuilder(missing.size() + " of " + jdk.passed.size() + " tests:");
            missing.forEach(name -> text.append("\n  ").append(failed.getOrDefault(name, name + " was not run")));
            throw new AssertionError(text);
        }
    }
}
