package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;
import io.verbena.messaging.channel.RankHost;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** One job of ranks on a {@link RankHost}. All of them listen before the first program begins. One of them executes at a time. */
final class HostedRanks {

    /** The number of the job, which differs between jobs that can meet. This one has its network for itself. */
    private static final long JOB = 1;

    private final int size;
    private final RankHost host;
    private final Ranks.Program program;
    private final List<Messenger> messengers = new ArrayList<>();
    private final List<Communicator> communicators = new ArrayList<>();
    private @Nullable MessagingException failure;

    HostedRanks(int size, MessagingOptions options, RankHost host, Ranks.Program program) {
        this.size = size;
        this.host = host;
        this.program = program;
        for (int rank = 0; rank < size; rank++) {
            Rnic rnic = host.open(rank);
            // The nonces of rings: equal in two runs of a simulation.
            Messenger messenger = new Messenger(rank, size, rnic, options, host::nowNs, new Random(rank));
            messenger.host(host);
            messengers.add(messenger);
            communicators.add(new Communicator(rank, size, rnic, messenger, options));
        }
    }

    void run() {
        List<Runnable> programs = new ArrayList<>();
        try {
            List<SocketAddress> addresses = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                addresses.add(messengers.get(rank).endpoint().listen(host.address(rank)));
            }
            messengers.forEach(messenger -> messenger.members().join(addresses, JOB));
        } catch (IOException e) {
            throw new MessagingException("A rank cannot listen: " + e.getMessage(), e);
        }
        for (int rank = 0; rank < size; rank++) {
            int number = rank;
            programs.add(() -> run(number, communicators.get(number)));
        }
        host.run(programs);
        if (failure != null) {
            throw failure;
        }
    }

    private void run(int rank, Communicator world) {
        try {
            program.run(world);
            world.close();
        } catch (Throwable e) {
            if (failure == null) {
                failure = new MessagingException("Rank " + rank + " failed: " + e.getMessage(), e);
            } else {
                failure.addSuppressed(e);
            }
        } finally {
            world.abort();
        }
    }
}
