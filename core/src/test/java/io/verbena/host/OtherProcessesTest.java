package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.base.RandomSource;
import io.verbena.host.segment.HostSharedMemory;
import io.verbena.host.system.BufferedRandom;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.TransportType;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Processes of other users and namespaces, and a process without native access. They need the rights of the superuser. */
@EnabledOnOs(OS.LINUX)
class OtherProcessesTest {

    private static final String OTHER_USER = "65534";

    @BeforeAll
    static void needsSuperuser() throws Exception {
        assumeTrue(HostSharedMemory.owner(Path.of("/proc/self")).equals(0)
                && new ProcessBuilder("unshare", "-m", "-n", "true").start().waitFor() == 0);
    }

    private static Process start(List<String> before, Class<?> program, boolean nativeAccess, Object... arguments)
            throws IOException {
        return OtherJvm.start(before, List.of(OtherJvm.nativeAccess(nativeAccess)), program, arguments);
    }

    private static void end(Process process) throws InterruptedException {
        process.destroyForcibly().waitFor(20, TimeUnit.SECONDS);
    }

    // Another namespace.

    /** Listens at a given port, connects to itself there, and prints what carries the connection. */
    static final class SamePort {

        private SamePort() {}

        public static void main(String[] arguments) throws IOException {
            try (Rnic rnic = RnicProvider.named("auto").open(RnicOptions.defaults());
                    Listener listener = rnic.listen(StreamProbe.loopback(Integer.parseInt(arguments[0])))) {
                System.out.println(connectToOwnListener(rnic, listener));
                int _ = System.in.read();
                System.out.println(connectToOwnListener(rnic, listener));
            }
        }
    }

    /** Connects to a listener of the same RNIC, which must be what the name of the port leads to. */
    private static TransportType connectToOwnListener(Rnic rnic, Listener listener) throws IOException {
        Site near = new Site(rnic);
        Site far = new Site(rnic);
        var opening = rnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
        var accepted = listener.nextRequest(Site.PATIENCE)
                .orElseThrow()
                .startAccept(far.queuePair, ConnectionOptions.defaults());
        opening.awaitEstablished(Site.PATIENCE);
        accepted.awaitEstablished(Site.PATIENCE);
        Site.exchange(near, far, 100_000, 1);
        return opening.transport();
    }

    @Test
    void onePortInTwoNetworkNamespaces_eachConnectsToItsOwnListener() throws Exception {
        try (Rnic rnic = RnicProvider.named("auto").open(RnicOptions.defaults());
                Listener listener = rnic.listen(StreamProbe.loopback(0))) {
            int port = ((InetSocketAddress) listener.localAddress()).getPort();
            Process other = start(
                    List.of("unshare", "-n", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"),
                    SamePort.class,
                    true,
                    port);
            try (BufferedReader lines = other.inputReader()) {
                assertEquals("SHARED_MEMORY", lines.readLine());
                assertEquals(TransportType.SHARED_MEMORY, connectToOwnListener(rnic, listener));
                listener.close();
                other.outputWriter().append('\n').flush();
                assertEquals("SHARED_MEMORY", lines.readLine());
            } finally {
                end(other);
            }
        }
    }

    // Another user.

    /** Listens with each provider, prints the ports, and accepts everything. */
    static final class OtherUser {

        private OtherUser() {}

        public static void main(String[] arguments) throws IOException {
            try (Rnic chooses = RnicProvider.named("auto").open(RnicOptions.defaults());
                    Rnic requires = RnicProvider.named("shm").open(RnicOptions.defaults());
                    Listener first = chooses.listen(StreamProbe.loopback(0));
                    Listener second = requires.listen(StreamProbe.loopback(0))) {
                System.out.println(((InetSocketAddress) first.localAddress()).getPort());
                System.out.println(((InetSocketAddress) second.localAddress()).getPort());
                first.nextRequest(Site.PATIENCE).orElseThrow().accept(new Site(chooses).queuePair);
                int _ = System.in.read();
            }
        }
    }

    @Test
    void otherUser_isReachedOverTcp_andRefusedWithTheReason() throws Exception {
        Process other = start(
                List.of("setpriv", "--reuid=" + OTHER_USER, "--regid=" + OTHER_USER, "--clear-groups"),
                OtherUser.class,
                true);
        try (BufferedReader lines = other.inputReader();
                Rnic chooses = RnicProvider.named("auto").open(RnicOptions.defaults());
                Rnic requires = RnicProvider.named("shm").open(RnicOptions.defaults())) {
            String port = lines.readLine();
            assumeTrue(port != null, "the other user may not read the classes");
            InetSocketAddress first = StreamProbe.loopback(Integer.parseInt(port));
            InetSocketAddress second = StreamProbe.loopback(Integer.parseInt(lines.readLine()));
            assertEquals(
                    TransportType.IWARP,
                    chooses.connect(new Site(chooses).queuePair, first).transport());
            Site site = new Site(requires);
            String refused = assertThrows(ConnectionException.class, () -> requires.connect(site.queuePair, second))
                    .toString();
            assertTrue(refused.contains("same user"), refused);
            HostSharedMemory memory = new HostSharedMemory(new BufferedRandom());
            String theirs = assertThrows(IOException.class, () -> memory.open(other.pid(), 0, 4096))
                    .toString();
            assertTrue(theirs.contains("it belongs to another user"), theirs);
            String region = assertThrows(
                            IOException.class,
                            () -> memory.blocks()
                                    .open(other.pid(), 0, 4096, 1, 1)
                                    .close())
                    .toString();
            assertTrue(region.contains("it belongs to another user"), region);
        } finally {
            end(other);
        }
    }

    // No native access, and a file system that is almost full.

    /** Truncates the memory of a connection that is in use, then needs more memory than there is. */
    static final class WithoutNativeAccess {

        private static final int ROUNDS = 20;

        private WithoutNativeAccess() {}

        public static void main(String[] arguments) throws Exception {
            Truncating memory = new Truncating(new BufferedRandom());
            RnicOptions small = RnicOptions.defaults().withIwarp(it -> it.withSocketBufferBytes(64 * 1024));
            try (Rnic rnic = SteppedMemory.open(small, memory, true)) {
                for (int round = 0; round < ROUNDS; round++) {
                    Echo near = new Echo(rnic, false);
                    Echo far = new Echo(rnic, false);
                    Site.connect(near.site, far.site);
                    near.begin();
                    Thread other = Thread.ofPlatform().start(far::awaitFailure);
                    while (near.messages < 50 * (round + 1)) {
                        near.echoes();
                    }
                    memory.truncate();
                    near.awaitFailure();
                    other.join();
                }
                Site near = new Site(rnic);
                Site far = new Site(rnic);
                Site.connect(near, far);
                Site.exchange(near, far, 100_000, 1);
                System.out.println("survived " + ROUNDS);
                System.out.println(full());
                Site.exchange(near, far, 100_000, 2);
            }
            System.out.println("files " + files());
        }

        /** What a connection says that is larger than the file system. */
        private static String full() throws IOException {
            try (Rnic rnic = RnicProvider.named("shm").open(RnicOptions.defaults());
                    Listener listener = rnic.listen(StreamProbe.loopback(0))) {
                Site site = new Site(rnic);
                return assertThrows(
                                ConnectionException.class, () -> rnic.connect(site.queuePair, listener.localAddress()))
                        .toString();
            }
        }

        private static String files() throws IOException {
            try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
                return files.map(Path::toString).collect(Collectors.joining(" "));
            }
        }
    }

    /** Keeps a descriptor of the last memory that was created, as a hostile peer does. */
    private static final class Truncating extends HostSharedMemory {
        private Optional<FileChannel> last = Optional.empty();

        Truncating(RandomSource random) {
            super(random);
        }

        @Override
        public synchronized Mapped create(int bytes) throws IOException {
            Mapped mapped = super.create(bytes);
            last = Optional.of(FileChannel.open(Path.of("/proc/self/fd/" + mapped.handle()), StandardOpenOption.WRITE));
            return mapped;
        }

        synchronized void truncate() throws IOException {
            try (FileChannel file = last.orElseThrow()) {
                file.truncate(0);
            }
        }
    }

    @Test
    void noNativeAccess_truncatedMemoryOrFullFileSystem_failsTheConnectionOnly() throws Exception {
        Process other = start(
                List.of(
                        "unshare",
                        "-m",
                        "sh",
                        "-c",
                        "mount -t tmpfs -o size=1800k tmpfs /dev/shm && exec \"$@\"",
                        "sh"),
                WithoutNativeAccess.class,
                false);
        try (BufferedReader lines = other.inputReader()) {
            assertEquals("survived " + WithoutNativeAccess.ROUNDS, lines.readLine());
            String full = lines.readLine();
            assertTrue(full.contains("enlarge /dev/shm"), full);
            assertEquals("files ", lines.readLine());
            assertEquals(0, other.waitFor());
        } finally {
            end(other);
        }
    }
}
