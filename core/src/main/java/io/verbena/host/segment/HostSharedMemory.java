package io.verbena.host.segment;

import io.verbena.base.RandomSource;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.host.system.Machine;
import io.verbena.host.system.Sentences;
import io.verbena.host.system.Unmapping;
import io.verbena.shm.SharedMemory;
import io.verbena.text.AddressText;
import io.verbena.verbs.IwarpOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Memory shared by processes of one user on one Linux host. A process creates a file that has no name, and the other one opens it
 * as {@code /proc/PID/fd/N}, which the system permits to the same user only, within one namespace of processes. So nothing
 * remains in the file system when either side is killed.
 *
 * <p>With native access the file is a memfd whose size is sealed and whose pages come into being when they are first used.
 * Without it, the file is created in {@code /dev/shm}, removed at once, and filled, because a file system that is full would
 * make an access fail. A process that is killed between the first two calls leaves an empty file, which the next RNIC removes.
 */
public class HostSharedMemory implements SharedMemory {

    /** System property; the value {@code private} keeps regions in memory of this process only. */
    private static final String REGIONS = "io.verbena.regions";

    private static final Path FOLDER = Path.of("/dev/shm");
    private static final Path PROCESSES = Path.of("/proc");
    private static final Path OWN_DESCRIPTORS = Path.of("/proc/self/fd");
    private static final String PREFIX = "verbena-";
    private static final String ANONYMOUS = "/memfd:verbena";
    private static final int PAGE_BYTES = 64 * 1024;

    private final RandomSource random;
    private final SharedRegions regions;

    /** Without memory at first. */
    public HostSharedMemory(RandomSource random) {
        this(random, new SharedRegions(random, !System.getProperty(REGIONS, "").equals("private")));
    }

    /**
     * Without memory at first.
     *
     * @param options whether peers access regions directly, and how short ones
     */
    public HostSharedMemory(RandomSource random, IwarpOptions options) {
        this(
                random,
                new SharedRegions(
                        random,
                        !System.getProperty(REGIONS, "").equals("private"),
                        options.direct() ? options.leastDirectBytes() : SharedRegions.LEAST_BYTES));
    }

    /** With regions that are made elsewhere. */
    public HostSharedMemory(RandomSource random, SharedRegions regions) {
        this.random = random;
        this.regions = regions;
    }

    /** Memory for regions, which peers can read. */
    @Override
    public SharedRegions blocks() {
        return regions;
    }

    /** Why this machine has no memory to share, one sentence; empty if it has. */
    public static String unavailable() {
        return Machine.LINUX && Files.isDirectory(FOLDER) && Files.isDirectory(OWN_DESCRIPTORS)
                ? ""
                : "Shared memory needs Linux with /proc and /dev/shm; use the provider iwarp.";
    }

    // Creating.

    @Override
    public Mapped create(int bytes) throws IOException {
        return uninterrupted(Machine.obstacleToLinux().isEmpty() ? () -> sealed(bytes) : () -> removed(bytes));
    }

    /** Work with file channels, which an interrupt of the thread would close. */
    @FunctionalInterface
    private interface FileWork {
        Mapped run() throws IOException;
    }

    private static Mapped uninterrupted(FileWork work) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                interrupted |= Thread.interrupted();
                try {
                    return work.run();
                } catch (ClosedByInterruptException e) {
                    interrupted = true; // in between: once more
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Mapped sealed(int bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            int fd = check(Linux.memoryFile(state, arena.allocateFrom("verbena")), "memfd_create");
            boolean done = false;
            try (FileChannel file = FileChannel.open(
                    OWN_DESCRIPTORS.resolve(Integer.toString(fd)), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                check(Linux.size(state, fd, bytes), "ftruncate");
                check(Linux.sealSize(state, fd), "fcntl");
                Mapped mapped = map(file, bytes, fd, () -> closeDescriptor(fd));
                done = true;
                return mapped;
            } finally {
                if (!done) {
                    Linux.close(state, fd);
                }
            }
        }
    }

    private static int check(int outcome, String call) throws IOException {
        if (outcome < 0) {
            throw LinuxSockets.exception(-outcome, call);
        }
        return outcome;
    }

    private static void closeDescriptor(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            Linux.close(Linux.newState(arena), fd);
        }
    }

    @SuppressWarnings("resource") // the peer needs the descriptor until it has opened the file
    private Mapped removed(int bytes) throws IOException {
        Path path = FOLDER.resolve(
                PREFIX + ProcessHandle.current().pid() + "-" + HexFormat.of().toHexDigits(random.nextLong()));
        Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        FileChannel file;
        try {
            file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } finally {
            Files.delete(path);
        }
        boolean done = false;
        try {
            fill(file, bytes);
            Mapped mapped = map(file, bytes, descriptor(path), () -> close(file));
            done = true;
            return mapped;
        } finally {
            if (!done) {
                close(file);
            }
        }
    }

    private static void close(FileChannel file) {
        try {
            file.close();
        } catch (IOException e) {
            // The system releases the descriptor in any case.
        }
    }

    /** Writes every page: memory that the system does not have is missed here, and not when it is used. */
    private static void fill(FileChannel file, int bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(PAGE_BYTES);
        try {
            for (int at = 0; at < bytes; at += zeros.position()) {
                file.write(zeros.clear().limit(Math.min(PAGE_BYTES, bytes - at)), at);
            }
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(
                    "the system has no " + bytes + " bytes of shared memory for a connection (" + Sentences.reason(e)
                            + "); enlarge /dev/shm or request smaller rings with the option socketBufferBytes",
                    e);
        }
    }

    /** The descriptor of a file that has been removed, which the JDK does not expose. */
    private static int descriptor(Path path) throws IOException {
        String wanted = path + " (deleted)";
        try (DirectoryStream<Path> open = Files.newDirectoryStream(OWN_DESCRIPTORS)) {
            for (Path each : open) {
                if (wanted.equals(target(each))) {
                    return Integer.parseInt(each.getFileName().toString());
                }
            }
        }
        throw new IOException("the system does not show the descriptor of a file of this process");
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    // Opening.

    @Override
    public Mapped open(long process, int handle, int bytes) throws IOException {
        if (process <= 0 || handle < 0) {
            throw new IOException("the peer names no process");
        }
        Path folder = PROCESSES.resolve(Long.toString(process));
        Path link = folder.resolve("fd").resolve(Integer.toString(handle));
        try {
            return uninterrupted(() -> openOwn(folder, link, handle, bytes));
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    "the memory of process " + process + " cannot be opened: " + Sentences.reason(e)
                            + ". Both processes must belong to the same user and the same namespace of processes",
                    e);
        }
    }

    private static Mapped openOwn(Path folder, Path link, int handle, int bytes) throws IOException {
        if (!owner(folder).equals(owner(PROCESSES.resolve("self")))) {
            throw new IOException("it belongs to another user");
        }
        // Opening a file of another kind may already have an effect.
        String target = Files.readSymbolicLink(link).toString();
        if (!target.startsWith(ANONYMOUS)
                && !target.startsWith(FOLDER.resolve(PREFIX).toString())) {
            throw new IOException("it is not shared memory");
        }
        return Machine.obstacleToLinux().isEmpty() && target.startsWith(ANONYMOUS)
                ? openSealed(link, handle, bytes)
                : openFile(link, handle, bytes);
    }

    private static Mapped openFile(Path link, int handle, int bytes) throws IOException {
        try (FileChannel file = FileChannel.open(link, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (file.size() != bytes) {
                throw new IOException("it has " + file.size() + " bytes and not " + bytes);
            }
            return map(file, bytes, handle, () -> {});
        }
    }

    /** Through a descriptor of this process, so that what is checked is what is mapped. */
    private static Mapped openSealed(Path link, int handle, int bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            int fd = check(Linux.open(state, arena.allocateFrom(link.toString())), "openat");
            try {
                if (!Linux.keepsItsSize(state, fd)) {
                    throw new IOException("its size is not sealed");
                }
                return openFile(OWN_DESCRIPTORS.resolve(Integer.toString(fd)), handle, bytes);
            } finally {
                Linux.close(state, fd);
            }
        }
    }

    public static Object owner(Path process) throws IOException {
        return Files.getAttribute(process, "unix:uid");
    }

    private static Mapped map(FileChannel file, int bytes, int handle, Runnable release) throws IOException {
        Arena arena = Arena.ofShared();
        boolean done = false;
        try {
            ByteBuffer memory =
                    file.map(MapMode.READ_WRITE, 0, bytes, arena).asByteBuffer().order(ByteOrder.nativeOrder());
            HostMapped hostMapped = new HostMapped(arena, memory, handle, release);
            done = true;
            return hostMapped;
        } finally {
            if (!done) {
                arena.close();
            }
        }
    }

    /** Mapped memory, and the descriptor by which the peer opens it. */
    private static final class HostMapped implements Mapped {
        private final Arena arena;
        private final ByteBuffer memory;
        private final int handle;
        private final Runnable release;
        private boolean released;
        private boolean closed;

        HostMapped(Arena arena, ByteBuffer memory, int handle, Runnable release) {
            this.arena = arena;
            this.memory = memory;
            this.handle = handle;
            this.release = release;
        }

        @Override
        public ByteBuffer bytes() {
            return memory;
        }

        @Override
        public long process() {
            return ProcessHandle.current().pid();
        }

        @Override
        public int handle() {
            return handle;
        }

        @Override
        public void shared() {
            if (!released) {
                released = true;
                release.run();
            }
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                shared();
                Unmapping.later(arena); // an engine closes it
            }
        }
    }

    // Where.

    @Override
    public Optional<String> obstacle(SocketAddress remote) {
        if (remote instanceof InetSocketAddress inet && !inet.isUnresolved() && !ofThisHost(inet.getAddress())) {
            return Optional.of("Cannot connect to " + AddressText.of(remote)
                    + ": the provider shm reaches processes of this host only; use the provider iwarp.");
        }
        return Optional.empty();
    }

    private static boolean ofThisHost(InetAddress address) {
        try {
            return address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /** Removes the files of processes that were killed while they created one. */
    public static void sweep() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(FOLDER, PREFIX + "*")) {
            for (Path file : files) {
                String[] parts = file.getFileName().toString().split("-", -1);
                if (parts.length == 3 && dead(parts[1])) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            // Files of other users are theirs to remove.
        }
    }

    private static boolean dead(String process) {
        return process.matches("[0-9]{1,18}")
                && ProcessHandle.of(Long.parseLong(process)).isEmpty();
    }
}
