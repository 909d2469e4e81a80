package io.verbena.messaging;

import io.verbena.messaging.start.JobSecret;
import io.verbena.messaging.start.JobStartException;
import io.verbena.messaging.start.Meeting;
import io.verbena.messaging.start.MeetingClient;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The start of ranks that are processes. Each rank reports over TCP to a server where it listens and receives the addresses of all ranks. The
 * server is the launcher, or rank 0. Both sides prove that they know the secret of the job ({@link JobSecret}).
 */
public final class Bootstrap {

    /** Environment variable: address of the server, host:port. */
    public static final String ADDRESS = "VERBENA_BOOTSTRAP";

    /** Environment variable: rank of the process. */
    public static final String RANK = "VERBENA_RANK";

    /** Environment variable: number of ranks. */
    public static final String SIZE = "VERBENA_SIZE";

    private static final String OPEN_MPI_RANK = "OMPI_COMM_WORLD_RANK";
    private static final String OPEN_MPI_SIZE = "OMPI_COMM_WORLD_SIZE";

    private static final int BACKLOG = 1024;
    private static final int MAX_RANKS = 65_536;

    private Bootstrap() {}

    static Communicator join(MessagingOptions options, Map<String, String> environment) throws IOException {
        boolean launched = environment.containsKey(RANK);
        Optional<Integer> rank = number(environment, launched ? RANK : OPEN_MPI_RANK);
        Optional<Integer> size = number(environment, launched ? SIZE : OPEN_MPI_SIZE);
        if (rank.isEmpty() || size.isEmpty()) {
            return alone(options);
        }
        int ownRank = rank.get();
        int all = size.get();
        if (all < 1 || all > MAX_RANKS || ownRank < 0 || ownRank >= all) {
            throw new JobStartException("There is no rank " + ownRank + " in a job of " + all + " ranks.");
        }
        if (all == 1) {
            return alone(options);
        }
        List<InetSocketAddress> servers = addresses(environment.getOrDefault(ADDRESS, ""));
        JobSecret secret = JobSecret.of(environment);
        if (ownRank == 0 && !launched) {
            serve(servers.getFirst(), all, secret, options.timeout());
        }
        return join(options, servers, new MeetingClient.Claim(ownRank, all, secret, options.timeout(), launched));
    }

    private static Communicator alone(MessagingOptions options) {
        Rnic rnic = Rnic.open(options.rnic());
        Messenger messenger = new Messenger(0, 1, rnic, options, System::nanoTime, new SecureRandom());
        return new Communicator(0, 1, rnic, messenger, options).joined();
    }

    private static Communicator join(
            MessagingOptions options, List<InetSocketAddress> servers, MeetingClient.Claim claim) throws IOException {
        Rnic rnic = Rnic.open(options.rnic());
        boolean joined = false;
        try {
            Messenger messenger =
                    new Messenger(claim.rank(), claim.size(), rnic, options, System::nanoTime, new SecureRandom());
            // The local address that leads to the server also leads to the other ranks.
            MeetingClient.Job job = new MeetingClient(servers, claim)
                    .meet(local -> (InetSocketAddress) messenger.endpoint().listen(new InetSocketAddress(local, 0)));
            messenger.members().join(job.addresses(), job.number());
            Communicator world = new Communicator(claim.rank(), claim.size(), rnic, messenger, options).joined();
            joined = true;
            return world;
        } finally {
            if (!joined) {
                rnic.close();
            }
        }
    }

    /** Starts a server in a thread of its own, which ends when all ranks have been answered or its owner closes it. */
    public static Meeting serve(InetSocketAddress at, int size, JobSecret secret) throws IOException {
        return serve(at, size, secret, MeetingClient.UNTIL_CLOSED);
    }

    /** Starts a server that also ends after this time; if ranks are missing then, those that have arrived are notified which. */
    public static Meeting serve(InetSocketAddress at, int size, JobSecret secret, Duration patience)
            throws IOException {
        ServerSocket server = new ServerSocket();
        try {
            server.bind(at, Math.max(size, BACKLOG));
        } catch (IOException e) {
            server.close();
            throw new JobStartException(
                    "The ranks cannot meet at " + MeetingClient.text(at) + ": " + e.getMessage() + ".");
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

    private static List<InetSocketAddress> addresses(String text) throws IOException {
        int colon = text.lastIndexOf(':');
        try {
            if (colon > 0) {
                int port = Integer.parseInt(text.substring(colon + 1));
                return Arrays.stream(InetAddress.getAllByName(text.substring(0, colon)))
                        .map(each -> new InetSocketAddress(each, port))
                        .toList();
            }
        } catch (IllegalArgumentException | UnknownHostException e) {
            // reported below
        }
        throw new JobStartException("Set " + ADDRESS
                + " to HOST:PORT, where the ranks of the job meet; under mpirun rank 0"
                + " listens there (mpirun -x " + ADDRESS + "=HOST:PORT -x " + JobSecret.TEXT + " …). It is '" + text
                + "' now.");
    }
}
