package io.verbena.tools.connections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** C1, C3, C4: the life of a connection as the command line shows it. */
class ConnectionsCommandTest {

    @TempDir
    Path folder;

    private static String explain(String... events) {
        List<String> arguments = new ArrayList<>(List.of("connections", "explain"));
        arguments.addAll(List.of(events));
        CliRun run = CliRun.of(arguments.toArray(String[]::new));
        assertEquals(0, run.code(), run.err());
        return run.out();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a:disconnect | A is notified of CLOSE_COMPLETE | [IDLE, CLOSED]",
                "a:disconnect+b:disconnect | B is notified of CLOSE_COMPLETE | [IDLE, CLOSED]",
                "a:bad-key | A completes READ 1: REMOTE_ACCESS | [ERROR, FAILED]",
                "a:bad-key | B is notified of QP_ACCESS_ERROR | Terminate",
                "a:error | B is notified of CONNECTION_RESET | [ERROR, FAILED]",
                "a:close | B is notified of CONNECTION_RESET | [ERROR, FAILED]",
                "a:shutdown | B is notified of CLOSE_COMPLETE | [IDLE, CLOSED]",
                "b:die | A is notified of CONNECTION_RESET | [gone]",
                "b:vanish | A is notified of CONNECTION_LOST | [gone]",
                "reset | A is notified of CONNECTION_RESET | B is notified of CONNECTION_RESET",
            })
    void explain_event_showsWhatItBrings(String events, String first, String second) {
        String out = explain(events.strip());
        assertTrue(out.contains(first.strip()), out);
        assertTrue(out.contains(second.strip()), out);
    }

    @Test
    void explain_survive_showsTheResetOverWhichTheWorkGoesOn() {
        String out = explain("--survive", "a:write+reset", "b:migrate", "a:send", "a:disconnect");
        assertTrue(out.contains("A is notified of TRANSPORT_CHANGED"), out);
        assertTrue(out.contains("B is notified of TRANSPORT_CHANGED"), out);
        assertTrue(out.contains("A completes WRITE 1: SUCCESS"), out);
        assertTrue(out.contains("A completes SEND 2: SUCCESS"), out);
        assertFalse(out.contains("FAILED"), out);
        assertTrue(explain("a:migrate").contains("A is refused: "), out);
    }

    /** A completion comes with the frame that caused it, not with the end of a step of the command. */
    @Test
    void explain_read_completesWhenItsResponseArrives() {
        String out = explain("a:read");
        Matcher response = Pattern.compile("(?m)^ *([0-9,]+) .*ReadResponse").matcher(out);
        Matcher completion =
                Pattern.compile("(?m)^ *([0-9,]+) .*A completes READ").matcher(out);
        assertTrue(response.find() && completion.find(), out);
        double afterMicros = Double.parseDouble(completion.group(1).replace(",", ""))
                - Double.parseDouble(response.group(1).replace(",", ""));
        assertTrue(afterMicros >= 0 && afterMicros < 1000, out);
    }

    @Test
    void explain_work_showsFramesOfBothDirections() {
        String out = explain("a:read", "b:send", "time", "a:disconnect");
        assertTrue(out.contains("|-- ReadRequest"), out);
        assertTrue(out.contains(" ReadResponse"), out);
        assertTrue(out.contains("FIN --|"), out);
        // A minute of silence: keep-alive probes the peer, and no side was notified.
        assertTrue(out.lines().filter(line -> line.contains("ReadRequest")).count() > 1, out);
        assertFalse(out.contains("CONNECTION_LOST"), out);
    }

    @Test
    void explain_sameEvents_sameLadder() {
        assertEquals(explain("a:send+b:disconnect"), explain("a:send+b:disconnect"));
    }

    @Test
    void explain_svg_isDrawn() throws IOException {
        Path file = folder.resolve("ladder.svg");
        explain("a:bad-key", "--svg", file.toString());
        String svg = Files.readString(file);
        assertTrue(
                svg.startsWith("<svg")
                        && svg.contains("Terminate")
                        && svg.strip().endsWith("</svg>"),
                svg);
    }

    @Test
    void explain_json_isOneObject() {
        String out = explain("a:disconnect", "--json");
        assertTrue(out.startsWith("{\"ok\":true,\"events\":[\"a:disconnect\"],\"ladder\":["), out);
    }

    @Test
    void explain_unknownEvent_isAUsageProblem() {
        CliRun run = CliRun.of("connections", "explain", "a:dance");
        assertEquals(2, run.code());
        assertTrue(run.err().contains("There is no event 'a:dance'"), run.err());
    }

    @Test
    void upgrade_chatSwitchesAndCloses() {
        CliRun run = CliRun.of("upgrade");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("[TCP ] Alice: Hello Bob."), run.out());
        assertTrue(run.out().contains("[RDMA] Bob:"), run.out());
        assertTrue(run.out().contains("both sides are CLOSED and CLOSED"), run.out());
    }

    @Test
    void upgrade_declined_chatGoesOnOverTcp() {
        CliRun run = CliRun.of("upgrade", "--decline", "--json");
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("\"rdma\":false"), run.out());
    }
}
