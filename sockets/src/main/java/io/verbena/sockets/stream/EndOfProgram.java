package io.verbena.sockets.stream;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Closes the sockets of a program that ends, as the system closes those of a process. Programs use their connections in shutdown hooks,
 * for example to answer requests that are in progress, so this happens after all of them: in a hook of the JVM itself, for which the package
 * {@code jdk.internal.access} must be exported to this module. The agent does that.
 *
 * <p>Without it, a shutdown hook of its own waits until no thread that may be a hook of the program runs: one that is no daemon and did not
 * run when the first network was opened. It waits no longer than for the peers.
 */
final class EndOfProgram {

    /** Slots of the JVM's hooks: the hooks of programs run in slot 1, and the JDK uses 0 to 2. */
    private static final int FIRST_SLOT = 3;

    private static final int LAST_SLOT = 9;

    /**
     * Sockets to close.
     *
     * @param close closes them, and returns at once
     * @param await waits at most for a time until the peers have what was written
     * @param limit that time
     */
    record Sockets(Runnable close, Consumer<Duration> await, Duration limit) {}

    private static final Set<Sockets> ALL = new LinkedHashSet<>();
    private static boolean registered;

    private EndOfProgram() {}

    /** Closes these sockets, too, when the JVM ends. */
    static synchronized void add(Sockets sockets) {
        ALL.add(sockets);
        if (!registered) {
            registered = true;
            if (!registerWithJvm()) {
                registerAsHook();
            }
        }
    }

    static synchronized void remove(Sockets sockets) {
        ALL.remove(sockets);
    }

    private static synchronized List<Sockets> all() {
        return List.copyOf(ALL);
    }

    /** Closes all sockets, and waits until the peers have what was written. */
    static void run() {
        List<Sockets> all = all();
        all.forEach(sockets -> sockets.close().run());
        all.forEach(sockets -> sockets.await().accept(sockets.limit()));
    }

    /** Returns false if the hooks of the JVM are not accessible. */
    private static boolean registerWithJvm() {
        try {
            Object access = Class.forName("jdk.internal.access.SharedSecrets")
                    .getMethod("getJavaLangAccess")
                    .invoke(null);
            Method register = Class.forName("jdk.internal.access.JavaLangAccess")
                    .getMethod("registerShutdownHook", int.class, boolean.class, Runnable.class);
            for (int slot = FIRST_SLOT; slot <= LAST_SLOT; slot++) {
                if (takes(register, access, slot)) {
                    return true;
                }
            }
        } catch (ReflectiveOperationException _) {
            // the package is not exported, or this JDK has no such method
        }
        return false;
    }

    /** Returns false if the slot is taken, or the JVM is ending and has passed it. */
    private static boolean takes(Method register, Object access, int slot) throws IllegalAccessException {
        try {
            Runnable hook = EndOfProgram::run;
            register.invoke(access, slot, true, hook);
            return true;
        } catch (InvocationTargetException _) {
            return false;
        }
    }

    private static void registerAsHook() {
        Set<Thread> before = Set.copyOf(Thread.getAllStackTraces().keySet());
        Runnable hook = () -> {
            awaitHooks(before);
            run();
        };
        try {
            Runtime.getRuntime()
                    .addShutdownHook(
                            Thread.ofPlatform().name("verbena-sockets-exit").unstarted(hook));
        } catch (IllegalStateException _) {
            // the JVM is ending, and waits for nothing that begins now
        }
    }

    private static void awaitHooks(Set<Thread> before) {
        long startNs = System.nanoTime();
        long limitNs = all().stream()
                .mapToLong(sockets -> sockets.limit().toNanos())
                .max()
                .orElse(0);
        try {
            Map<Thread, StackTraceElement[]> threads = Thread.getAllStackTraces();
            while (!hooksStarted(threads) && System.nanoTime() - startNs < limitNs) {
                Thread.sleep(1);
                threads = Thread.getAllStackTraces();
            }
            // The JDK lists the threads before it takes their stacks: one that was started in between is not in that
            // list.
            for (Thread hook : hooks(Thread.getAllStackTraces(), before)) {
                hook.join(Duration.ofNanos(Math.max(0, limitNs - (System.nanoTime() - startNs))));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // continues without waiting
        }
    }

    /** Whether the thread that ends the JVM has started all hooks, and waits for them. */
    private static boolean hooksStarted(Map<Thread, StackTraceElement[]> threads) {
        return threads.values().stream()
                .anyMatch(frames -> contains(frames, "java.lang.ApplicationShutdownHooks", "runHooks")
                        && contains(frames, "java.lang.Thread", "join"));
    }

    /** Threads that may be hooks of the program, and none that ends the JVM. */
    private static List<Thread> hooks(Map<Thread, StackTraceElement[]> threads, Set<Thread> before) {
        return threads.entrySet().stream()
                .filter(each -> !contains(each.getValue(), "java.lang.Shutdown", ""))
                .map(Map.Entry::getKey)
                .filter(thread ->
                        !thread.isDaemon() && !before.contains(thread) && !thread.equals(Thread.currentThread()))
                .toList();
    }

    /** Whether a method of this class is executed; an empty name stands for any. */
    private static boolean contains(StackTraceElement[] frames, String type, String method) {
        return Stream.of(frames)
                .anyMatch(frame -> frame.getClassName().equals(type)
                        && (method.isEmpty() || frame.getMethodName().equals(method)));
    }
}
