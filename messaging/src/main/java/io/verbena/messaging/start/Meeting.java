package io.verbena.messaging.start;

import io.verbena.messaging.policy.EnlargementPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The server at which the ranks of a job report their addresses and learn those of the others. A peer that cannot prove that it knows the
 * secret of the job learns nothing and changes nothing: such peers are served concurrently, and their number is bounded ({@link Strangers}).
 *
 * <p>A rank may take any time to send its claim: a busy machine is not an error. A rank that is disconnected before WAIT connects again.
 *
 * <pre>
 *   server -> VERBENA3 NONCE
 *   rank   -> RANK SIZE HOST PORT NONCE PROOF              PROOF of the nonce of the server and the words before
 *   server -> WAIT                                         the server has accepted this rank
 *             PROOF                                        of the nonce of the rank and the word before
 *   server -> JOB, or ERROR
 *             number of the job, or a sentence
 *             HOST PORT of each rank
 *             PROOF                                        of the nonce of the rank and all lines before
 * </pre>
 */
public final class Meeting implements AutoCloseable {

    static final String HELLO = "VERBENA3";
    static final String WAIT = "WAIT";
    static final String JOB = "JOB";
    static final String ERROR = "ERROR";
    static final String REFUSED = "REFUSED";

    /** Places in addition to those of the missing ranks, which are strangers until their claim has arrived. */
    private static final int MAX_STRANGERS = 256;

    private static final int MAX_MISSING_SHOWN = 10;
    private static final int BACKLOG = 1024;

    private final int size;
    private final JobSecret secret;
    private final ServerSocket server;
    private final InetSocketAddress address;
    private final long deadlineNs;

    // Under the lock of this object.
    private final Strangers strangers = new Strangers();
    private final @Nullable Guest[] guests;
    private int arrived;

    /** A rank that has proved that it knows the secret. */
    private record Guest(Lines lines, String address, String nonce) {}

    private Meeting(ServerSocket server, int size, JobSecret secret, Duration patience) {
        this.server = server;
        this.size = size;
        this.secret = secret;
        address = (InetSocketAddress) server.getLocalSocketAddress();
        deadlineNs = System.nanoTime() + EnlargementPolicy.bounded(patience).toNanos();
        guests = new @Nullable Guest[size];
    }

    /**
     * Listens at an address, as {@link #start} does.
     *
     * @throws JobStartException if the address cannot be used
     */
    public static Meeting at(InetSocketAddress address, int size, JobSecret secret, Duration patience)
            throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.bind(address, Math.max(size, BACKLOG));
        } catch (IOException e) {
            server.close();
            throw new JobStartException(
                    "The ranks cannot meet at " + MeetingClient.text(address) + ": " + e.getMessage() + ".");
        }
        return start(server, size, secret, patience);
    }

    /** Serves in a thread of its own until all ranks have arrived, this time has passed, or it is closed. */
    public static Meeting start(ServerSocket server, int size, JobSecret secret, Duration patience) {
        Meeting meeting = new Meeting(server, size, secret, patience);
        Thread.ofPlatform().name("verbena-bootstrap").daemon().start(meeting::run);
        return meeting;
    }

    /** Address at which the server listens. */
    public InetSocketAddress address() {
        return address;
    }

    /** Ends the meeting: if ranks are missing, those that have arrived are notified which. */
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
                // Not a virtual thread: other virtual threads of this process could delay the ranks.
                Thread.ofPlatform().name("verbena-bootstrap-guest").daemon().start(() -> serve(socket));
            }
        } catch (SocketTimeoutException e) {
            // The ranks that have arrived are notified below.
        } catch (IOException e) {
            // Closed by its owner or by the last rank, or the system has no descriptors: the ranks are notified below.
        }
        answerAll();
    }

    private synchronized int missing() {
        return size - arrived;
    }

    private synchronized void admit(Socket socket) {
        strangers.add(socket, MAX_STRANGERS + missing());
    }

    private synchronized void forget(Socket socket) {
        strangers.remove(socket);
    }

    private void serve(Socket socket) {
        boolean stays = false;
        try {
            Lines lines = new Lines(socket);
            String nonce = JobSecret.nonce();
            lines.send(HELLO + " " + nonce);
            Optional<String> claim = lines.next(Duration.ofNanos(deadlineNs - System.nanoTime()));
            stays = claim.isPresent() && check(lines, claim.get(), nonce);
            if (stays && missing() == 0) {
                server.close(); // ends the wait for other ranks
            }
        } catch (IOException e) {
            // A stranger, or a rank that died: its socket is closed below.
        } finally {
            forget(socket);
            if (!stays) {
                Strangers.close(socket);
            }
        }
    }

    /** Returns whether a claim comes from a rank that was missing. */
    private boolean check(Lines lines, String claim, String nonce) throws IOException {
        String[] words = claim.split(" ", -1);
        String claimed = claim.substring(0, Math.max(0, claim.lastIndexOf(' ')));
        if (words.length != 6 || !secret.proves(words[5], nonce, claimed)) {
            lines.send(REFUSED);
            return false;
        }
        String problem;
        try {
            problem = enter(Integer.parseInt(words[0]), Integer.parseInt(words[1]), words, lines);
        } catch (NumberFormatException e) {
            problem = "The rank and the size of the job must be numbers.";
        }
        if (!problem.isEmpty()) {
            answer(lines, words[4], ERROR, List.of(problem));
        }
        return problem.isEmpty();
    }

    private synchronized String enter(int rank, int claimedSize, String[] words, Lines lines) throws IOException {
        if (claimedSize != size) {
            return "This job has " + size + " ranks, not " + claimedSize + ".";
        }
        if (rank < 0 || rank >= size) {
            return "Rank " + rank + " does not exist; ranks are 0 to " + (size - 1) + ".";
        }
        if (guests[rank] != null) {
            return "Rank " + rank + " has arrived already.";
        }
        answer(lines, words[4], WAIT, List.of());
        strangers.remove(lines.socket()); // it stays connected until all ranks have arrived
        guests[rank] = new Guest(lines, words[2] + " " + words[3], words[4]);
        arrived++;
        return "";
    }

    /** Answers each rank separately: one that has died does not delay the others. */
    private synchronized void answerAll() {
        strangers.closeAll();
        List<String> text = new ArrayList<>();
        if (arrived == size) {
            text.add(JobSecret.nonce().substring(0, 16));
            for (Guest guest : guests) {
                text.add(guest == null ? "" : guest.address());
            }
        } else {
            text.add(missingRanks());
        }
        for (Guest guest : guests) {
            if (guest != null) {
                try (Lines lines = guest.lines()) {
                    answer(lines, guest.nonce(), arrived == size ? JOB : ERROR, text);
                } catch (IOException e) {
                    // This rank has died, which its launcher detects.
                }
            }
        }
    }

    private String missingRanks() {
        int count = size - arrived;
        String missing = IntStream.range(0, size)
                .filter(i -> guests[i] == null)
                .limit(MAX_MISSING_SHOWN)
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(", "));
        return "Only " + arrived + " of " + size + " ranks have arrived. Missing: rank " + missing
                + (count > MAX_MISSING_SHOWN ? ", ..." : "") + ".";
    }

    private void answer(Lines lines, String nonce, String kind, List<String> text) throws IOException {
        String all = text.isEmpty() ? kind : kind + "\n" + String.join("\n", text);
        lines.send(all + "\n" + secret.proof(nonce, all));
    }
}
