package io.verbena.messaging;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where the ranks of a job tell where they listen, and learn where the others do. Whoever cannot prove that it knows the job's secret
 * learns nothing and changes nothing: strangers are served side by side, and the oldest is disconnected when there are many.
 *
 * <p>A rank may take any time to introduce itself: a busy machine is no error. A rank that is disconnected before WAIT comes again.
 *
 * <pre>
 *   server -> VERBENA3 NONCE
 *   rank   -> RANK SIZE HOST PORT NONCE PROOF              PROOF of the server's nonce and the words before
 *   server -> WAIT                                         this rank is known from here on
 *             PROOF                                        of the rank's nonce and the word before
 *   server -> JOB, or ERROR
 *             number of the job, or a sentence
 *             HOST PORT of each rank
 *             PROOF                                        of the rank's nonce and all lines before
 * </pre>
 */
public final class Meeting implements AutoCloseable {

    static final String HELLO = "VERBENA3";
    static final String WAIT = "WAIT";
    static final String JOB = "JOB";
    static final String ERROR = "ERROR";
    static final String REFUSED = "REFUSED";

    /** Besides the ranks that are missing, which are strangers until they have introduced themselves. */
    private static final int MOST_STRANGERS = 256;

    private final int size;
    private final JobSecret secret;
    private final ServerSocket server;
    private final InetSocketAddress address;
    private final long deadlineNs;

    // Under the lock of this object.
    private final Set<Socket> strangers = new LinkedHashSet<>();
    private final @Nullable Guest[] guests;
    private int come;

    /** A rank that has come. */
    private record Guest(Lines lines, String address, String nonce) {}

    private Meeting(ServerSocket server, int size, JobSecret secret, Duration patience) {
        this.server = server;
        this.size = size;
        this.secret = secret;
        address = (InetSocketAddress) server.getLocalSocketAddress();
        deadlineNs = System.nanoTime() + patience.toNanos();
        guests = new @Nullable Guest[size];
    }

    /** Serves in a thread of its own, until all ranks have come, this much time has passed, or it is closed. */
    static Meeting start(ServerSocket server, int size, JobSecret secret, Duration patience) {
        Meeting meeting = new Meeting(server, size, secret, patience);
        Thread.ofPlatform().name("verbena-bootstrap").daemon().start(meeting::run);
        return meeting;
    }

    /** Where it is. */
    public InetSocketAddress address() {
        return address;
    }

    /** Ends it: if ranks are missing, those that have come are told which. */
    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run() {
        try (server) {
            while (missing() > 0) {
                long leftMs = (deadlineNs - System.nanoTime()) / 1_000_000;
                if (leftMs <= 0) {
                    break;
                }
                server.setSoTimeout((int) Math.min(leftMs, Integer.MAX_VALUE));
                Socket socket = server.accept();
                admit(socket);
                // No virtual thread: whatever else this process does with those could keep the ranks waiting.
                Thread.ofPlatform().name("verbena-bootstrap-guest").daemon().start(() -> welcome(socket));
            }
        } catch (SocketTimeoutException e) {
            // The ranks that came are told below.
        } catch (IOException e) {
            // Closed by its owner or by the last rank that came, or the system has no descriptors: the ranks are told
            // below.
        }
        tellAll();
    }

    private synchronized int missing() {
        return size - come;
    }

    private synchronized void admit(Socket socket) {
        strangers.add(socket);
        if (strangers.size() > MOST_STRANGERS + missing()) {
            Iterator<Socket> oldest = strangers.iterator();
            Socket first = oldest.next();
            oldest.remove();
            close(first);
        }
    }

    private synchronized void forget(Socket socket) {
        strangers.remove(socket);
    }

    private void welcome(Socket socket) {
        boolean stays = false;
        try {
            Lines lines = new Lines(socket);
            String nonce = JobSecret.nonce();
            lines.say(HELLO + " " + nonce);
            Optional<String> said = lines.next(Duration.ofNanos(deadlineNs - System.nanoTime()));
            stays = said.isPresent() && meet(lines, said.get(), nonce);
            if (stays && missing() == 0) {
                server.close(); // ends the wait for others
            }
        } catch (IOException e) {
            // A stranger, or a rank that died: its socket is closed, and nothing else is known of it.
        } finally {
            forget(socket);
            if (!stays) {
                close(socket);
            }
        }
    }

    /** Whether this is a rank that was missing. */
    private boolean meet(Lines lines, String said, String nonce) throws IOException {
        String[] words = said.split(" ", -1);
        String claim = said.substring(0, Math.max(0, said.lastIndexOf(' ')));
        if (words.length != 6 || !secret.proves(words[5], nonce, claim)) {
            lines.say(REFUSED);
            return false;
        }
        String problem;
        try {
            problem = note(Integer.parseInt(words[0]), Integer.parseInt(words[1]), words, lines);
        } catch (NumberFormatException e) {
            problem = "A rank and the size of its job are numbers.";
        }
        if (!problem.isEmpty()) {
            answer(lines, words[4], ERROR, List.of(problem));
        }
        return problem.isEmpty();
    }

    private synchronized String note(int rank, int itsSize, String[] words, Lines lines) throws IOException {
        if (itsSize != size) {
            return "This job has " + size + " ranks, not " + itsSize + ".";
        }
        if (rank < 0 || rank >= size || guests[rank] != null) {
            return "Rank " + rank + " is taken or does not exist.";
        }
        answer(lines, words[4], WAIT, List.of());
        strangers.remove(lines.socket()); // no stranger any more: it stays until all have come
        guests[rank] = new Guest(lines, words[2] + " " + words[3], words[4]);
        come++;
        return "";
    }

    /** Each is told on its own: one that has died meanwhile holds up nobody. */
    private synchronized void tellAll() {
        strangers.forEach(Meeting::close);
        List<String> text = new ArrayList<>();
        if (come == size) {
            text.add(JobSecret.nonce().substring(0, 16));
            for (Guest guest : guests) {
                text.add(guest == null ? "" : guest.address());
            }
        } else {
            List<Integer> missing = IntStream.range(0, size)
                    .filter(i -> guests[i] == null)
                    .limit(10)
                    .boxed()
                    .toList();
            text.add("Only " + come + " of " + size + " ranks have come. Missing: rank "
                    + missing.toString().replaceAll("[\\[\\]]", "") + (size - come > missing.size() ? ", ..." : "")
                    + ".");
        }
        for (Guest guest : guests) {
            if (guest != null) {
                try (Lines lines = guest.lines()) {
                    answer(lines, guest.nonce(), come == size ? JOB : ERROR, text);
                } catch (IOException e) {
                    // This rank has died; its launcher sees that.
                }
            }
        }
    }

    private void answer(Lines lines, String nonce, String kind, List<String> text) throws IOException {
        String all = text.isEmpty() ? kind : kind + "\n" + String.join("\n", text);
        lines.say(all + "\n" + secret.proof(nonce, all));
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing was to be told to it any more.
        }
    }
}
