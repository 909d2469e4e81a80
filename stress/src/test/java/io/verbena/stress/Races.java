package io.verbena.stress;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.infra.StateCase;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.SpinLoopStyle;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * All races of this module, one after the other in this JVM; jcstress itself starts a JVM for each. The argument is the time for
 * each in milliseconds. Prints a line for each, and exits with 1 if one had a forbidden outcome.
 */
final class Races {

    /** What a race may occupy: a quarter of the heap that jcstress gives its JVMs. */
    private static final int FOOTPRINT_MB = 64;

    /** Outcomes of a race at least. On a busy machine the threads of a race wait for each other, and it runs several times for them. */
    private static final long OUTCOMES = 4_000;

    private static final int RUNS = 4;

    private static final int STRIDE = 256;
    private static final int STRIDES = 8;

    private Races() {}

    public static void main(String... args) throws Exception {
        int timeMs = Integer.parseInt(args[0]);
        int passed = 0;
        List<String> names = TestList.tests().stream().sorted().toList();
        for (String name : names) {
            TestInfo race = TestList.getInfo(name);
            long outcomes = 0;
            boolean good = true;
            for (int run = 0; run < RUNS && good && outcomes < OUTCOMES; run++) {
                TestResult result = run(race, timeMs);
                good = passes(race, result);
                outcomes += result.getTotalCount();
                System.out.println((good ? "passed " : "FAILED ") + name + " " + outcomes(race, result));
            }
            passed += good ? 1 : 0;
        }
        System.out.println(passed + " of " + names.size() + " passed");
        System.exit(passed == names.size() ? 0 : 1);
    }

    private static boolean passes(TestInfo race, TestResult result) {
        return result.status() == Status.NORMAL
                && result.getTotalCount() > 0
                && result.getStateKeys().stream().allMatch(outcome -> expectation(race, outcome) != Expect.FORBIDDEN);
    }

    private static TestResult run(TestInfo race, int timeMs) throws IOException, ReflectiveOperationException {
        Object runner = Class.forName(race.generatedRunner())
                .getConstructor(ForkedTestConfig.class)
                .newInstance(config(race, timeMs));
        return ((Runner<?>) runner).run();
    }

    /**
     * As it comes from jcstress's own process. A thread that waits for the others of its race yields: it need not take the processor
     * from them if the tests of other modules have the second one.
     */
    private static ForkedTestConfig config(TestInfo race, int timeMs) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(SpinLoopStyle.THREAD_YIELD.ordinal());
        out.writeInt(timeMs);
        out.writeInt(1); // iterations
        out.writeUTF(race.generatedRunner());
        out.writeInt(FOOTPRINT_MB);
        out.writeInt(STRIDE);
        out.writeInt(STRIDES);
        out.writeBoolean(false); // no affinity
        return new ForkedTestConfig(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
    }

    /** By jcstress's rules: an outcome that is named, then a pattern, then the case without a name. */
    private static Expect expectation(TestInfo race, String outcome) {
        return race.cases().stream()
                .filter(known -> known.matchesExactly(outcome))
                .findFirst()
                .or(() -> race.cases().stream()
                        .filter(known -> known.matches(outcome))
                        .findFirst())
                .map(StateCase::expect)
                .orElseGet(() -> race.unmatched().expect());
    }

    private static String outcomes(TestInfo race, TestResult result) {
        StringBuilder text = new StringBuilder(result.status().toString());
        for (String outcome : result.getStateKeys().stream().sorted().toList()) {
            text.append("; ").append(outcome).append(": ").append(result.getCount(outcome));
            text.append(' ').append(expectation(race, outcome));
        }
        result.getMessages().forEach(line -> text.append(System.lineSeparator()).append(line));
        return text.toString();
    }
}
