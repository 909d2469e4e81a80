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

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration ANSWER_TIME = Duration.ofSeconds(10);
    private static final int CONNECT_MS = 5_000;
    private static final int RETRY_MS = 50;
    private static final int BACKLOG = 1024;
    private static final int MAX_RANKS = 65_536;

    private Bootstrap() {}

    /** What the server told. */
    record Job(long number, List<SocketAddress> addresses) {}

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
            serve(server, all, secret);
        }
        return join(options, mine, all, server, secret);
    }

    private static Communicator alone(MessagingOptions options) {
        Rnic rnic = Rnic.open(options.rnic());
        Transport transport = new Transport(0, 1, rnic, options, System::nanoTime, new SecureRandom());
        return new Communicator(0, 1, rnic, transport, options).joined();
    }

    private static Communicator join(
            MessagingOptions options, int rank, int size, InetSocketAddress server, JobSecret secret)
            throws IOException {
        Rnic rnic = Rnic.open(options.rnic());
        try (Socket socket = connect(server)) {
            Transport transport = new Transport(rank, size, rnic, options, System::nanoTime, new SecureRandom());
            // The address that leads to the server leads to the others too.
            InetSocketAddress listening =
                    (InetSocketAddress) transport.endpoint().listen(new InetSocketAddress(socket.getLocalAddress(), 0));
            Job job = exchange(new Lines(socket), rank, size, listening, secret);
            transport.members().join(job.addresses(), job.number());
            return new Communicator(rank, size, rnic, transport, options).joined();
        } catch (SocketTimeoutException e) {
            rnic.close();
            throw new JobStartException("The place where ranks meet, " + text(server) + ", did not answer in time.");
        } catch (SocketException e) {
            rnic.close();
            throw new JobStartException(
                    "The place where ranks meet, " + text(server) + ", broke the connection: " + e.getMessage() + ".");
        } catch (IOException | RuntimeException e) {
            rnic.close();
            throw e;
        }
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** The server may not be there yet. */
    private static Socket connect(InetSocketAddress server) throws IOException {
        long startNs = System.nanoTime();
        while (true) {
            Socket socket = new Socket();
            try {
                socket.connect(server, CONNECT_MS);
                return socket;
            } catch (ConnectException | SocketTimeoutException e) {
                socket.close();
                if (System.nanoTime() - startNs > PATIENCE.toNanos()) {
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
    static Job exchange(Lines lines, int rank, int size, InetSocketAddress listening, JobSecret secret)
            throws IOException {
        String[] hello = line(lines, ANSWER_TIME).split(" ", -1);
        if (hello.length != 2 || !hello[0].equals(Meeting.HELLO)) {
            throw foreign();
        }
        String nonce = JobSecret.nonce();
        String claim = rank + " " + size + " " + listening.getAddress().getHostAddress() + " " + listening.getPort()
                + " " + nonce;
        lines.say(claim + " " + secret.proof(hello[1], claim));
        String kind = line(lines, PATIENCE.plus(ANSWER_TIME));
        if (kind.equals(Meeting.REFUSED)) {
            throw new JobStartException(
                    "This rank was turned away: the ranks meet with another secret than its " + JobSecret.TEXT + ".");
        }
        StringBuilder all = new StringBuilder(kind);
        List<String> text = new ArrayList<>();
        for (int i = 0; i < (kind.equals(Meeting.JOB) ? 1 + size : 1); i++) {
            text.add(line(lines, ANSWER_TIME));
            all.append('\n').append(text.getLast());
        }
        if (!secret.proves(line(lines, ANSWER_TIME), nonce, all.toString())) {
            throw new JobStartException("Who answers where " + ADDRESS
                    + " says that ranks meet does not know the secret" + " of this job.");
        }
        if (!kind.equals(Meeting.JOB)) {
            throw new JobStartException(text.getFirst());
        }
        return job(text);
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

    private static String line(Lines lines, Duration within) throws IOException {
        Optional<String> line;
        try {
            line = lines.next(within);
        } catch (SocketTimeoutException | SocketException e) {
            throw e;
        } catch (IOException e) {
            throw foreign();
        }
        return line.orElseThrow(() -> new JobStartException("The job ended before all ranks had started."));
    }

    /** Serves in a thread of its own until all ranks have been told; answers where. */
    public static InetSocketAddress serve(InetSocketAddress at, int size, JobSecret secret) throws IOException {
        return serve(at, size, secret, PATIENCE);
    }

    static InetSocketAddress serve(InetSocketAddress at, int size, JobSecret secret, Duration patience)
            throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.bind(at, Math.max(size, BACKLOG));
        } catch (IOException e) {
            server.close();
            throw new JobStartException("The ranks cannot meet at " + text(at) + ": " + e.getMessage() + ".");
        }
        InetSocketAddress where = (InetSocketAddress) server.getLocalSocketAddress();
        Meeting.start(server, size, secret, patience);
        return where;
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
