package io.verbena.live;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** Asks the processes of this user for what they publish. */
public final class LiveProcesses {

    private static final int MOST_BYTES = 16 << 20;

    /** Processes that are asked at the same time: one that does not answer delays few others. */
    static final int AT_A_TIME = 16;

    private LiveProcesses() {}

    static String name(String kind, long pid) {
        return kind + '-' + pid;
    }

    /**
     * The answer of one process; empty if there is no such process, or it does not answer within the time limit.
     *
     * @throws IOException if a folder cannot be read
     */
    public static Optional<String> ask(String kind, long pid, String request, Duration patience) throws IOException {
        for (Path folder : RunFolder.existing()) {
            Path file = folder.resolve(name(kind, pid));
            Optional<String> answer = Files.exists(file) ? ask(pid, file, request, patience) : Optional.empty();
            if (answer.isPresent()) {
                return answer;
            }
        }
        return Optional.empty();
    }

    /**
     * The answers of all processes by their numbers. A process that does not answer within the time limit, or that ends meanwhile, is
     * missing.
     *
     * @param kind what the processes publish
     * @throws IOException if a folder cannot be read
     */
    public static SortedMap<Long, String> ask(String kind, String request, Duration patience) throws IOException {
        SortedMap<Long, Path> files = published(kind + '-');
        Map<Long, String> texts = new ConcurrentHashMap<>();
        Semaphore places = new Semaphore(AT_A_TIME);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            files.forEach((pid, file) -> threads.execute(() -> {
                places.acquireUninterruptibly();
                try {
                    ask(pid, file, request, patience).ifPresent(text -> texts.put(pid, text));
                } finally {
                    places.release();
                }
            }));
        }
        return new TreeMap<>(texts);
    }

    private static SortedMap<Long, Path> published(String prefix) throws IOException {
        SortedMap<Long, Path> found = new TreeMap<>();
        for (Path folder : RunFolder.existing()) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, prefix + "*")) {
                for (Path file : files) {
                    String number = file.getFileName().toString().substring(prefix.length());
                    if (number.matches("[0-9]{1,10}")) {
                        found.put(Long.parseLong(number), file);
                    }
                }
            }
        }
        return found;
    }

    private static Optional<String> ask(long pid, Path file, String request, Duration patience) {
        try (SocketChannel process = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            process.connect(UnixDomainSocketAddress.of(file));
            Exchange.write(process, request);
            return Exchange.read(process, patience, MOST_BYTES).filter(text -> !text.isEmpty());
        } catch (ConnectException e) {
            removeAfterDeath(pid, file);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // the process is ending
        }
    }

    /** A process that was killed leaves its file. One that lives may be about to listen, or to replace the file of an earlier life. */
    private static void removeAfterDeath(long pid, Path file) {
        if (ProcessHandle.of(pid).isPresent()) {
            return;
        }
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            return; // it will be found again, and be as useless
        }
    }
}
