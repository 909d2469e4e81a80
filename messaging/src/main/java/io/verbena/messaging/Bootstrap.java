package io.verbena.messaging;

import io.verbena.messaging.launch.Gathering;
import io.verbena.messaging.launch.JobVariables;
import io.verbena.messaging.launch.LaunchEnvironment;
import io.verbena.messaging.launch.MeetingPlace;
import io.verbena.messaging.launch.Placement;
import io.verbena.messaging.start.JobSecret;
import io.verbena.messaging.start.Meeting;
import io.verbena.messaging.start.MeetingClient;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The start of ranks that are processes. Each rank reports over TCP to a server where it listens and receives the addresses of all ranks. The
 * server is the launcher, or rank 0 ({@link LaunchEnvironment}). Both sides prove that they know the secret of the job ({@link JobSecret}).
 */
public final class Bootstrap {

    /** Environment variable: address of the server, host:port. */
    public static final String ADDRESS = JobVariables.ADDRESS;

    /** Environment variable: rank of the process. */
    public static final String RANK = JobVariables.RANK;

    /** Environment variable: number of ranks. */
    public static final String SIZE = JobVariables.SIZE;

    private Bootstrap() {}

    static Communicator join(MessagingOptions options, Map<String, String> environment) throws IOException {
        Placement placement = LaunchEnvironment.placement(environment);
        if (placement.place() instanceof MeetingPlace.Alone) {
            return alone(options);
        }
        Duration patience = Gathering.patience(environment, options.timeout());
        Gathering gathering = Gathering.of(placement, environment, patience);
        MeetingClient.Claim claim = new MeetingClient.Claim(
                placement.rank(), placement.size(), gathering.secret(), patience, gathering.launched());
        return join(options, gathering.servers(), claim);
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
        return Meeting.at(at, size, secret, patience);
    }
}
