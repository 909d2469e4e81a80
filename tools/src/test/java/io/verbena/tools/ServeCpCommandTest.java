package io.verbena.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code verbena serve} and {@code verbena cp} as people type them. */
class ServeCpCommandTest {

    private static final int LENGTH = 3_000_000;

    @TempDir
    private Path folder = Path.of(".");

    private Path file(String name) throws IOException {
        byte[] bytes = new byte[LENGTH];
        new Random(1).nextBytes(bytes);
        return Files.write(folder.resolve(name), bytes);
    }

    private static CliRun serve(String... exports) {
        List<String> arguments = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
        for (String export : exports) {
            arguments.addAll(List.of("--export", export));
        }
        return CliRun.start(arguments.toArray(String[]::new));
    }

    private static CliRun cp(String... arguments) {
        List<String> all = new ArrayList<>(List.of("cp", "--timeout", "30"));
        all.addAll(List.of(arguments));
        return CliRun.of(all.toArray(String[]::new));
    }

    private static void assertFails(String sentence, CliRun run) {
        assertEquals(1, run.code(), run.out());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--engine-thread", "--inline", "--crc", "--no-verify"})
    void cp_bothWays_copiesAndSaysSo(String option) throws Exception {
        Path source = file("a.bin");
        Path inbox = folder.resolve("in.bin");
        try (CliRun server = serve(source.toString(), "inbox=" + inbox + ":rw:3M")) {
            String at = "127.0.0.1:" + server.port();
            Path target = Files.createDirectory(folder.resolve("to"));
            CliRun fetch = cp(option, at + "/a.bin", target.toString());
            assertEquals(0, fetch.code(), fetch.err());
            assertEquals("", fetch.err());
            assertTrue(fetch.out().startsWith(at + "/a.bin to " + target + "/a.bin: 2.9 MiB in "), fetch.out());
            assertEquals(-1, Files.mismatch(source, target.resolve("a.bin")));
            CliRun store = cp(option, source.toString(), at + "/inbox");
            assertEquals(0, store.code(), store.err());
            assertEquals(-1, Files.mismatch(source, inbox));
            server.interrupt();
            assertEquals(0, server.code(), server.err());
            assertTrue(server.out().contains("a.bin  2.9 MiB, read-only  " + source), server.out());
            assertTrue(server.out().contains("inbox  for writing up to 3.0 MiB  " + inbox), server.out());
            assertTrue(server.err().contains("'inbox' was stored: 3000000 bytes."), server.err());
            assertTrue(server.err().matches("(?s).*Stopped after \\d+ connection\\(s\\)\\.\n"), server.err());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--no-verify", "--crc"})
    void servePageable_fileThatDoesNotFitIntoTheFrames_isCopiedExactly(String option) throws Exception {
        Path source = file("a.bin");
        try (CliRun server = CliRun.start(
                "serve", "--listen", "127.0.0.1:0", "--pageable", "--frames", "1MiB", "--export", source.toString())) {
            Path target = folder.resolve("b.bin");
            CliRun fetch = cp(option, "127.0.0.1:" + server.port() + "/a.bin", target.toString());
            assertEquals(0, fetch.code(), fetch.err());
            assertEquals(-1, Files.mismatch(source, target));
            server.interrupt();
            assertEquals(0, server.code(), server.err());
        }
    }

    private static CliRun servePaged(Path... files) {
        List<String> arguments =
                new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0", "--pageable", "--frames", "1MiB"));
        for (Path file : files) {
            arguments.addAll(List.of("--export", file.toString()));
        }
        return CliRun.start(arguments.toArray(String[]::new));
    }

    @Test
    void servePageable_fileSixteenTimesTheFrames_overSeveralConnectionsAndTwice_isExact() throws Exception {
        byte[] bytes = new byte[16 << 20];
        new Random(2).nextBytes(bytes);
        Path source = Files.write(folder.resolve("large.bin"), bytes);
        try (CliRun server = servePaged(source)) {
            String from = "127.0.0.1:" + server.port() + "/large.bin";
            CliRun other = CliRun.start(
                    "cp", "--timeout", "30", from, folder.resolve("c.bin").toString());
            CliRun fetch =
                    cp("--connections", "4", from, folder.resolve("b.bin").toString());
            // It ends well only if the sums of both sides agree.
            assertEquals(0, fetch.code(), fetch.err());
            assertEquals(0, other.code(), other.err());
            assertEquals(-1, Files.mismatch(source, folder.resolve("b.bin")));
            assertEquals(-1, Files.mismatch(source, folder.resolve("c.bin")));
            server.interrupt();
            assertEquals(0, server.code(), server.err());
        }
    }

    @Test
    void servePageable_figures_tellOfTheFrames() throws Exception {
        Path source = file("a.bin");
        try (CliRun server = CliRun.start(
                "serve", "--json", "--pageable", "--frames", "1MiB", "-l", "127.0.0.1:0", "-e", source.toString())) {
            CliRun fetch = cp(
                    "127.0.0.1:" + server.port() + "/a.bin", folder.resolve("b").toString());
            assertEquals(0, fetch.code(), fetch.err());
            server.interrupt();
            assertEquals(0, server.code(), server.err());
            Matcher figures = Pattern.compile("\"frames\":(\\d+).*\"pagesFetched\":(\\d+)")
                    .matcher(server.out());
            assertTrue(figures.find(), server.out());
            // Every page of the file went through the pool, whose frames do not hold the file at once.
            assertTrue(Long.parseLong(figures.group(2)) > Long.parseLong(figures.group(1)), server.out());
        }
        try (CliRun server = CliRun.start("serve", "--json", "-l", "127.0.0.1:0", "-e", source.toString())) {
            server.port();
            server.interrupt();
            assertEquals(0, server.code(), server.err());
            assertFalse(server.out().contains("frames"), server.out());
        }
    }

    @Test
    void cp_json_isOneObject() throws Exception {
        Path source = file("a.bin");
        CliRun server = CliRun.start("serve", "--json", "-l", "127.0.0.1:0", "-e", source.toString());
        CliRun fetch = cp(
                "--json",
                "127.0.0.1:" + server.port() + "/a.bin",
                folder.resolve("b").toString());
        assertEquals(0, fetch.code(), fetch.err());
        assertTrue(fetch.out().startsWith("{\"ok\":true,\"source\":\"127.0.0.1:"), fetch.out());
        assertTrue(fetch.out().contains("\"bytes\":3000000,\"movedBytes\":3000000,\"zeroBytes\":0"), fetch.out());
        assertTrue(fetch.out().contains("\"verified\":true"), fetch.out());
        assertEquals(1, fetch.out().lines().count());
        server.interrupt();
        assertEquals(0, server.code());
        assertTrue(server.out().contains("\"exports\":[{\"name\":\"a.bin\""), server.out());
        assertTrue(server.out().contains("\"openedForReading\":"), server.out());
        assertEquals(1, server.out().lines().count());
    }

    @Test
    void cp_onATerminal_drawsABar() throws Exception {
        Path source = file("a.bin");
        try (CliRun server = serve(source.toString())) {
            CliRun fetch = CliRun.onTerminal(
                    "cp",
                    "127.0.0.1:" + server.port() + "/a.bin",
                    folder.resolve("b").toString());
            assertEquals(0, fetch.code(), fetch.err());
            assertTrue(fetch.err().contains("Fetching         ["), fetch.err());
        }
    }

    @Test
    void cp_ontoAFileThatIsThere_replacedOrRefused() throws Exception {
        Path source = file("a.bin");
        Path target = Files.writeString(folder.resolve("b"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), target);
        try (CliRun server = serve(source.toString())) {
            String remote = "127.0.0.1:" + server.port() + "/a.bin";
            assertFails("'" + target + "' exists already, and -n was given.", cp("-n", remote, target.toString()));
            assertEquals("old", Files.readString(target));
            assertEquals(0, cp(remote, link.toString()).code());
            assertTrue(Files.isSymbolicLink(link));
            assertEquals(-1, Files.mismatch(source, target));
            assertFails("'/dev/null' is not a regular file and cannot be replaced.", cp(remote, "/dev/null"));
            assertFails("There is no folder '" + folder + "/none'", cp(remote, folder + "/none/b"));
            assertFails("cannot be the name of a file in", cp(remote + "/..", folder.toString()));
        }
    }

    @Test
    void cp_list_namesWhatIsOffered() throws Exception {
        Path source = file("a.bin");
        try (CliRun server = serve(source.toString(), "x=" + source + ":rw")) {
            CliRun list = cp("--list", "127.0.0.1:" + server.port());
            assertEquals("     2.9 MiB  ro  a.bin\n     2.9 MiB  rw  x\n", list.out());
            CliRun json = cp("--list", "--json", "127.0.0.1:" + server.port());
            assertTrue(json.out().contains("{\"name\":\"x\",\"bytes\":3000000,\"writable\":true}"), json.out());
        }
    }

    @Test
    void cp_whatCannotBe_oneSentence() throws Exception {
        Path source = file("a.bin");
        try (CliRun server = serve(source.toString())) {
            String at = "127.0.0.1:" + server.port();
            assertFails("verbena cp: There is no file 'b' on offer; offered: 'a.bin'.", cp(at + "/b", folder + "/t"));
            assertFails("verbena cp: The file 'a.bin' is offered read-only", cp(source.toString(), at + "/a.bin"));
            assertFails("There is no file '" + folder + "/none'.", cp(folder + "/none", at + "/a.bin"));
            assertFails("'" + folder + "' is not a regular file.", cp(folder.toString(), at + "/a.bin"));
            assertFalse(Files.exists(folder.resolve("t.part")));
        }
    }

    @Test
    void cp_nobodyThere_saysWhatToDo() throws Exception {
        CliRun ping = CliRun.start("ping", "--server", "-a", "127.0.0.1", "-p", "0");
        String at = "127.0.0.1:" + ping.port();
        assertFails("There is no file server at this address", cp(at + "/a.bin", folder + "/t"));
        ping.code();
        assertFails("'verbena serve' starts a server there.", cp("--retry-for", "0", at + "/a.bin", folder + "/t"));
    }

    @Test
    void cp_serverNotUpYet_waitsForIt() throws Exception {
        Path source = file("a.bin");
        int port;
        try (CliRun first = serve(source.toString())) {
            port = first.port();
            first.interrupt();
            first.code();
        }
        CliRun fetch = CliRun.start("cp", "127.0.0.1:" + port + "/a.bin", folder + "/t");
        fetch.awaitErr("No server listens at 127.0.0.1:" + port + " yet; trying again for 30 s (--retry-for).");
        try (CliRun server = CliRun.start("serve", "--listen", "127.0.0.1:" + port, "-e", source.toString())) {
            assertEquals(0, fetch.code(), fetch.err());
            assertEquals(-1, Files.mismatch(source, folder.resolve("t")));
            server.interrupt();
            server.code();
        }
    }

    @Test
    void cp_interruptedWhileItWaitsForAServer_ends() throws Exception {
        CliRun fetch = CliRun.start("cp", "--retry-for", "1000", "127.0.0.1:1/a.bin", folder + "/t");
        fetch.awaitErr("No server listens at 127.0.0.1:1 yet");
        fetch.interrupt();
        assertEquals(1, fetch.code());
        assertTrue(fetch.err().contains("Stopped before the end"), fetch.err());
    }

    @Test
    void cp_hostileServer_itsTextCannotSteerTheTerminal() throws Exception {
        String nasty = "\u001b]0;title\u0007\u009b31m\u202eevil\u2066\n\rEND";
        for (String option : new String[] {"-q", "--debug"}) {
            try (ScriptedFileServer server = ScriptedFileServer.refusing(nasty)) {
                CliRun fetch = cp(option, server.address() + "/a.bin", folder + "/t");
                assertEquals(1, fetch.code());
                assertTrue(fetch.err().contains("?]0;title??31m?evil???END"), fetch.err());
                assertHarmless(fetch.err());
            }
        }
        try (ScriptedFileServer server = ScriptedFileServer.listing(1, nasty)) {
            CliRun list = cp("--list", server.address());
            assertEquals("         5 B  ro  ?]0;title??31m?evil???END\n", list.out());
            assertHarmless(cp("--list", "--json", server.address()).out());
        }
    }

    private static void assertHarmless(String text) {
        assertTrue(
                text.chars().allMatch(c -> c == '\n' || c == '\t' || c >= 0x20 && c < 0x7f || c > 0x9f && c < 0x2000),
                text);
    }

    @Test
    void cpList_inventedEntriesWithoutEnd_cut() throws Exception {
        try (ScriptedFileServer server = ScriptedFileServer.listing(Integer.MAX_VALUE, "x")) {
            CliRun list = cp("--list", server.address());
            assertEquals(0, list.code(), list.err());
            assertEquals(10_000, list.out().lines().count());
            assertTrue(list.err().contains("The list is cut after 10,000 names"), list.err());
        }
    }

    @Test
    void cp_serverThatRegistersTooLittleOrClaimsTooMuch_saysWhatIsWrong() throws Exception {
        try (ScriptedFileServer server = ScriptedFileServer.opening(100, 99)) {
            assertFails(
                    "The server registered 99 bytes of memory for a file of 100 bytes, so the rest is out of reach.",
                    cp(server.address() + "/a", folder + "/t"));
        }
        try (ScriptedFileServer server = ScriptedFileServer.opening(Long.MAX_VALUE, Long.MAX_VALUE)) {
            assertFails(
                    "The server says that the file has 9223372036854775807 bytes, and at most 1125899906842624 can be"
                            + " copied.",
                    cp(server.address() + "/a", folder + "/t"));
        }
    }

    @Test
    void serve_whatCannotBe_oneSentence() throws Exception {
        Path source = file("a.bin");
        assertFails("There is no file '" + folder + "/none'.", CliRun.of("serve", "-e", folder + "/none"));
        assertFails("FILE:rw:SIZE creates one", CliRun.of("serve", "-e", folder + "/none:rw"));
        assertFails("is a folder and cannot be offered; name a file in it.", CliRun.of("serve", "-e", "x=" + folder));
        assertFails(
                "Two files on offer have the name 'a.bin'",
                CliRun.of("serve", "-e", source.toString(), "-e", source.toString()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        serve                              | Missing required option: '--export=FILE'
        serve -e a -l h:99999              | --listen must be a HOST or HOST:PORT such as
        serve -e a:ro:5                    | gives a size to a read-only file
        serve -e a:rw:5x                   | '5x' is not a size
        serve -e /                         | '' cannot be the name of an offered file
        serve -e a --inline                | --inline does not work for a server
        serve -e a --max-connections 0     | --max-connections must be 1 to 10000
        serve -e a --idle 0                | --idle must be 0.001 seconds or more
        cp                                 | Missing required parameter: 'FILE'
        cp h:1/a                           | cp needs a source and a target
        cp h:1/a h:1/b                     | put ./ in front of a local file that has such a name
        cp a b                             | Either the source or the target must be HOST:PORT/NAME
        cp --list a                        | --list HOST:PORT
        cp h:1 b                           | The source has no file name: write HOST:PORT/NAME
        cp -n a h:1/b                      | --no-clobber applies to a fetch only
        cp -u h:1/b a                      | --update applies to a store only
        cp h:1/a b --connections 0         | --connections must be 1 to 64, not 0
        cp h:1/a b --chunk 1k              | --chunk must be 4 KiB to 16 MiB, not 1024
        cp h:1/a b --depth 61              | --depth must be 1 to 60, not 61
        cp h:1/a b --sparse maybe          | expected one of [AUTO, NEVER]
        cp h:1/a b --inline --capture x    | use only one of the two options
        """)
    void wrongArguments_oneSentenceAndExitCode2(String arguments, String sentence) {
        CliRun run = CliRun.of(arguments.strip().split(" +"));
        assertEquals(2, run.code(), run.err());
        assertEquals("", run.out());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
    }

    /** A name and a length that the disk has; a client never came. */
    @Test
    void serve_spaceNotUsed_isReservedAtOnceAndGivenBack() throws Exception {
        Path inbox = folder.resolve("reserved");
        Files.writeString(inbox, "before");
        try (CliRun server = serve("inbox=" + inbox + ":rw:256M")) {
            server.port();
            assertEquals(256 << 20, Files.size(inbox));
            server.interrupt();
            assertEquals(0, server.code(), server.err());
        }
        assertEquals("before", Files.readString(inbox));
    }
}
