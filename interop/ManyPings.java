import io.verbena.tools.command.Terminal;
import io.verbena.tools.Verbena;
import io.verbena.tools.base.StopSignal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Runs one verbena command many times in one JVM, which after a few is as fast as it gets: {@code ManyPings TIMES
 * COMMAND ARGUMENTS...}. Gives up after five failures. The last line of standard output is for people; the exit code is 0
 * if every run's was.
 */
final class ManyPings {

    private static final int MOST_FAILURES = 5;

    private ManyPings() {}

    public static void main(String[] arguments) {
        int times = Integer.parseInt(arguments[0]);
        String[] command = Arrays.copyOfRange(arguments, 1, arguments.length);
        double[] ms = new double[times];
        int failed = 0;
        int done = 0;
        while (done < times && failed < MOST_FAILURES) {
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            PrintStream stream = new PrintStream(said, true, StandardCharsets.UTF_8);
            long startNs = System.nanoTime();
            int code = Verbena.run(new Terminal(stream, stream, false, false), new StopSignal(), command);
            ms[done++] = (System.nanoTime() - startNs) / 1e6;
            if (code != 0) {
                failed++;
                System.err.printf(
                        "run %d ended with %d after %.0f ms: %s%n",
                        done, code, ms[done - 1], said.toString(StandardCharsets.UTF_8).strip());
            }
        }
        Arrays.sort(ms, 0, done);
        System.out.printf(
                "%d of %d went well, median %.0f ms, slowest %.0f ms%n",
                done - failed, done, ms[done / 2], ms[done - 1]);
        System.exit(failed == 0 ? 0 : 1);
    }
}
