package io.verbena.messaging;

import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How ranks that are processes find each other: over TCP, each tells a server its rank and where it listens, and is told where
 * all of them are. The server is the launcher, or rank 0. Both sides prove that they know the job's secret ({@link JobSecret}).
 */
public final class Bootstrap {

    /** Where the server is: host:port. */
    public static final String ADDRESS = "VERBENA_BOOTSTRAP";

    public static final String RANK = "VERBENA_RANK";
    public static final String SIZE = "VERBENA_SIZE";

    private static final String OPEN_MPI_RANK = "OMPI_COMM_WORLD_RANK";
    private static final String OPEN_MPI_SIZE = "OMPI_COMM_WORLD_SIZE";

    /** For a server that stays until its owner closes it: its ranks wait as long as their connections to it stay. */
    private static final Duration UNTIL_CLOSED = Duration.ofDays(1000);

    private static final int CONNECT_MS = 5_000;
    private static final int RETRY_MS = 50;
    private static final int BACKLOG = 1024;
    private static final int MAX_RANKS = 65_536;

    private Bootstrap() {}

    /** What the server told. */
    record Job(long number, List<SocketAddress> addresses) {}

    /**
     * A rank, and the maximum time it waits until the server has accepted it.
     *
     * @param launched whether the server was there before the ranks: if nothing listens there, the job has ended
     */
    record Claim(int rank, int size, JobSecret secret, Duration patience, boolean launched) {}

    /** Starts to listen at an address of this machine. */
    interface Listening {
        InetSocketAddress at(InetAddress local) throws IOException;
    }

    /** The connection ended before the server had accepted this rank: the server may be slow, or may have had too many visitors. */
    private static final class EndedEarly extends IOException {
        private static final long serialVersionUID = 1L;

        EndedEarly(String reason) {
            super(reason);
        }
    }

    static Communicator join(MessagingOptions options, Map<String, String> environment) throws IOException {
        boolean launched = environment.containsKey(RANK);
        Optional<Integer> rank = number(environment, launched ? RANK : OPEN_MPI_RANK);
        Optional<Integer> size = number(environment, launched ? SIZE : OPEN_MPI_SIZE);
        if (rank.isEmpty() || size.isEmpty()) {
            return alone(options);
        }
        int mine = rank.get();
        int all = size.get();
        if (all < 1 || all > MAX_RANKS || mine < 0 || mine >= all) {
            throw new JobStartException("There is no rank " + mine + " in a job of " + all + " ranks.");
        }
        if (all == 1) {
            return alone(options);
        }
        InetSocketAddress server = address(environment.getOrDefault(ADDRESS, ""));
        JobSecret secret = JobSecret.of(environment);
        if (mine == 0 && !launched) {
            serve(server, all, secret, options.timeout());
        }
        return join(options, server, new Claim(mine, all, secret, options.timeout(), launched));
    }

    private static Communicator alone(MessagingOptions options) {
        Rnic rnic = Rnic.open(options.rnic());
        Transport transport = new Transport(0, 1, rnic, options, System::nanoTime, new SecureRandom());
        return new Communicator(0, 1, rnic, transport, options).joined();
    }

    private static Communicator join(MessagingOptions options, InetSocketAddress server, Claim claim)
            throws IOException {
        Rnic rnic = Rnic.open(options.rnic());
        try {
            Transport transport =
                    new Transport(claim.rank(), claim.size(), rnic, options, System::nanoTime, new SecureRandom());
            // The address that leads to the server leads to the others too.
            Job job = meet(server, claim, local ->
                    (InetSocketAddress) transport.endpoint().listen(new InetSocketAddress(local, 0)));
            transport.members().join(job.addresses(), job.number());
            return new Communicator(claim.rank(), claim.size(), rnic, transport, options).joined();
        } catch (IOException | RuntimeException e) {
            rnic.close();
            throw e;
        }
    }

    /** Connects until the server has accepted this rank, and waits until all ranks have come. */
    static Job meet(InetSocketAddress server, Claim claim, Listening listening) throws IOException {
        long startNs = System.nanoTime();
        Optional<InetSocketAddress> where = Optional.empty();
        while (true) {
            try (Socket socket = connect(server, startNs, claim)) {
                if (where.isEmpty()) {
                    where = Optional.of(listening.at(socket.getLocalAddress()));
                }
                return exchange(new Lines(socket), claim, where.get());
            } catch (SocketTimeoutException e) {
                throw new JobStartException(
                        "The place where ranks meet, " + text(server) + ", did not answer in time.");
            } catch (EndedEarly e) {
                if (System.nanoTime() - startNs > claim.patience().toNanos()) {
                    throw broken(server, e);
                }
                pause();
            } catch (SocketException e) {
                throw broken(server, e);
            }
        }
    }

    private static JobStartException broken(InetSocketAddress server, IOException e) {
        return new JobStartException(
                "The place where ranks meet, " + text(server) + ", broke the connection: " + e.getMessage() + ".");
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** Under mpirun the server may not be there yet. */
    private static Socket connect(InetSocketAddress server, long startNs, Claim claim) throws IOException {
        while (true) {
            Socket socket = new Socket();
            try {
                socket.connect(server, CONNECT_MS);
                socket.setKeepAlive(true); // a server whose machine has died is noticed
                return socket;
            } catch (ConnectException | SocketTimeoutException e) {
                socket.close();
                if (claim.launched() && e instanceof ConnectException) {
                    throw ended();
                }
                if (System.nanoTime() - startNs > claim.patience().toNanos()) {
                    throw new JobStartException(
                            "Nobody answers at " + text(server) + ", where " + ADDRESS + " says that ranks meet.");
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

    /** The rank's side of {@link Meeting}. */
    private static Job exchange(Lines lines, Claim claim, InetSocketAddress listening) throws IOException {
        JobSecret secret = claim.secret();
        String nonce = JobSecret.nonce();
        String kind = introduce(lines, claim, listening, nonce);
        if (kind.equals(Meeting.REFUSED)) {
            throw new JobStartException(
                    "This rank was turned away: the ranks meet with another secret than its " + JobSecret.TEXT + ".");
        }
        if (kind.equals(Meeting.WAIT)) {
            if (!secret.proves(line(lines, claim.patience()), nonce, Meeting.WAIT)) {
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
        if (!secret.proves(line(lines, claim.patience()), nonce, all.toString())) {
            throw impostor();
        }
        if (!kind.equals(Meeting.JOB)) {
            throw new JobStartException(text.getFirst());
        }
        return job(text);
    }

    /** Says which rank this is; returns the first line of the answer. */
    private static String introduce(Lines lines, Claim claim, InetSocketAddress listening, String nonce)
            throws IOException {
        try {
            String[] hello = early(lines, claim).split(" ", -1);
            if (hello.length != 2 || !hello[0].equals(Meeting.HELLO)) {
                throw foreign();
            }
            String words = claim.rank() + " " + claim.size() + " "
                    + listening.getAddress().getHostAddress() + " " + listening.getPort() + " " + nonce;
            lines.say(words + " " + claim.secret().proof(hello[1], words));
            return early(lines, claim);
        } catch (SocketException e) {
            throw new EndedEarly(String.valueOf(e.getMessage()));
        }
    }

    private static String early(Lines lines, Claim claim) throws IOException {
        return next(lines, claim.patience()).orElseThrow(() -> new EndedEarly("it was closed"));
    }

    private static Job job(List<String> text) throws IOException {
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

    private static JobStartException foreign() {
        return new JobStartException(
                "Who answers where " + ADDRESS + " says that ranks meet does not speak their protocol.");
    }

    private static JobStartException impostor() {
        return new JobStartException(
                "Who answers where " + ADDRESS + " says that ranks meet does not know the secret of this job.");
    }

    private static String line(Lines lines, Duration within) throws IOException {
        try {
            return next(lines, within).orElseThrow(Bootstrap::ended);
        } catch (SocketException e) {
            throw ended();
        }
    }

    private static JobStartException ended() {
        return new JobStartException("The job ended before all ranks had started.");
    }

    private static Optional<String> next(Lines lines, Duration within) throws IOException {
        try {
            return lines.next(within);
        } catch (SocketTimeoutException | SocketException e) {
            throw e;
        } catch (IOException e) {
            throw foreign();
        }
    }

    /** Serves in a thread of its own until all ranks have come or the owner closes it, because one of them will not come. */
    public static Meeting serve(InetSocketAddress at, int size, JobSecret secret) throws IOException {
        return serve(at, size, secret, UNTIL_CLOSED);
    }

    /** The same; when ranks are still missing after this time, those that have come are told which. */
    public static Meeting serve(InetSocketAddress at, int size, JobSecret secret, Duration patience)
            throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.bind(at, Math.max(size, BACKLOG));
        } catch (IOException e) {
            server.close();
            throw new JobStartException("The ranks cannot meet at " + text(at) + ": " + e.getMessage() + ".");
        }
        return Meeting.start(server, size, secret, patience);
    }

    private static Optional<Integer> number(Map<String, String> environment, String name) throws IOException {
        String value = environment.get(name);
        if (value == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Integer.parseInt(value));
        } catch (NumberFormatException e) {
            throw new JobStartException(name + " must be a number, not '" + value + "'.");
        }
    }

    private static InetSocketAddress address(String text) throws IOException {
        int colon = text.lastIndexOf(':');
        try {
            if (colon > 0) {
                return new InetSocketAddress(
                        InetAddress.getByName(text.substring(0, colon)), Integer.parseInt(text.substring(colon + 1)));
            }
        } catch (IllegalArgumentException | UnknownHostException e) {
            // said below
        }
        throw new JobStartException("Set " + ADDRESS
                + " to HOST:PORT, where the ranks of the job meet; under mpirun rank 0"
                + " listens there (mpirun -x " + ADDRESS + "=HOST:PORT -x " + JobSecret.TEXT + " …). It is '" + text
                + "' now.");
    }
}
