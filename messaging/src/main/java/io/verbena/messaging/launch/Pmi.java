package io.verbena.messaging.launch;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.start.JobStartException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;

/**
 * The board of a launcher that speaks PMI: MPICH's Hydra, Intel MPI, Flux (version 1), Slurm with {@code --mpi=pmi2} (version 2). The rank
 * takes leave of it as soon as the ranks have met.
 */
final class Pmi implements NoticeBoard {

    static final String KEY = "verbena-meeting";
    private static final Duration HANDSHAKE = Duration.ofSeconds(30);

    /** What both versions of the protocol can do. */
    interface Dialogue {

        /** Sent first of all; returns whether the launcher speaks this version. */
        boolean begin() throws IOException;

        void put(String key, String value) throws IOException;

        /** Waits for all ranks of the job; afterwards each gets what the others have put. */
        void barrier() throws IOException;

        String get(String key) throws IOException;

        void end() throws IOException;
    }

    private final LauncherWire wire;
    private final Dialogue first;
    private final Dialogue second;

    /** The second dialogue is tried if the launcher does not speak the first one. */
    Pmi(LauncherWire wire, Dialogue first, Dialogue second) {
        this.wire = wire;
        this.first = first;
        this.second = second;
    }

    @Override
    public String share(Optional<String> text, Duration within) throws IOException {
        try (wire) {
            wire.until(System.nanoTime() + HANDSHAKE.toNanos());
            Dialogue dialogue = first.begin() ? first : second;
            if (dialogue == second && !second.begin()) {
                throw new JobStartException("The launcher of this rank speaks neither version 1 nor version 2 of PMI.");
            }
            if (text.isPresent()) {
                dialogue.put(KEY, text.get());
            }
            wire.until(System.nanoTime() + EnlargementPolicy.bounded(within).toNanos());
            dialogue.barrier();
            wire.until(System.nanoTime() + HANDSHAKE.toNanos());
            String shared = text.isPresent() ? text.get() : dialogue.get(KEY);
            dialogue.end();
            return shared;
        } catch (SocketTimeoutException e) {
            throw new JobStartException("A rank of the job has not come: the launcher did not answer within "
                    + within.toSeconds() + " s, as it does when all ranks have asked.");
        }
    }

    /** The value of a word in an answer such as {@code cmd=put_result rc=0}. */
    static Optional<String> value(String answer, String separator, String name) {
        for (String word : answer.split(separator, -1)) {
            if (word.startsWith(name + "=")) {
                return Optional.of(word.substring(name.length() + 1));
            }
        }
        return Optional.empty();
    }

    static JobStartException unexpected(String answer) {
        return new JobStartException(
                "The launcher of this rank answered '" + JobVariables.printable(answer) + "', which is not expected.");
    }
}
