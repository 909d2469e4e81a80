package io.verbena.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.store.LocalName;
import io.verbena.tools.CliRun;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses and names of files mean the same to all commands, and each error says what to do. */
class AddressTest {

    @ParameterizedTest
    @CsvSource({
        "host, host, 5",
        "host:80, host, 80",
        "192.0.2.7, 192.0.2.7, 5",
        "192.0.2.7:80, 192.0.2.7, 80",
        "::1, ::1, 5",
        "[::1], ::1, 5",
        "[2001:db8::1]:80, 2001:db8::1, 80",
        "fe80::1%eth0, fe80::1%eth0, 5",
        "[fe80::1%eth0], fe80::1%eth0, 5",
        "[fe80::1%eth0.7]:80, fe80::1%eth0.7, 80",
        "::ffff:192.0.2.7, ::ffff:192.0.2.7, 5"
    })
    void peer_isParsed(String text, String host, int port) throws UsageProblem {
        assertEquals(new HostPort(host, port), HostPort.parse("HOST", text, 5));
        assertEquals(new HostPort(host, port), HostPort.listening("-l", text, 5));
    }

    @ParameterizedTest
    @CsvSource({":80, '', 80", "*:80, '', 80", "*, '', 5", ":0, '', 0"})
    void server_withoutHost_isEveryAddress(String text, String host, int port) throws UsageProblem {
        assertEquals(new HostPort(host, port), HostPort.listening("-l", text, 5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "host:", "host:x", "host:65536", "host:-1", "[::1", "::1]:5", "[]:5", ":5"})
    void peer_malformed_namesTheForms(String text) {
        UsageProblem problem = assertThrows(UsageProblem.class, () -> HostPort.parse("HOST", text, 5));
        assertTrue(
                String.valueOf(problem.getMessage()).contains("HOST:PORT such as 192.0.2.7:5"), problem.getMessage());
    }

    @Test
    void port_givenTwice_isRefusedUnlessEqual() throws UsageProblem {
        assertEquals(7, HostPort.parse("HOST", "h", Optional.of(7), 5).port());
        assertEquals(7, HostPort.parse("HOST", "h:7", Optional.of(7), 5).port());
        assertThrows(UsageProblem.class, () -> HostPort.parse("HOST", "h:8", Optional.of(7), 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ping %s",
                "ping -a %s",
                "ping -s -a %s",
                "pingpong rc %s",
                "perftest write_bw %s",
                "perf write_lat %s",
                "perf --server --listen %s",
                "serve -e pom.xml --listen %s",
                "cp --list %s"
            })
    void address_ofOneLink_needsItsInterface(String command) {
        assertRefused(command, "[fe80::1]:7", "on one link only: name the interface of the link after it");
        assertRefused(command, "[fe80::1%nope]:7", "the interface after the % must be one of this host: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ping %s", "pingpong rc %s", "perftest write_bw %s", "perf write_lat %s", "cp --list %s"})
    void peer_withPort_isReached(String command) {
        assertRefused(command, "127.0.0.1:1", "127.0.0.1:1");
    }

    @Test
    void host_unknown_isNamedWithoutItsPort() {
        assertRefused("ping %s", "verbena.invalid:1", "Unknown host 'verbena.invalid': check the name");
    }

    private static void assertRefused(String command, String address, String sentence) {
        CliRun run = CliRun.of(command.formatted(address).split(" "));
        assertEquals(ExitCode.FAILED, run.code(), run.err());
        assertTrue(run.err().contains(sentence), run.err());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"demo %s", "holes --svg %s", "serve -e %s", "info --capture %s", "fabric routes ring:4 --dump %s"
            })
    void name_notOfTheLocale_saysWhatToDo(String command) {
        CliRun run = CliRun.of(command.formatted("gr\ufffd\ufffdsse.bin").split(" "));
        assertEquals(ExitCode.USAGE, run.code(), run.err());
        assertTrue(run.err().contains("run the command with LC_ALL=C.UTF-8, or rename the file"), run.err());
    }

    @Test
    void name_ofCharacters_isAPath() throws FileServiceException {
        assertEquals("a/größe", LocalName.path("a/größe").toString());
        assertThrows(FileServiceException.class, () -> LocalName.path("a\0b"));
    }
}
