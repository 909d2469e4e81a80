package io.verbena.live;

import io.verbena.verbs.Figures;
import io.verbena.verbs.Rnic;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The RNICs of this process as other processes of its user find them, among them {@code verbena web} and {@code verbena top}. From the
 * first RNIC on until the last one is closed there is a socket, and a thread that waits until another process asks.
 */
public final class LiveRnics {

    /** Under which {@link LiveProcesses} finds the figures. */
    public static final String KIND = "figures";

    /** System property: {@code false} hides the RNICs of a process. */
    public static final String PROPERTY = "io.verbena.figures";

    private static final LiveRnics OF_PROCESS = new LiveRnics();

    /** With their numbers. An RNIC that the application has forgotten is not kept. */
    private final Map<Rnic, Integer> numbers = new WeakHashMap<>();

    /** What the process shows in place of its RNICs; the latest first. */
    private final Deque<Supplier<Figures>> instead = new ArrayDeque<>();

    private Optional<String> command = Optional.empty();
    private int last;
    private int users;

    /** The latest step: the socket is opened and closed in order, and no caller waits for it. */
    private CompletableFuture<Optional<Publication>> socket = CompletableFuture.completedFuture(Optional.empty());

    private LiveRnics() {}

    /** Something that is shown until it is closed. */
    public interface Shown extends AutoCloseable {
        @Override
        void close();
    }

    /** Shows an RNIC. The socket is made in a thread of its own: programs do not wait for it. */
    public static Shown add(Rnic rnic) {
        return OF_PROCESS.show(rnic);
    }

    /**
     * Shows these figures in place of those of all RNICs. After the return other processes find them.
     *
     * @param process of this process, with its RNICs as parts
     * @param note receives a sentence if others do not find this process, or find it at an unusual place
     */
    public static Shown replace(Supplier<Figures> process, Consumer<String> note) {
        return OF_PROCESS.show(process, note);
    }

    /** What the process is called from now on; otherwise the name of its main class. */
    public static void command(String name) {
        OF_PROCESS.named(name);
    }

    private static boolean hidden() {
        return "false".equals(System.getProperty(PROPERTY));
    }

    private Shown show(Rnic rnic) {
        if (hidden()) {
            return () -> {};
        }
        synchronized (this) {
            last++;
            numbers.put(rnic, last);
            use(sentence -> System.getLogger(LiveRnics.class.getName()).log(System.Logger.Level.DEBUG, sentence));
        }
        return once(() -> remove(rnic));
    }

    private Shown show(Supplier<Figures> process, Consumer<String> note) {
        if (hidden()) {
            return () -> {};
        }
        CompletableFuture<Optional<Publication>> opened;
        synchronized (this) {
            instead.addFirst(process);
            opened = use(note);
        }
        opened.join();
        return once(() -> remove(process));
    }

    private static Shown once(Runnable end) {
        AtomicBoolean over = new AtomicBoolean();
        return () -> {
            if (!over.getAndSet(true)) {
                end.run();
            }
        };
    }

    private synchronized void named(String name) {
        command = Optional.of(name);
    }

    /** With the monitor. */
    private CompletableFuture<Optional<Publication>> use(Consumer<String> note) {
        users++;
        if (users == 1) {
            socket = socket.thenApplyAsync(
                    _ -> Publication.offer(KIND, _ -> answer(), note),
                    step -> Thread.ofPlatform()
                            .daemon()
                            .inheritInheritableThreadLocals(false)
                            .name("verbena-live-start")
                            .start(step));
        }
        return socket;
    }

    private synchronized void remove(Rnic rnic) {
        numbers.remove(rnic);
        leave();
    }

    private synchronized void remove(Supplier<Figures> process) {
        instead.remove(process);
        leave();
    }

    private void leave() {
        users--;
        if (users == 0) {
            socket = socket.thenApply(publication -> {
                publication.ifPresent(Publication::close);
                return Optional.empty();
            });
        }
    }

    private String answer() {
        Figures process = source().get();
        return process.parts().isEmpty() ? "" : FiguresText.of(List.of(process));
    }

    private synchronized Supplier<Figures> source() {
        return instead.isEmpty() ? this::all : instead.getFirst();
    }

    private Figures all() {
        Map<Integer, Rnic> byNumber = new TreeMap<>();
        String name;
        synchronized (this) {
            numbers.forEach((rnic, number) -> byNumber.put(number, rnic));
            name = command.orElseGet(LiveRnics::mainClass);
        }
        List<Figures> rnics = new ArrayList<>();
        byNumber.forEach((number, rnic) -> rnics.add(ProcessParts.numbered(rnic.figures(), number)));
        return ProcessParts.of(name, rnics, List.of());
    }

    /** The first word of the command: the others may be secret. */
    private static String mainClass() {
        String words = System.getProperty("sun.java.command", "");
        String first = words.split(" ", 2)[0];
        return first.isEmpty() ? "java" : first.substring(first.lastIndexOf('/') + 1);
    }
}
