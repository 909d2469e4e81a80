package io.verbena.messaging.launch;

import io.verbena.messaging.start.JobSecret;
import io.verbena.messaging.start.JobStartException;
import io.verbena.messaging.start.Meeting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where this rank goes to meet the others; if it is rank 0 and no server was started before, one listens now.
 *
 * @param servers the addresses of the server; one of them answers
 * @param secret what only the ranks of the job know
 * @param launched whether the server was there before the ranks
 */
public record Gathering(List<InetSocketAddress> servers, JobSecret secret, boolean launched) {

    private static final long RETRY_MS = 250;
    private static final Duration LONGEST = Duration.ofMinutes(10);

    /**
     * Finds the others.
     *
     * @param patience maximum time to wait until all ranks have come, unless {@code VERBENA_START_SECONDS} is set
     * @throws IOException if they cannot be found; the message is a sentence
     */
    public static Gathering of(Placement placement, Map<String, String> environment, Duration patience)
            throws IOException {
        return switch (placement.place()) {
            case MeetingPlace.Alone() -> throw new IllegalArgumentException("a single rank has no others to meet");
            case MeetingPlace.Server(String address) ->
                new Gathering(resolve(address, Duration.ZERO), JobSecret.of(environment), true);
            case MeetingPlace.FirstRank(String address, MeetingPlace.Listening listening) ->
                firstRank(placement, address, listening, environment, patience);
            case MeetingPlace.Announced(NoticeBoard board, boolean oneHost) ->
                announced(placement, board, oneHost, patience);
        };
    }

    /** The maximum time until all ranks have come: what the environment says, or that of other waits, at most ten minutes. */
    public static Duration patience(Map<String, String> environment, Duration others) throws JobStartException {
        JobVariables variables = new JobVariables(environment);
        if (!variables.has(JobVariables.START_SECONDS)) {
            return others.compareTo(LONGEST) < 0 ? others : LONGEST;
        }
        int seconds = variables.number(JobVariables.START_SECONDS);
        if (seconds < 1) {
            throw new JobStartException(JobVariables.START_SECONDS + " must be at least 1, not " + seconds + ".");
        }
        return Duration.ofSeconds(seconds);
    }

    private static Gathering firstRank(
            Placement placement,
            String address,
            MeetingPlace.Listening listening,
            Map<String, String> environment,
            Duration patience)
            throws IOException {
        boolean first = placement.rank() == 0;
        if (listening != MeetingPlace.Listening.ALL) {
            List<InetSocketAddress> named = resolve(address, Duration.ZERO);
            JobSecret secret = JobSecret.of(environment);
            if (first) {
                Meeting.at(named.getFirst(), placement.size(), secret, patience);
            }
            return new Gathering(named, secret, false);
        }
        JobSecret secret = JobSecret.of(environment);
        int port = port(address);
        if (first) {
            Meeting.at(new InetSocketAddress(port), placement.size(), secret, patience);
            return new Gathering(own(port), secret, false);
        }
        return new Gathering(outside(resolve(address, patience), port), secret, false);
    }

    private static Gathering announced(Placement placement, NoticeBoard board, boolean oneHost, Duration patience)
            throws IOException {
        if (placement.rank() > 0) {
            return parse(board.share(Optional.empty(), patience));
        }
        JobSecret secret = JobSecret.random();
        InetSocketAddress anywhere =
                oneHost ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0) : new InetSocketAddress(0);
        Meeting meeting = Meeting.at(anywhere, placement.size(), secret, patience);
        int port = meeting.address().getPort();
        List<InetSocketAddress> addresses = oneHost ? List.of(meeting.address()) : own(port);
        StringBuilder text = new StringBuilder();
        for (InetSocketAddress each : addresses) {
            String shown = each.getAddress().getHostAddress();
            int scope = shown.indexOf('%'); // the name of an interface here means nothing elsewhere
            text.append(text.isEmpty() ? "" : ",").append(scope < 0 ? shown : shown.substring(0, scope));
        }
        boolean shared = false;
        try {
            board.share(Optional.of(text + "/" + port + "/" + secret.text()), patience);
            shared = true;
        } finally {
            if (!shared) {
                meeting.close();
            }
        }
        return new Gathering(addresses, secret, false);
    }

    /** ADDRESS,ADDRESS/PORT/SECRET. */
    private static Gathering parse(String text) throws IOException {
        String[] parts = text.split("/", -1);
        try {
            if (parts.length == 3) {
                List<InetSocketAddress> addresses = new ArrayList<>();
                for (String each : parts[0].split(",", -1)) {
                    if (!each.matches("[0-9a-fA-F.:]+")) {
                        throw new UnknownHostException();
                    }
                    addresses.add(new InetSocketAddress(InetAddress.getByName(each), Integer.parseInt(parts[1])));
                }
                return new Gathering(addresses, JobSecret.of(Map.of(JobSecret.TEXT, parts[2])), false);
            }
        } catch (IllegalArgumentException | UnknownHostException e) {
            // reported below
        }
        throw new JobStartException("Rank 0 did not tell where it listens, but: '"
                + JobVariables.printable(parts.length == 3 ? parts[0] + "/" + parts[1] : text) + "'.");
    }

    private static List<InetSocketAddress> own(int port) {
        return OwnAddresses.reachable().stream()
                .map(address -> new InetSocketAddress(address, port))
                .toList();
    }

    /** On the machine of rank 0 itself its name may be a loopback address, from which no other machine is reached. */
    private static List<InetSocketAddress> outside(List<InetSocketAddress> named, int port) {
        List<InetSocketAddress> outside = named.stream()
                .filter(each -> !each.getAddress().isLoopbackAddress())
                .toList();
        return outside.isEmpty() ? own(port) : outside;
    }

    private static int port(String address) throws JobStartException {
        return JobVariables.number("The port of " + address, address.substring(address.lastIndexOf(':') + 1));
    }

    /** The addresses of HOST:PORT. A name that is new may not be known everywhere yet, so it is asked for again. */
    private static List<InetSocketAddress> resolve(String text, Duration patience) throws IOException {
        long deadlineNs = System.nanoTime() + patience.toNanos();
        int colon = text.lastIndexOf(':');
        while (colon > 0) {
            try {
                int port = Integer.parseInt(text.substring(colon + 1));
                return Arrays.stream(InetAddress.getAllByName(text.substring(0, colon)))
                        .map(each -> new InetSocketAddress(each, port))
                        .toList();
            } catch (IllegalArgumentException e) {
                break;
            } catch (UnknownHostException e) {
                if (System.nanoTime() - deadlineNs >= 0) {
                    break;
                }
                pause();
            }
        }
        throw new JobStartException("Set " + JobVariables.ADDRESS
                + " to HOST:PORT, where the ranks of the job meet; under mpirun rank 0"
                + " listens there (mpirun -x " + JobVariables.ADDRESS + "=HOST:PORT -x " + JobSecret.TEXT
                + " …). It is '" + JobVariables.printable(text) + "' now.");
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(RETRY_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStartException("The start was interrupted.");
        }
    }
}
