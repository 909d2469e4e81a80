package io.verbena.tools.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code verbena disk serve}, and the commands that change it while it runs. */
@Timeout(120)
class DiskServeCommandTest {
    private static final String NQN = "nqn.2026-01.org.example:disk";

    @TempDir
    private Path folder = Path.of(".");

    private Path file(String name, int bytes) throws IOException {
        return Files.write(folder.resolve(name), new byte[bytes]);
    }

    /** At an address that only this test uses, as RoCE has one port for an address. */
    private static CliRun serve(String... arguments) {
        List<String> all = new ArrayList<>(List.of("disk", "serve"));
        all.addAll(List.of(arguments));
        if (!all.contains("--address")) {
            all.addAll(List.of("--address", "127.0.0.91"));
        }
        if (!all.contains("--port")) {
            all.addAll(List.of("--port", "0"));
        }
        return CliRun.start(all.toArray(String[]::new));
    }

    private static CliRun disk(String... arguments) {
        List<String> all = new ArrayList<>(List.of("disk"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--server", String.valueOf(ProcessHandle.current().pid())));
        return CliRun.of(all.toArray(String[]::new));
    }

    private static String list() {
        CliRun list = CliRun.of("disk", "list");
        assertEquals(0, list.code(), list.err());
        return list.out();
    }

    private static void ends(CliRun server) {
        server.interrupt();
        assertEquals(0, server.code(), server.err());
    }

    private static String uuid(String json) {
        Matcher uuid = Pattern.compile("\"uuid\":\"([0-9a-f-]{36})\"").matcher(json);
        assertTrue(uuid.find(), json);
        return uuid.group(1);
    }

    @Test
    void serve_printsTheCommandForLinux_identitySurvivesARestart() throws Exception {
        Path file = folder.resolve("a.img");
        String[] uuids = new String[2];
        for (int i = 0; i < 2; i++) {
            try (CliRun server = serve(file + ":1M", "--nqn", NQN, "--provider", "iwarp")) {
                int port = server.port();
                assertTrue(
                        server.out()
                                .contains("\n  nvme connect -t rdma -a 127.0.0.91 -s " + port + " -n " + NQN + "\n"),
                        server.out());
                assertTrue(
                        server.out()
                                .contains(
                                        "Append --reconnect-delay 1 to use the disks again within seconds after a restart"
                                                + " of this server.\n"),
                        server.out());
                CliRun list = CliRun.of("disk", "list", "--json");
                uuids[i] = uuid(list.out());
                ends(server);
                assertTrue(server.err().contains("Stopped after 0 command(s)."), server.err());
            }
        }
        assertEquals(1 << 20, Files.size(file));
        assertEquals(uuids[0], uuids[1]);
    }

    @ParameterizedTest
    @CsvSource({"my disk.img, my-disk.img", "a/disk.img, b/disk.img", "\u4e2d.img, \u56fd.img"})
    void separateFiles_ofNamesThatAreCleanedAlike_areTwoSubsystems_theSameAfterARestart(String first, String second)
            throws Exception {
        for (String nqn : List.of("", NQN)) {
            List<Set<String>> names = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                List<String> arguments = new ArrayList<>(List.of("--separate", "--provider", "iwarp"));
                for (String name : List.of(first, second)) {
                    Path file = folder.resolve(name);
                    Files.createDirectories(file.getParent());
                    arguments.add(file + (Files.exists(file) ? "" : ":8192"));
                }
                if (!nqn.isEmpty()) {
                    arguments.addAll(List.of("--nqn", nqn));
                }
                try (CliRun server = serve(arguments.toArray(String[]::new))) {
                    server.port();
                    ends(server);
                    names.add(Pattern.compile("-n (nqn\\.[!-~]+)\n")
                            .matcher(server.out())
                            .results()
                            .map(each -> each.group(1))
                            .collect(Collectors.toSet()));
                }
            }
            assertEquals(2, names.getFirst().size(), names.toString());
            assertEquals(names.getFirst(), names.getLast());
        }
    }

    @Test
    void identity_isKeptBesideTheFile_andMovesWithIt() throws Exception {
        Path first = Files.createDirectory(folder.resolve("first"));
        Path file = Files.write(first.resolve("disk.img"), new byte[8192]);
        DiskIdentity before = DiskIdentity.of(new DiskSpec("disk", file, OptionalLong.empty()));
        Path second = folder.resolve("second");
        Files.move(first, second);
        DiskSpec moved = new DiskSpec("disk", second.resolve("disk.img"), OptionalLong.empty());
        assertEquals(before, DiskIdentity.of(moved));
        Files.writeString(second.resolve("disk.img.identity"), "nonsense");
        Failure refused = assertThrows(Failure.class, () -> DiskIdentity.of(moved));
        assertTrue(refused.toString().contains("does not contain the names of a disk"), refused.toString());
    }

    /** A container that has the file alone writes the other one into a layer of its own. */
    @Test
    void identity_isKeptInTheFileToo_whereTheFileSystemHasAttributes() throws Exception {
        Path file = file("disk.img", 8192);
        DiskSpec spec = new DiskSpec("disk", file, OptionalLong.empty());
        DiskIdentity before = DiskIdentity.of(spec);
        boolean attributes = new KeptIdentity(file).read().isPresent();
        Files.delete(folder.resolve("disk.img.identity"));
        assertEquals(attributes, before.equals(DiskIdentity.of(spec)));
        Path copy = Files.write(folder.resolve("copy.img"), Files.readAllBytes(file));
        DiskIdentity other = DiskIdentity.of(new DiskSpec("disk", copy, OptionalLong.empty()));
        assertTrue(!other.uuid().equals(before.uuid()), "a copy is another disk");
    }

    @Test
    void addedFile_ofTheNameOfAServedOne_isASubsystemOfItsOwn() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other")).resolve("a.img");
        try (CliRun server = serve(file("a.img", 8192).toString(), "--provider", "iwarp")) {
            server.port();
            CliRun added = disk("add", other + ":8192");
            assertEquals(0, added.code(), added.err());
            assertTrue(added.out().contains("The server has this disk until it ends"), added.out());
            String list = CliRun.of("disk", "list", "--json").out();
            assertEquals(
                    2,
                    Pattern.compile("\"nqn\":\"([^\"]+)\"")
                            .matcher(list)
                            .results()
                            .map(each -> each.group(1))
                            .collect(Collectors.toSet())
                            .size(),
                    list);
            ends(server);
        }
    }

    @Test
    void fileOfAnOddSize_isServedInBlocks_andTheRestIsReported() throws Exception {
        String nqn = "nqn.2026-01.org.example:a;b";
        try (CliRun server =
                serve(file("odd.img", 1300).toString(), "--provider", "iwarp", "--nqn", nqn, "--address", "::1")) {
            server.port();
            ends(server);
            assertTrue(server.err().contains("The last 276 bytes of "), server.err());
            assertTrue(server.out().contains(" -a ::1 -s "), server.out());
            assertTrue(server.out().contains(" -n '" + nqn + "'\n"), server.out());
        }
    }

    @Test
    void serve_severalFiles_areDisksOfOneSubsystem_orOfSeveral() throws Exception {
        String first = file("a.img", 4096).toString();
        String second = file("b.img", 8192).toString();
        try (CliRun server = serve(first, second, "--json", "--provider", "iwarp")) {
            server.port();
            ends(server);
            assertTrue(server.out().matches("(?s).*\"namespace\":1,.*a.img.*\"namespace\":2,.*b.img.*"), server.out());
            assertTrue(server.out().contains("\"ok\":true"), server.out());
        }
        try (CliRun server = serve(first, second, "--separate", "--nqn", NQN, "--provider", "iwarp")) {
            server.port();
            assertTrue(
                    server.out().contains(NQN + ":a.img\n") && server.out().contains(NQN + ":b.img\n"), server.out());
            ends(server);
        }
    }

    @Test
    void runningServer_disksAreAddedResizedListedAndRemoved() throws Exception {
        Path file = file("a.img", 1 << 20);
        try (CliRun server = serve("memory:1M", "--nqn", NQN, "--provider", "iwarp")) {
            server.port();
            String uuid = "01234567-89ab-cdef-0123-456789abcdef";
            CliRun add = disk("add", file.toString(), "--nqn", NQN + "2", "--uuid", uuid, "--allow", NQN, "--json");
            assertEquals(0, add.code(), add.err());
            assertTrue(add.out().contains("\"namespace\":\"1\"") && add.out().contains(uuid), add.out());
            assertTrue(list().contains("UUID " + uuid), list());
            CliRun resize = disk("resize", NQN + "2", "3M");
            assertEquals(0, resize.code(), resize.err());
            assertEquals(3 << 20, Files.size(file));
            assertTrue(list().contains("disk 1  3.0 MiB"), list());
            assertEquals(1, disk("resize", NQN + "2", "2M").code());
            assertTrue(disk("add", file.toString(), "--nqn", NQN + "3").err().contains("another server"));
            assertEquals(0, disk("remove", NQN + "2", "--disk", "1").code());
            assertEquals(0, disk("add", file.toString(), "--nqn", NQN + "3").code());
            assertEquals(0, disk("remove", NQN + "3").code());
            assertFalse(list().contains("a.img"), list());
            assertTrue(disk("remove", NQN + "3").err().contains("There is no subsystem"));
            ends(server);
        }
        assertTrue(disk("remove", NQN).err().contains("serves no disks"), "no server");
    }

    @Test
    void secondServer_ofOneFile_namesTheCause_andBothMayRead() throws Exception {
        String file = file("a.img", 4096).toString();
        try (CliRun server = serve(file, "--provider", "iwarp")) {
            server.port();
            CliRun second = serve(file, "--provider", "iwarp");
            assertEquals(1, second.code(), second.out());
            assertTrue(second.err().contains("another server has it as a disk"), second.err());
            assertEquals(1, second.err().lines().count(), second.err());
            ends(server);
        }
        try (CliRun server = serve(file, "--read-only", "--provider", "iwarp")) {
            server.port();
            ends(server);
        }
    }

    @Test
    void portInUse_namesTheOption() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.91"))) {
            CliRun run = serve("memory:1M", "--provider", "iwarp", "--port", String.valueOf(taken.getLocalPort()));
            assertEquals(1, run.code(), run.out());
            assertTrue(run.err().contains("Choose another address with --address or --port."), run.err());
        }
    }

    @Test
    void fileWithoutRights_namesTheRemedy() throws Exception {
        Path file = file("a.img", 4096);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
        CliRun run = serve(file.toString());
        if (Files.isWritable(file)) { // the superuser may write all files
            run.awaitErr("Listening at ");
            ends(run);
        } else {
            assertEquals(1, run.code());
            assertTrue(run.err().contains("or add --read-only"), run.err());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        missing.img                          | 1 | give a size to create it, such as
        missing.img --read-only              | 1 | There is no file
        .                                    | 1 | is a folder
        empty.img                            | 1 | is empty: give a size
        missing/deep.img:1M                  | 1 | There is no file
        a.img:x                              | 2 | is not a size
        :1M                                  | 2 | A disk is FILE or FILE:SIZE
        a.img:100                            | 2 | must be at least a block
        empty.img:1M --read-only             | 2 | leave the size out
        memory:1M --block 513                | 2 | --block must be 512, 1024, 2048 or 4096
        memory:1M --nqn disk                 | 2 | --nqn must be a name such as nqn.
        memory:1M --allow host               | 2 | --allow must be a name such as nqn.
        memory:1M --fault melt               | 2 | A fault is delay=MS or KIND
        memory:1M --fault lost-flush@1       | 2 | A flush concerns the whole disk
        memory:1M --fault read-error@1+0     | 2 | at least one block
        memory:1M --port 65536               | 2 | --port must be 0 to 65535
        memory:1M --address 1.2.3.4:5        | 2 | without a port
        memory:1M --memory 1M                | 2 | --memory must be 8 MiB or more
        memory:1M --interval 0               | 2 | --interval must be
        memory:1M --inline                   | 2 | --inline does not work for a server
        memory:1M memory:1M --record x       | 2 | --record is for one disk
        memory:1M --record empty.img         | 1 | exists already
        memory:1M --provider nonsense        | 1 | nonsense
        """)
    void badInput_isOneSentence(String arguments, int code, String sentence) throws Exception {
        file("empty.img", 0);
        String[] words = arguments.split(" +");
        for (int i = 0; i < words.length; i++) {
            if (words[i].matches("(missing|empty|\\.).*")) {
                words[i] = folder.resolve(words[i]).toString();
            }
        }
        CliRun run = serve(words);
        assertEquals(code, run.code(), run.err());
        assertTrue(run.err().contains(sentence), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        add                            | 2 | FILE
        add a --uuid x                 | 2 | --uuid
        add a --visible-to host        | 2 | --visible-to must be a name
        remove nqn.x --disk 257        | 2 | --disk must be
        resize nqn.x                   | 2 | SIZE
        resize nqn.x big               | 2 | is not a size
        resize nqn.x 1G --disk 0       | 2 | --disk must be
        list --server 1                | 2 | Unknown option
        """)
    void badInputOfAChange_isOneSentence(String arguments, int code, String sentence) {
        List<String> words = new ArrayList<>(List.of("disk"));
        words.addAll(List.of(arguments.split(" +")));
        CliRun run = CliRun.of(words.toArray(String[]::new));
        assertEquals(code, run.code(), run.err());
        assertTrue(run.err().contains(sentence), run.err());
    }
}
