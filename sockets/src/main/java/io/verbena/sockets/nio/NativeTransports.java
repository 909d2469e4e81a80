package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.SetUpThread;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds native transports of Netty in this process by the libraries that Linux has mapped. Their sockets do not
 * come from a provider, so nothing
 * else shows them where no agent watches the classes. Copies of Netty whose packages have a prefix have it in
 * the name of the library, too.
 */
final class NativeTransports {

    private static final Path MAPPED = Path.of("/proc/self/maps");

    /**
     * Programs load the libraries when they first connect or listen, which may be some time after the provider
     * is used.
     */
    private static final long[] LOOKS_S = {1, 10, 60};

    private static final AtomicBoolean WATCHED = new AtomicBoolean();
    private static final String NAME = "netty_transport_native_";

    /** The prefix ends with an underscore, in which a dot of the package became one, and an underscore "_1". */
    private static final String LIBRARY = "/lib(?<prefix>\\w*?)" + NAME + "(?<kind>epoll|io_uring)\\d*_\\w*\\.so";

    /**
     * A native transport.
     *
     * @param netty the package of the copy of Netty
     * @param kind epoll or io_uring
     */
    record Found(String netty, String kind) {}

    private NativeTransports() {}

    /** Looks some times from the first call on. */
    static void watch(SetUpThread thread) {
        if (!WATCHED.get() && WATCHED.compareAndSet(false, true) && Files.isReadable(MAPPED)) {
            for (long seconds : LOOKS_S) {
                thread.after(TimeUnit.SECONDS.toNanos(seconds), new Look(thread, false));
            }
        }
    }

    /** A look, by a thread that works. */
    private record Look(SetUpThread thread, boolean works) implements Runnable {
        @Override
        public void run() {
            if (works) {
                look();
            } else {
                thread.work(new Look(thread, true));
            }
        }
    }

    /** Adds those that are loaded now to what is left out; each is logged once. */
    static void look() {
        try (BufferedReader lines = Files.newBufferedReader(MAPPED, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains(NAME)) { // few programs need more than that
                    transport(line).ifPresent(NativeTransports::leaveOut);
                }
            }
        } catch (IOException | RuntimeException e) { // names of other systems, or a map that changes
            SetUpThread.log().log(Level.DEBUG, "The libraries of this process cannot be read.", e);
        }
    }

    private static void leaveOut(Found found) {
        String what =
                "sockets of the native transport " + found.kind + " of " + found.netty + ", whose library is loaded";
        String why = "-D" + found.netty + ".transport.noNative=true, or the agent of Verbena, switches it off";
        if (LeftOut.add(what, why)) {
            SetUpThread.log().log(Level.WARNING, "TCP carries " + what + ": " + why + ".");
        }
    }

    /** The transport whose library a line of the map names. */
    static Optional<Found> transport(String line) {
        Matcher found = Pattern.compile(LIBRARY).matcher(line);
        return found.find()
                ? Optional.of(new Found(unmangled(found.group("prefix")) + "io.netty", found.group("kind")))
                : Optional.empty();
    }

    private static String unmangled(String prefix) {
        return prefix.replaceAll("_(?!1)", ".").replace("_1", "_");
    }
}
