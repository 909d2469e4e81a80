package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SideBySideTest {

    private static final int USAGE = 2;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(CommandLine command, String... arguments) {
        return command.setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    @Test
    void help_teaches() {
        assertEquals(0, run(SideBySide.commandLine(), "--help"));
        assertTrue(out.toString().contains("--quick") && out.toString().contains("Examples:"), out.toString());
        assertEquals(0, run(Profile.commandLine(), "--help"));
    }

    @Test
    void tooFewPairs_isUsage() {
        assertEquals(USAGE, run(SideBySide.commandLine(), "--pairs", "2"));
        assertTrue(err.toString().startsWith("--pairs must be 3 to 101, not 2."), err.toString());
    }

    @Test
    void onlyWithoutMatch_isUsage() {
        assertEquals(USAGE, run(SideBySide.commandLine(), "--only", "no such row"));
        assertTrue(err.toString().contains("matches no row"), err.toString());
    }

    @Test
    void onlyThatIsNoExpression_isUsage() {
        assertEquals(USAGE, run(SideBySide.commandLine(), "--only", "("));
        assertTrue(err.toString().contains("no regular expression"), err.toString());
    }

    @Test
    void profileWithoutTime_isUsage() {
        assertEquals(USAGE, run(Profile.commandLine(), "--seconds", "0"));
    }
}
