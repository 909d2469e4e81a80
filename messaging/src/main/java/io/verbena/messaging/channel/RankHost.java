package io.verbena.messaging.channel;

import io.verbena.verbs.Rnic;
import java.net.SocketAddress;
import java.util.List;

/**
 * Where ranks run that are not threads in real time, for example a simulation. It gives each rank an RNIC and an address, and runs their programs
 * so that one at a time executes.
 */
public interface RankHost {

    /** Opens the RNIC of a rank; the rank closes it. */
    Rnic open(int rank);

    /** Where a rank listens. */
    SocketAddress address(int rank);

    /** The clock of all ranks, in nanoseconds; only differences are used. */
    long nowNs();

    /** The calling rank waits for something: other ranks work, or time passes, before this returns. */
    void pause();

    /** Runs the programs of all ranks, each in a thread of its own, and returns when all have ended. */
    void run(List<Runnable> programs);
}
