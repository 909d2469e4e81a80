package io.verbena.live;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PublicationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir
    private Path folder = Path.of(".");

    private final List<String> notes = new ArrayList<>();
    private final Consumer<String> note = notes::add;

    @Test
    void text_isReadByOthers_untilClosed() throws Exception {
        String text = "figures ".repeat(100_000);
        long own = ProcessHandle.current().pid();
        try (Publication publication = Publication.open("test", _ -> text, note)) {
            assertEquals(
                    Optional.of(text),
                    Optional.ofNullable(LiveProcesses.ask("test", "", PATIENCE).get(own)));
            assertTrue(
                    Files.exists(RunFolder.make(note).resolve(LiveProcesses.name("test", own))), publication::toString);
        }
        assertFalse(LiveProcesses.ask("test", "", PATIENCE).containsKey(own));
        assertFalse(Files.exists(RunFolder.make(note).resolve(LiveProcesses.name("test", own))));
    }

    @Test
    void request_isAnswered_byTheProcessNamed() throws Exception {
        long own = ProcessHandle.current().pid();
        String request = "request ".repeat(1000);
        try (Publication publication = Publication.open("test", text -> text.toUpperCase(Locale.ROOT), note)) {
            assertEquals(
                    Optional.of(request.toUpperCase(Locale.ROOT)), LiveProcesses.ask("test", own, request, PATIENCE));
            assertEquals(Optional.empty(), LiveProcesses.ask("other", own, request, PATIENCE), publication::toString);
            assertEquals(Optional.empty(), LiveProcesses.ask("test", own, request.repeat(9), PATIENCE));
        }
    }

    @Test
    void processWasKilled_itsSocketIsRemoved() throws Exception {
        Path file = RunFolder.make(note).resolve(LiveProcesses.name("test", 4_999_999_999L));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(file));
        }
        assertTrue(Files.exists(file));
        assertFalse(LiveProcesses.ask("test", "", PATIENCE).containsKey(4_999_999_999L));
        assertFalse(Files.exists(file));
    }

    /** Publications of one process replace each other while others ask: the latest one is always found. */
    @Test
    void latestPublication_isFound_whileOthersAsk_andEarlierOnesEnd() throws Exception {
        long own = ProcessHandle.current().pid();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> asking = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            asking.add(Thread.ofPlatform().start(() -> {
                while (!over.get()) {
                    assertDoesNotThrow(() -> LiveProcesses.ask("latest", "", PATIENCE));
                }
            }));
        }
        Optional<Publication> earlier = Optional.empty();
        try {
            for (int i = 0; i < 300; i++) {
                String text = "number " + i;
                Publication latest = Publication.open("latest", _ -> text, note);
                earlier.ifPresent(Publication::close);
                earlier = Optional.of(latest);
                assertEquals(Optional.of(text), LiveProcesses.ask("latest", own, "", PATIENCE));
                if (i % 2 == 0) {
                    latest.close();
                }
            }
        } finally {
            earlier.ifPresent(Publication::close);
            over.set(true);
            for (Thread each : asking) {
                each.join();
            }
        }
        assertEquals(Optional.empty(), LiveProcesses.ask("latest", own, "", PATIENCE));
    }

    /** Each of the processes answers when all have been asked. */
    @Test
    void manyProcesses_areAskedAtTheSameTime() throws Exception {
        int count = LiveProcesses.AT_A_TIME;
        CountDownLatch asked = new CountDownLatch(count);
        List<ServerSocketChannel> processes = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                ServerSocketChannel process = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                processes.add(process);
                process.bind(UnixDomainSocketAddress.of(
                        RunFolder.make(note).resolve(LiveProcesses.name("together", 4_999_999_900L + i))));
                Thread.ofPlatform().daemon().start(() -> answerTogether(process, asked));
            }
            assertEquals(count, LiveProcesses.ask("together", "", PATIENCE).size());
        } finally {
            for (ServerSocketChannel process : processes) {
                Path file = ((UnixDomainSocketAddress) process.getLocalAddress()).getPath();
                process.close();
                Files.deleteIfExists(file);
            }
        }
    }

    private static void answerTogether(ServerSocketChannel process, CountDownLatch asked) {
        try (SocketChannel reader = process.accept()) {
            asked.countDown();
            asked.await();
            Exchange.write(reader, "text");
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void processDoesNotAnswer_othersAreRead() throws Exception {
        Path file = RunFolder.make(note).resolve(LiveProcesses.name("test", 4_999_999_998L));
        try (ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                Publication publication = Publication.open("test", _ -> "text", note)) {
            silent.bind(UnixDomainSocketAddress.of(file));
            Map<Long, String> texts = LiveProcesses.ask("test", "", Duration.ofSeconds(2));
            assertFalse(texts.containsKey(4_999_999_998L), publication::toString);
            assertEquals("text", texts.get(ProcessHandle.current().pid()));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private RunFolder folders(String session) throws IOException {
        return RunFolder.of(folder, name -> name.equals("XDG_RUNTIME_DIR") ? session : null);
    }

    private static Path directory(Path at, String permissions) throws IOException {
        return Files.createDirectory(
                at, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions)));
    }

    private static int user(Path file) throws IOException {
        return (int) Files.getAttribute(file, "unix:uid");
    }

    @Test
    void folder_isOfTheSession_elseOfTheNumberOfTheUser() throws Exception {
        Path numbered = folder.resolve("verbena-" + user(folder));
        assertEquals(numbered, folders("").create(note));
        assertEquals(numbered, folders("/a/folder/that/is/missing").create(note));
        assertEquals(numbered, folders("relative").create(note));
        Path session = Files.createDirectory(folder.resolve("session"));
        assertEquals(session.resolve("verbena"), folders(session.toString()).create(note));
        assertEquals(
                List.of(session.resolve("verbena"), numbered),
                folders(session.toString()).found());
        assertEquals(List.of(), notes);
    }

    /** As another user can make it who knows the name: a directory, a file, or a link to a directory of this user. */
    @ParameterizedTest
    @ValueSource(strings = {"directory", "file", "link"})
    void folderOfOthers_isNotUsed_andAPrivateOneIs(String kind) throws Exception {
        Path numbered = folder.resolve("verbena-" + user(folder));
        switch (kind) {
            case "directory" -> directory(numbered, "rwxrwxrwx");
            case "file" -> Files.createFile(numbered);
            default -> Files.createSymbolicLink(numbered, directory(folder.resolve("own"), "rwx------"));
        }
        Path own = folders("").create(note);
        assertTrue(folders("").trusted(own), own::toString);
        assertEquals(folder, own.getParent());
        assertEquals(own, folders("").create(note), "the next process uses the same");
        assertEquals(List.of(own), folders("").found());
        assertEquals(2, notes.size());
        assertTrue(
                notes.getFirst().contains(numbered.toString())
                        && notes.getFirst().contains(own.toString()),
                notes::toString);
    }

    @Test
    void folderThatCannotBeCreated_isAnException() {
        assertThrows(
                IOException.class,
                () -> RunFolder.of(folder.resolve("missing"), _ -> null).create(note));
    }

    @Test
    void folderOpenToOthers_isNotTrusted() throws Exception {
        RunFolder folders = folders("");
        assertFalse(folders.trusted(directory(folder.resolve("open"), "rwxr-xr-x")));
        Path own = directory(folder.resolve("own"), "rwx------");
        assertTrue(folders.trusted(own));
        assertFalse(folders.trusted(Files.createSymbolicLink(folder.resolve("link"), own)));
        assertFalse(folders.trusted(folder.resolve("missing")));
    }
}
