package io.verbena.messaging.start;

import io.verbena.messaging.policy.EnlargementPolicy;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The rank's side of {@link Meeting}. */
public final class MeetingClient {

    /** For a server that stays until its owner closes it: its ranks wait as long as their connections to it last. */
    public static final Duration UNTIL_CLOSED = Duration.ofDays(1000);

    private static final String ADDRESS = "VERBENA_BOOTSTRAP";
    private static final int CONNECT_MS = 5_000;
    private static final int RETRY_MS = 50;

    /** The addresses of the server; one of them answers. */
    private final List<InetSocketAddress> servers;

    /** The address that answered, or is tried now. */
    private InetSocketAddress server;

    private final Claim claim;
    private final long startNs = System.nanoTime();

    /** Result of the meeting. */
    public record Job(long number, List<SocketAddress> addresses) {}

    /**
     * A rank, and the maximum time it waits until the server has accepted it.
     *
     * @param launched whether the server was started before the ranks: if nothing listens there, the job has ended
     */
    public record Claim(int rank, int size, JobSecret secret, Duration patience, boolean launched) {

        /** The time is limited to what a nanosecond clock can count. */
        public Claim {
            patience = EnlargementPolicy.bounded(patience);
        }
    }

    /** Starts to listen at an address of this machine. */
    public interface Listening {
        InetSocketAddress at(InetAddress local) throws IOException;
    }

    /** The connection ended before the server had accepted this rank: the server may be slow, or too many peers connected. */
    private static final class EndedEarlyException extends IOException {
        private static final long serialVersionUID = 1L;

        EndedEarlyException(String reason) {
            super(reason);
        }
    }

    /** A rank whose server has one address. */
    public MeetingClient(InetSocketAddress server, Claim claim) {
        this(List.of(server), claim);
    }

    /**
     * A rank.
     *
     * @param servers the addresses of the server, such as those of its name
     */
    public MeetingClient(List<InetSocketAddress> servers, Claim claim) {
        this.servers = List.copyOf(servers);
        server = servers.getFirst();
        this.claim = claim;
    }

    /** Connects until the server has accepted this rank, and waits until all ranks have arrived. */
    public Job meet(Listening listening) throws IOException {
        Optional<InetSocketAddress> where = Optional.empty();
        while (true) {
            try (Socket socket = connect()) {
                if (where.isEmpty()) {
                    where = Optional.of(listening.at(socket.getLocalAddress()));
                }
                return exchange(new Lines(socket), where.get());
            } catch (SocketTimeoutException e) {
                throw new JobStartException(
                        "The server at " + text(server) + ", where the ranks meet, did not answer in time.");
            } catch (EndedEarlyException e) {
                if (late()) {
                    throw broken(e);
                }
                pause();
            } catch (SocketException e) {
                throw broken(e);
            }
        }
    }

    private boolean late() {
        return System.nanoTime() - startNs > claim.patience().toNanos();
    }

    private JobStartException broken(IOException e) {
        return new JobStartException("The connection to the server at " + text(server)
                + ", where the ranks meet, was broken: " + e.getMessage() + ".");
    }

    /** Under mpirun the server may not have been started yet. */
    private Socket connect() throws IOException {
        for (int tried = 1; ; tried++) {
            Socket socket = new Socket();
            try {
                socket.connect(server, CONNECT_MS);
                socket.setKeepAlive(true); // detects a server whose machine has failed
                return socket;
            } catch (SocketException | SocketTimeoutException e) {
                socket.close();
                server = servers.get(tried % servers.size());
                if (tried % servers.size() != 0) {
                    continue;
                }
                if (!(e instanceof ConnectException || e instanceof SocketTimeoutException)) {
                    throw e;
                }
                if (claim.launched() && e instanceof ConnectException) {
                    throw ended();
                }
                if (late()) {
                    throw new JobStartException("No server answers at " + text(server)
                            + ", where the ranks meet; it is rank 0 that listens there.");
                }
                pause();
            }
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(RETRY_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStartException("The start was interrupted.");
        }
    }

    private Job exchange(Lines lines, InetSocketAddress listening) throws IOException {
        String nonce = JobSecret.nonce();
        String kind = introduce(lines, listening, nonce);
        if (kind.equals(Meeting.REFUSED)) {
            throw new JobStartException("This rank was rejected: the ranks meet with another secret than that in its "
                    + JobSecret.TEXT + ".");
        }
        if (kind.equals(Meeting.WAIT)) {
            if (!claim.secret().proves(line(lines, claim.patience()), nonce, Meeting.WAIT)) {
                throw impostor();
            }
            kind = line(lines, UNTIL_CLOSED);
        }
        StringBuilder all = new StringBuilder(kind);
        List<String> text = new ArrayList<>();
        for (int i = 0; i < (kind.equals(Meeting.JOB) ? 1 + claim.size() : 1); i++) {
            text.add(line(lines, claim.patience()));
            all.append('\n').append(text.getLast());
        }
        if (!claim.secret().proves(line(lines, claim.patience()), nonce, all.toString())) {
            throw impostor();
        }
        if (!kind.equals(Meeting.JOB)) {
            throw new JobStartException(text.getFirst());
        }
        return job(text);
    }

    /** Sends the claim of this rank; returns the first line of the answer. */
    private String introduce(Lines lines, InetSocketAddress listening, String nonce) throws IOException {
        try {
            String[] hello = early(lines).split(" ", -1);
            if (hello.length != 2 || !hello[0].equals(Meeting.HELLO)) {
                throw foreign();
            }
            String words = claim.rank() + " " + claim.size() + " "
                    + listening.getAddress().getHostAddress() + " " + listening.getPort() + " " + nonce;
            lines.send(words + " " + claim.secret().proof(hello[1], words));
            return early(lines);
        } catch (SocketException e) {
            throw new EndedEarlyException(String.valueOf(e.getMessage()));
        }
    }

    private String early(Lines lines) throws IOException {
        return next(lines, claim.patience()).orElseThrow(() -> new EndedEarlyException("it was closed"));
    }

    private Job job(List<String> text) throws IOException {
        List<SocketAddress> addresses = new ArrayList<>();
        try {
            for (String address : text.subList(1, text.size())) {
                String[] words = address.split(" ");
                addresses.add(new InetSocketAddress(InetAddress.getByName(words[0]), Integer.parseInt(words[1])));
            }
            return new Job(Long.parseUnsignedLong(text.getFirst(), 16), addresses);
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException | UnknownHostException e) {
            throw foreign();
        }
    }

    private JobStartException foreign() {
        return new JobStartException(
                "The server at " + text(server) + " does not use the protocol of the meeting; check " + ADDRESS + ".");
    }

    private JobStartException impostor() {
        return new JobStartException(
                "The server at " + text(server) + " does not know the secret of this job; check " + ADDRESS + ".");
    }

    private static JobStartException ended() {
        return new JobStartException("The job ended before all ranks had started.");
    }

    private String line(Lines lines, Duration within) throws IOException {
        try {
            return next(lines, within).orElseThrow(MeetingClient::ended);
        } catch (SocketException e) {
            throw ended();
        }
    }

    private Optional<String> next(Lines lines, Duration within) throws IOException {
        try {
            return lines.next(within);
        } catch (ForeignProtocolException e) {
            throw foreign();
        }
    }

    public static String text(InetSocketAddress address) {
        return (address.isUnresolved()
                        ? address.getHostString()
                        : address.getAddress().getHostAddress()) + ":" + address.getPort();
    }
}
